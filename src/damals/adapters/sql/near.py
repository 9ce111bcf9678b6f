"""What stands around entries at a pair, as ranking asks for it: edges, verifications, titles."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    bindparam,
    exists,
    literal_column,
    select,
)

from damals.adapters.sql.access import AccessShape, visible
from damals.adapters.sql.contents import BATCH, batches
from damals.adapters.sql.queries import (
    CURRENT,
    FOREVER_LITERAL,
    Known,
    Query,
    known,
    pair,
    possible,
)
from damals.adapters.sql.relation_queries import End, shown
from damals.adapters.sql.rows import unpacked
from damals.adapters.sql.schema import archivings, entries, relations, verifications, versions
from damals.app.ledger_model import At
from damals.domain.ids import id_of
from damals.domain.nearness import EVERY_KIND, Edge, EdgeKinds

_COLUMNS: Final = ("relation_id", "relation", "src_id", "dst_id", "confidence", "premises")


class EdgesOf(NamedTuple):
    """Which edges a statement reads.

    Attributes:
        near: the end that is one of the entries.
        among: the other one is too.
        kinds: names of the relations; ``None`` for all.
    """

    shape: AccessShape
    when: Known
    near: End
    among: bool
    kinds: frozenset[str] | None = None


@cache
def edges(of: EdgesOf) -> Query:
    """Relations of some entries both of whose ends hold.

    In the order of the index, so that a limit ends the work.
    """
    shape, when, near, among, kinds = of
    named: ColumnElement[bytes] = bindparam("entries", expanding=True)
    far: End = "dst_id" if near == "src_id" else "src_id"
    query = select(*(relations.c[name] for name in _COLUMNS)).where(
        relations.c.workspace_id == bindparam("workspace"),
        relations.c[near].in_(named),
        relations.c.unresolved == literal_column("0"),
        known(relations, when),
        possible(relations),
    )
    if among:
        query = query.where(relations.c[far].in_(named))
    if kinds is not None:
        query = query.where(relations.c.relation.in_(sorted(kinds)))
    return (
        query.where(_live("src_id", when), _live("dst_id", when), *shown(shape, near, far))
        .order_by(relations.c[near], relations.c.recorded_from, relations.c.id)
        .limit(bindparam("limit"))
    )


def _live(end: End, when: Known) -> ColumnElement[bool]:
    """Whether one end holds at the pair and is neither archived nor erased there."""
    holding = (
        select(versions.c.id)
        .join(
            entries,
            (entries.c.workspace_id == versions.c.workspace_id)
            & (entries.c.entry_id == versions.c.entry_id),
        )
        .where(
            versions.c.workspace_id == relations.c.workspace_id,
            versions.c.entry_id == relations.c[end],
            known(versions, when),
            possible(versions),
            entries.c.erased_at == FOREVER_LITERAL,
        )
    )
    if when == "now":
        holding = holding.with_hint(versions, CURRENT, "sqlite")
    archived = select(archivings.c.id).where(
        archivings.c.workspace_id == relations.c.workspace_id,
        archivings.c.entry_id == relations.c[end],
        known(archivings, when),
        archivings.c.recorded_from <= bindparam("as_of"),
    )
    return exists(holding.correlate(relations)) & ~exists(archived.correlate(relations))


@cache
def grounded(shape: AccessShape, when: Known) -> Query:
    """Which entries that may be seen have a last verification of at least ``least`` at a pair."""
    later = verifications.alias("later")
    as_of: ColumnElement[int] = bindparam("as_of")
    again = select(later.c.id).where(
        later.c.workspace_id == verifications.c.workspace_id,
        later.c.entry_id == verifications.c.entry_id,
        later.c.id > verifications.c.id,
        known(later, when),
        later.c.recorded_from <= as_of,
    )
    return select(verifications.c.entry_id).where(
        verifications.c.workspace_id == bindparam("workspace"),
        known(verifications, when),
        verifications.c.recorded_from <= as_of,
        verifications.c.grounding_score >= bindparam("least"),
        ~exists(again.correlate(verifications)),
        *visible(shape, verifications.c.workspace_id, verifications.c.entry_id),
    )


class NearReader:
    """The part of a reader that ranking asks; the rest of it runs the statements."""

    _shape: AccessShape

    def edges_at(
        self, entry_ids: Sequence[UUID], at: At, limit: int, kinds: EdgeKinds = EVERY_KIND
    ) -> Sequence[Edge]:
        """The relations of some entries at a pair, both of whose ends hold there, by id."""
        found: dict[bytes, Any] = {}
        ends: tuple[tuple[End, frozenset[str] | None], ...] = (
            ("src_id", kinds.leading),
            ("dst_id", kinds.coming),
        )
        when = self._when(at)
        for batch in batches(entry_ids):
            for near, names in ends:
                of = EdgesOf(self._shape, when, near, among=False, kinds=names)
                found |= self._edges(of, batch, at, limit)
        return _edges(found)

    def edges_among(self, entry_ids: Sequence[UUID], at: At, limit: int) -> Sequence[Edge]:
        """As :meth:`edges_at`, but only those between two of the entries."""
        if len(entry_ids) <= BATCH:
            of = EdgesOf(self._shape, self._when(at), "src_id", among=True)
            return _edges(self._edges(of, entry_ids, at, limit))
        wanted = set(entry_ids)
        found = self.edges_at(entry_ids, at, limit)
        return [one for one in found if {one.src, one.dst} <= wanted][:limit]

    def _edges(self, of: EdgesOf, batch: Sequence[UUID], at: At, limit: int) -> dict[bytes, Any]:
        """Rows by id."""
        if not batch:
            return {}
        given = {"entries": [one.bytes for one in batch], "limit": limit}
        return {row.relation_id: row for row in self._rows(edges(of), pair(at) | given)}

    def grounded_entries(self, at: At, least: float) -> frozenset[UUID]:
        """The entries whose last verification at a pair has at least this score."""
        rows = self._rows(grounded(self._shape, self._when(at)), pair(at) | {"least": least})
        return frozenset(id_of(row.entry_id) for row in rows)

    def titles_at(self, entry_ids: Sequence[UUID], at: At) -> Mapping[UUID, str]:
        """The titles of entries at a pair, else the last that were known."""
        seen = self._wanted(entry_ids)
        found = self._titles((one.bytes for one in seen), at)
        return {UUID(bytes=one): title for one, title in found.items()}

    def _when(self, at: At) -> Known:
        raise NotImplementedError

    def _rows(self, statement: Query, values: dict[str, Any]) -> Iterator[Any]:
        raise NotImplementedError

    def _wanted(self, entry_ids: Sequence[UUID]) -> Sequence[UUID]:
        raise NotImplementedError

    def _titles(self, entries: Iterable[bytes], at: At) -> dict[bytes, str]:
        raise NotImplementedError


def _edges(found: Mapping[bytes, Any]) -> list[Edge]:
    return [
        Edge(
            id_of(row.relation_id),
            row.relation,
            id_of(row.src_id),
            id_of(row.dst_id),
            row.confidence,
            unpacked(row.premises) if row.premises else (),
        )
        for _, row in sorted(found.items())
    ]
