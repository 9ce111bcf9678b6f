"""The on-disk format: strict tables, no open end without a value, reads that use an index."""

import hashlib
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ledger_driver import Driver, instant, remember
from ledger_file import change, rows
from sqlalchemy import Connection

from damals.adapters.sql.chain import GENESIS, RowDigests, row_digest, transaction_hash
from damals.adapters.sql.ledger import SqlLedger
from damals.domain.errors import Corrupt, InvalidInput
from damals.domain.instants import FOREVER
from damals.domain.operations import Retract

FORMAT_5 = "355a36203d2cd165"
FORMAT_PAGE = Path(__file__).parents[2] / "docs" / "format.md"

_PERIOD_PARTS = ("earliest", "latest", "kind", "text", "uncertain")


# Tables


@pytest.mark.usefixtures("driver")
def test_every_table_is_strict(path: Path):
    tables = rows(path, "SELECT name, strict FROM pragma_table_list WHERE type = 'table'")
    loose = {t["name"] for t in tables if not t["strict"]}
    assert {name for name in loose if not name.startswith("sqlite_")} == {"alembic_version"}


@pytest.mark.usefixtures("driver")
def test_no_instant_and_no_end_may_be_missing(path: Path):
    columns = rows(
        path,
        'SELECT t.name AS "table", c.name, c."notnull" FROM pragma_table_list t'
        " JOIN pragma_table_info(t.name) c WHERE t.type = 'table'",
    )
    ends = [
        c for c in columns if c["name"].endswith(("_at", "_from", "_to", "_earliest", "_latest"))
    ]
    assert len(ends) > 30
    assert [c for c in ends if not c["notnull"]] == []


@pytest.mark.usefixtures("lived")
def test_an_open_end_is_a_value_and_closing_it_names_who_did(path: Path):
    found = rows(path, "SELECT recorded_to, closed_by FROM versions")
    assert {row["closed_by"] is None for row in found if row["recorded_to"] == FOREVER} == {True}
    assert {row["closed_by"] is None for row in found if row["recorded_to"] != FOREVER} == {False}
    for broken in ("closed_by = NULL", f"recorded_to = {FOREVER}", "recorded_to = recorded_from"):
        with pytest.raises(sqlite3.IntegrityError):
            change(path, f"UPDATE versions SET {broken} WHERE closed_by = 2")  # noqa: S608 - ours


@pytest.mark.usefixtures("lived")
def test_no_two_current_versions_of_a_key_share_a_period(path: Path):
    columns = rows(path, "SELECT name FROM pragma_table_info('versions')")[1:]
    names = ", ".join(column["name"] for column in columns)
    current = f"FROM versions WHERE recorded_to = {FOREVER} AND key_id IS NOT NULL"
    with pytest.raises(sqlite3.IntegrityError):
        change(path, f"INSERT INTO versions SELECT id + 100, {names} {current}")


@pytest.mark.usefixtures("driver")
def test_the_schema_of_a_format_never_changes(path: Path):
    """Whoever changes a table adds a format and a revision, and copies the old tables there."""
    statements = rows(path, "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
    text = "\n".join(" ".join(row["sql"].split()) for row in statements)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == FORMAT_5


@pytest.mark.usefixtures("driver")
def test_every_table_and_column_is_described(path: Path):
    page = FORMAT_PAGE.read_text(encoding="utf-8")
    columns = rows(
        path,
        'SELECT t.name AS "table", c.name FROM pragma_table_list t'
        " JOIN pragma_table_info(t.name) c WHERE t.type = 'table'",
    )
    shared = {f"{end}_{part}" for end in ("start", "end") for part in _PERIOD_PARTS}
    words = set(re.findall(r"[a-z_]+", page)) | shared
    foreign = {"alembic_version", "sqlite_schema", "sqlite_temp_schema"}
    names = {
        (c["table"], name)
        for c in columns
        if c["table"] not in foreign
        for name in (c["table"], c["name"])
    }
    assert {name for name in names if name[1] not in words} == set()


def test_the_engine_is_set_to_lose_nothing(driver: Driver):
    with driver.ledger.read("w") as reader:
        connection: Connection = reader._connection  # noqa: SLF001 - settings have no other window
        found = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys", "secure_delete")
        }
    assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "secure_delete": 1}


