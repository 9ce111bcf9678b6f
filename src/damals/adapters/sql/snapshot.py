"""A whole workspace at a pair of instants, in a handful of statements read as streams.

What is hidden is left out inside the statements, as everywhere. Parameters as in ``queries.py``.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final
from uuid import UUID

from sqlalchemy import bindparam, func, literal_column, select

from damals.adapters.sql.access import AccessShape, visible
from damals.adapters.sql.contents import batches
from damals.adapters.sql.lifecycle_queries import accessed, archived, checked
from damals.adapters.sql.queries import (
    Known,
    Query,
    known,
    pair,
    portraits_at,
    portraits_of,
    possible,
)
from damals.adapters.sql.relation_queries import not_erased, shown
from damals.adapters.sql.rows import attributes_of, flags_of, period_of, resolution_of
from damals.adapters.sql.schema import contents, relations, versions
from damals.adapters.sql.sight import SightReader
from damals.app.ledger_model import At
from damals.app.snapshot_model import EntryAt, Snapshot, Standing, Tie
from damals.domain.ageing import Checked

_target = contents.alias("target")


@cache
def _superseded(shape: AccessShape, when: Known) -> Query:
    """Entries that a cut took the asked instant from, whether they hold there or not."""
    return (
        select(relations.c.dst_id)
        .distinct()
        .where(
            relations.c.workspace_id == bindparam("workspace"),
            relations.c.cuts == literal_column("1"),
            known(relations, when),
            possible(relations),
            *visible(shape, relations.c.workspace_id, relations.c.dst_id),
        )
    )


_COLUMNS: Final = (
    *("src_id", "dst_id", "relation", "declared", "cuts", "derived", "rule", "unresolved"),
    *("resolution", "flags", "recorded_from"),
)


@cache
def _ties(shape: AccessShape, when: Known) -> Query:
    """The relations at a pair of which neither end is erased, by row."""
    return (
        select(*(relations.c[name] for name in _COLUMNS), _target.c.text.label("target"))
        .select_from(relations.outerjoin(_target, _target.c.id == relations.c.target_id))
        .where(
            relations.c.workspace_id == bindparam("workspace"),
            known(relations, when),
            possible(relations),
            not_erased("src_id"),
            not_erased("dst_id"),
            *shown(shape, "src_id", "dst_id"),
        )
        .order_by(relations.c.id)
    )


@cache
def _versions(when: Known, fewest: int) -> Query:
    """Of ``entries`` those with so many versions that are known."""
    return (
        select(versions.c.entry_id)
        .where(
            versions.c.workspace_id == bindparam("workspace"),
            versions.c.entry_id.in_(bindparam("entries", expanding=True)),
            known(versions, when),
        )
        .group_by(versions.c.entry_id)
        .having(func.count() >= fewest)
    )


class SnapshotReader(SightReader):
    """The part of a reader that reads a whole workspace at a pair."""

    def snapshot(self, at: At, *, ties: bool = True) -> Snapshot:
        """Everything that may be seen at a pair of instants."""
        listed = sorted(self._portraits(at), key=lambda one: one.id)
        entries = {one.id: one for one in listed}
        rows = self._rows(_ties(self._shape, self._when(at)), pair(at)) if ties else ()
        tied = tuple(map(_tie, rows))
        ends = {end for one in tied if not one.unresolved for end in (one.src_id, one.dst_id)}
        read = Snapshot(at, entries, tied, frozenset(self._known(ends - entries.keys(), at)))
        return replace(read, split=frozenset(self._known(read.unsure, at, fewest=2)))

    def _known(self, entries: Iterable[UUID], at: At, *, fewest: int = 1) -> Iterator[UUID]:
        """Those of some entries of which so many versions are known, whenever they hold."""
        query = _versions(self._when(at), fewest)
        for batch in batches(sorted(one.bytes for one in entries)):
            rows = self._rows(query, pair(at) | {"entries": batch})
            yield from {UUID(bytes=row.entry_id) for row in rows}

    def _portraits(self, at: At) -> Iterator[EntryAt]:
        when, marks = self._when(at), self._marks(at)
        rows = self._rows(portraits_at(self._shape, when), pair(at))
        held = set[bytes]()
        for row in _last_of_each(rows):
            held.add(row.entry_id)
            yield self._as_seen(marks.portrait(row, Standing.HELD))
        taken = self._rows(_superseded(self._shape, when), pair(at))
        gone = {row.dst_id for row in taken} | marks.archived.keys()
        for row in self._gone(sorted(gone - held), at):
            yield self._as_seen(marks.portrait(row, Standing.SUPERSEDED))

    def _as_seen(self, one: EntryAt) -> EntryAt:
        return replace(one, attributes=self._attributes(one.attributes))

    def _gone(self, entries: Sequence[bytes], at: At) -> Iterator[Any]:
        """Of each entry the version that holds last, or else the last that was known."""
        missing = set(entries)
        for query in (portraits_of(self._shape, self._when(at)), portraits_of(self._shape, None)):
            found: dict[bytes, Any] = {}
            for batch in batches(sorted(missing)):
                rows = self._rows(query, pair(at) | {"entries": batch})
                found.update({row.entry_id: row for row in rows})
            missing -= found.keys()
            yield from found.values()

    def _marks(self, at: At) -> "_Marks":
        shape, when, values = self._shape, self._when(at), pair(at)
        away = self._rows(archived(when, shape), values)
        marks = _Marks({row.entry_id: row.recorded_from for row in away}, {}, {})
        for row in self._rows(checked(shape, when), values):
            marks.verified.setdefault(row.entry_id, []).append(
                Checked(row.recorded_from, row.grounding_score)
            )
        until = {"until": min(at.as_of, at.known_at)}
        for row in self._rows(accessed(shape), until):
            marks.accessed[row.entry_id] = row.accessed_at
        return marks

    def _when(self, at: At) -> Known:
        raise NotImplementedError


class _Marks:
    """What is recorded of entries beside their versions, by id.

    Attributes:
        archived: since when.
        verified: each verification, in order.
        accessed: the last time.
    """

    def __init__(
        self,
        archived: dict[bytes, int],
        verified: dict[bytes, list[Checked]],
        accessed: dict[bytes, int],
    ) -> None:
        self.archived, self.verified, self.accessed = archived, verified, accessed

    def portrait(self, row: Any, standing: Standing) -> EntryAt:  # noqa: ANN401 - a row
        """The entry of a version's row."""
        archived_at = self.archived.get(row.entry_id)
        return EntryAt(
            UUID(bytes=row.entry_id),
            row.external,
            standing if archived_at is None else Standing.ARCHIVED,
            period_of(row),
            attributes_of(row),
            row.recorded_from,
            row.zone,
            row.created_at,
            row.logged_at,
            tuple(self.verified.get(row.entry_id, ())),
            self.accessed.get(row.entry_id),
            archived_at,
        )


def _last_of_each(rows: Iterable[Any]) -> Iterator[Any]:
    """Of rows ordered by entry, the last of each."""
    last = None
    for row in rows:
        if last is not None and last.entry_id != row.entry_id:
            yield last
        last = row
    if last is not None:
        yield last


def _tie(row: Any) -> Tie:  # noqa: ANN401 - a row
    return Tie(
        src_id=UUID(bytes=row.src_id),
        dst_id=UUID(bytes=row.dst_id),
        relation=row.relation,
        declared=bool(row.declared),
        cuts=bool(row.cuts),
        derived=bool(row.derived),
        rule=row.rule,
        target=row.target,
        unresolved=bool(row.unresolved),
        resolution=resolution_of(row),
        flags=flags_of(row),
        recorded_from=row.recorded_from,
    )
