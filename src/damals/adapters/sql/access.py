"""Who may see an entry: what its newest version says, whatever instant is asked for.

Used as conditions inside the statements, before every limit and every count, and told to indexes.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    ScalarSelect,
    bindparam,
    exists,
    or_,
    select,
)

from damals.adapters.sql.contents import batches
from damals.adapters.sql.schema import entries, version_acl, versions
from damals.app.index_model import AccessFilter
from damals.app.ledger_model import Access


class AccessShape(NamedTuple):
    """Which conditions an access filter has.

    Attributes:
        visibility, sensitivity, acl: of entries.
        relations: of relations' types.
    """

    visibility: bool = False
    sensitivity: bool = False
    acl: bool = False
    relations: bool = False


UNRESTRICTED: Final = AccessShape()
"""The shape of the owner's filter."""


def shape_of(access: AccessFilter) -> AccessShape:
    """The shape of an access filter."""
    return AccessShape(
        access.visibilities is not None,
        access.max_sensitivity is not None,
        access.principals is not None,
        bool(access.hidden_relations),
    )


def access_values(access: AccessFilter) -> dict[str, Any]:
    """The parameters of an access filter."""
    values = {
        "visibilities": access.visibilities,
        "max_sensitivity": access.max_sensitivity,
        "principals": access.principals,
        "hidden_relations": access.hidden_relations or None,
    }
    return {name: value for name, value in values.items() if value is not None}


def newest_id(
    workspace: ColumnElement[int],
    entry: ColumnElement[bytes],
    *,
    before: ColumnElement[int] | None = None,
) -> ScalarSelect[int]:
    """The row of an entry's newest version, or of its newest one before an instant.

    Rows of a workspace ascend with their recorded start, so this is the highest one, and it is
    one step in ``versions_entry``, where the maximum of all rows would visit each of them.
    """
    one = versions.alias()
    query = select(one.c.id).where(one.c.workspace_id == workspace, one.c.entry_id == entry)
    if before is not None:
        query = query.where(one.c.recorded_from < before)
    query = query.order_by(one.c.recorded_from.desc(), one.c.id.desc()).limit(1)
    return query.correlate_except(one).scalar_subquery()


def visible(
    shape: AccessShape, workspace: ColumnElement[int], entry: ColumnElement[bytes]
) -> list[ColumnElement[bool]]:
    """Conditions that the newest version of an entry may be seen."""
    if not (shape.visibility or shape.sensitivity or shape.acl):
        return []
    newest = versions.alias()
    conditions: list[ColumnElement[bool]] = [newest.c.id == newest_id(workspace, entry)]
    if shape.visibility:
        conditions.append(newest.c.visibility.in_(bindparam("visibilities", expanding=True)))
    if shape.sensitivity:
        conditions.append(newest.c.sensitivity <= bindparam("max_sensitivity"))
    if shape.acl:
        conditions.append(_listed(newest))
    return [exists(select(newest.c.id).where(*conditions).correlate_except(newest))]


def _listed(version: FromClause) -> ColumnElement[bool]:
    names = version_acl.alias()
    listed = select(names.c.version_id).where(names.c.version_id == version.c.id)
    listed = listed.correlate_except(names)
    asker = names.c.principal.in_(bindparam("principals", expanding=True))
    return or_(~exists(listed), exists(listed.where(asker)))


def _fields(version: FromClause, prefix: str) -> list[ColumnElement[Any]]:
    names = ("id", "visibility", "sensitivity")
    return [version.c[name].label(f"{prefix}_{name}") for name in names]


_version: Final = versions.alias("version")
_former: Final = versions.alias("former")

_NEWEST: Final = (
    select(entries.c.entry_id, *_fields(_version, "version"))
    .join_from(
        entries, _version, _version.c.id == newest_id(entries.c.workspace_id, entries.c.entry_id)
    )
    .where(
        entries.c.workspace_id == bindparam("workspace"),
        entries.c.entry_id.in_(bindparam("entries", expanding=True)),
    )
)
_CHANGED: Final = (
    select(
        _version.c.opened_by,
        _version.c.entry_id,
        *_fields(_version, "version"),
        *_fields(_former, "former"),
    )
    .join_from(
        _version,
        _former,
        _former.c.id
        == newest_id(_version.c.workspace_id, _version.c.entry_id, before=_version.c.recorded_from),
    )
    .where(
        _version.c.workspace_id == bindparam("workspace"),
        _version.c.opened_by.between(bindparam("first"), bindparam("last")),
    )
    .order_by(_version.c.id)
)
_ACL: Final = select(version_acl.c.version_id, version_acl.c.principal).where(
    version_acl.c.version_id.in_(bindparam("ids", expanding=True))
)


def access_of(
    connection: Connection, workspace: int, entry_ids: Iterable[UUID]
) -> dict[UUID, Access]:
    """Who may see these entries now; one without any version is left out."""
    wanted = sorted(entry_id.bytes for entry_id in entry_ids)
    rows = [
        row
        for batch in batches(wanted)
        for row in connection.execute(_NEWEST, {"workspace": workspace, "entries": batch})
    ]
    acl = _acl(connection, [row.version_id for row in rows])
    return {
        UUID(bytes=row.entry_id): Access(
            row.version_visibility, row.version_sensitivity, acl.get(row.version_id, ())
        )
        for row in rows
    }


def access_changes(connection: Connection, span: Mapping[str, int]) -> dict[int, set[UUID]]:
    """By number of transaction, the entries that others may see since then.

    Args:
        connection: the snapshot.
        span: ``workspace`` (id), ``first`` and ``last`` number.
    """
    # Of several versions that a transaction gave an entry, the newest one counts.
    rows = {(row.opened_by, row.entry_id): row for row in connection.execute(_CHANGED, span)}
    acl = _acl(connection, [i for row in rows.values() for i in (row.version_id, row.former_id)])
    changed: dict[int, set[UUID]] = {}
    for row in rows.values():
        now = (row.version_visibility, row.version_sensitivity, acl.get(row.version_id))
        then = (row.former_visibility, row.former_sensitivity, acl.get(row.former_id))
        if now != then:
            changed.setdefault(row.opened_by, set()).add(UUID(bytes=row.entry_id))
    return changed


def _acl(connection: Connection, version_ids: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """The names that versions admit, sorted; those that admit everyone are left out."""
    found: dict[int, list[str]] = {}
    for batch in batches(sorted(set(version_ids))):
        for row in connection.execute(_ACL, {"ids": batch}):
            found.setdefault(row.version_id, []).append(row.principal)
    return {version: tuple(sorted(names)) for version, names in found.items()}