@pytest.mark.usefixtures("lived")
def test_every_text_is_stored_once_and_named_by_its_id(path: Path):
    texts = [row["text"] for row in rows(path, "SELECT text FROM contents")]
    assert len(texts) == len(set(texts))
    assert {"because", "anna", "A", "k", "About a."} <= set(texts)
    plain = rows(path, "SELECT * FROM versions") + rows(path, "SELECT * FROM operations")
    plain += rows(path, "SELECT * FROM entries") + rows(path, "SELECT * FROM transactions")
    assert "because" not in {value for row in plain for value in row.values()}


def test_the_lookup_of_a_stored_text_is_the_one_that_caches_use(lived: Driver, path: Path):
    (row,) = rows(path, "SELECT lookup FROM contents WHERE text = 'About a.'")
    assert row["lookup"] == lived.ledger.lookup("w", "About a.")


# Formats


@pytest.mark.usefixtures("lived")
def test_a_ledger_opens_again_unchanged(path: Path):
    before = rows(path, "SELECT * FROM meta ORDER BY name")
    again = SqlLedger(path)
    assert Driver(again).titles("2024-02-15") == ["B"]
    again.close()
    assert rows(path, "SELECT * FROM meta ORDER BY name") == before
    assert [row["name"] for row in before] == ["format", "home"]
    assert [file.name for file in path.parent.iterdir() if "backup" in file.name] == []


@pytest.mark.usefixtures("lived")
def test_opening_a_ledger_of_this_format_loads_no_migrations(path: Path):
    script = (
        "import sys, pathlib; from damals.adapters.sql.ledger import SqlLedger;"
        "SqlLedger(pathlib.Path(sys.argv[1])).close(); print('alembic' in sys.modules)"
    )
    command = [sys.executable, "-c", script, str(path)]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "False"


