"""Whatever is changed with SQL is found by the audit, and named.

One thing at a time, in a ledger in which every operation was done, by somebody who obeys no
constraint of the database.
"""

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from audited import audit_of, busy, copied, tampered

from damals.adapters.sql.columns import metadata
from damals.adapters.sql.reserved import tombstones
from damals.adapters.sql.schema import (
    archivings,
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
    workspaces,
)
from damals.app.ledger_model import Audit
from damals.domain.instants import FOREVER

AUDITED = (
    *(workspaces, contents, transactions, operations, touches, entries, versions, version_tags),
    *(version_acl, relations, relation_premises, archivings, verifications, tombstones),
)
UNPROTECTED = {
    ("workspaces", "id"): "a number of ours; rows that named another would be missed",
    ("workspaces", "name"): "part of every hash, and what the audit is asked by",
    ("workspaces", "zone"): "only says how later dates are read; every row keeps its own",
    ("workspaces", "created_at"): "nothing depends on it",
    ("tombstones", "id"): "a number of ours",
    ("tombstones", "readmitted_at"): "of sources; set later, by readmitting",
    ("tombstones", "readmitted_by"): "set later, by readmitting",
}
"""Columns that may be changed unseen, with the reason."""

UNAUDITED = {
    "meta": "the format and the name of the home",
    "chunks": "computed from versions, and can be computed again",
    "index_cursors": "how far an index has come; a rebuild sets it back",
    "vector_queue": "what an index still lacks; a rebuild fills it again",
    **dict.fromkeys(
        ("principals", "denials", "accesses", "receipts", "receipt_entries", "evaluations",
         "telemetry", "sources", "relation_floors", "exports", "jobs", "erasures", "idempotency"),
        "not part of the log",
    ),
}  # fmt: skip
"""Tables of which nothing is audited, with the reason."""

ORDER_ONLY = {
    ("transactions", "position"),
    *((table, "id") for table in ("versions", "relations", "archivings", "verifications")),
}
"""Numbers of ours: only their order counts, which the highest one does not change."""

NAMED_BY_OTHERS = {
    ("versions", "id"): ("version_tags", "version_acl"),
    ("relations", "id"): ("relation_premises",),
}
"""Where else it may show, when a number was changed that others refer to."""

EDITS = [(table.name, column.name) for table in AUDITED for column in table.columns]
NUMBERS = [
    ("transactions", "number"), ("operations", "number"), ("touches", "number"),
    ("entries", "created_by"),
    *((table, column) for table in ("versions", "relations", "archivings", "verifications")
      for column in ("opened_by", "closed_by")),
]  # fmt: skip
"""Every column that names a transaction."""


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tamper") / "ledger.db"
    busy(path)
    return path


@pytest.fixture
def path(original: Path, tmp_path: Path) -> Path:
    return copied(original, tmp_path / "ledger.db")


def stored(path: Path, table: str) -> list[dict[str, Any]]:
    with tampered(path) as connection:
        sql = "SELECT * FROM {table}"
        found = [dict(row) for row in connection.execute(sql.format(table=table))]
    own = "id" if table == "workspaces" else "workspace_id"
    return [row for row in found if row.get(own, 1) == 1]


def another(value: object, kind: str) -> object:
    """A value of the same kind that is not this one."""
    match value:
        case None:
            return {"BIGINT": 1, "TEXT": "x"}.get(kind, b"x" * 16)
        case int():
            return value - 1 if value == FOREVER else value + 1
        case float():
            return value / 2 + 0.1
        case str():
            return f"{value}x"
        case bytes():
            return bytes([value[0] ^ 1]) + value[1:] if value else b"y" * 16
        case _:
            raise TypeError(value)


def condition(table: str, row: dict[str, Any]) -> tuple[str, list[Any]]:
    keys = [column.name for column in metadata.tables[table].primary_key]
    return " AND ".join(f"{key} = ?" for key in keys), [row[key] for key in keys]


def edit(path: Path, table: str, column: str, row: dict[str, Any]) -> None:
    kind = str(metadata.tables[table].c[column].type)
    value = -row[column] if (table, column) in ORDER_ONLY else another(row[column], kind)
    where, values = condition(table, row)
    sql = "UPDATE {table} SET {column} = ? WHERE {where}"
    run(path, sql, value, *values, table=table, column=column, where=where)


def delete(path: Path, table: str, row: dict[str, Any]) -> None:
    where, values = condition(table, row)
    run(path, "DELETE FROM {table} WHERE {where}", *values, table=table, where=where)


def run(path: Path, sql: str, *values: object, **names: object) -> None:
    with tampered(path) as connection:
        connection.execute(sql.format(own="workspace_id = 1", **names), values)


