"""Random lives: the ledger in a database answers every question as the one in memory does."""

import os
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from ledger_driver import CREATED, Driver, id_of, instant, remember, update

from damals.adapters.memory.ledger import MemoryLedger
from damals.adapters.sql.ledger import SqlLedger
from damals.adapters.sql.postgres import PostgresDatabase
from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_model import At, EntryFilter
from damals.app.ledger_port import LedgerReader
from damals.domain.cuts import ALWAYS
from damals.domain.diff_rows import Place, Rows, closed, opened
from damals.domain.errors import DamalsError
from damals.domain.operations import Correct, DeclaredRelation, End, Operation, Retract
from damals.domain.params import Params
from damals.domain.periods import OPEN_END, Period, between, exact

SEEDS = range(200 if os.environ.get("DAMALS_TEST_PROFILE") == "nightly" else 8)
REFS = [f"n{place}" for place in range(9)]
DERIVED = ("2023-12-01T00:00:00.000000Z", "2024-02-01T00:00:00.000000Z")
DATES = ["2024-01-01", "2024-02-01", "2024-02", "2024-03-01", "2024-03", "2024-04-01", None]
ASKED = [
    instant(day) for day in ("2023-06-01", "2024-01-01", "2024-02-15", "2024-03-01", "2024-05-01")
]
HIDING = AccessFilter(("public", "internal"), 0, ("bob",), ("extends",))
START = instant("2024-06-01")


SPANS = [
    Period(start, end)
    for start in (ALWAYS.start, exact(ASKED[1]), between(ASKED[0], ASKED[2]))
    for end in (OPEN_END, exact(ASKED[1] + 1), between(ASKED[1] + 1, ASKED[2]))
]


def random_operation(rng: random.Random) -> Params | Operation:
    ref, target = rng.choice(REFS), rng.choice(REFS)
    start = rng.choice(DATES)
    end = rng.choice(DATES[DATES.index(start) + 2 :] or [None])
    match rng.randrange(16):
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
        case 7:
            return Retract(target, restore=rng.random() < 0.5)
        case _:
            return _further_operation(rng, ref, target)


def _further_operation(  # noqa: PLR0911 - one arm an operation
    rng: random.Random, ref: str, target: str
) -> Params:
    """What is said of entries beside what they say."""
    match rng.randrange(11):
        case 0:
            return {"op": "verify", "target": target, "score": rng.random(), "evidence": "e"}
        case 1:
            return {"op": rng.choice(["archive", "pin"]), "target": target}
        case 2 | 3:
            kind = rng.choice(["supersedes", "revises", "extends"])
            return {"op": "relate", "src": ref, "type": kind, "dst": target}
        case 4:
            kind = rng.choice(["supersedes", "revises", "extends", "contradicts"])
            return {"op": "unrelate", "src": ref, "type": kind, "dst": target}
        case 5:
            return {"op": "contradict", "a": ref, "b": target}
        case 6:
            keep = rng.choice(["a", "b", "both"])
            return {"op": "resolve", "a": ref, "b": target, "keep": keep}
        case 7 if rng.random() < 0.2:
            return {"op": "erase", "target": target}
        case 8:
            return _derivation(rng, ref, target)
        case _:
            return {"op": "revert", "transaction": rng.randrange(1, 30)}


def _derivation(rng: random.Random, ref: str, target: str) -> Params:
    """An edge that follows from some entries, from none, or from nobody knows what."""
    parts = [
        {"from": {"kind": "exact", "earliest": day, "latest": day}, "to": {"kind": "open"}}
        for day in rng.sample(DERIVED, rng.randrange(3))
    ]
    for part in parts:
        if rng.random() < 0.8:
            part["premises"] = [str(id_of(one)) for one in rng.sample(REFS, rng.randrange(3))]
    rule = {"rule": rng.choice(["closure", "quote"]), "parts": parts}
    return {"op": "derive", "src": ref, "type": "extended_by", "dst": target, **rule}


