"""What transactions changed of entries, as far as somebody who does not see all may be told.

Parameters: ``workspace`` (id), ``numbers`` (of transactions), and those of the access filter.
"""

from collections.abc import Callable, Collection
from typing import Any, Final
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    CursorResult,
    Row,
    Table,
    Text,
    bindparam,
    literal_column,
    null,
    select,
    union_all,
)

from damals.adapters.sql.contents import batches
from damals.adapters.sql.queries import Query
from damals.adapters.sql.rows import unpacked
from damals.adapters.sql.schema import archivings, relations, touches, verifications, versions
from damals.app import changed_model
from damals.app.changed_model import ARCHIVING, VERIFICATION, VERSION, Change, Changed
from damals.app.index_model import AccessFilter

Run = Callable[[Any, dict[str, Any]], CursorResult[Any]]
"""Gives the rows of a statement."""

Seen = Callable[[Collection[UUID]], frozenset[UUID]]
"""Those of some entries that may be seen."""

PAGE: Final = 50


def _of_numbers(table: Table, what: str, *names: str) -> tuple[Query, Query]:
    """The rows that transactions began, with the place of the operation, and those they ended."""
    columns = [literal_column(f"'{what}'", Text).label("what"), *(table.c[name] for name in names)]
    where = table.c.workspace_id == bindparam("workspace")
    numbers: ColumnElement[int] = bindparam("numbers", expanding=True)
    began = select(*columns, table.c.opened_by.label("number"), table.c.operation.label("place"))
    ended = select(*columns, table.c.closed_by.label("number"), null().label("place"))
    return (
        began.where(where, table.c.opened_by.in_(numbers)),
        ended.where(where, table.c.closed_by.in_(numbers)),
    )


_OWN_ROWS: Final = (
    (versions, VERSION), (archivings, ARCHIVING), (verifications, VERIFICATION),
)  # fmt: skip
_OWN: Final[CompoundSelect[Any]] = union_all(
    *(query for table, what in _OWN_ROWS for query in _of_numbers(table, what, "entry_id"))
)
_SHOWN: Final = ("unresolved", "derived", "rule", "premises")
_RELATIONS: Final[CompoundSelect[Any]] = union_all(
    *_of_numbers(relations, "relation", "src_id", "dst_id", "relation", "cuts", *_SHOWN)
)

EARLIER: Final = (
    select(touches.c.number, touches.c.recorded_at)
    .where(
        touches.c.workspace_id == bindparam("workspace"),
        touches.c.entry_id == bindparam("entry"),
        touches.c.recorded_at < bindparam("before"),
    )
    .order_by(touches.c.recorded_at.desc())
    .limit(PAGE)
)
"""The last transactions that touched ``entry`` before an instant, the last one first."""


def changed_by(
    run: Run, seen: Seen, numbers: Collection[int], access: AccessFilter
) -> dict[int, Changed]:
    """Per transaction, the visible entries of which it began or ended something that may be seen.

    A relation counts for its source, and a cut for what was cut, whoever cut it. What was derived
    counts where all may be seen that it follows from.
    """
    own: list[Row[Any]] = []
    related: list[Row[Any]] = []
    for batch in batches(sorted(numbers)):
        own.extend(run(_OWN, {"numbers": batch}))
        related.extend(run(_RELATIONS, {"numbers": batch}))
    ends = {end for row in related for end in (row.src_id, row.dst_id)}
    ids = {one: UUID(bytes=one) for one in {row.entry_id for row in own} | ends}
    needs = {row.premises: unpacked(row.premises) for row in related if row.premises}
    visible = seen({*ids.values(), *(one for some in needs.values() for one in some)})
    found: dict[int, list[Change]] = {number: [] for number in numbers}
    for row in own:
        found[row.number].append(Change(ids[row.entry_id], row.what, row.place))
    for row in related:
        src, dst = ids[row.src_id], ids[row.dst_id]
        what = (src, row.relation, dst, row.rule if row.derived else None)
        shown = src in visible and (dst in visible or row.unresolved)
        if row.derived:
            shown &= row.premises is not None and visible.issuperset(needs.get(row.premises, ()))
        if shown and row.relation not in access.hidden_relations:
            found[row.number].append(Change(src, what, row.place))
        if row.cuts:
            found[row.number].append(Change(dst, what, row.place, cut=True))
    return {
        number: changed_model.changed_by(one for one in changes if one.entry_id in visible)
        for number, changes in found.items()
    }
