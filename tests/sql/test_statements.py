"""How the ledger asks its database: by index, once, and for no more than is needed."""

from contextlib import suppress
from random import Random

import pytest
from ledger_driver import Driver, at, id_of, instant, remember
from ledger_file import Plans, Steps
from ledger_reading_contract import link, note, note_entry

from damals.adapters.sql import points
from damals.adapters.sql.access import UNRESTRICTED
from damals.adapters.sql.reader import SqlReader
from damals.adapters.sql.rows import found_of
from damals.app.index_model import AccessFilter
from damals.app.ledger_model import At, EntryFilter, Found
from damals.domain.cuts import ALWAYS
from damals.domain.errors import Conflict, NotFound
from damals.domain.instants import format_instant
from damals.domain.operations import Correct, End, Retract

HIDING = AccessFilter(("public", "internal"), 1, ("bob",))
ORDERED = "USE TEMP B-TREE"


@pytest.mark.parametrize("access", [AccessFilter(), AccessFilter(("public",), 1, ("bob",))])
@pytest.mark.parametrize("known_at", [None, "2024-01-12"])
def test_point_reads_use_an_index(lived: Driver, access: AccessFilter, known_at: str | None):
    asked = at("2024-03-15", known_at)
    plans = Plans(lived.ledger)
    with lived.ledger.read("w", access) as reader:
        reader.find_entry("a")
        a = id_of("a")
        reader.version_at(a, asked)
        reader.versions_at([a], asked)
        reader.latest_version(a, asked)
        reader.history(a, asked)
        reader.key_history("k", asked)
        reader.superseded_at([a], asked)
        reader.relations_at([a], asked)
        reader.list_at(asked, EntryFilter(after=a))
        list(reader.log(entry_id=a))
        list(reader.log(key="k"))
        reader.chunks([a])
        reader.source_notes("a")
        reader.links("A")
        reader.links("a")
    assert plans.scans() == []


def test_everything_current_is_listed_from_an_index_in_its_order(lived: Driver):
    plans = Plans(lived.ledger)
    with lived.ledger.read("w") as reader:
        reader.list_at(at("2024-03-15"), EntryFilter())
    assert (
        "SEARCH versions USING INDEX versions_current (workspace_id=? AND entry_id>?"
        in " ".join(plans.lines)
    )
    assert not any("TEMP B-TREE" in line for line in plans.lines)


def test_a_draft_finds_what_it_needs_by_index(lived: Driver):
    plans = Plans(lived.ledger)
    with lived.ledger.write("w") as writer:
        state = writer.by_external_id("c")
        list(writer.holding_key("k", ALWAYS))
        list(writer.stating(state.rectangles[0].attributes))
        writer.open_chunks([state.id])
    assert plans.scans() == []
    used = " ".join(plans.lines)
    for index in (
        "entries_external",
        "versions_current_key",
        "versions_current_statement",
        "chunks_current",
    ):
        assert index in used


def test_the_outbox_is_read_by_index(lived: Driver):
    plans = Plans(lived.ledger)
    for item in lived.ledger.outbox("i", 2):
        lived.ledger.advance("i", item.position, [chunk.point_id for chunk in item.opened])
    lived.ledger.queue("i", 2)
    assert plans.scans() == []


def test_finding_the_newest_takes_one_step_in_an_index(lived: Driver):
    plans = Plans(lived.ledger)
    with lived.ledger.read("w", HIDING) as reader:
        reader.find_entry("a")
    with lived.ledger.write("w") as writer:
        writer.by_external_id("a")
    lived.ledger.outbox("i", 10)
    used = " ".join(plans.lines)
    entry = "(workspace_id=? AND entry_id=?"
    assert f"touches USING PRIMARY KEY {entry} AND recorded_at<?)" in used
    assert f"touches USING PRIMARY KEY {entry})" in used
    assert f"USING COVERING INDEX versions_entry {entry})" in used
    assert f"USING COVERING INDEX versions_entry {entry} AND recorded_from<?)" in used
    assert plans.scans() == []
    assert not any("max(touches" in sql for sql in plans.statements)


