"""Which transactions replayed commits of a version history: their operations name them."""

import json
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, Final

from sqlalchemy import Column, Row, Select, bindparam, select, union

from damals.adapters.sql.access import AccessShape, visible
from damals.adapters.sql.queries import Query
from damals.adapters.sql.schema import contents, operations, transactions, versions
from damals.app.history.model import Replayed, commit_named

OF_SOURCES: Final = "INDEXED BY versions_source"
"""Only versions that come from a source, by its name."""

_KINDS: Final = ("remember", "correct", "retract")
_NAMES_A_COMMIT: Final = '%"committed_at":"%'
"""A document that may name one; what it really says is looked at."""


def _recorded(number: Column[int]) -> Select[int]:
    """The transactions that opened, or closed, versions of the source ``source``."""
    return (
        select(number)
        .where(
            versions.c.workspace_id == bindparam("workspace"),
            versions.c.source_name_id == bindparam("source"),
        )
        .with_hint(versions, OF_SOURCES, "sqlite")
    )


@cache
def naming_commits(shape: AccessShape) -> Query:
    """Number, instant and parameters of the operations that may name a commit, in order.

    Of those transactions that changed notes of the source ``source``, however long the log is.
    """
    own = union(_recorded(versions.c.opened_by), _recorded(versions.c.closed_by))
    return (
        select(operations.c.number, transactions.c.recorded_at, contents.c.text)
        .select_from(
            operations.join(contents, contents.c.id == operations.c.params_id).join(
                transactions,
                (transactions.c.workspace_id == operations.c.workspace_id)
                & (transactions.c.number == operations.c.number),
            )
        )
        .where(
            operations.c.workspace_id == bindparam("workspace"),
            operations.c.number.in_(own),
            operations.c.kind.in_(_KINDS),
            contents.c.text.like(_NAMES_A_COMMIT),
            *visible(shape, operations.c.workspace_id, operations.c.entry_id),
        )
        .order_by(operations.c.number, operations.c.seq)
    )


def replayed_of(rows: Iterable[Row[Any]], source: str) -> Iterator[Replayed]:
    """Of each transaction the commit of this source that it replayed."""
    last = 0
    for row in rows:
        if row.number == last:
            continue
        named = commit_named(json.loads(row.text), source)
        if named is not None:
            last = row.number
            yield Replayed(row.number, row.recorded_at, *named)