def test_the_database_of_another_program_is_refused_untouched(path: Path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")
    with pytest.raises(Corrupt, match=r"ledger\.corrupt"):
        SqlLedger(path)
    assert [t["name"] for t in rows(path, "SELECT name FROM sqlite_master")] == ["bookmarks"]


# The chain


def recomputed(path: Path) -> list[bytes]:
    """The hash of each transaction, from the rows alone, as ``docs/format.md`` says."""
    digests = {row["id"]: row["digest"] for row in rows(path, "SELECT id, digest FROM contents")}
    previous, hashes = GENESIS, []
    for stored in rows(path, "SELECT * FROM transactions ORDER BY number"):
        found = RowDigests(
            operations=_digests(path, digests, "operations", "number = ? ORDER BY seq", stored),
            created=_digests(path, digests, "entries", "created_by = ? ORDER BY entry_id", stored),
            opened=_digests(path, digests, "versions", "opened_by = ? ORDER BY id", stored),
            closed=_digests(path, digests, "versions", "closed_by = ? ORDER BY id", stored),
            relations_opened=_digests(
                path, digests, "relations", "opened_by = ? ORDER BY id", stored
            ),
            relations_closed=_digests(
                path, digests, "relations", "closed_by = ? ORDER BY id", stored
            ),
        )
        row = stored | {"previous": previous}
        previous = transaction_hash("w", row, digests, found)
        hashes.append(previous)
    return hashes


def _digests(
    path: Path, digests: Mapping[object, bytes], table: str, where: str, stored: dict[str, Any]
) -> list[bytes]:
    query = f"SELECT * FROM {table} WHERE {where}"  # noqa: S608 - ours
    found = rows(path, query, stored["number"])
    return [row_digest(table, row, digests) for row in found]


def test_a_list_that_a_later_format_adds_is_hashed_only_when_there_is_something_in_it():
    row = {"previous": GENESIS, "number": 1, "recorded_at": 5, "logged_at": 5, "zone": "UTC"}
    row |= {"actor_id": 1, "reason_id": None}
    nothing: list[bytes] = []
    told = RowDigests(nothing, nothing, nothing, nothing, nothing, nothing)
    hashes = [
        transaction_hash("w", row, {1: bytes(32)}, replace(told, others=others))
        for others in ({}, {"archivings_opened": []}, {"archivings_opened": [bytes(32)]})
    ]
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.usefixtures("lived")
def test_the_chain_can_be_recomputed_from_the_rows(path: Path):
    stored = [row["hash"] for row in rows(path, "SELECT hash FROM transactions ORDER BY number")]
    assert recomputed(path) == stored
    links = rows(path, "SELECT previous FROM transactions ORDER BY number")
    assert [row["previous"] for row in links] == [GENESIS, *stored[:-1]]


def test_one_write_chains_like_many(driver: Driver, path: Path):
    with driver.ledger.write("w") as writer:
        driver.into(writer, instant("2024-01-10"), [remember("a", key="k")])
        driver.into(writer, instant("2024-01-11"), [remember("b", key="k", on_overlap="replace")])
        list(writer.log())
        driver.into(writer, instant("2024-01-12"), [Retract("b"), remember("c")])
    stored = [row["hash"] for row in rows(path, "SELECT hash FROM transactions ORDER BY number")]
    assert recomputed(path) == stored


@pytest.mark.parametrize(
    ("tampering", "first_broken"),
    [
        ("UPDATE versions SET start_earliest = start_earliest - 1 WHERE id = 1", 1),
        ("UPDATE versions SET sensitivity = 3 WHERE id = (SELECT max(id) FROM versions)", 4),
        ("UPDATE versions SET title_id = content_id WHERE opened_by = 2 AND key_id IS NOT NULL", 2),
        ("UPDATE operations SET kind = 'erase' WHERE number = 3", 3),
        ("UPDATE operations SET content_id = title_id WHERE number = 2", 2),
        ("UPDATE relations SET resolution = 'both' WHERE opened_by = 3", 3),
        ("UPDATE transactions SET recorded_at = recorded_at + 1 WHERE number = 2", 2),
        ("UPDATE transactions SET reason_id = NULL WHERE number = 4", 4),
        ("UPDATE relations SET confidence = 0.5 WHERE opened_by = 3", 3),
        ("UPDATE entries SET created_at = created_at + 1 WHERE created_by = 1", 1),
        ("UPDATE contents SET digest = zeroblob(32) WHERE text = 'corrected'", 4),
        ("UPDATE versions SET recorded_to = recorded_to + 1, closed_by = 3 WHERE closed_by = 2", 2),
    ],
)
@pytest.mark.usefixtures("lived")
def test_a_changed_row_changes_the_hash_of_its_transaction(
    path: Path, tampering: str, first_broken: int
):
    stored = recomputed(path)
    change(path, tampering)
    differs = [old != new for old, new in zip(stored, recomputed(path), strict=True)]
    assert differs.index(True) + 1 == first_broken


@pytest.mark.usefixtures("lived")
def test_a_stored_digest_names_the_row_that_was_changed(path: Path):
    change(path, "UPDATE versions SET generation = 9 WHERE id = 2")
    digests = {row["id"]: row["digest"] for row in rows(path, "SELECT id, digest FROM contents")}
    broken = [
        row["id"]
        for row in rows(path, "SELECT * FROM versions")
        if row_digest("versions", row, digests) != row["digest"]
    ]
    assert broken == [2]


def test_the_chain_holds_after_a_text_is_erased(lived: Driver, path: Path):
    before = recomputed(path)
    change(path, "UPDATE contents SET text = NULL, lookup = NULL, salt = NULL WHERE text = 'A'")
    assert recomputed(path) == before
    found = lived.version("a", "2024-01-15", "2024-01-13")
    assert found.version.attributes.title == ""


def test_a_text_that_cannot_be_stored_is_refused_before_anything_is(driver: Driver):
    with driver.ledger.write("w") as writer:
        good = driver.transaction(writer, instant("2024-01-10"), [remember("a")])
        bad = type(good)(**{n: getattr(good, n) for n in good.__slots__} | {"actor": "\ud800"})
        with pytest.raises(InvalidInput, match=r"ledger\.surrogate"):
            writer.append(bad)
        writer.append(good)
    assert driver.titles("2024-02-01") == ["A"]
