"""The table ``relation_floors``: what vaults ask of those who are shown their relations."""

from typing import Final

from sqlalchemy import Connection, bindparam, delete, insert, select

from damals.adapters.sql.contents import Contents
from damals.adapters.sql.reserved import relation_floors
from damals.app.floors_model import Floors, under
from damals.app.index_model import OWNER, AccessFilter

_OF_WORKSPACE: Final = relation_floors.c.workspace_id == bindparam("workspace")
_ALL: Final = select(relation_floors.c.relation, relation_floors.c.visibility).where(_OF_WORKSPACE)
_NAMED: Final = _ALL.where(relation_floors.c.name_id == bindparam("name"))
_DROP: Final = delete(relation_floors).where(
    _OF_WORKSPACE, relation_floors.c.name_id == bindparam("name")
)


def put(
    connection: Connection, workspace: int, texts: Contents, source: str, floors: Floors
) -> None:
    """Note what a source asks for; it replaces what it asked for before."""
    given = {"workspace": workspace, "name": texts.intern([source])[source].id}
    before = {row.relation: row.visibility for row in connection.execute(_NAMED, given)}
    if before == floors:
        return
    connection.execute(_DROP, given)
    rows = [
        {
            "workspace_id": workspace,
            "name_id": given["name"],
            "relation": relation,
            "visibility": least,
        }
        for relation, least in floors.items()
    ]
    if rows:
        connection.execute(insert(relation_floors), rows)


def floored(connection: Connection, workspace: int, access: AccessFilter) -> AccessFilter:
    """What somebody may see in a workspace, by what its vaults ask for."""
    if access == OWNER:
        return access
    rows = connection.execute(_ALL, {"workspace": workspace})
    return under(access, ((row.relation, row.visibility) for row in rows))
