"""Reading one workspace in one snapshot."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal
from uuid import UUID

from sqlalchemy import Connection, CursorResult, Executable, Row, bindparam, select

from damals.adapters.sql import lifecycle_queries, listing, log, points, queries, relation_queries
from damals.adapters.sql.access import access_values, shape_of
from damals.adapters.sql.changes import ChangeReader
from damals.adapters.sql.contents import TextOwner, batches, find, texts
from damals.adapters.sql.erasing import read_tombstones
from damals.adapters.sql.marks import verification_of
from damals.adapters.sql.prepared import first_row, rows_of
from damals.adapters.sql.queries import Known, Query
from damals.adapters.sql.rows import attributes_of, chunk_of, found_of, info_of, resolution_of
from damals.adapters.sql.schema import CONTENT_COLUMNS, chunks, transactions
from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_model import (
    At,
    ChunkRow,
    DeclaredLink,
    EntryFilter,
    EntryInfo,
    Found,
    Head,
    RelationView,
    SourceNote,
    StoredTransaction,
    Tombstone,
    Workspace,
    resolution_seen,
)
from damals.domain.entries import Verification
from damals.domain.ids import parse_uuid
from damals.domain.instants import BEGINNING, FOREVER
from damals.domain.names import folded_tags

_HEAD: Final = (
    select(transactions.c.number, transactions.c.recorded_at)
    .where(transactions.c.workspace_id == bindparam("workspace"))
    .order_by(transactions.c.number.desc())
    .limit(1)
)
_CHUNKS: Final = select(chunks).where(
    chunks.c.workspace_id == bindparam("workspace"),
    chunks.c.point_id.in_(bindparam("points", expanding=True)),
)
_PAGE: Final = 200
_NOWHERE: Final = bytes(0)

Values = dict[str, Any]


def chunk_rows(connection: Connection, rows: Sequence[Row[Any]]) -> list[ChunkRow]:
    """Chunk rows with their texts; each text is read once, however many chunks are cut from it."""
    ids = {getattr(row, name) for row in rows for name in CONTENT_COLUMNS["chunks"]}
    found = texts(connection, ids - {None})
    return [chunk_of(row, found) for row in rows]


class SqlReader(ChangeReader):
    """A ``LedgerReader`` on one connection, whose transaction is the snapshot."""

    def __init__(self, connection: Connection, workspace: Workspace, owner: TextOwner) -> None:
        self._connection = connection
        self._workspace = workspace
        self._owner = owner
        self._head: Head | None = None

    def workspace(self) -> Workspace:
        """The workspace that is read."""
        return self._workspace

    def head(self) -> Head:
        """Its newest transaction."""
        if self._head is None:
            values = {"workspace": self._owner.workspace_id}
            row = self._connection.execute(_HEAD, values).first()
            self._head = Head(0, BEGINNING) if row is None else Head(row.number, row.recorded_at)
        return self._head

    def find_entry(self, id_or_external_id: str, access: AccessFilter = OWNER) -> EntryInfo | None:
        """The entry with this id or external id, as known now."""
        values = access_values(access) | {"known_at": FOREVER}
        entry_id = parse_uuid(id_or_external_id)
        row = None
        if entry_id is not None:
            query = queries.info(shape_of(access), "entry_id")
            row = self._execute(query, values | {"value": entry_id.bytes}).first()
        if row is None and (text := self._text_id(id_or_external_id)) is not None:
            query = queries.info(shape_of(access), "external_id")
            row = self._execute(query, values | {"value": text}).first()
        return None if row is None else info_of(row)

    def version_at(self, entry_id: UUID, at: At) -> Found | None:
        """The version of an entry at a pair; a certain one before a possible one."""
        return self._point("entry", entry_id.bytes, at)

    def holder_at(self, key: str, at: At) -> Found | None:
        """The version that has a key at a pair; a certain one before a possible one."""
        text = self._text_id(key)
        return None if text is None else self._point("key", text, at)

    def _point(self, of: points.Of, named: bytes | int, at: At) -> Found | None:
        values = _pair(at) | {"workspace": self._owner.workspace_id, of: named}
        self._settle()

        def run(query: Query) -> Any:  # noqa: ANN401 - a row
            return first_row(self._connection, query, values)

        row = points.read(run, shape_of(at.access), self._when(at), of, at)
        return None if row is None else found_of(row, at.known_at)

    def latest_version(self, entry_id: UUID, at: At) -> Found | None:
        """The version known at ``at.known_at`` that holds last in valid time."""
        return self._latest([entry_id], at).get(entry_id)

    def versions_at(self, entry_ids: Sequence[UUID], at: At) -> Mapping[UUID, Found]:
        """As :meth:`version_at` for several entries."""
        query = queries.versions_at(shape_of(at.access), self._when(at))
        return self._best(query, entry_ids, at)

    def _latest(self, entry_ids: Sequence[UUID], at: At) -> dict[UUID, Found]:
        query = queries.latest_versions(shape_of(at.access), self._when(at))
        return self._best(query, entry_ids, at)

    def _last_known(self, entry_ids: Sequence[UUID], at: At) -> dict[UUID, Found]:
        """Per entry, its latest version or, when none is known any more, the last that was."""
        latest = self._latest(entry_ids, at)
        gone = [entry_id for entry_id in entry_ids if entry_id not in latest]
        known = latest | self._best(queries.history(shape_of(at.access)), gone, at)
        return {entry_id: known[entry_id] for entry_id in entry_ids if entry_id in known}

    def _best(self, query: Executable, entry_ids: Sequence[UUID], at: At) -> dict[UUID, Found]:
        """Per entry, the last row that a query gives, in the order asked."""
        best: dict[bytes, Row[Any]] = {}
        for batch in batches([entry_id.bytes for entry_id in entry_ids]):
            rows = self._execute(query, _pair(at) | {"entries": batch})
            best.update({row.entry_id: row for row in rows})
        return {i: found_of(best[i.bytes], at.known_at) for i in entry_ids if i.bytes in best}

    def list_at(self, at: At, where: EntryFilter) -> Sequence[Found]:
        """One version an entry at a pair, by entry id."""
        if where.superseded or where.archived:
            return self._list_gone(at, where)
        shape = listing.PageShape(
            shape_of(at.access),
            certain=where.certain,
            types=bool(where.types),
            tags=len(where.tags),
            limited=where.limit is not None,
        )
        query = listing.page(shape, self._when(at))
        values = _pair(at) | {"after": where.after.bytes if where.after else _NOWHERE}
        if where.limit is not None:
            values["limit"] = where.limit
        if where.types:
            values["types"] = where.types
        values |= {f"tag{place}": tag for place, tag in enumerate(where.tags)}
        values["workspace"] = self._owner.workspace_id
        self._settle()
        rows = rows_of(self._connection, query, values)
        return [found_of(row, at.known_at) for row in rows]

    def _list_gone(self, at: At, where: EntryFilter) -> list[Found]:
        """What is archived at a pair, or what is superseded there: the last that was known of it.

        What is archived may also hold there.
        """
        pages = lifecycle_queries.archived_page if where.archived else listing.superseded_page
        query = pages(shape_of(at.access), self._when(at))
        after = where.after.bytes if where.after else _NOWHERE
        listed: list[Found] = []
        while where.limit is None or len(listed) < where.limit:
            values = _pair(at) | {"after": after, "limit": _PAGE}
            page = self._execute(query, values).scalars().all()
            ids = [UUID(bytes=entry) for entry in page]
            held = self.versions_at(ids if where.archived else (), at)
            last = self._last_known([one for one in ids if one not in held], at)
            found = (held.get(one) or last.get(one) for one in ids)
            listed.extend(one for one in found if one is not None and _passes(one, at, where))
            if len(page) < _PAGE:
                break
            after = page[-1]
        return listed[: where.limit]

    def history(self, entry_id: UUID, at: At) -> Sequence[tuple[Found, StoredTransaction]]:
        """Every rectangle known by ``at.known_at``, by recorded start, then valid start."""
        return self._histories([entry_id.bytes], at)

    def key_history(self, key: str, at: At) -> Sequence[tuple[Found, StoredTransaction]]:
        """As :meth:`history`, for every entry that ever held the key."""
        text = self._text_id(key)
        if text is None:
            return []
        holders = self._execute(queries.HOLDERS, {"key": text}).scalars()
        return self._histories(list(dict.fromkeys(holders)), at)

    def _histories(self, entries: Sequence[bytes], at: At) -> list[tuple[Found, StoredTransaction]]:
        query = queries.history(shape_of(at.access))
        found = [
            found_of(row, at.known_at)
            for batch in batches(entries)
            for row in self._execute(query, _pair(at) | {"entries": batch})
        ]
        found.sort(key=_by_recording)
        numbers = sorted({one.version.opened_by for one in found})
        known = log.read_transactions(self._connection, self._owner.workspace_id, numbers)
        return [(one, known[one.version.opened_by]) for one in found]

    def superseded_at(self, entry_ids: Sequence[UUID], at: At) -> frozenset[UUID]:
        """Those of the entries that a cut recorded by ``known_at`` took ``as_of`` from."""
        rows = self._of_entries(relation_queries.superseded(self._when(at)), entry_ids, at)
        return frozenset(UUID(bytes=row.dst_id) for row in rows)

    def archived_at(self, entry_ids: Sequence[UUID], at: At) -> Mapping[UUID, int]:
        """Since when each of the entries is archived at a pair; those that are not are left out."""
        rows = self._of_entries(lifecycle_queries.archived(self._when(at)), entry_ids, at)
        return {UUID(bytes=row.entry_id): row.recorded_from for row in rows}

    def verified_at(self, entry_ids: Sequence[UUID], at: At) -> Mapping[UUID, Verification]:
        """The last verification of each entry at an instant that both clocks have reached."""
        rows = self._of_entries(lifecycle_queries.verified(self._when(at)), entry_ids, at)
        return {UUID(bytes=row.entry_id): verification_of(row, at.known_at) for row in rows}

    def tombstones(self) -> Mapping[UUID, Tombstone]:
        """What is left of all erased entries."""
        self._settle()
        return read_tombstones(self._connection, self._owner.workspace_id)

    def _of_entries(
        self, query: Executable, entry_ids: Sequence[UUID], at: At
    ) -> Iterator[Row[Any]]:
        """The rows that a statement gives of some entries at a pair."""
        for batch in batches([entry_id.bytes for entry_id in entry_ids]):
            yield from self._execute(query, _pair(at) | {"entries": batch})

    def relations_at(self, entry_ids: Sequence[UUID], at: At) -> Sequence[RelationView]:
        """The relations of the entries at a pair: who supersedes them first."""
        outgoing = self._relation_rows(entry_ids, at, "src_id")
        incoming = self._relation_rows(entry_ids, at, "dst_id")
        others = {row.dst_id for row in outgoing} | {row.src_id for row in incoming}
        titles = self._titles(others, at)
        views = [_view(row, "out", titles) for row in outgoing]
        views.extend(_view(row, "in", titles) for row in incoming)
        unique = {(view.direction, view.id): view for view in views}
        return sorted(unique.values(), key=lambda view: view.place)

    def _relation_rows(
        self, entry_ids: Sequence[UUID], at: At, near: relation_queries.End
    ) -> list[Row[Any]]:
        query = relation_queries.at_pair(shape_of(at.access), self._when(at), near)
        return list(self._of_entries(query, entry_ids, at))

    def _titles(self, entries: Iterable[bytes], at: At) -> dict[bytes, str]:
        """Titles at a pair, else the last that were known. Who may be seen was decided before."""
        found: dict[bytes, str] = {}
        missing = sorted(entries)
        for query in queries.titles(self._when(at)):
            for batch in batches(missing):
                rows = self._execute(query, _pair(At(at.as_of, at.known_at)) | {"entries": batch})
                found.update({row.entry_id: row.title or "" for row in rows})
            missing = [entry for entry in missing if entry not in found]
        return found

    def log(
        self, *, entry_id: UUID | None = None, key: str | None = None, after: int = 0
    ) -> Iterator[StoredTransaction]:
        """The transactions behind number ``after``, in order; of an entry or a key, if given."""
        values: Values = {}
        if entry_id is not None:
            values["entry"] = entry_id.bytes
        elif key is not None:
            values["key"] = self._text_id(key)
        self._settle()
        return log.walk(self._connection, self._owner.workspace_id, values, after)

    def chunks(self, point_ids: Sequence[UUID]) -> Mapping[UUID, ChunkRow]:
        """The chunk rows of these points; unknown ones are left out."""
        rows = [
            row
            for batch in batches([point_id.bytes for point_id in point_ids])
            for row in self._execute(_CHUNKS, {"points": batch})
        ]
        return {chunk.point_id: chunk for chunk in chunk_rows(self._connection, rows)}

    def source_notes(self, source: str) -> Sequence[SourceNote]:
        """The notes of a source, by path, as known now."""
        text = self._text_id(source)
        if text is None:
            return []
        query = queries.newest_of_source()
        rows = self._execute(query, {"source": text, "known_at": FOREVER})
        return [_source_note(row) for row in rows]

    def links(self, source: str) -> Sequence[DeclaredLink]:
        """The declared links of the current notes of a source, by entry and row."""
        text = self._text_id(source)
        if text is None:
            return []
        rows = self._execute(relation_queries.LINKS, {"source": text})
        return [
            DeclaredLink(
                UUID(bytes=row.src_id),
                row.target or "",
                UUID(bytes=row.dst_id),
                unresolved=bool(row.unresolved),
                relation=row.relation,
            )
            for row in rows
        ]

    def _execute(self, statement: Executable, values: Values) -> CursorResult[Any]:
        self._settle()
        given = {"workspace": self._owner.workspace_id, **values}
        return self._connection.execute(statement, given)

    def _settle(self) -> None:
        """Called before every statement that must see everything appended so far."""

    def _text_id(self, text: str) -> int | None:
        self._settle()
        return find(self._connection, self._owner, text)

    def _when(self, at: At) -> Known:
        return "now" if at.known_at >= self.head().recorded_at else "then"


def _pair(at: At) -> Values:
    return access_values(at.access) | {"as_of": at.as_of, "known_at": at.known_at}


def _passes(found: Found, at: At, where: EntryFilter) -> bool:
    has, period = found.version.attributes, found.version.period
    gone = where.superseded or where.archived
    return (
        (not where.types or has.type in where.types)
        and set(folded_tags(has.tags)).issuperset(where.tags)
        and (gone or not where.certain or period.certain_at(at.as_of))
    )


def _by_recording(found: Found) -> tuple[int, int, int, int]:
    version = found.version
    start = version.period.start
    return (version.recorded_from, start.earliest, start.latest, version.row)


def _view(
    row: Row[Any], direction: Literal["out", "in"], titles: Mapping[bytes, str]
) -> RelationView:
    near, far = (row.src_id, row.dst_id) if direction == "out" else (row.dst_id, row.src_id)
    return RelationView(
        id=UUID(bytes=row.relation_id),
        relation=row.relation,
        direction=direction,
        entry_id=UUID(bytes=near),
        other_id=UUID(bytes=far),
        other_title=titles.get(far, row.target if row.unresolved else None),
        confidence=row.confidence,
        derived=bool(row.derived),
        resolution=resolution_seen(resolution_of(row), direction),
    )


def _source_note(row: Row[Any]) -> SourceNote:
    attributes = attributes_of(row)
    return SourceNote(
        entry_id=UUID(bytes=row.entry_id),
        external_id=row.external,
        path=row.path,
        digest=attributes.source.digest or "",
        attributes=attributes,
        current=bool(row.current),
    )
