"""Entries that list more than an index takes: tags, with those above them, or names of an acl."""

from typing import Final
from uuid import UUID

from sqlalchemy import Connection, bindparam, func, select, union

from damals.adapters.sql.schema import version_acl, version_tags, versions, workspaces
from damals.domain.instants import FOREVER

_CROWDED: Final = union(
    *(
        select(workspaces.c.name, versions.c.entry_id)
        .join_from(listed, versions, versions.c.id == listed.c.version_id)
        .join(workspaces, workspaces.c.id == versions.c.workspace_id)
        .where(versions.c.recorded_to == FOREVER)
        .group_by(workspaces.c.name, versions.c.entry_id, listed.c.version_id)
        .having(func.count() > bindparam("most"))
        for listed in (version_tags, version_acl)
    )
)


def crowded(connection: Connection, most: int) -> list[tuple[str, UUID]]:
    """Workspace and entry of each that lists more than ``most`` of either today."""
    rows = connection.execute(_CROWDED, {"most": most})
    return sorted((row.name, UUID(bytes=row.entry_id)) for row in rows)
