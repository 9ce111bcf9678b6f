"""What something costs does not depend on how much else there is: steps and calls are counted."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from ledger_driver import Driver, at, id_of, instant, remember, update
from ledger_file import Plans, Steps

from damals.adapters.vault.chunker import MarkdownChunker
from damals.app.diff_facts import Collected
from damals.app.index_model import OWNER, AccessFilter
from damals.app.record import Request, Tools, record
from damals.domain.diff_rows import opened
from damals.domain.instants import DAY, format_instant
from damals.domain.operations import Revert
from damals.domain.params import Params

GUEST = AccessFilter(("public", "internal"), 1, ("bob",))
EARLY = instant("2024-02-02")


@dataclass
class Calls:
    """How many functions are called, those of the interpreter included."""

    count: int = 0

    @contextmanager
    def counted(self) -> Iterator[None]:
        def note(_frame: object, event: str, _what: object) -> None:
            self.count += event in ("call", "c_call")

        sys.setprofile(note)
        try:
            yield
        finally:
            sys.setprofile(None)


def calls_of(work: Callable[[], object]) -> int:
    calls = Calls()
    with calls.counted():
        work()
    return calls.count


def batch(driver: Driver, day: int, operations: Sequence[Params]) -> int:
    return driver.do(f"2024-01-{day:02}", *operations)


@pytest.mark.parametrize("access", [OWNER, GUEST])
def test_the_history_of_an_entry_costs_the_same_however_many_came_with_it(
    driver: Driver, access: AccessFilter
):
    counted: list[int] = []
    steps = Steps(driver.ledger)
    for day, many in ((10, 20), (11, 200)):
        batch(driver, day, [remember(f"e{many}x{n}") for n in range(many)])
        steps.count = 0
        with driver.ledger.read("w", access) as reader:
            assert len(reader.history(id_of(f"e{many}x7"), at("2024-02-01"))) == 1
        counted.append(steps.count)
    few, many = counted
    assert many < few * 1.1


@pytest.mark.parametrize("many", [1, 120])
def test_operations_are_read_by_their_places(driver: Driver, many: int):
    now = instant("2024-01-10")
    batch(driver, 10, [remember("a"), remember("b")])
    with driver.ledger.write("w") as writer:
        for n in range(many):
            driver.into(writer, now + 1 + n, [{"op": "correct", "target": "a", "content": f"{n}"}])
    plans = Plans(driver.ledger)
    with driver.ledger.read("w") as reader:
        assert len(reader.history(id_of("a"), at("2024-02-01"))) == many + 1
        rows = reader.rows_between([id_of("a")], now, now + many)
        assert len(reader.deeds({(opened(one), one.entry_id) for one in rows.versions})) > many
    read = {line for line in plans.lines if " operations " in line}
    assert read == {"SEARCH operations USING PRIMARY KEY (workspace_id=? AND number=? AND seq=?)"}


def test_taking_a_batch_back_costs_the_same_for_each_of_its_entries(driver: Driver):
    steps, counted = Steps(driver.ledger), dict[int, tuple[int, int]]()
    for day, many in ((10, 20), (15, 80)):
        refs = [f"e{many}x{n}" for n in range(many)]
        batch(driver, day, [remember(ref) for ref in refs])
        ended = batch(driver, day + 1, [_end(ref, "2024-03-01") for ref in refs])
        batch(driver, day + 2, [{"op": "correct", "target": r, "content": "!"} for r in refs])
        steps.count, number = 0, ended
        calls = calls_of(
            lambda day=day, number=number: driver.do(f"2024-01-{day + 3}", Revert(number))
        )
        counted[many] = (steps.count, calls)
        assert driver.history(refs[0])[-1] == (refs[0].title(), "2024-01-01", "")
    assert all(many < few * 4.4 for few, many in zip(counted[20], counted[80], strict=True))


def _end(ref: str, at_: str) -> Params:
    return {"op": "end", "target": ref, "at": at_}


def test_writing_to_a_key_costs_the_same_however_many_held_it(driver: Driver):
    steps, counted = Steps(driver.ledger), list[tuple[int, int]]()
    driver.do("2024-01-10", remember("p0", "2024-01-31", key="k"))
    now, place = instant("2024-01-12"), 0
    for _ in range(2):
        for _ in range(100):
            place += 1
            with driver.ledger.write("w") as writer:
                steps.count = 0
                calls = calls_of(lambda: driver.into(writer, now + place, [_link(place)]))  # noqa: B023 - called at once
                writer.flush()
        counted.append((steps.count, calls))
    assert all(many < few * 1.1 for few, many in zip(*counted, strict=True))


def test_writing_to_a_key_in_one_write_costs_the_same_however_many_held_it(driver: Driver):
    driver.do("2024-01-10", remember("p0", "2024-01-31", key="k"))
    now, counted = instant("2024-01-12"), list[int]()
    with driver.ledger.write("w") as writer:
        for place in range(1, 201):
            calls = calls_of(lambda: driver.into(writer, now + place, [_link(place)]))  # noqa: B023 - called at once
            if place in (100, 200):
                counted.append(calls)
    few, many = counted
    assert many < few * 1.1


def test_writing_to_a_key_in_one_transaction_costs_the_same_for_each(driver: Driver):
    counted: list[int] = []
    for day, many in ((10, 20), (11, 80)):
        key = f"k{many}"
        facts = [
            remember(f"{key}x{n}", f"{1900 + n}", key=key, on_overlap="replace")
            for n in range(many)
        ]
        counted.append(calls_of(lambda day=day, facts=facts: batch(driver, day, facts)))
    few, many = counted
    assert many < few * 4.4


def _link(place: int) -> Params:
    """An update of the one before by the next."""
    return update(
        f"p{place}", f"p{place - 1}", valid_from=format_instant(EARLY + place * 1_000_000)
    )


def test_declaring_relations_costs_the_same_for_each(driver: Driver):
    counted: list[tuple[int, int]] = []
    batch(driver, 10, [remember(f"e{n}") for n in range(400)])
    for day, many in ((11, 100), (14, 400)):
        said = [{"type": "refers_to", "dst": str(id_of(f"e{n}"))} for n in range(many)]
        ref, gone = f"from{many}", {"op": "correct", "target": f"from{many}", "relations": []}
        made = remember(ref, relations=said)
        counted.append((
            calls_of(lambda day=day, made=made: batch(driver, day, [made])),
            calls_of(lambda day=day, gone=gone: batch(driver, day + 1, [gone])),
        ))  # fmt: skip
    assert all(many < few * 4.4 for few, many in zip(*counted, strict=True))


def test_the_story_of_an_entry_costs_the_same_for_each_that_took_over(driver: Driver):
    counted: list[tuple[int, int, int]] = []
    plans, steps = Plans(driver.ledger), Steps(driver.ledger)
    driver.do("2024-01-10", remember("p0", "2024-01-31"))
    now, place = instant("2024-01-12"), 0
    for links in (25, 75):
        for _ in range(links):
            place += 1
            driver.do(format_instant(now + place)[:-1], _link(place))
        plans.statements.clear()
        steps.count = 0
        with driver.reading() as reader:
            story = Collected(reader, at("2024-01-31T12:00", "2024-01-09"), at("2024-03-01"))
            calls = calls_of(lambda story=story: story.add([id_of("p0")], both_ways=True))
        counted.append((len(plans.statements), steps.count, calls))
    assert all(many < few * 4.4 for few, many in zip(*counted, strict=True))
    assert counted[1][0] < 2 * 100 + 30


@pytest.mark.parametrize("access", [OWNER, GUEST])
def test_a_write_of_many_transactions_asks_for_names_and_writes_at_its_end(
    driver: Driver, access: AccessFilter
):
    plans = Plans(driver.ledger)
    tools = Tools(MarkdownChunker(), lambda: EARLY)
    with driver.ledger.write("w", access) as writer:
        plans.statements.clear()
        for n in range(20):
            record(writer, tools, Request(({"op": "remember", "ref": f"r{n}", "title": "R"},), "t"))
            ended = {"op": "end", "target": f"r{n}", "at": format_instant(EARLY + DAY)}
            record(writer, tools, Request(({"op": "verify", "target": f"r{n}"}, ended), "t"))
        assert all("FROM contents" in sql for sql in plans.statements[1:])
        assert len(plans.statements) <= 2 * 20 + 1  # whether a name is taken is asked twice at most
