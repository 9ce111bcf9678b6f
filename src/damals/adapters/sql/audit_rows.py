"""Auditing rows: each against its own digest, and what is derived from it."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, cast

from sqlalchemy import ColumnElement, FromClause, Row, Table, and_, bindparam, select

from damals.adapters.sql.audit_gone import still_needed
from damals.adapters.sql.chain import HasKey, content_digest, row_digest
from damals.adapters.sql.contents import BATCH, encoded, lookup_of
from damals.adapters.sql.findings import MOST_BREAKS, NAMES, Scope, by_name
from damals.adapters.sql.queries import Query
from damals.adapters.sql.schema import (
    CONTENT_COLUMNS,
    archivings,
    contents,
    entries,
    operations,
    relation_premises,
    relations,
    transactions,
    verifications,
    version_acl,
    version_tags,
    versions,
)
from damals.domain.names import folded_tags

AnyRow = Row[*tuple[Any, ...]]


def _digested(table: Table) -> Query:
    """Rows with the digests of the contents that they name, and the attributes of versions."""
    joined: FromClause = table
    columns: list[ColumnElement[Any]] = [*table.c]
    for name in CONTENT_COLUMNS[table.name]:
        named = contents.alias(f"of_{name}")
        joined = joined.outerjoin(
            named, and_(named.c.id == table.c[name], named.c.workspace_id == table.c.workspace_id)
        )
        columns.append(named.c.digest.label(f"{name}_digest"))
        if name == "attributes_id":
            columns.append(named.c.text.label("document"))
    return (
        select(*columns).select_from(joined).where(table.c.workspace_id == bindparam("workspace"))
    )


def _of_span(table: Table, number: str, *order: str) -> Query:
    """The rows that name a transaction from ``first`` to ``last``, by its number."""
    named = table.c[number]
    rows = _digested(table).where(named.between(bindparam("first"), bindparam("last")))
    return rows.order_by(named, *(table.c[name] for name in order))


NUMBERS: Final = {
    "operations": "number",
    "entries": "created_by",
    "versions": "opened_by",
    "relations": "opened_by",
    "archivings": "opened_by",
    "verifications": "opened_by",
}
"""Per chained table, the column with the transaction that wrote a row."""

WRITTEN: Final = {
    "operations": _of_span(operations, "number", "seq"),
    "entries": _of_span(entries, "created_by", "entry_id"),
    **{
        table.name: _of_span(table, "opened_by", "id")
        for table in (versions, relations, archivings, verifications)
    },
}
CLOSED: Final = {
    table.name: select(
        *(table.c[name] for name in NAMES[table.name]),
        *(table.c.closed_by, table.c.recorded_to, table.c.digest),
    )
    .where(
        table.c.workspace_id == bindparam("workspace"),
        table.c.closed_by.between(bindparam("first"), bindparam("last")),
    )
    .order_by(table.c.closed_by, table.c.id)
    for table in (versions, relations, archivings, verifications)
}
TRANSACTIONS: Final = (
    _digested(transactions)
    .where(transactions.c.number > bindparam("after"))
    .order_by(transactions.c.number)
    .limit(bindparam("limit"))
)

_CONTENTS: Final = (
    select(contents)
    .where(contents.c.workspace_id == bindparam("workspace"))
    .order_by(contents.c.id)
)


def audit_contents(scope: Scope) -> None:
    """Note every content whose text is not the one it was stored with."""
    unfound: list[int] = []
    gone: list[int] = []
    for row in scope.rows_of(_CONTENTS):
        scope.rows += 1
        if row.salt is None and row.lookup is None:  # its text, or but its shape, if any is there
            gone.append(row.id)
            continue
        problem = _content_problem(row)
        if problem is not None and len(scope.broken) < MOST_BREAKS:
            scope.broken[row.id] = problem
        elif row.text is not None and lookup_of(scope.key, row.text) != row.lookup:
            unfound.append(row.id)
            if len(unfound) >= MOST_BREAKS:
                break
    scope.broken |= dict.fromkeys(still_needed(scope, gone), "audit.text_gone")
    if 1 < len(unfound) == min(scope.rows, MOST_BREAKS):  # all: not they have changed, but the key
        scope.found("audit.changed", None, "workspaces", {"id": scope.workspace})
    else:
        scope.broken |= dict.fromkeys(unfound, "audit.changed")


def _content_problem(row: AnyRow) -> str | None:
    if row.text is None:
        return "audit.text_gone"
    sound = row.salt is not None and content_digest(row.salt, encoded(row.text)) == row.digest
    return None if sound else "audit.changed"


def audit_row(scope: Scope, table: str, row: AnyRow) -> HasKey:
    """Check a row against its digest; the row, to be read by name."""
    named = by_name(row)
    number = named[NUMBERS[table]]
    digests = content_digests(scope, table, named, number)
    scope.rows += 1
    if digests is None:
        scope.found("audit.text_missing", number, table, named)
    elif row_digest(table, named, digests) != named["digest"]:
        scope.found("audit.changed", number, table, named)
    return named


def content_digests(
    scope: Scope, table: str, row: HasKey, number: int
) -> dict[object, bytes] | None:
    """The digests of the contents that a row names; ``None`` when one of them is missing."""
    digests: dict[object, bytes] = {}
    for column in CONTENT_COLUMNS[table]:
        content = row[column]
        if content is None:
            continue
        digest = row[f"{column}_digest"]
        problem = scope.broken.get(content) if digest is not None else "audit.missing"
        if problem is not None:
            scope.found(problem, number, "contents", {"id": content})
        if digest is None:
            return None
        digests[content] = digest
    return digests


_TOLD: Final = {
    table: (column, select(table).where(table.c.version_id.in_(bindparam("ids", expanding=True))))
    for table, column in ((version_tags, "tag"), (version_acl, "principal"))
}


def audit_derived(scope: Scope, rows: Iterable[HasKey]) -> None:
    """Compare the tags and names of an acl with the attributes of their versions."""
    waiting = iter(rows)
    while batch := list(islice(waiting, BATCH)):
        said = {row["id"]: _said(row["document"]) for row in batch}
        for table, (column, query) in _TOLD.items():
            there: dict[int, set[str]] = {}
            for row in scope.connection.execute(query, {"ids": list(said)}):
                there.setdefault(row.version_id, set()).add(getattr(row, column))
            for version in batch:
                wanted = said[version["id"]]
                if wanted is not None:
                    found = there.get(version["id"], set())
                    place = {"version_id": version["id"]}
                    compared = _Compared(table.name, column, wanted[column], found)
                    _compare(scope, version["opened_by"], place, compared)


_UUID_BYTES: Final = 16
_PREMISES: Final = select(relation_premises).where(
    relation_premises.c.relation_row.in_(bindparam("ids", expanding=True))
)


def audit_premises(scope: Scope, rows: Iterable[HasKey]) -> None:
    """Compare what derived relations follow from with what they say themselves."""
    waiting = iter(rows)
    while batch := list(islice(waiting, BATCH)):
        there: dict[int, set[bytes]] = {}
        for row in scope.connection.execute(_PREMISES, {"ids": [one["id"] for one in batch]}):
            there.setdefault(row.relation_row, set()).add(row.premise_id)
        for one in batch:
            said = one["premises"] or b""
            wanted = {said[at : at + _UUID_BYTES] for at in range(0, len(said), _UUID_BYTES)}
            found = there.get(one["id"], set())
            compared = _Compared("relation_premises", "premise_id", wanted, found)
            _compare(scope, one["opened_by"], {"relation_row": one["id"]}, compared)


def _said(document: str | None) -> dict[str, set[str]] | None:
    """What the attributes of a version say; ``None`` when they are erased or no JSON."""
    try:
        record = json.loads(document or "")
    except ValueError:
        return None
    if not isinstance(record, dict):
        return None
    said = cast("dict[str, Any]", record)
    return {"tag": set(folded_tags(said.get("tags", ()))), "principal": set(said.get("acl", ()))}


@dataclass(frozen=True, slots=True)
class _Compared:
    """What should stand in a column of a derived table, and what does."""

    table: str
    column: str
    wanted: Collection[str | bytes]
    found: Collection[str | bytes]


def _compare(scope: Scope, number: int, place: Mapping[str, int], one: _Compared) -> None:
    wanted, found = set(one.wanted), set(one.found)
    for key, values in (("audit.missing", wanted - found), ("audit.inserted", found - wanted)):
        for value in sorted(values, key=repr):
            scope.found(key, number, one.table, {**place, one.column: value})
