"""Who may see an entry, as conditions inside the statements: before every limit and every count."""

from typing import Any

from sqlalchemy import ColumnElement, FromClause, bindparam, exists, func, or_, select

from damals.adapters.sql.schema import version_acl, versions
from damals.app.index_model import AccessFilter

AccessShape = tuple[bool, bool, bool]
"""Which of the three conditions an access filter has: visibility, sensitivity, acl."""


def shape_of(access: AccessFilter) -> AccessShape:
    """The shape of an access filter."""
    return (
        access.visibilities is not None,
        access.max_sensitivity is not None,
        access.principals is not None,
    )


def access_values(access: AccessFilter) -> dict[str, Any]:
    """The parameters of an access filter."""
    values = {
        "visibilities": access.visibilities,
        "max_sensitivity": access.max_sensitivity,
        "principals": access.principals,
    }
    return {name: value for name, value in values.items() if value is not None}


def visible(
    shape: AccessShape, workspace: ColumnElement[int], entry: ColumnElement[bytes]
) -> list[ColumnElement[bool]]:
    """Conditions that the newest version of an entry, whatever is asked, may be seen."""
    if not any(shape):
        return []
    newest, any_version = versions.alias(), versions.alias()
    newest_id = (
        select(func.max(any_version.c.id))
        .where(any_version.c.workspace_id == workspace, any_version.c.entry_id == entry)
        .correlate_except(any_version)
        .scalar_subquery()
    )
    conditions: list[ColumnElement[bool]] = [newest.c.id == newest_id]
    by_visibility, by_sensitivity, by_acl = shape
    if by_visibility:
        conditions.append(newest.c.visibility.in_(bindparam("visibilities", expanding=True)))
    if by_sensitivity:
        conditions.append(newest.c.sensitivity <= bindparam("max_sensitivity"))
    if by_acl:
        conditions.append(_listed(newest))
    return [exists(select(newest.c.id).where(*conditions).correlate_except(newest))]


def _listed(version: FromClause) -> ColumnElement[bool]:
    names = version_acl.alias()
    listed = select(names.c.version_id).where(names.c.version_id == version.c.id)
    listed = listed.correlate_except(names)
    asker = names.c.principal.in_(bindparam("principals", expanding=True))
    return or_(~exists(listed), exists(listed.where(asker)))