def named(found: Audit) -> set[str]:
    return {one.table for one in found.breaks}


def test_an_untouched_ledger_is_sound(path: Path):
    for workspace in ("w", "other"):
        assert audit_of(path, workspace).breaks == ()


def test_every_table_is_audited_or_says_why_not():
    assert {table.name for table in AUDITED} | set(UNAUDITED) == set(metadata.tables)


@pytest.mark.parametrize(("table", "column"), EDITS)
def test_a_value_that_was_edited_is_found_and_named(table: str, column: str, path: Path):
    if (table, column) in UNPROTECTED:
        pytest.skip(UNPROTECTED[table, column])
    rows = stored(path, table)
    places = {len(rows) // 2} if (table, column) in ORDER_ONLY else {0, len(rows) - 1}
    for place in places:
        changed = copied(path, path.parent / f"{place}.db")
        try:
            edit(changed, table, column, rows[place])
        except sqlite3.IntegrityError:
            continue  # a unique index forbids it to everybody
        found = audit_of(changed)
        assert named(found) & {table, *NAMED_BY_OTHERS.get((table, column), ())}, rows[place]


@pytest.mark.parametrize("table", [table.name for table in AUDITED if table is not workspaces])
def test_a_row_that_was_deleted_is_found_and_named(table: str, path: Path):
    rows = stored(path, table)
    for place in {0, len(rows) // 2, len(rows) - 1}:
        changed = copied(path, path.parent / f"{place}.db")
        delete(changed, table, rows[place])
        assert table in named(audit_of(changed)), rows[place]


def test_of_the_rows_that_are_missing_the_place_is_told(path: Path):
    gone = stored(path, "versions")[3]
    delete(path, "versions", gone)
    named_rows = [(one.key, one.table, one.row) for one in audit_of(path).breaks]
    assert ("audit.missing", "versions", {"id": gone["id"]}) in named_rows


# Inserted rows

OTHER = "(SELECT entry_id FROM entries WHERE created_by = 14 AND workspace_id = 1)"
FORGED = {
    "versions": "SELECT (SELECT max(id) + 1 FROM versions), {same} FROM versions WHERE id = 2",
    "operations": "SELECT workspace_id, number, 7, {same} FROM operations WHERE number = 3",
    "entries": "SELECT 1, randomblob(16), NULL, {same} FROM entries WHERE created_by = 3",
    "relations": "SELECT (SELECT max(id) + 1 FROM relations), {same} FROM relations WHERE id = 2",
    "archivings": "SELECT 99, 1, {other}, {same} FROM archivings WHERE id = 1",
    "verifications": "SELECT 99, {same} FROM verifications WHERE id = 2",
    "touches": "SELECT 1, entry_id, recorded_at + 1, number FROM touches WHERE number = 4",
    "version_tags": "VALUES (1, 'forged')",
    "version_acl": "VALUES (1, 'eve')",
    "tombstones": "SELECT 99, {same} FROM tombstones WHERE id = 1",
    "transactions": "SELECT 99, 1, 15, recorded_at + 1, logged_at, zone, actor_id, reason_id, hash,"
    " randomblob(32) FROM transactions WHERE workspace_id = 1 AND number = 14",
}
"""A row that nothing recorded; where it can be, with a digest that is right."""

GIVEN = {"operations": 3, "entries": 3, "archivings": 3}
"""How many of the first columns are not those of the row that is copied."""


@pytest.mark.parametrize("table", FORGED)
def test_a_row_that_was_inserted_is_found_and_named(table: str, path: Path):
    columns = [column.name for column in metadata.tables[table].columns]
    same = ", ".join(columns[GIVEN.get(table, 1) :])
    run(
        path,
        "INSERT INTO {table} {rows}",
        table=table,
        rows=FORGED[table].format(same=same, other=OTHER),
    )
    assert table in named(audit_of(path))


def test_a_transaction_before_the_first_is_found(path: Path):
    run(
        path,
        "INSERT INTO transactions SELECT -1, 1, 0, recorded_at - 1, logged_at, zone, actor_id,"
        " reason_id, previous, hash FROM transactions WHERE workspace_id = 1 AND number = 1",
    )
    found = audit_of(path).breaks[0]
    assert (found.key, found.row) == ("audit.inserted", {"number": 0})


def test_a_transaction_put_between_others_breaks_the_chain_where_it_stands(path: Path):
    for table, column in NUMBERS:
        away = "UPDATE {table} SET {column} = -{column} - 1 WHERE {column} > 4 AND {own}"
        back = "UPDATE {table} SET {column} = -{column} WHERE {column} < 0 AND {own}"
        for sql in (away, back):
            run(path, sql, table=table, column=column)
    run(
        path,
        "INSERT INTO transactions SELECT 999, 1, 5, recorded_at + 1, logged_at, zone,"
        " actor_id, reason_id, hash, randomblob(32) FROM transactions"
        " WHERE workspace_id = 1 AND number = 4",
    )
    found = audit_of(path)
    assert found.breaks[0].transaction == 5
    assert ("transactions", {"number": 5}) in [(one.table, one.row) for one in found.breaks]


# Reordered rows, swapped texts


def test_two_transactions_that_changed_places_are_found(path: Path):
    for number, swapped in ((4, -1), (6, 4), (-1, 6)):
        run(path, "UPDATE transactions SET number = ? WHERE number = ? AND {own}", swapped, number)
    found = audit_of(path)
    assert found.breaks[0].transaction == 4
    assert ("audit.reordered", 5) in {(one.key, one.transaction) for one in found.breaks}


def test_two_transactions_that_exchanged_their_instants_are_found(path: Path):
    four, five = (row["recorded_at"] for row in stored(path, "transactions")[3:5])
    for number, at in ((4, -1), (5, four), (4, five)):
        run(path, "UPDATE transactions SET recorded_at = ? WHERE number = ? AND {own}", at, number)
    found = audit_of(path)
    assert found.breaks[0].transaction == 4
    assert ("audit.reordered", 5) in {(one.key, one.transaction) for one in found.breaks}


def test_two_rows_of_a_transaction_that_changed_places_are_found(path: Path):
    first, second = [row["id"] for row in stored(path, "versions") if row["opened_by"] == 2][:2]
    for old, new in ((first, -1), (second, first), (-1, second)):
        run(path, "UPDATE versions SET id = ? WHERE id = ?", new, old)
    (found,) = (one for one in audit_of(path).breaks if one.table == "versions")
    assert (found.key, found.transaction) == ("audit.reordered", 2)


def test_two_texts_that_were_exchanged_are_found_at_the_first_that_names_them(path: Path):
    ids = {row["text"]: row["id"] for row in stored(path, "contents")}
    for text, other in (("A", "corrected"), ("corrected", "A")):
        run(path, "UPDATE contents SET text = ? WHERE id = ?", other, ids[text])
    found = audit_of(path)
    assert [(b.key, b.transaction, b.row) for b in found.breaks] == [
        ("audit.changed", 1, {"id": ids["A"]}),
        ("audit.changed", 4, {"id": ids["corrected"]}),
    ]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (f"recorded_to = {FOREVER}, closed_by = NULL", "closed_by = 9"),
        ("recorded_to = (SELECT recorded_at FROM transactions WHERE number = 14), closed_by = 14",
         f"recorded_to = {FOREVER} AND opened_by = 9"),
    ],
)  # fmt: skip
def test_a_row_that_was_opened_again_or_closed_in_secret_is_named(
    change: str, where: str, path: Path
):
    (touched,) = (
        row["id"]
        for row in stored(path, "relations")
        if row["closed_by" if "closed_by = 9" in where else "opened_by"] == 9
    )
    sql = "UPDATE relations SET {change} WHERE {where} AND {own}"
    run(path, sql, change=change, where=where)
    breaks = audit_of(path).breaks
    assert ("audit.closed", "relations", touched) in [
        (one.key, one.table, one.row.get("id")) for one in breaks
    ]


def test_a_text_that_vanished_without_an_erasure_is_found(tmp_path: Path):
    path = tmp_path / "other.db"
    busy(path)
    run(
        path,
        "UPDATE contents SET text = NULL, salt = NULL, lookup = NULL"
        " WHERE workspace_id = 2 AND text = 'Z'",
    )
    (found,) = audit_of(path, "other").breaks
    assert (found.key, found.transaction, found.table) == ("audit.text_gone", 1, "contents")


def test_whoever_changes_the_key_of_a_workspace_is_told_from_who_changes_texts(path: Path):
    edit(path, "workspaces", "key", stored(path, "workspaces")[0])
    (found,) = audit_of(path).breaks
    assert (found.key, found.table, found.row) == ("audit.changed", "workspaces", {"id": 1})


def test_a_chain_that_was_recomputed_as_a_whole_shows_in_its_head_alone(path: Path, tmp_path: Path):
    """Somebody who knows the format can write another history; only a noted head tells."""
    before = audit_of(path)
    forged = tmp_path / "forged.db"
    busy(forged)
    after = audit_of(forged)
    assert after.breaks == ()
    assert after.head != before.head