@pytest.mark.parametrize("access", [AccessFilter(), HIDING])
@pytest.mark.parametrize(
    ("known_at", "of_entry", "of_key"),
    [
        (
            None,
            ["versions_current (workspace_id=? AND entry_id=? AND start_earliest<?)"],
            ["versions_current_key (workspace_id=? AND key_id=? AND start_earliest<?)"],
        ),
        (
            "2024-01-12",
            ["versions_entry (workspace_id=? AND entry_id=? AND recorded_from<?)"],
            [
                "versions_key (workspace_id=? AND key_id=? AND recorded_from<?)",
                "versions_key_start (workspace_id=? AND key_id=? AND start_earliest<?)",
            ],
        ),
    ],
)
def test_a_point_read_walks_an_index_to_the_first_that_holds(
    lived: Driver,
    access: AccessFilter,
    known_at: str | None,
    of_entry: list[str],
    of_key: list[str],
):
    asked = at("2023-12-31", known_at)
    with lived.ledger.read("w", access) as reader:
        reader.find_entry("a")
        a = id_of("a")
        for read, indexes in (
            (lambda: reader.version_at(a, asked), of_entry),
            (lambda: reader.holder_at("k", asked), of_key),
        ):
            plans = Plans(lived.ledger)
            plans.listen(reader)
            assert read() is None
            used = " ".join(plans.lines)
            assert all(index in used for index in indexes)
            assert ORDERED not in used
            assert plans.scans() == []


def test_a_point_read_asks_once_unless_what_holds_is_imprecise(driver: Driver):
    driver.do("2024-01-10", remember("a", "2024-02"), remember("b", "2024-02-01"))
    driver.do("2024-01-11", End("a", "2024-06"), End("b", "2024-06-01"))
    plans = Plans(driver.ledger)
    counted: dict[tuple[str, str], int] = {}
    with driver.reading() as reader:
        reader.head()
        plans.listen(reader)
        for ref in "ab":
            for day in ("2024-01-15", "2024-02-15", "2024-03-15", "2024-06-15", "2024-07-15"):
                for known_at in (None, "2024-01-10"):
                    plans.statements.clear()
                    reader.version_at(id_of(ref), at(day, known_at))
                    counted[ref, day] = max(counted.get((ref, day), 0), len(plans.statements))
    assert {place for place, count in counted.items() if count > 1} == {
        ("a", "2024-02-15"),
        ("a", "2024-06-15"),
    }


def test_the_first_that_holds_is_the_best_of_all_at_every_pair(driver: Driver):
    months = [f"2024-{month:02}" for month in range(1, 10)]
    chance = Random(3)
    for place in range(40):
        start, end = sorted(chance.sample(months, 2))
        day = f"-{chance.choice(['01', '15'])}"
        bounds = [one + chance.choice(["", day]) for one in (start, end)]
        given = {"valid_to": chance.choice([None, bounds[1]]), "key": f"k{place % 2}"}
        with suppress(Conflict, NotFound):
            now = f"2024-01-{10 + place // 4}T{place % 4:02}:00"
            driver.do(now, *_something(place, bounds[0], given))
    with driver.reading() as reader:
        refs = [found.info.id for found in reader.list_at(at("2024-05-01"), EntryFilter())]
        numbers = {key: reader._text_id(key) for key in ("k0", "k1")}  # noqa: SLF001 - their rows
        asked = [
            at(f"{month}-{day}", known)
            for month in months
            for day in ("01", "10", "20")
            for known in [None, *(f"2024-01-{one}T02:30" for one in range(10, 20))]
        ]
        for pair in asked:
            for entry_id in refs:
                best = _best(reader, "entry", entry_id.bytes, pair)
                assert reader.version_at(entry_id, pair) == best
            for key, number in numbers.items():
                assert reader.holder_at(key, pair) == _best(reader, "key", number, pair)


def _something(place: int, start: str, given: dict[str, object]) -> list[object]:
    """Facts that take over from each other, and now and then one that goes."""
    ref = f"e{place}"
    fact = remember(ref, start, on_overlap="replace", **given)
    return [fact] if place % 5 else [fact, Retract(f"e{max(place - 3, 0)}")]


def _best(reader: SqlReader, of: points.Of, named: object, pair: At) -> Found | None:
    """As a point read, but of all versions."""
    when = "now" if pair.known_at >= reader.head().recorded_at else "then"
    query = points.best(UNRESTRICTED, when, of)
    values = {of: named, "as_of": pair.as_of, "known_at": pair.known_at}
    row = reader._execute(query, values).first()  # noqa: SLF001 - no other window
    return None if row is None else found_of(row, pair.known_at)


