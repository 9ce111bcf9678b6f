"""Point reads beside SQL by hand on the same file, and everything that is current.

By hand means: Python's own ``sqlite3``, one statement, the same columns of the same row. "The
statement" is what the ledger sends, up to the row; "with objects" is its answer.
"""

import random
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from uuid import UUID

from bench.ledger_fill import BORN, DAY, HOT_ENTRY, HOT_KEY, HOUR, SECOND, WORKSPACE, Life
from bench.support import line, median_s, memory_mb, timed
from damals.adapters.sql import points
from damals.adapters.sql.contents import find
from damals.adapters.sql.ledger import SqlLedger
from damals.adapters.sql.prepared import first_row
from damals.adapters.sql.reader import SqlReader
from damals.app.ledger_model import At, EntryFilter
from damals.domain.instants import FOREVER

ASKED = 2_000
ASKED_HOT = 100
"""Fewer: SQL by hand visits most of what a hot entry ever had."""
NOW = FOREVER - 1
EVERYONE = (False, False, False)
"""Shape of the owner's access: no conditions."""

RAW = """
SELECT v.*, e.created_at, e.erased_at, x.text, t.text, c.text, d.text, k.text, s.text, p.text,
  (SELECT recorded_at FROM touches h WHERE h.workspace_id = v.workspace_id
    AND h.entry_id = v.entry_id AND h.recorded_at <= :t ORDER BY recorded_at DESC LIMIT 1),
  (SELECT number FROM touches h WHERE h.workspace_id = v.workspace_id
    AND h.entry_id = v.entry_id AND h.recorded_at <= :t ORDER BY recorded_at DESC LIMIT 1)
FROM versions v
JOIN entries e ON e.workspace_id = v.workspace_id AND e.entry_id = v.entry_id
LEFT JOIN contents x ON x.id = e.external_id
JOIN contents t ON t.id = v.title_id
JOIN contents c ON c.id = v.content_id
JOIN contents d ON d.id = v.attributes_id
LEFT JOIN contents k ON k.id = v.key_id
LEFT JOIN contents s ON s.id = v.source_name_id
LEFT JOIN contents p ON p.id = v.path_id
WHERE v.workspace_id = 1 AND v.{column} = :named AND v.start_earliest <= :v AND v.end_latest > :v
  AND v.recorded_from <= :t AND v.recorded_to > :t
"""

Of = Literal["entry", "key"]


@dataclass(frozen=True, slots=True)
class Question:
    """A point read: of an entry (16 bytes) or of a key (row of its text)."""

    of: Of
    named: bytes | int
    key: str
    at: At


@dataclass(frozen=True, slots=True)
class Times:
    """Median seconds of the same point reads in three ways."""

    raw: float
    statement: float
    objects: float


def questions(reader: SqlReader, lives: Sequence[Life], of: Of, *, early: bool) -> list[Question]:
    """Of random entries: behind the gap as known now, or inside it as known before it."""
    chance = random.Random(1)
    asked: list[Question] = []
    for one in (chance.choice(lives) for _ in range(ASKED)):
        at = At(one.gap[0], one.cut - 1) if early else At(one.gap[1], NOW)
        named = one.entry_id.bytes if of == "entry" else _text(reader, one.key)
        asked.append(Question(of, named, one.key, at))
    return asked


def hot_questions(reader: SqlReader, of: Of, last: int, *, early: bool) -> list[Question]:
    """Of the hot entry or key, over all the time it has been hot; ``last``: recorded instant."""
    chance = random.Random(2)
    asked: list[Question] = []
    for _ in range(ASKED_HOT):
        known_at = last - chance.randrange(50_000) * SECOND if early else NOW
        as_of = BORN + chance.randrange(40_000) * HOUR if of == "key" else BORN + 9_000 * DAY
        named = HOT_ENTRY.bytes if of == "entry" else _text(reader, HOT_KEY)
        asked.append(Question(of, named, HOT_KEY, At(as_of, known_at)))
    return asked


def measure_points(reader: SqlReader, path: Path, asked: Sequence[Question]) -> Times:
    """The same questions in three ways, each first once to warm up."""
    by_hand = sqlite3.connect(path)
    by_hand.execute("BEGIN")
    sql = RAW.format(column="entry_id" if asked[0].of == "entry" else "key_id")

    def raw(one: Question) -> object:
        values = {"named": one.named, "v": one.at.as_of, "t": one.at.known_at}
        return by_hand.execute(sql, values).fetchone()

    def statement(one: Question) -> object:
        values = {"as_of": one.at.as_of, "known_at": one.at.known_at}
        values |= {"workspace": 1, one.of: one.named}
        when = "now" if one.at.known_at == NOW else "then"
        connection = reader._connection  # noqa: SLF001 - we measure without what lies above
        return points.read(
            lambda query: first_row(connection, query, values), EVERYONE, when, one.of, one.at
        )

    def objects(one: Question) -> object:
        if one.of == "key":
            return reader.holder_at(one.key, one.at)
        return reader.version_at(UUID(bytes=one.named), one.at)

    times = Times(*(_median(way, asked) for way in (raw, statement, objects)))
    by_hand.close()
    return times


def show_points(label: str, times: Times) -> None:
    """One line: microseconds, and both ratios."""
    values = (times.raw, times.statement, times.objects)
    micros = " / ".join(f"{1_000_000 * value:.0f}" for value in values)
    first, second = times.statement / times.raw, times.objects / times.raw
    line(f"{label}: by hand / statement / objects", f"{micros} µs = 1 / {first:.2g} / {second:.2g}")


def measure_snapshot(ledger: SqlLedger, lives: Sequence[Life]) -> None:
    """What opening and closing a snapshot adds to a point read."""

    def ask(one: Life) -> object:
        with ledger.read(WORKSPACE) as reader:
            return reader.version_at(one.entry_id, At(one.gap[1], NOW))

    chance = random.Random(3)
    picked = [chance.choice(lives) for _ in range(ASKED)]
    taken = median_s([lambda one=one: ask(one) for one in picked])
    line("  a point read in a snapshot of its own", f"{1_000_000 * taken:.0f} µs")


def measure_everything(reader: SqlReader, last: int) -> None:
    """All that is current, in one answer and page by page; ``last``: recorded instant."""
    at = At(last + 200 * DAY, NOW)
    taken, count = timed(lambda: len(reader.list_at(at, EntryFilter(limit=None))))
    line(f"  everything current: {count} entries at once", f"{taken:.1f} s, {count / taken:,.0f}/s")
    taken, count = timed(lambda: _paged(reader, at))
    line("  everything current, by pages of 1,000", f"{taken:.1f} s, {count / taken:,.0f}/s")
    line("  memory, at most so far", f"{memory_mb():.0f} MB")


def _paged(reader: SqlReader, at: At) -> int:
    count, after = 0, None
    while page := reader.list_at(at, EntryFilter(after=after, limit=1_000)):
        count, after = count + len(page), page[-1].version.entry_id
    return count


def _median(way: Callable[[Question], object], asked: Sequence[Question]) -> float:
    if any(way(one) is None for one in asked):
        raise AssertionError(way.__name__)
    return median_s([lambda one=one: way(one) for one in asked])


def _text(reader: SqlReader, text: str) -> int:
    found = find(reader._connection, reader._owner, text)  # noqa: SLF001 - as above
    if found is None:
        raise AssertionError(text)
    return found
