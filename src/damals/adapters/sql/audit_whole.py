"""Auditing what no single transaction shows: rows that name none, touches, tombstones, overlaps."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Row,
    Table,
    and_,
    bindparam,
    exists,
    select,
    union,
)

from damals.adapters.sql.audit_rows import NUMBERS
from damals.adapters.sql.erasing import ENTRY
from damals.adapters.sql.findings import NAMES, Scope, by_name
from damals.adapters.sql.queries import FOREVER_LITERAL, Query, known
from damals.adapters.sql.reserved import tombstones
from damals.adapters.sql.rows import period_of, unpacked
from damals.adapters.sql.schema import (
    CONTENT_COLUMNS,
    archivings,
    chunks,
    contents,
    entries,
    operations,
    relation_premises,
    relations,
    touches,
    transactions,
    verifications,
    version_acl,
    version_tags,
    versions,
)

_ENTRIES_AT_ONCE: Final = 200
_CHAINED: Final = (operations, entries, versions, relations, archivings, verifications)
_RECORDED: Final = (versions, relations, archivings, verifications)


def audit_whole(scope: Scope) -> None:
    """Check everything that is not a matter of one transaction."""
    _audit_strays(scope)
    _audit_touches(scope)
    _audit_tombstones(scope)
    _audit_overlaps(scope)


# --- rows that name transactions, or versions, that are not there


def _nameless(table: Table, column: str) -> Query:
    named = table.c[column]
    there = exists(
        select(transactions.c.number)
        .where(transactions.c.workspace_id == table.c.workspace_id, transactions.c.number == named)
        .correlate(table)
    )
    return select(
        *(table.c[name] for name in NAMES[table.name]), named.label("named_number")
    ).where(table.c.workspace_id == bindparam("workspace"), named.is_not(None), ~there)


_STRAYS: Final = tuple(
    (table.name, _nameless(table, column))
    for table, column in (
        *((table, NUMBERS[table.name]) for table in _CHAINED),
        *((table, "closed_by") for table in _RECORDED),
        (entries, "erased_by"),
        (touches, "number"),
    )
)
_ORPHANS: Final = tuple(
    (
        table.name,
        select(table).where(
            ~exists(select(owner.c.id).where(owner.c.id == table.c[column]).correlate(table))
        ),
    )
    for table, column, owner in (
        (version_tags, "version_id", versions),
        (version_acl, "version_id", versions),
        (relation_premises, "relation_row", relations),
    )
)


def _textless(column: ColumnElement[int]) -> Query:
    there = exists(
        select(contents.c.id)
        .where(contents.c.workspace_id == chunks.c.workspace_id, contents.c.id == column)
        .correlate(chunks)
    )
    return select(chunks.c.opened_by, column.label("named_content")).where(
        chunks.c.workspace_id == bindparam("workspace"), column.is_not(None), ~there
    )


_TEXTLESS: Final = tuple(_textless(chunks.c[name]) for name in CONTENT_COLUMNS["chunks"])
"""Contents that only chunk rows name, such as lists of headings; nothing else would miss them."""


def _audit_strays(scope: Scope) -> None:
    for table, query in _STRAYS:
        for row in scope.rows_of(query):
            scope.found("audit.stray", row.named_number, table, by_name(row))
            if table == "operations":  # each transaction has one
                named = {"number": row.named_number}
                scope.found("audit.missing", row.named_number, "transactions", named)
    for table, query in _ORPHANS:
        for row in scope.rows_of(query):
            scope.found("audit.stray", None, table, by_name(row))
    for query in _TEXTLESS:
        for row in scope.rows_of(query):
            scope.found("audit.missing", row.opened_by, "contents", {"id": row.named_content})


# --- touches: which transactions touched which entries


def _touching(owner: ColumnElement[bytes], table: Table, column: str) -> Query:
    return select(owner.label("entry_id"), table.c[column].label("number")).where(
        table.c.workspace_id == bindparam("workspace"),
        owner.in_(bindparam("entries", expanding=True)),
        table.c[column].is_not(None),
    )


_SHOWN: Final = union(
    _touching(entries.c.entry_id, entries, "created_by"),
    _touching(entries.c.entry_id, entries, "erased_by"),
    *(
        _touching(table.c.src_id if table is relations else table.c.entry_id, table, column)
        for table in _RECORDED
        for column in ("opened_by", "closed_by")
    ),
)
_TOUCHES: Final = (
    select(
        *(touches.c.entry_id, touches.c.recorded_at, touches.c.number),
        transactions.c.recorded_at.label("at"),
    )
    .select_from(
        touches.outerjoin(
            transactions,
            and_(
                transactions.c.workspace_id == touches.c.workspace_id,
                transactions.c.number == touches.c.number,
            ),
        )
    )
    .where(touches.c.workspace_id == bindparam("workspace"))
)
_THEIRS: Final = _TOUCHES.where(touches.c.entry_id.in_(bindparam("entries", expanding=True)))
_NOBODYS: Final = _TOUCHES.where(
    ~exists(
        select(entries.c.entry_id)
        .where(
            entries.c.workspace_id == touches.c.workspace_id,
            entries.c.entry_id == touches.c.entry_id,
        )
        .correlate(touches)
    )
)
_ENTRIES: Final = (
    select(entries.c.entry_id)
    .where(
        entries.c.workspace_id == bindparam("workspace"),
        entries.c.entry_id > bindparam("after"),
    )
    .order_by(entries.c.entry_id)
    .limit(_ENTRIES_AT_ONCE)
)
_INSTANT: Final = select(transactions.c.recorded_at).where(
    transactions.c.workspace_id == bindparam("workspace"),
    transactions.c.number == bindparam("number"),
)
_OPERATIONS: Final = select(operations.c.touched).where(
    operations.c.workspace_id == bindparam("workspace"),
    operations.c.number == bindparam("number"),
)


def _audit_touches(scope: Scope) -> None:
    after = b""
    while page := [row.entry_id for row in scope.rows_of(_ENTRIES, after=after)]:
        shown = {(row.entry_id, row.number) for row in scope.rows_of(_SHOWN, entries=page)}
        there = set[tuple[bytes, int]]()
        for row in scope.rows_of(_THEIRS, entries=page):
            there.add((row.entry_id, row.number))
            _audit_touch(scope, row, explained=(row.entry_id, row.number) in shown)
        for entry, number in sorted(shown - there):
            at = scope.rows_of(_INSTANT, number=number)
            instant = next((row.recorded_at for row in at), None)
            named = {"entry_id": entry, "recorded_at": instant}
            scope.found("audit.missing", number, "touches", named)
        after = page[-1]
    for row in scope.rows_of(_NOBODYS):
        _audit_touch(scope, row, explained=False)


def _audit_touch(scope: Scope, row: Row[Any], *, explained: bool) -> None:
    """A touch is right when a row shows it, or else an operation says so."""
    if row.at != row.recorded_at:
        scope.found("audit.instant", row.number, "touches", by_name(row))
    if not explained:
        said = (unpacked(one.touched) for one in scope.rows_of(_OPERATIONS, number=row.number))
        if row.entry_id not in {one.bytes for ids in said for one in ids}:
            scope.found("audit.inserted", row.number, "touches", by_name(row))


# --- erased entries and their tombstones

_TOMBSTONES: Final = (
    select(tombstones)
    .where(tombstones.c.workspace_id == bindparam("workspace"), tombstones.c.kind == ENTRY)
    .order_by(tombstones.c.id)
)
_ERASED: Final = (
    select(
        entries.c.entry_id,
        entries.c.erased_at,
        entries.c.erased_by,
        transactions.c.recorded_at,
        contents.c.text.label("actor"),
        exists(
            select(operations.c.seq)
            .where(
                operations.c.workspace_id == entries.c.workspace_id,
                operations.c.number == entries.c.erased_by,
                operations.c.entry_id == entries.c.entry_id,
                operations.c.kind == "erase",
            )
            .correlate(entries)
        ).label("said"),
    )
    .select_from(
        entries.outerjoin(
            transactions,
            and_(
                transactions.c.workspace_id == entries.c.workspace_id,
                transactions.c.number == entries.c.erased_by,
            ),
        ).outerjoin(contents, contents.c.id == transactions.c.actor_id)
    )
    .where(
        entries.c.workspace_id == bindparam("workspace"),
        (entries.c.erased_at != FOREVER_LITERAL) | entries.c.erased_by.is_not(None),
    )
    .order_by(entries.c.entry_id)
)


def _audit_tombstones(scope: Scope) -> None:
    erased = {row.entry_id: row for row in scope.rows_of(_ERASED)}
    for row in erased.values():
        if not row.said or row.erased_at != row.recorded_at:
            scope.found("audit.erased", row.erased_by, "entries", by_name(row))
    remembered: set[bytes] = set()
    for stone in scope.rows_of(_TOMBSTONES):
        entry = erased.get(stone.target)
        if entry is None or stone.target in remembered:
            scope.found("audit.inserted", stone.number, "tombstones", by_name(stone))
            continue
        remembered.add(stone.target)
        if _differs(stone, entry):
            scope.found("audit.changed", entry.erased_by, "tombstones", by_name(stone))
    for target in erased.keys() - remembered:
        named = {"target": target, "kind": ENTRY}
        scope.found("audit.missing", erased[target].erased_by, "tombstones", named)


def _differs(stone: Row[Any], entry: Row[Any]) -> bool:
    """Whether a tombstone says something else than the row of its entry."""
    said = (stone.erased_at, stone.number, stone.salt)
    acted = entry.actor is None or stone.actor == entry.actor
    return said != (entry.erased_at, entry.erased_by, None) or not acted


# --- overlaps of what is known now


def _current(owner: ColumnElement[Any]) -> Query:
    return (
        select(versions)
        .where(
            versions.c.workspace_id == bindparam("workspace"),
            owner.is_not(None),
            known(versions, "now"),
        )
        .order_by(owner, versions.c.start_earliest, versions.c.start_latest, versions.c.id)
    )


_CURRENT: Final[Mapping[str, Query]] = {
    column: _current(versions.c[column]) for column in ("entry_id", "key_id")
}


def _audit_overlaps(scope: Scope) -> None:
    for column, query in _CURRENT.items():
        for first, second in pairwise(scope.rows_of(query)):
            same = getattr(first, column) == getattr(second, column)
            if same and _readable(first, second) and period_of(first).overlaps(period_of(second)):
                scope.found("audit.overlap", second.opened_by, "versions", by_name(second))


def _readable(*rows: Row[Any]) -> bool:
    """Whether their periods are any; one that is not was named already."""
    return all(
        row.start_earliest < row.end_latest and {row.start_kind, row.end_kind} <= _KINDS
        for row in rows
    )


_KINDS: Final = frozenset({"exact", "range", "unknown", "open"})
