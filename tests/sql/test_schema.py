"""The on-disk format: strict tables, no open end without a value, reads that use an index."""

import hashlib
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ledger_driver import CREATED, Driver, at, instant, remember, update
from sqlalchemy import Connection, event

from damals.adapters.sql.chain import GENESIS, RowDigests, row_digest, transaction_hash
from damals.adapters.sql.ledger import SqlLedger
from damals.app.index_model import AccessFilter
from damals.app.ledger_model import EntryFilter
from damals.domain.errors import Corrupt, InvalidInput, Unavailable
from damals.domain.instants import FOREVER
from damals.domain.operations import Correct, Retract

FORMAT_1 = "036c61ffd95c18b6"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


@pytest.fixture
def driver(path: Path) -> Iterator[Driver]:
    ledger = SqlLedger(path)
    ledger.create_workspace("w", "UTC", CREATED)
    yield Driver(ledger)
    ledger.close()


@pytest.fixture
def lived(driver: Driver) -> Driver:
    """A ledger in which something of everything happened."""
    driver.do("2024-01-10", remember("a", key="k", tags=["x/y"], acl=["bob"]), reason="because")
    driver.do("2024-01-11", remember("b", "2024-02-01", key="k", on_overlap="replace"))
    driver.do("2024-01-12", update("c", "b", valid_from="2024-03-01", valid_to="2024-04-01"))
    driver.do("2024-01-13", Correct("c", {"content": "corrected"}), reason="typo")
    driver.do("2024-01-14", Retract("a"))
    return driver


def rows(path: Path, sql: str, *values: object) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(sql, values)]


def change(path: Path, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(sql, values)


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
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == FORMAT_1


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


# Statements


@dataclass
class Plans:
    """How SQLite would run every statement that is sent while it listens."""

    ledger: SqlLedger

    def __post_init__(self) -> None:
        self.lines: list[str] = []
        event.listen(self.ledger._engine, "before_cursor_execute", self._explain)  # noqa: SLF001

    def _explain(
        self, connection: Connection, _cursor: object, sql: str, values: object, *_: object
    ) -> None:
        if sql.startswith(("SELECT", "UPDATE")) and not isinstance(values, list):
            driver: Any = connection.connection.driver_connection
            plan = driver.execute(f"EXPLAIN QUERY PLAN {sql}", values).fetchall()
            self.lines.extend(line[3] for line in plan)

    def scans(self) -> list[str]:
        whole = ("versions", "relations", "chunks", "entries", "contents", "operations", "touches")
        return [
            line
            for line in self.lines
            if line.startswith("SCAN") and line.split()[1].rstrip("_0123456789") in whole
        ]


@pytest.mark.parametrize("access", [AccessFilter(), AccessFilter(("public",), 1, ("bob",))])
@pytest.mark.parametrize("known_at", [None, "2024-01-12"])
def test_point_reads_use_an_index(lived: Driver, access: AccessFilter, known_at: str | None):
    asked = at("2024-03-15", known_at)
    asked = type(asked)(asked.as_of, asked.known_at, access)
    plans = Plans(lived.ledger)
    with lived.ledger.read("w") as reader:
        a = reader.find_entry("a").id
        reader.version_at(a, asked)
        reader.versions_at([a], asked)
        reader.latest_version(a, asked)
        reader.history(a, asked)
        reader.key_history("k", asked)
        reader.superseded_at([a], asked)
        reader.relations_at([a], asked)
        reader.list_at(asked, EntryFilter(after=a))
        list(reader.log(entry_id=a))
        list(reader.log(key="k"))
        reader.chunks([a])
        reader.source_notes("a")
        reader.unresolved("a")
    assert plans.scans() == []


def test_everything_current_is_listed_from_an_index_in_its_order(lived: Driver):
    plans = Plans(lived.ledger)
    with lived.ledger.read("w") as reader:
        reader.list_at(at("2024-03-15"), EntryFilter())
    assert (
        "SEARCH versions USING INDEX versions_current (workspace_id=? AND entry_id>?"
        in " ".join(plans.lines)
    )
    assert not any("TEMP B-TREE" in line for line in plans.lines)


def test_a_draft_finds_what_it_needs_by_index(lived: Driver):
    plans = Plans(lived.ledger)
    with lived.ledger.write("w") as writer:
        state = writer.by_external_id("c")
        list(writer.holding_key("k"))
        list(writer.stating(state.rectangles[0].attributes))
        writer.open_chunks([state.id])
    assert plans.scans() == []
    used = " ".join(plans.lines)
    for index in (
        "entries_external",
        "versions_current_key",
        "versions_current_statement",
        "chunks_current",
    ):
        assert index in used


def test_the_outbox_is_read_by_index(lived: Driver):
    plans = Plans(lived.ledger)
    for item in lived.ledger.outbox("i", 2):
        lived.ledger.advance("i", item.position, [chunk.point_id for chunk in item.opened])
    lived.ledger.queue("i", 2)
    assert plans.scans() == []


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


def test_a_newer_format_is_refused_untouched(driver: Driver, path: Path):
    driver.ledger.close()
    change(path, "UPDATE meta SET value = '2' WHERE name = 'format'")
    before = path.read_bytes()
    with pytest.raises(Unavailable, match=r"ledger\.newer") as caught:
        SqlLedger(path)
    assert (caught.value.values["found"], caught.value.values["known"]) == (2, 1)
    assert path.read_bytes() == before


def test_an_older_format_is_copied_beside_itself_before_the_upgrade(lived: Driver, path: Path):
    lived.ledger.close()
    change(path, "UPDATE meta SET value = '0' WHERE name = 'format'")
    upgraded = SqlLedger(path)
    assert Driver(upgraded).titles("2024-02-15") == ["B"]
    upgraded.close()
    copy = path.with_name("ledger.db.format-0.backup")
    formats = [rows(p, "SELECT value FROM meta WHERE name = 'format'") for p in (copy, path)]
    assert formats == [[{"value": "0"}], [{"value": "1"}]]
    assert len(rows(copy, "SELECT * FROM transactions")) == 5


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
