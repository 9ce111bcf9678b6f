"""The table ``accesses``: what was returned to someone.

Rows are only added: the first access of an hour stays, so that what was known at an instant never
changes. An erasure takes those of its entries.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, bindparam, delete, func, select

from damals.adapters.sql.contents import Contents, TextOwner, batches, find, insert_rows
from damals.adapters.sql.engine import Database
from damals.adapters.sql.prepared import first_row, rows_of
from damals.adapters.sql.queries import Query
from damals.adapters.sql.reserved import accesses
from damals.adapters.sql.schema import contents, entries, workspaces
from damals.app.accesses_model import HOUR, AccessNote
from damals.domain.errors import NotFound
from damals.domain.instants import FOREVER

PATIENCE_MS: Final = 50
"""How long it waits for those who write: what is asked does not wait for its traces."""

_WORKSPACE: Final = select(workspaces.c.id, workspaces.c.key).where(
    workspaces.c.name == bindparam("name")
)
_THESE: Final = (
    accesses.c.workspace_id == bindparam("workspace"),
    accesses.c.entry_id.in_(bindparam("entries", expanding=True)),
)
_SAME: Final = (
    *_THESE,
    accesses.c.accessed_at.between(bindparam("first"), bindparam("last")),
    accesses.c.channel == bindparam("channel"),
)
_NOTED: Final = {
    True: select(accesses.c.entry_id).where(*_SAME, accesses.c.principal_id.is_(None)),
    False: select(accesses.c.entry_id).where(
        *_SAME, accesses.c.principal_id == bindparam("principal")
    ),
}
_OF: Final = (
    select(accesses.c.accessed_at, accesses.c.channel, contents.c.text)
    .outerjoin(contents, contents.c.id == accesses.c.principal_id)
    .where(*_THESE)
    .order_by(accesses.c.accessed_at, accesses.c.id)
)
_FORGET: Final = delete(accesses).where(*_THESE)
_THERE: Final = select(entries.c.entry_id).where(
    entries.c.workspace_id == bindparam("workspace"),
    entries.c.entry_id.in_(bindparam("entries", expanding=True)),
    entries.c.erased_at == FOREVER,
)


@cache
def _next(table: Any) -> Query:  # noqa: ANN401 -- a table
    return select((func.coalesce(func.max(table.c.id), 0) + 1).label("next"))


class SqlAccesses:
    """Port ``Accesses`` in the database of a ledger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(self, workspace: str, note: AccessNote) -> None:
        """Note an access, in a write of its own.

        Raises:
            NotFound: ``workspace.unknown``.
            Unavailable: ``ledger.busy``.
        """
        with self._database.reading() as connection:  # most are noted already in their hour
            owner = _owner(connection, workspace)
            if not _missing(connection, owner, note):
                return
        with self._database.writing(wait_ms=PATIENCE_MS) as connection:
            write_note(connection, _owner(connection, workspace), note)

    def of(self, workspace: str, entry_id: UUID) -> Sequence[AccessNote]:
        """The accesses of an entry, oldest first."""
        with self._database.reading() as connection:
            given = _named(_owner(connection, workspace), [entry_id.bytes])
            rows = connection.execute(_OF, given).all()
        return [AccessNote((entry_id,), row.accessed_at, row.channel, row.text) for row in rows]


def write_note(connection: Connection, owner: TextOwner, note: AccessNote) -> None:
    """Note an access in a write that others have begun."""
    missing = _missing(connection, owner, note)
    if not missing:
        return
    principal = None
    if note.principal is not None:
        store = Contents(connection, owner, _number(connection, contents))
        principal = store.intern([note.principal])[note.principal].id
    first = _number(connection, accesses)
    rows: list[dict[str, Any]] = [
        {
            "id": number,
            "workspace_id": owner.workspace_id,
            "entry_id": entry,
            "accessed_at": note.accessed_at,
            "channel": note.channel,
            "principal_id": principal,
        }
        for number, entry in enumerate(missing, start=first)
    ]
    insert_rows(connection, accesses, rows)


def forget_accesses(connection: Connection, workspace: int, erased: Iterable[bytes]) -> None:
    """Some entries were erased: nobody has ever seen them."""
    for batch in batches(list(erased)):
        connection.execute(_FORGET, {"workspace": workspace, "entries": batch})


def _missing(connection: Connection, owner: TextOwner, note: AccessNote) -> list[bytes]:
    """The entries of an access that are there, and not noted yet in its hour."""
    wanted = sorted({one.bytes for one in note.entries})
    hour = {"first": note.hour, "last": note.hour + HOUR - 1, "channel": note.channel}
    if note.principal is not None:
        known = find(connection, owner, note.principal)
        hour |= {"principal": -1 if known is None else known}
    found: set[bytes] = set()
    there: set[bytes] = set()
    for batch in batches(wanted):
        named = _named(owner, batch)
        same = rows_of(connection, _NOTED[note.principal is None], named | hour)
        found.update(row.entry_id for row in same)
        there.update(row.entry_id for row in rows_of(connection, _THERE, named))
    return [one for one in wanted if one in there and one not in found]


def _named(owner: TextOwner, batch: Sequence[bytes]) -> dict[str, Any]:
    return {"workspace": owner.workspace_id, "entries": batch}


def _owner(connection: Connection, workspace: str) -> TextOwner:
    row = first_row(connection, _WORKSPACE, {"name": workspace})
    if row is None:
        raise NotFound("workspace.unknown", name=workspace)
    return TextOwner(row.id, row.key)


def _number(connection: Connection, table: Any) -> int:  # noqa: ANN401 -- a table
    row = first_row(connection, _next(table), {})
    return 1 if row is None else row.next