def answers(reader: LedgerReader, head: int) -> Iterator[Any]:
    """Everything a reader can be asked about, on a grid of instants."""
    ids = [id_of(ref) for ref in REFS]
    for entry_id in ids:
        yield reader.find_entry(str(entry_id)), reader.find_entry("n1"), reader.seen([entry_id])
        yield list(reader.log(entry_id=entry_id))
    yield list(reader.log()), list(reader.log(key="k")), reader.tombstones()
    yield reader.standing_entries(), list(reader.standing_relations())
    for known_at in (START - 1, *range(START, head + 1, 3), head + 1):
        for as_of in ASKED:
            at = At(as_of, known_at)
            yield [reader.version_at(i, at) for i in ids]
            yield [reader.latest_version(i, at) for i in ids]
            yield [reader.list_at(at, where) for where in (
                EntryFilter(), EntryFilter(certain=True), EntryFilter(superseded=True),
                EntryFilter(tags=("a",), types=("note",)), EntryFilter(limit=3, after=ids[4]),
                EntryFilter(archived=True), EntryFilter(archived=True, certain=True, limit=1),
            )]  # fmt: skip
            yield reader.versions_at(ids, at), reader.holder_at("k", at)
            yield reader.superseded_at(ids, at), reader.relations_at(ids, at)
            yield reader.archived_at(ids, at), reader.verifications_at(ids, at)
        yield (rows := reader.rows_between(ids, known_at, known_at + 2))
        yield reader.deeds(_places(rows)), reader.chunks([UUID(int=1)])
        yield [reader.moved(At(ASKED[1], known_at), At(v, known_at + 1)) for v in ASKED]
        yield (
            [reader.history(i, At(0, known_at)) for i in ids],
            reader.key_history("l", At(0, known_at)),
        )


def _places(rows: Rows) -> list[Place]:
    """The edges of some rows, those without a known operation among them."""
    versions = [(edge, v.entry_id) for v in rows.versions for edge in (opened(v), closed(v))]
    cuts = [(opened(row), row.dst_id) for row in rows.relations if row.cuts]
    return [*versions, *cuts]


@pytest.mark.parametrize("seed", SEEDS)
def test_both_ledgers_answer_alike(seed: int, tmp_path: Path):
    assert_alike(seed, SqlLedger(tmp_path / "ledger.db"))


@pytest.mark.parametrize("seed", SEEDS[: len(SEEDS) // 4])
def test_the_ledger_on_postgres_answers_alike(seed: int, postgres_url: str):
    assert_alike(seed, SqlLedger(PostgresDatabase(postgres_url)))


def assert_alike(seed: int, sql: SqlLedger) -> None:
    rng = random.Random(seed)
    ledgers = [MemoryLedger(), sql]
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
        _states_are_true(ledgers[1], outcomes[1])
    memory = ledgers[0]
    for access in (OWNER, HIDING):
        with memory.read("w", access) as expected, sql.read("w", access) as actual:
            for wanted, found in zip(answers(expected, now), answers(actual, now), strict=True):
                assert _plain(found) == _plain(wanted)
        assert sql.lag("i", "w", access) == memory.lag("i", "w", access)
    assert sql.outbox("i", 1_000) == memory.outbox("i", 1_000)
    position = sql.outbox("i", 3)[-1].position
    for ledger in ledgers:
        ledger.advance("i", position, [])
    assert sql.indexed("i") == memory.indexed("i")
    assert list(sql.current_points()) == list(memory.current_points())
    assert list(sql.check()) == []
    assert sql.audit("w").breaks == ()
    assert sql.audit("w").transactions == memory.audit("w").transactions
    sql.close()


def _states_are_true(ledger: SqlLedger, came_to: list[Any]) -> None:
    """What a writer said of entries after its last append is what the next one reads."""
    said = [one for one in came_to if isinstance(one, dict)][-1]
    with ledger.write("w") as writer:
        assert said == {ref: writer.by_id(id_of(ref)) for ref in REFS}


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
            came_to.append({ref: writer.by_id(id_of(ref)) for ref in REFS})
            came_to.append([writer.by_external_id(ref) for ref in REFS])
            came_to.append(
                [
                    [s.id for s in writer.holding_key(key, period)]
                    for key in "kl"
                    for period in SPANS
                ]
            )
            if asks:
                came_to.append([writer.changed_by(number) for number in range(1, 30)])
                came_to.append([list(writer.done_since(id_of(ref), 3)) for ref in REFS])
                came_to.append(list(writer.list_at(At(now, now + place), EntryFilter())))
    return came_to


def _plain(answer: object) -> object:
    """Lists and tuples, mappings and results compare by what is in them."""
    if isinstance(answer, (list, tuple)):
        return [_plain(part) for part in answer]
    return dict(answer) if isinstance(answer, Mapping) else answer
