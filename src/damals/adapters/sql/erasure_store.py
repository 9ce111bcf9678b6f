"""The erasures of a ledger (port ``Erasures``)."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, String, Table, bindparam, delete, select

from damals.adapters.sql import erasure_homes, erasures, erasures_told
from damals.adapters.sql.columns import metadata
from damals.adapters.sql.contents import TextOwner
from damals.adapters.sql.engine import Database
from damals.adapters.sql.exports import noted_exports
from damals.adapters.sql.prepared import first_row
from damals.adapters.sql.purging import NAMING, Purge
from damals.adapters.sql.reserved import (
    denials,
    receipt_entries,
    receipts,
    tombstones,
)
from damals.adapters.sql.reserved import erasures as erasures_table
from damals.adapters.sql.restored_marks import keep_marks
from damals.adapters.sql.schema import (
    chunks,
    contents,
    entries,
    index_cursors,
    meta,
    relation_premises,
    relations,
    vector_queue,
    version_acl,
    version_tags,
    versions,
    workspaces,
)
from damals.app.erasing.model import (
    PURGED,
    SOURCE,
    STAGES,
    WORKSPACE,
    Erasure,
    Rewriting,
    StoredErasure,
)
from damals.app.erasures_journal import ErasureRecord
from damals.domain.entries import Json
from damals.domain.errors import NotFound
from damals.domain.instants import FOREVER

_FETCHED: Final = 500
_NAMED: Final = select(workspaces).where(workspaces.c.name == bindparam("name"))
_WORKSPACE: Final = select(workspaces).where(workspaces.c.id == bindparam("workspace"))
_HOME: Final = select(meta.c.value).where(meta.c.name == "home")
_TEXTS: Final = select(
    contents.c.text,
    contents.c.id.in_(
        select(receipts.c.document_id).where(receipts.c.workspace_id == bindparam("workspace"))
    ).label("receipt"),
).where(contents.c.workspace_id == bindparam("workspace"), contents.c.text.is_not(None))
_CHUNKS: Final = (
    select(chunks)
    .where(chunks.c.workspace_id == bindparam("workspace"), chunks.c.id > bindparam("after"))
    .order_by(chunks.c.id)
    .limit(_FETCHED)
)
_SURVIVING: Final = tuple(
    column
    for table in metadata.sorted_tables
    if table is not erasures_table
    for column in table.columns
    if isinstance(column.type, String)
)
"""Every column with text: also names of types, bounds as they were given, and the like."""
_BELOW: Final = {
    version_tags: (version_tags.c.version_id, versions),
    version_acl: (version_acl.c.version_id, versions),
    relation_premises: (relation_premises.c.relation_row, relations),
    receipt_entries: (receipt_entries.c.receipt, receipts),
    vector_queue: (vector_queue.c.chunk, chunks),
}
"""Tables without a workspace of their own: the column that leads to one which has it."""
_OUTLIVING: Final = frozenset({tombstones, erasures_table, denials, workspaces})
_ENTRIES_OF: Final = select(entries.c.entry_id).where(
    entries.c.workspace_id == bindparam("workspace"), entries.c.erased_at == FOREVER
)


class SqlErasures:
    """The erasures in the database of a ledger.

    Args:
        database: the database.
        index_prefix: with which the names of this home's indexes begin.
    """

    def __init__(self, database: Database, index_prefix: str) -> None:
        self._database = database
        self._prefix = index_prefix

    @property
    def home(self) -> str:
        """This one among those on one ledger."""
        return self._prefix.rstrip("/")

    @property
    def afar(self) -> bool:
        """Whether the ledger is on a server."""
        return self._database.afar

    def alone(self, wait_s: float) -> AbstractContextManager[bool]:
        """The only one who brings erasures to their end."""
        return self._database.alone(wait_s)

    def introduce(self) -> None:
        """What is erased waits for this home as well, where there may be others."""
        if not self.home:
            return
        with self._database.reading() as connection:
            known = erasure_homes.introduced(connection, self.home)
        if not known:
            with self._database.writing() as connection:
                erasure_homes.introduce(connection, self.home)

    def behind(self) -> Sequence[Erasure]:
        """Those that another home has finished, and this one has not followed yet."""
        if not self.home:
            return ()
        with self._database.reading() as connection:
            return [_erasure(row) for row in erasure_homes.behind(connection, self.home)]

    def followed(self, erasure: UUID) -> None:
        """This home keeps nothing of it any more."""
        with self._database.writing() as connection:
            erasure_homes.followed(connection, erasure, self.home)

    def unfinished(self) -> Sequence[Erasure]:
        """Those that have no certificate yet, oldest first."""
        with self._database.reading() as connection:
            former = erasures.former(connection)
            rows = erasures.unfinished(connection)
        if former:
            with self._database.writing() as connection:
                erasures.adopt_former(connection)
                rows = erasures.unfinished(connection)
        return [_erasure(row) for row in rows]

    def begin_workspace(self, workspace: str, actor: str, now: int) -> None:
        """Begin to erase a whole workspace.

        Raises:
            NotFound: ``workspace.unknown``.
        """
        with self._database.writing() as connection:
            owner = first_row(connection, _NAMED, {"name": workspace})
            if owner is None:
                raise NotFound("workspace.unknown", name=workspace)
            erasures.begin_workspace(connection, owner, actor, now)

    def record(self, erasure: UUID) -> ErasureRecord:
        """What a journal keeps of it."""
        with self._database.reading() as connection:
            row = erasures.one(connection, erasure)
            noted = json.loads(row.pending)
            return ErasureRecord(
                erasure_id=erasure,
                home=connection.execute(_HOME).scalar_one(),
                workspace=noted["workspace"],
                workspace_made=noted["made"],
                kind=row.kind,
                entries=tuple(UUID(hex=one) for one in noted["entries"]),
                marks=tuple(erasures.marks_of(connection, row)),
                number=noted["number"],
                erased_at=noted["at"],
                actor=noted["actor"],
                target=None if row.salt is None else row.target,
                salt=row.salt,
            )

    def keep_marks(self, record: ErasureRecord, number: int | None) -> None:
        """Know again what an erasure was of."""
        with self._database.writing() as connection:
            owner = first_row(connection, _NAMED, {"name": record.workspace})
            if owner is None:
                raise NotFound("workspace.unknown", name=record.workspace)
            keep_marks(connection, owner.id, record, number)

    def forget_homes(self) -> None:
        """What homes keep of this ledger is of another state of it."""
        with self._database.writing() as connection:
            erasure_homes.forget_all(connection)

    def reached(self, erasure: UUID, stage: str, noted: Mapping[str, Json]) -> None:
        """A stage is finished."""
        with self._database.writing() as connection:
            erasures.advance(connection, erasure, stage, noted)

    def purge(self, erasure: UUID, rewriting: Rewriting) -> Mapping[str, Json]:
        """Take every text out of the ledger that nothing needs any more; ends its stage."""
        with self._database.writing() as connection:
            row = erasures.one(connection, erasure)
            if STAGES.index(row.stage) >= STAGES.index(PURGED):
                return json.loads(row.pending)
            owner = connection.execute(_WORKSPACE, {"workspace": row.workspace_id}).first()
            if row.kind == WORKSPACE and owner is not None:
                noted = _purge_workspace(connection, owner, rewriting)
            elif owner is None:  # its workspace was erased since
                noted = {"fingerprints": rewriting.fingerprints(())}
            else:
                told = json.loads(row.pending)
                source = told.get("name") if row.kind == SOURCE else None
                purge = Purge(connection, TextOwner(owner.id, owner.key), rewriting)
                done = purge.run(told.get("said", ()), source)
                noted = {
                    "texts": done.texts,
                    "rewritten": done.rewritten,
                    "shared": done.shared,
                    "fingerprints": done.fingerprints,
                }
            noted |= {"said": None, "name": None}
            return erasures.advance(connection, erasure, PURGED, noted)

    def compact(self) -> Sequence[str]:
        """Write the database anew, so that no former page of it is left."""
        return self._database.compact()

    def surviving(self) -> Iterator[str]:
        """Every text that is kept, of all workspaces."""
        with self._database.reading() as connection:
            for column in _SURVIVING:
                query = select(column).where(column.is_not(None))
                query = query if column is contents.c.text else query.distinct()
                options = {"yield_per": _FETCHED}
                yield from connection.execute(query, execution_options=options).scalars()

    def indexed(self) -> bool:
        """Whether an index of this home has anything of the ledger."""
        query = select(index_cursors.c.index_name)
        with self._database.reading() as connection:
            names = connection.execute(query).scalars().all()
        return any(one.startswith(self._prefix) for one in names)

    def certify(
        self, erasure: UUID, certificate: Mapping[str, Json], now: int
    ) -> Mapping[str, Json]:
        """Keep the certificate; nothing else stays noted but what other homes have yet to do."""
        with self._database.writing() as connection:
            return erasures.certify(connection, erasure, certificate, now, self.home)

    def certificate(self, workspace: str, number: int) -> Mapping[str, Json] | None:
        """That of the erasure which a transaction recorded, if it is finished."""
        with self._database.reading() as connection:
            owner = first_row(connection, _NAMED, {"name": workspace})
            if owner is None:
                return None
            return erasures.certificate_of(connection, owner.id, number)

    def stored(self) -> Sequence[StoredErasure]:
        """All erasures, newest first."""
        with self._database.reading() as connection:
            return erasures_told.stored(connection)

    def erased_entries(self, erasure: UUID) -> Sequence[UUID]:
        """The entries that one was of."""
        with self._database.reading() as connection:
            return erasures_told.erased_entries(connection, erasure)


def _erasure(row: Row[Any]) -> Erasure:
    noted: dict[str, Any] = json.loads(row.pending)
    return Erasure(
        id=UUID(bytes=row.erasure_id),
        workspace=noted.get("workspace", ""),
        kind=row.kind,
        stage=row.stage,
        number=noted["number"],
        first=noted["first"],
        noted=noted,
    )


def _purge_workspace(
    connection: Connection, owner: Row[Any], rewriting: Rewriting
) -> dict[str, Any]:
    """Remove every row of a workspace but those that outlive it."""
    given = {"workspace": owner.id}
    lookups = {one.hex(): None for one in _embedded(connection, owner)}
    rows = connection.execute(_TEXTS, given).all()
    texts: list[str] = [row.text for row in rows if not row.receipt]
    texts += [one for row in rows if row.receipt for one in erasures.asked(json.loads(row.text))]
    counted = len(connection.execute(_ENTRIES_OF, given).all())
    fingerprints = rewriting.fingerprints([*texts, owner.name])
    # Both are gone afterwards: whose indexes there are, and what was exported until now.
    homes = sorted(erasure_homes.homes(connection))
    exported = [one.path for one in noted_exports(connection, owner.name, 0)]
    for table in reversed(metadata.sorted_tables):
        if table is contents:
            _delete_contents(connection, owner.id)
        elif table in _BELOW:
            column, above = _BELOW[table]
            theirs = select(above.c.id).where(above.c.workspace_id == owner.id)
            connection.execute(delete(table).where(column.in_(theirs)))
        elif "workspace_id" in table.columns and table not in _OUTLIVING:
            _delete(connection, table, owner.id)
    connection.execute(delete(workspaces).where(workspaces.c.id == owner.id))
    # Positions may be given anew: what an index has seen is not to be compared with them.
    connection.execute(delete(vector_queue))
    connection.execute(delete(index_cursors))
    return {
        "texts": len(rows),
        "counted": counted,
        "vectors": list(lookups),
        "fingerprints": fingerprints,
        "exports": exported,
        erasure_homes.HOMES: homes or None,
    }


def _delete_contents(connection: Connection, workspace: int) -> None:
    """Remove the texts of a workspace of which nothing else is left.

    Whoever deletes a row sees to it that none of any other workspace names it: a search for each,
    which needs an index for as long as it takes.
    """
    others = connection.execute(select(contents.c.id).where(contents.c.workspace_id != workspace))
    named = [(table.name, one) for table, found in NAMING.items() for one in found]
    wanted = named if others.first() is not None else []
    for table, column in wanted:
        statement = f"CREATE INDEX purging_{table}_{column} ON {table} ({column})"
        connection.exec_driver_sql(statement)
    _delete(connection, contents, workspace)
    for table, column in wanted:
        connection.exec_driver_sql(f"DROP INDEX purging_{table}_{column}")


def _delete(connection: Connection, table: Table, workspace: int) -> None:
    connection.execute(delete(table).where(table.c.workspace_id == workspace))


def _embedded(connection: Connection, owner: Row[Any]) -> Iterator[bytes]:
    after = 0
    while rows := connection.execute(_CHUNKS, {"workspace": owner.id, "after": after}).all():
        yield from erasures.embedded(connection, owner.key, rows)
        after = rows[-1].id