@pytest.mark.parametrize("known_at", [None, "2024-01-11"])
@pytest.mark.parametrize("as_of", ["2024-02-01T12:00", "2024-03-01"])
def test_reading_a_key_costs_the_same_however_many_held_it(
    driver: Driver, known_at: str | None, as_of: str
):
    counted: list[int] = []
    steps = Steps(driver.ledger)
    driver.do("2024-01-10", remember("first", "2024-01-31", key="k"))
    now, day = instant("2024-01-12"), instant("2024-02-02")
    for _ in range(2):
        with driver.ledger.write("w") as writer:
            for _ in range(150):
                now, day = now + 1, day + 60_000_000
                given = {"key": "k", "on_overlap": "replace"}
                start = format_instant(day)
                driver.into(writer, now, [remember(f"p{now}", start, **given)])
        steps.count = 0
        with driver.ledger.read("w") as reader:
            assert reader.holder_at("k", at(as_of, known_at)) is not None
        counted.append(steps.count)
    few, many = counted
    assert many < few * 1.1


@pytest.mark.parametrize("access", [AccessFilter(), HIDING])
def test_reading_an_entry_costs_the_same_however_often_it_was_corrected(
    driver: Driver, access: AccessFilter
):
    counted: list[int] = []
    steps = Steps(driver.ledger)
    asked = at("2024-02-01")
    early = At(asked.as_of, instant("2024-01-09"))
    now = instant("2024-01-10")
    driver.do("2024-01-09", note_entry("a", note("a.md"), link("Nirgendwo")))
    for _ in range(2):
        with driver.ledger.write("w") as writer:
            for _ in range(150):
                now += 1
                driver.into(writer, now, [Correct("a", {"content": f"{now}"})])
        steps.count = 0
        with driver.ledger.read("w", access) as reader:
            reader.find_entry("a")
            assert reader.version_at(id_of("a"), asked) is not None
            assert reader.version_at(id_of("a"), early) is not None
            assert reader.latest_version(id_of("a"), asked) is not None
            reader.versions_at([id_of("a")], asked)
            reader.relations_at([id_of("a")], asked)
            assert len(reader.list_at(asked, EntryFilter())) == 1
            reader.list_at(asked, EntryFilter(superseded=True))
            assert len(reader.links("vault")) == 1
        with driver.ledger.write("w") as writer:
            state = writer.by_id(id_of("a"))
            writer.open_chunks([state.id])
        counted.append(steps.count)
    few, many = counted
    assert many < few * 1.05


def test_naming_neighbours_reads_their_titles_once_and_nothing_else(driver: Driver):
    driver.do("2024-01-10", remember("a"), remember("b"))
    said = [{"type": "extends", "dst": "a"}, {"type": "extends", "dst": "b"}]
    driver.do("2024-01-11", remember("c", relations=said))
    plans = Plans(driver.ledger)
    with driver.reading() as reader:
        assert len(reader.relations_at([id_of("c")], at("2024-03-15"))) == 2
    assert sum("FROM versions" in sql for sql in plans.statements) == 1
    assert not any("contents AS content" in sql for sql in plans.statements)


def test_comparing_a_source_reads_no_contents(driver: Driver):
    driver.do("2024-01-10", note_entry("a", note("a.md")))
    plans = Plans(driver.ledger)
    with driver.reading() as reader:
        assert len(reader.source_notes("vault")) == 1
    assert not any("contents AS content" in sql for sql in plans.statements)
    assert plans.scans() == []


def test_everything_is_listed_without_a_limit(lived: Driver):
    plans = Plans(lived.ledger)
    with lived.ledger.read("w") as reader:
        reader.list_at(at("2024-03-15"), EntryFilter(limit=None))
        reader.list_at(at("2024-03-15"), EntryFilter(limit=5))
    endings = [sql.rpartition("ORDER BY")[2] for sql in plans.statements[-2:]]
    assert ["LIMIT" in ending for ending in endings] == [False, True]


def test_no_chunks_are_looked_for_of_an_entry_of_which_nothing_is_written(driver: Driver):
    plans = Plans(driver.ledger)
    replaces = {"key": "k", "on_overlap": "replace"}
    now = instant("2024-01-10")
    with driver.ledger.write("w") as writer:
        for place in range(5):
            driver.into(writer, now + place, [remember(f"n{place}", **replaces)])
        assert not any("FROM chunks" in s for s in plans.statements if "max(" not in s)
    assert driver.titles("2024-02-01") == ["N4"]
    assert driver.ledger.indexed("i") == 0
    assert [len(item.closed) for item in driver.ledger.outbox("i", 10)] == [0, 1, 1, 1, 1]
