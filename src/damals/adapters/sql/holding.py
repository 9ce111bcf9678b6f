"""Who holds a key in a period, as it is stored."""

from typing import Final

from sqlalchemy import ColumnElement, bindparam, func, select

from damals.adapters.sql.queries import known
from damals.adapters.sql.schema import versions
from damals.domain.instants import BEGINNING

_INDEX: Final = "INDEXED BY versions_current_key"

_earlier = versions.alias("earlier")
_since: ColumnElement[int] = bindparam("since")
_until: ColumnElement[int] = bindparam("until")

_NEAREST: Final = (
    select(_earlier.c.start_earliest)
    .where(
        _earlier.c.workspace_id == bindparam("workspace"),
        _earlier.c.key_id == bindparam("key"),
        known(_earlier, "now"),
        _earlier.c.start_earliest < _since,
        _earlier.c.start_latest <= _since,
        _earlier.c.start_latest < _earlier.c.end_earliest,
    )
    .order_by(_earlier.c.start_earliest.desc())
    .limit(1)
    .with_hint(_earlier, _INDEX, "sqlite")
    .scalar_subquery()
)
"""Where the last one starts that does by ``since`` and surely holds at some instant.

Nothing that starts earlier holds at ``since`` or later, as ``damals.domain.holders`` says.
"""

HOLDING: Final = (
    select(versions.c.entry_id)
    .where(
        versions.c.workspace_id == bindparam("workspace"),
        versions.c.key_id == bindparam("key"),
        known(versions, "now"),
        versions.c.start_earliest >= func.coalesce(_NEAREST, BEGINNING),
        versions.c.start_earliest < _until,
        versions.c.end_latest > _since,
    )
    .with_hint(versions, _INDEX, "sqlite")
)
"""The entries that may hold ``key`` from ``since`` to ``until``; some repeated."""
