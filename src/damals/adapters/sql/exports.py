"""The table ``exports``: what left the home, so that an erasure can name what it does not reach."""

from typing import Any, Final

from sqlalchemy import Connection, bindparam, func, select

from damals.adapters.sql.contents import Contents, TextOwner, insert_rows
from damals.adapters.sql.reserved import exports
from damals.adapters.sql.schema import contents, workspaces
from damals.app.access_model import NotedExport
from damals.domain.errors import NotFound

_OWNER: Final = select(workspaces.c.id, workspaces.c.key).where(
    workspaces.c.name == bindparam("name")
)
_NEXT: Final = {
    table: select(func.coalesce(func.max(table.c.id), 0) + 1) for table in (contents, exports)
}
_NOTED: Final = (
    select(exports, contents.c.text.label("path"))
    .join(contents, contents.c.id == exports.c.path_id)
    .join(workspaces, workspaces.c.id == exports.c.workspace_id)
    .where(workspaces.c.name == bindparam("name"), exports.c.number >= bindparam("since"))
    .order_by(exports.c.id)
)


def note_export(connection: Connection, workspace: str, export: NotedExport) -> None:
    """Note an export.

    Raises:
        NotFound: ``workspace.unknown``.
    """
    owner = connection.execute(_OWNER, {"name": workspace}).first()
    if owner is None:
        raise NotFound("workspace.unknown", name=workspace)
    free = connection.execute(_NEXT[contents]).scalar_one()
    texts = Contents(connection, TextOwner(owner.id, owner.key), free)
    values: dict[str, Any] = {
        "id": connection.execute(_NEXT[exports]).scalar_one(),
        "workspace_id": owner.id,
        "kind": export.kind,
        "path_id": texts.intern([export.path])[export.path].id,
        "created_at": export.created_at,
        "number": export.number,
        "principal": export.principal,
    }
    insert_rows(connection, exports, [values])


def noted_exports(connection: Connection, workspace: str, since: int) -> list[NotedExport]:
    """Those that hold a transaction; without those whose paths were erased."""
    rows = connection.execute(_NOTED, {"name": workspace, "since": since})
    return [
        NotedExport(row.kind, row.path, row.created_at, row.number, row.principal)
        for row in rows
        if row.path is not None
    ]
