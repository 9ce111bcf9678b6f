"""Reading one workspace in one snapshot."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, CursorResult, Executable, Row, bindparam, select

from damals.adapters.sql import lifecycle_queries, listing, log, points, queries, relation_queries
from damals.adapters.sql.access import access_values, shape_of
from damals.adapters.sql.changes import ChangeReader
from damals.adapters.sql.contents import TextOwner, batches, find, texts
from damals.adapters.sql.erasing import read_tombstones
from damals.adapters.sql.lives import LifeReader
from damals.adapters.sql.near import NearReader
from damals.adapters.sql.prepared import first_row, rows_of
from damals.adapters.sql.queries import Known, Query, pair
from damals.adapters.sql.relation_views import relation_view
from damals.adapters.sql.rows import chunk_of, info_of
from damals.adapters.sql.sayings import SayingsReader
from damals.adapters.sql.schema import CONTENT_COLUMNS, chunks, transactions
from damals.adapters.sql.snapshot import SnapshotReader
from damals.adapters.sql.spans import SpanReader
from damals.adapters.sql.standing import StandingReader
from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_model import (
    WHOLE,
    At,
    ChunkRow,
    EntryFilter,
    EntryInfo,
    Found,
    Head,
    RelationView,
    StoredTransaction,
    Stretch,
    Tombstone,
    Workspace,
    corner_of,
)
from damals.app.log_model import Told, touches
from damals.domain.ids import parse_uuid
from damals.domain.instants import BEGINNING, FOREVER
from damals.domain.names import folded_tags

_HEAD: Final = (
    select(transactions.c.number, transactions.c.recorded_at, transactions.c.logged_at)
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


class SqlReader(
    ChangeReader, StandingReader, SnapshotReader, SayingsReader, SpanReader, LifeReader, NearReader
):
    """A ``LedgerReader`` on one connection, whose transaction is the snapshot."""

    def __init__(
        self,
        connection: Connection,
        workspace: Workspace,
        owner: TextOwner,
        access: AccessFilter = OWNER,
    ) -> None:
        self._connection = connection
        self._workspace = workspace
        self._owner = owner
        self._access = access
        self._shape = shape_of(access)
        self._head: Head | None = None

    def unrestricted(self) -> "SqlReader":
        """The same as of now with nothing hidden."""
        self._settle()
        return SqlReader(self._connection, self._workspace, self._owner)

    def workspace(self) -> Workspace:
        """The workspace that is read."""
        return self._workspace

    def head(self) -> Head:
        """Its newest transaction."""
        if self._head is None:
            row = first_row(self._connection, _HEAD, {"workspace": self._owner.workspace_id})
            self._head = Head(0, BEGINNING, BEGINNING) if row is None else Head(*row)
        return self._head

    def find_entry(self, id_or_external_id: str) -> EntryInfo | None:
        """The entry with this id or external id, as known now."""
        values = {"known_at": FOREVER}
        entry_id = parse_uuid(id_or_external_id)
        row = None
        if entry_id is not None:
            query = queries.info(self._shape, "entry_id")
            row = self._execute(query, values | {"value": entry_id.bytes}).first()
        if row is None and (text := self._text_id(id_or_external_id)) is not None:
            query = queries.info(self._shape, "external_id")
            row = self._execute(query, values | {"value": text}).first()
        if row is None:
            return None
        info = info_of(row)
        return self._as_told([info])[info.id] if self._restricted else info

    def version_at(self, entry_id: UUID, at: At) -> Found | None:
        """The version of an entry at a pair; a certain one before a possible one."""
        return self._point("entry", entry_id.bytes, at)

    def holder_at(self, key: str, at: At) -> Found | None:
        """The version that has a key at a pair; a certain one before a possible one."""
        text = self._text_id(key)
        return None if text is None else self._point("key", text, at)

    def _point(self, of: points.Of, named: bytes | int, at: At) -> Found | None:
        values = self._given(pair(at)) | {of: named}
        self._settle()

        def run(query: Query) -> Any:  # noqa: ANN401 - a row
            return first_row(self._connection, query, values)

        row = points.read(run, self._shape, self._when(at), of, at)
        return None if row is None else self._found([row], at)[0]

    def latest_version(self, entry_id: UUID, at: At) -> Found | None:
        """The version known at ``at.known_at`` that holds last in valid time."""
        return self.latest_versions([entry_id], at).get(entry_id)

    def versions_at(self, entry_ids: Sequence[UUID], at: At) -> Mapping[UUID, Found]:
        """As :meth:`version_at` for several entries."""
        query = queries.versions_at(self._shape, self._when(at))
        return self._best(query, entry_ids, at)

    def latest_versions(self, entry_ids: Sequence[UUID], at: At) -> dict[UUID, Found]:
        """As :meth:`latest_version` for several entries."""
        query = queries.latest_versions(self._shape, self._when(at))
        return self._best(query, entry_ids, at)

    def _last_known(self, entry_ids: Sequence[UUID], at: At) -> dict[UUID, Found]:
        """Per entry, its latest version or, when none is known any more, the last that was."""
        latest = self.latest_versions(entry_ids, at)
        gone = [entry_id for entry_id in entry_ids if entry_id not in latest]
        known = latest | self._best(queries.history(self._shape), gone, at)
        return {entry_id: known[entry_id] for entry_id in entry_ids if entry_id in known}

    def _best(self, query: Query, entry_ids: Sequence[UUID], at: At) -> dict[UUID, Found]:
        """Per entry, the last row that a query gives, in the order asked."""
        rows = self._of_entries(query, entry_ids, at)
        best: dict[bytes, Row[Any]] = {row.entry_id: row for row in rows}
        found = self._found((best[i.bytes] for i in entry_ids if i.bytes in best), at)
        return {one.version.entry_id: one for one in found}

    def list_at(self, at: At, where: EntryFilter) -> Sequence[Found]:
        """One version an entry at a pair, by entry id."""
        if where.superseded or where.archived:
            return self._list_gone(at, where)
        shape = listing.PageShape(
            self._shape,
            certain=where.certain,
            types=bool(where.types),
            tags=len(where.tags),
            limited=where.limit is not None,
            verified=where.verified,
        )
        query = listing.page(shape, self._when(at))
        values = pair(at) | {"after": where.after.bytes if where.after else _NOWHERE}
        if where.limit is not None:
            values["limit"] = where.limit
        if where.types:
            values["types"] = where.types
        values |= {f"tag{place}": tag for place, tag in enumerate(where.tags)}
        self._settle()
        rows = rows_of(self._connection, query, self._given(values))
        return self._found(rows, at)

    def _list_gone(self, at: At, where: EntryFilter) -> list[Found]:
        """What is archived at a pair, or what is superseded there: the last that was known of it.

        What is archived may also hold there.
        """
        pages = lifecycle_queries.archived_page if where.archived else listing.superseded_page
        query = pages(self._shape, self._when(at))
        after = where.after.bytes if where.after else _NOWHERE
        listed: list[Found] = []
        while where.limit is None or len(listed) < where.limit:
            values = pair(at) | {"after": after, "limit": _PAGE}
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

    def history(
        self, entry_id: UUID, at: At, stretch: Stretch = WHOLE
    ) -> Sequence[tuple[Found, StoredTransaction]]:
        """Every rectangle known by ``at.known_at``, by recorded start, then valid start."""
        return self._histories([entry_id.bytes], at, stretch)

    def key_history(
        self, key: str, at: At, stretch: Stretch = WHOLE
    ) -> Sequence[tuple[Found, StoredTransaction]]:
        """As :meth:`history`, for every entry that ever held the key."""
        text = self._text_id(key)
        if text is None:
            return []
        return self._histories([one.bytes for one in self._holders(text)], at, stretch)

    def _holders(self, key: int | None) -> list[UUID]:
        """Every entry that ever held the key of this text."""
        holders = self._execute(queries.HOLDERS, {"key": key}).scalars()
        return [UUID(bytes=entry) for entry in dict.fromkeys(holders)]

    def _histories(
        self, entries: Sequence[bytes], at: At, stretch: Stretch
    ) -> list[tuple[Found, StoredTransaction]]:
        whole = stretch == WHOLE
        query = queries.history(self._shape) if whole else queries.stretch(self._shape)
        values = pair(at) | ({} if whole else _bounds(stretch))
        rows = (
            row
            for batch in batches(entries)
            for row in self._execute(query, values | {"entries": batch})
        )
        found = self._found(rows, at)
        found.sort(key=lambda one: corner_of(one.version))
        found = found[: stretch.limit]
        told = self._told_at({(v.opened_by, v.operation) for v in (one.version for one in found)})
        return [_placed(one, told[one.version.opened_by]) for one in found]

    def superseded_at(self, entry_ids: Sequence[UUID], at: At) -> frozenset[UUID]:
        """Those of the entries that a cut recorded by ``known_at`` took ``as_of`` from."""
        query = relation_queries.superseded(self._when(at))
        rows = self._of_entries(query, self._wanted(entry_ids), at)
        return frozenset(UUID(bytes=row.dst_id) for row in rows)

    def archived_at(self, entry_ids: Sequence[UUID], at: At) -> Mapping[UUID, int]:
        """Since when each of the entries is archived at a pair; those that are not are left out."""
        query = lifecycle_queries.archived(self._when(at))
        rows = self._of_entries(query, self._wanted(entry_ids), at)
        return {UUID(bytes=row.entry_id): row.recorded_from for row in rows}

    def tombstones(self) -> Mapping[UUID, Tombstone]:
        """What is left of all erased entries."""
        if self._restricted:
            return {}
        self._settle()
        return read_tombstones(self._connection, self._owner.workspace_id)

    def _of_entries(self, query: Query, entry_ids: Sequence[UUID], at: At) -> Iterator[Row[Any]]:
        """The rows that a statement gives of some entries at a pair."""
        for batch in batches([entry_id.bytes for entry_id in entry_ids]):
            yield from self._rows(query, pair(at) | {"entries": batch})

    def relations_at(self, entry_ids: Sequence[UUID], at: At) -> Sequence[RelationView]:
        """The relations of the entries at a pair: who supersedes them first."""
        outgoing = self._relation_rows(entry_ids, at, "src_id")
        incoming = self._relation_rows(entry_ids, at, "dst_id")
        others = {row.dst_id for row in outgoing} | {row.src_id for row in incoming}
        titles = self._titles(others, at)
        views = [relation_view(row, "out", titles) for row in outgoing]
        views.extend(relation_view(row, "in", titles) for row in incoming)
        unique = {(view.direction, view.id): view for view in views}
        return sorted(unique.values(), key=lambda view: view.place)

    def _relation_rows(
        self, entry_ids: Sequence[UUID], at: At, near: relation_queries.End
    ) -> list[Row[Any]]:
        query = relation_queries.at_pair(self._shape, self._when(at), near)
        return list(self._of_entries(query, entry_ids, at))

    def _titles(self, entries: Iterable[bytes], at: At) -> dict[bytes, str]:
        """Titles at a pair, else the last that were known. Who may be seen was decided before."""
        found: dict[bytes, str] = {}
        missing = sorted(entries)
        for query in queries.titles(self._when(at)):
            for batch in batches(missing):
                rows = self._rows(query, pair(at) | {"entries": batch})
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
        if entry_id is not None and not self._wanted([entry_id]):
            return iter(())
        given = access_values(self._access) | values
        pages = log.walk(self._connection, self._owner.workspace_id, given, after, self._shape)
        stored = (one.transaction for page in pages for one in self._told(page).values())
        if not (self._restricted and values):
            return stored
        about = self.seen([entry_id] if entry_id is not None else self._holders(values["key"]))
        return (one for one in stored if touches(one, about))

    def chunks(self, point_ids: Sequence[UUID]) -> Mapping[UUID, ChunkRow]:
        """The chunk rows of these points; unknown ones are left out."""
        rows = [
            row
            for batch in batches([point_id.bytes for point_id in point_ids])
            for row in self._rows(_CHUNKS, {"points": batch})
        ]
        if self._restricted:
            seen = self.seen({UUID(bytes=row.entry_id) for row in rows})
            rows = [row for row in rows if UUID(bytes=row.entry_id) in seen]
        return {chunk.point_id: chunk for chunk in chunk_rows(self._connection, rows)}

    def _rows(self, statement: Query, values: Values) -> Iterator[Any]:
        """As :meth:`_execute`, run by the driver itself: what every question asks."""
        self._settle()
        return rows_of(self._connection, statement, self._given(values))

    def _execute(self, statement: Executable, values: Values) -> CursorResult[Any]:
        self._settle()
        return self._connection.execute(statement, self._given(values))

    def _given(self, values: Values) -> Values:
        """Parameters with those that all statements share."""
        shared = access_values(self._access) if self._restricted else {}
        return {"workspace": self._owner.workspace_id, **shared, **values}

    def _settle(self) -> None:
        """Called before every statement that must see everything appended so far."""

    def _text_id(self, text: str) -> int | None:
        self._settle()
        return find(self._connection, self._owner, text)

    def _when(self, at: At) -> Known:
        return "now" if at.known_at >= self.head().recorded_at else "then"


def _placed(found: Found, told: Told) -> tuple[Found, StoredTransaction]:
    """A version with its transaction as it is told."""
    operation = told.places[found.version.operation]
    placed = replace(found.version, operation=operation)
    return replace(found, version=placed), told.transaction


def _passes(found: Found, at: At, where: EntryFilter) -> bool:
    has, period = found.version.attributes, found.version.period
    gone = where.superseded or where.archived
    return (
        (not where.types or has.type in where.types)
        and set(folded_tags(has.tags)).issuperset(where.tags)
        and (gone or not where.certain or period.certain_at(at.as_of))
    )


def _bounds(stretch: Stretch) -> Values:
    """Where a stretch begins, and how long it is."""
    *instants, entry = stretch.behind or (BEGINNING, BEGINNING, BEGINNING, UUID(int=0))
    corner = (*instants, entry.bytes)
    limit = FOREVER if stretch.limit is None else stretch.limit
    return {f"c{place}": value for place, value in enumerate(corner)} | {"limit": limit}
