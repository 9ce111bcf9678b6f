"""Random lives: the ledger in a database answers every question as the one in memory does."""

import os
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from ledger_driver import CREATED, Driver, id_of, instant, remember, update

from damals.adapters.memory.ledger import MemoryLedger
from damals.adapters.sql.ledger import SqlLedger
from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_model import At, EntryFilter
from damals.app.ports import LedgerReader
from damals.domain.errors import DamalsError
from damals.domain.operations import Correct, DeclaredRelation, End, Operation, Retract
from damals.domain.params import Params

SEEDS = range(200 if os.environ.get("DAMALS_TEST_PROFILE") == "nightly" else 8)
REFS = [f"n{place}" for place in range(9)]
DATES = ["2024-01-01", "2024-02-01", "2024-02", "2024-03-01", "2024-03", "2024-04-01", None]
ASKED = [
    instant(day) for day in ("2023-06-01", "2024-01-01", "2024-02-15", "2024-03-01", "2024-05-01")
]
HIDING = AccessFilter(("public", "internal"), 0, ("bob",))
START = instant("2024-06-01")


def random_operation(rng: random.Random) -> Params | Operation:
    ref, target = rng.choice(REFS), rng.choice(REFS)
    start = rng.choice(DATES)
    end = rng.choice(DATES[DATES.index(start) + 2 :] or [None])
    match rng.randrange(8):
        case 0 | 1 | 2:
            given = {"valid_to": end, "content": rng.choice(["eins", "eins\n\nzwei", ""])}
            if rng.random() < 0.6:
                given |= {"key": rng.choice("kl"), "on_overlap": rng.choice(["replace", "fill"])}
            if rng.random() < 0.3:
                given |= {"tags": ["A/b"], "type": "note", "visibility": "restricted"}
            return remember(ref, start, **given)
        case 3 | 4:
            return update(ref, target, valid_from=start or "2024-02-10", valid_to=end)
        case 5:
            fields = {
                "content": rng.choice(["eins", "zwei\n\ndrei"]),
                "sensitivity": rng.randrange(2),
                "acl": rng.choice([(), ("bob",), ("carol", "bob")]),
            }
            said = (DeclaredRelation("extends", rng.choice(REFS), rng.random()),)
            return Correct(target, fields, relations=said if rng.random() < 0.5 else None)
        case 6:
            return End(target, rng.choice(DATES[:-1]))
        case _:
            return Retract(target)


def answers(reader: LedgerReader, head: int) -> Iterator[Any]:
    """Everything a reader can be asked about, on a grid of instants."""
    ids = [id_of(ref) for ref in REFS]
    for entry_id in ids:
        yield reader.find_entry(str(entry_id)), reader.find_entry(str(entry_id), HIDING)
        yield list(reader.log(entry_id=entry_id))
    yield list(reader.log()), list(reader.log(key="k"))
    for known_at in (START - 1, *range(START, head + 1, 3), head + 1):
        for as_of in ASKED:
            for access in (OWNER, HIDING):
                at = At(as_of, known_at, access)
                yield [reader.version_at(i, at) for i in ids]
                yield [reader.latest_version(i, at) for i in ids]
                yield [reader.list_at(at, where) for where in (
                    EntryFilter(), EntryFilter(certain=True), EntryFilter(superseded=True),
                    EntryFilter(tags=("a",), types=("note",)), EntryFilter(limit=3, after=ids[4]),
                )]  # fmt: skip
                yield reader.versions_at(ids, at)
                yield reader.superseded_at(ids, at), reader.relations_at(ids, at)
        yield (
            [reader.history(i, At(0, known_at)) for i in ids],
            reader.key_history("l", At(0, known_at)),
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_both_ledgers_answer_alike(seed: int, tmp_path: Path):
    rng = random.Random(seed)
    ledgers = [MemoryLedger(), SqlLedger(tmp_path / "ledger.db")]
    for ledger in ledgers:
        ledger.create_workspace("w", "UTC", CREATED)
    drivers = [Driver(ledger) for ledger in ledgers]
    now = START
    for driver in drivers:
        driver.do("2024-05-31", *(remember(ref) for ref in REFS[:4]))
    for _ in range(12):
        writes = [
            [random_operation(rng) for _ in range(rng.randint(1, 2))]
            for _ in range(rng.randint(1, 4))
        ]
        asks = rng.random() < 0.3
        outcomes = [_write(driver, now, writes, asks=asks) for driver in drivers]
        assert outcomes[0] == outcomes[1]
        now += len(writes)
    memory, sql = ledgers
    with memory.read("w") as expected, sql.read("w") as actual:
        for wanted, found in zip(answers(expected, now), answers(actual, now), strict=True):
            assert _plain(found) == _plain(wanted)
    assert sql.outbox("i", 1_000) == memory.outbox("i", 1_000)
    position = sql.outbox("i", 3)[-1].position
    for ledger in ledgers:
        ledger.advance("i", position, [])
    assert sql.indexed("i") == memory.indexed("i")
    assert list(sql.current_points()) == list(memory.current_points())
    assert list(sql.check()) == []
    sql.close()


def _write(
    driver: Driver, now: int, writes: list[list[Params | Operation]], *, asks: bool
) -> list[Any]:
    """Some transactions in one write; what each of them, and every state then, came to."""
    came_to: list[Any] = []
    with driver.ledger.write("w") as writer:
        for place, operations in enumerate(writes):
            try:
                driver.into(writer, now + place, operations)
                came_to.append(list(driver.outcomes))
            except DamalsError as error:
                came_to.append((type(error), error.key))
            came_to.append([writer.by_id(id_of(ref)) for ref in REFS])
            came_to.append([[s.id for s in writer.holding_key(key)] for key in "kl"])
            if asks:
                came_to.append(list(writer.list_at(At(now, now + place), EntryFilter())))
    return came_to


def _plain(answer: object) -> object:
    """Lists and tuples, mappings and results compare by what is in them."""
    if isinstance(answer, (list, tuple)):
        return [_plain(part) for part in answer]
    return dict(answer) if isinstance(answer, Mapping) else answer
