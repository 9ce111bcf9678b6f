"""How far time reaches in a workspace: smallest and greatest values, computed by the database."""

from functools import cache
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    and_,
    bindparam,
    case,
    func,
    literal_column,
    null,
    select,
)

from damals.adapters.sql.access import AccessShape, visible
from damals.adapters.sql.queries import CURRENT, FOREVER_LITERAL, Query
from damals.adapters.sql.schema import entries, versions
from damals.adapters.sql.sight import SightReader
from damals.app.span_model import Extent
from damals.domain.instants import BEGINNING

_BEGINNING: Final[ColumnElement[int]] = literal_column(str(BEGINNING))
_START: Final = and_(
    versions.c.start_earliest > _BEGINNING, versions.c.start_latest < FOREVER_LITERAL
)
_END: Final = and_(versions.c.end_earliest > _BEGINNING, versions.c.end_latest < FOREVER_LITERAL)


def _where(condition: ColumnElement[bool], value: ColumnElement[int]) -> ColumnElement[Any]:
    return case((condition, value), else_=null())


@cache
def _bounds(shape: AccessShape, *, current: bool) -> Query:
    """The outermost dated bounds of versions that are known now, or of those that were once.

    Of those that are known now nothing is read but their index.
    """
    erased = select(entries.c.entry_id).where(
        entries.c.workspace_id == bindparam("workspace"), entries.c.erased_at < FOREVER_LITERAL
    )
    query = select(
        func.min(_where(_START, versions.c.start_earliest)).label("start_first"),
        func.max(_where(_START, versions.c.start_latest)).label("start_last"),
        func.min(_where(_END, versions.c.end_earliest)).label("end_first"),
        func.max(_where(_END, versions.c.end_latest)).label("end_last"),
    ).where(
        versions.c.workspace_id == bindparam("workspace"),
        versions.c.entry_id.not_in(erased),
        *visible(shape, versions.c.workspace_id, versions.c.entry_id),
    )
    if current:
        open_ones = query.where(versions.c.recorded_to == FOREVER_LITERAL)
        return open_ones.with_hint(versions, CURRENT, "sqlite")
    return query.where(versions.c.closed_by.is_not(None))


@cache
def _begun(shape: AccessShape) -> Query:
    return select(func.min(entries.c.created_at).label("first")).where(
        entries.c.workspace_id == bindparam("workspace"),
        entries.c.erased_at == FOREVER_LITERAL,
        *visible(shape, entries.c.workspace_id, entries.c.entry_id),
    )


class SpanReader(SightReader):
    """The part of a reader that knows how far time reaches."""

    def extent(self) -> Extent:
        """The outermost instants of what may be seen."""
        asked = [_bounds(self._shape, current=current) for current in (True, False)]
        rows = [row for query in asked for row in self._rows(query, {})]
        firsts = [one for row in rows for one in (row.start_first, row.end_first)]
        lasts = [one for row in rows for one in (row.start_last, row.end_last)]
        begun = next(iter(self._rows(_begun(self._shape), {})))
        return Extent(
            min((one for one in firsts if one is not None), default=None),
            max((one for one in lasts if one is not None), default=None),
            begun.first,
        )
