"""Questions about what a ledger holds: its own titles and words, at random pairs of instants."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from sqlalchemy import Connection, bindparam, func, select

from damals.adapters.sql.prepared import Statement, first_row
from damals.adapters.sql.schema import contents, transactions, versions, workspaces
from damals.app.migrating.model import Question
from damals.domain.instants import BEGINNING, FOREVER, format_instant

SEED: Final = 1_684_106_593
WORDS: Final = 4
"""How many words of a content make a question."""

HALF: Final = 0.5
LONGEST_QUESTION: Final = 200

_TRIES: Final = 5
_SOUGHT: Final = 20_000
"""Characters of a content that words are taken from."""

_TITLES: Final = contents.alias("titles")
_VERSION: Final[Statement] = (
    select(
        workspaces.c.name,
        _TITLES.c.text.label("title"),
        contents.c.text.label("content"),
        versions.c.start_latest,
        versions.c.recorded_from,
    )
    .join_from(versions, workspaces, workspaces.c.id == versions.c.workspace_id)
    .join(_TITLES, _TITLES.c.id == versions.c.title_id)
    .join(contents, contents.c.id == versions.c.content_id)
    .where(versions.c.id >= bindparam("id"))
    .order_by(versions.c.id)
    .limit(1)
)


@dataclass(frozen=True, slots=True)
class _Spans:
    """First and last: row numbers of versions, valid starts, recorded instants."""

    rows: tuple[int, int]
    valid: tuple[int, int]
    recorded: tuple[int, int]


def questions(connection: Connection, count: int) -> Sequence[Question]:
    """Questions at pairs of instants, the same for the same ledger.

    Args:
        connection: a snapshot.
        count: how many; fewer come back where there is little to ask about.
    """
    chance = Random(SEED)  # noqa: S311 -- a sample that can be drawn again
    spans = _spans(connection)
    return [] if spans is None else list(_drawn(connection, count, chance, spans))


def _drawn(connection: Connection, count: int, chance: Random, spans: _Spans) -> Iterator[Question]:
    drawn = 0
    for _ in range(_TRIES * count):
        if drawn == count:
            return
        row = first_row(connection, _VERSION, {"id": chance.randint(*spans.rows)})
        text = "" if row is None else _words(row.title, row.content, chance)
        if row is None or not text:
            continue
        drawn += 1
        as_of = row.start_latest if chance.random() < HALF else chance.randint(*spans.valid)
        known_at = chance.randint(row.recorded_from, spans.recorded[1])
        if chance.random() < HALF:
            known_at = chance.randint(*spans.recorded)
        yield Question(row.name, text, _instant(as_of, spans), format_instant(known_at))


def _words(title: str | None, content: str | None, chance: Random) -> str:
    """A title, or some words of a content that follow each other; empty when both are erased."""
    words = (content or "")[:_SOUGHT].split()
    if len(words) < WORDS or (title and chance.random() < HALF):
        return (title or "")[:LONGEST_QUESTION].strip()
    first = chance.randrange(len(words) - WORDS + 1)
    return " ".join(words[first : first + WORDS])[:LONGEST_QUESTION].strip()


def _instant(instant: int, spans: _Spans) -> str:
    """An instant that can be asked; an open or unknown one becomes the last that was recorded."""
    return format_instant(instant if BEGINNING < instant < FOREVER else spans.recorded[1])


def _spans(connection: Connection) -> _Spans | None:
    """Of what is there; ``None`` when there is nothing."""
    told = select(func.min(versions.c.id), func.max(versions.c.id))
    rows = connection.execute(told).one()
    if rows[0] is None:
        return None
    known = select(func.min(transactions.c.recorded_at), func.max(transactions.c.recorded_at))
    recorded = connection.execute(known).one()
    start = versions.c.start_latest
    held = select(func.min(start), func.max(start)).where(start > BEGINNING, start < FOREVER)
    valid = connection.execute(held).one()
    first, last = valid if valid[0] is not None else recorded
    return _Spans((rows[0], rows[1]), (first, last), (recorded[0], recorded[1]))
