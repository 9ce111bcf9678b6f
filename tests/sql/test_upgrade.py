"""Every format that was released becomes today's, with everything that was in it."""

import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from ledger_answers import ASKED, answers
from ledger_driver import Driver, instant, remember
from ledger_file import change, rows
from sqlalchemy import Connection, Engine, create_engine, inspect, select, table, text

from damals.adapters.sql import migrate
from damals.adapters.sql.columns import metadata
from damals.adapters.sql.engine import Database
from damals.adapters.sql.ledger import SqlLedger
from damals.adapters.sql.postgres import PostgresDatabase
from damals.adapters.sql.schema import FORMAT
from damals.adapters.sql.sqlite import SqliteDatabase
from damals.domain.errors import Unavailable
from postgres_server import PostgresServer

DATA = Path(__file__).parent / "data"
SCRIPTS = Path(migrate.__file__).parent / "migrations" / "versions"
SOURCES = Path(__file__).parents[2] / "src"
FROZEN = {
    ("format_1", "sqlite"): "b68406621de30d03",
    ("format_1", "postgresql"): "c9a278526b48870b",
    ("format_2", "sqlite"): "379eb78d2d737327",
    ("format_2", "postgresql"): "2c88860c797afcf8",
    ("format_3", "sqlite"): "e9d724b8a588e027",
    ("format_3", "postgresql"): "7ecd6970959053be",
    ("format_4", "sqlite"): "e6529e1d77e7a8bf",
    ("format_4", "postgresql"): "bfb5f51e86f8acdb",
}
"""Digests of the frozen scripts."""
RELEASED = (1, 2, 3, 4)
"""Formats of which there is a sample."""

OPEN = """
import os, signal, sys
from pathlib import Path
from sqlalchemy import Engine, event
from damals.adapters.sql.ledger import SqlLedger
from damals.adapters.sql.postgres import PostgresDatabase
def place(told):
    return PostgresDatabase(told) if told.startswith("postgresql:") else Path(told)
if len(sys.argv) > 2:
    @event.listens_for(Engine, "before_cursor_execute")
    def die(connection, cursor, statement, *others):
        if statement.startswith("UPDATE meta"):
            os.kill(os.getpid(), signal.SIGKILL)
SqlLedger(place(sys.argv[1])).close()
"""


@pytest.fixture(params=RELEASED)
def number(request: pytest.FixtureRequest) -> int:
    """A format that was released."""
    return request.param


@pytest.fixture
def old(number: int, tmp_path: Path) -> Path:
    """A file of that format with a life in it."""
    path = tmp_path / "ledger.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((DATA / f"format_{number}.sql").read_text(encoding="utf-8"))
    return path


@pytest.fixture
def old_postgres(old: Path, number: int, blank_postgres_url: str) -> str:
    """The same life in a PostgreSQL database of that format."""
    database = PostgresDatabase(blank_postgres_url)
    with database.writing() as connection:
        migrate.upgrade(connection, f"format_{number}")
        for name in inspect(connection).get_table_names():
            if name == "alembic_version":
                continue
            connection.exec_driver_sql(f"ALTER TABLE {name} DISABLE TRIGGER ALL")
            for row in rows(old, f"SELECT * FROM {name}"):  # noqa: S608 - ours
                places = ", ".join(f"%({column})s" for column in row)
                columns = ", ".join(f'"{column}"' for column in row)
                statement = f"INSERT INTO {name} ({columns}) VALUES ({places})"  # noqa: S608 - ours
                connection.exec_driver_sql(statement, row)
            connection.exec_driver_sql(f"ALTER TABLE {name} ENABLE TRIGGER ALL")
    database.engine.dispose()
    return blank_postgres_url


def started(place: object, *arguments: str) -> subprocess.Popen[bytes]:
    environment = os.environ | {"PYTHONPATH": str(SOURCES)}
    return subprocess.Popen(
        [sys.executable, "-c", OPEN, str(place), *arguments], env=environment,
        stderr=subprocess.PIPE,
    )  # fmt: skip


def contents(database: Database) -> dict[str, list[dict[str, Any]]]:
    """All rows of all tables."""
    with database.reading() as connection:
        names = set(inspect(connection).get_table_names()) - {"alembic_version", "meta"}
        return {name: _rows_of(connection, name) for name in names}


def _rows_of(connection: Connection, name: str) -> list[dict[str, Any]]:
    found = connection.execute(select(text("*")).select_from(table(name))).mappings()
    return sorted((dict(row) for row in found), key=repr)


def shape(engine: Engine) -> dict[str, Any]:
    """Everything that a schema promises, however its statements were written."""
    found: dict[str, Any] = {}
    inspector = inspect(engine)
    for name in set(inspector.get_table_names()) - {"alembic_version"}:
        found[name] = {
            "columns": {
                (c["name"], str(c["type"]), c["nullable"]) for c in inspector.get_columns(name)
            },
            "key": inspector.get_pk_constraint(name)["constrained_columns"],
            "foreign": {
                (*f["constrained_columns"], f["referred_table"], *f["referred_columns"])
                for f in inspector.get_foreign_keys(name)
            },
            "unique": {tuple(u["column_names"]) for u in inspector.get_unique_constraints(name)},
            "checks": sorted(c["sqltext"] for c in inspector.get_check_constraints(name)),
            "indexes": {
                (i["name"], *i["column_names"], bool(i["unique"]), *_texts(i["dialect_options"]))
                for i in inspector.get_indexes(name)
                if i["name"] not in {"versions_entry_apart", "versions_key_apart"}
            },
        }  # fmt: skip
    return found


def _texts(options: dict[str, Any]) -> tuple[str, ...]:
    return tuple(sorted(f"{name}: {value}" for name, value in options.items()))


@pytest.fixture
def expected(number: int) -> dict[str, Any]:
    """What a ledger of that format answered."""
    return json.loads((DATA / f"format_{number}.answers.json").read_text(encoding="utf-8"))


def answered(ledger: SqlLedger) -> dict[str, Any]:
    """What it answers, as it looks after a journey through JSON."""
    told = answers(ledger, [instant(day) for day in ASKED])
    return json.loads(json.dumps(told, ensure_ascii=False))


def goes_on(ledger: SqlLedger) -> None:
    """The chain is continued where it ended."""
    with ledger.read("w") as reader:
        last = reader.head().number
    assert Driver(ledger).do("2024-07-01", remember("neu", title="Neues")) == last + 1
    assert "Neues" in Driver(ledger).titles("2024-07-02")


# The frozen format


@pytest.mark.parametrize(("name", "dialect"), FROZEN)
def test_the_script_of_a_released_format_never_changes(name: str, dialect: str):
    text = (SCRIPTS / f"{name}.{dialect}.sql").read_text(encoding="utf-8")
    digest = hashlib.sha256(" ".join(text.split()).encode()).hexdigest()
    assert digest[:16] == FROZEN[name, dialect]


def test_the_sample_of_a_format_has_the_schema_of_its_scripts(
    old: Path, number: int, tmp_path: Path
):
    with closing(sqlite3.connect(tmp_path / "new.db")) as connection:
        for one in range(1, number + 1):
            script = (SCRIPTS / f"format_{one}.sqlite.sql").read_text(encoding="utf-8")
            connection.executescript(script)
    (alembics,) = _statements(old) - _statements(tmp_path / "new.db")
    assert alembics.startswith("CREATE TABLE alembic_version ")


def _statements(path: Path) -> set[str]:
    found = rows(path, "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {" ".join(row["sql"].split()) for row in found}


# What an upgrade keeps


def test_an_older_file_is_upgraded_and_answers_as_before(old: Path, expected: dict[str, Any]):
    before = contents(SqliteDatabase(old))
    ledger = SqlLedger(old)
    assert answered(ledger) == expected
    after = contents(SqliteDatabase(old))
    assert {name: _columns_of(before[name], after[name]) for name in before} == before
    assert rows(old, "SELECT value FROM meta WHERE name = 'format'") == [{"value": str(FORMAT)}]
    assert list(ledger.check()) == []
    goes_on(ledger)
    ledger.close()


def _columns_of(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[dict[str, Any]]:
    names = before[0] if before else {}
    return [{name: row[name] for name in names} for row in after]


def test_an_older_database_is_upgraded_and_answers_as_before(
    old_postgres: str, expected: dict[str, Any]
):
    before = contents(PostgresDatabase(old_postgres))
    ledger = SqlLedger(PostgresDatabase(old_postgres))
    assert answered(ledger) == expected
    after = contents(PostgresDatabase(old_postgres))
    assert {name: _columns_of(before[name], after[name]) for name in before} == before
    goes_on(ledger)
    ledger.close()


def test_an_upgraded_file_has_the_schema_of_a_new_one(old: Path, tmp_path: Path):
    for path in (old, tmp_path / "new.db"):
        SqlLedger(path).close()
    assert _statements(old) == _statements(tmp_path / "new.db")


def test_the_revisions_make_the_tables_that_the_code_describes(tmp_path: Path):
    SqlLedger(tmp_path / "new.db").close()
    described = create_engine(f"sqlite:///{tmp_path / 'described.db'}")
    metadata.create_all(described)
    assert shape(create_engine(f"sqlite:///{tmp_path / 'new.db'}")) == shape(described)


def test_the_revisions_make_the_tables_on_postgres_too(
    old_postgres: str, postgres_url: str, postgres: PostgresServer
):
    url = postgres.blank()
    described = PostgresDatabase(url).engine
    metadata.create_all(described)
    SqlLedger(PostgresDatabase(old_postgres)).close()
    wanted = shape(described)
    assert shape(PostgresDatabase(postgres_url).engine) == wanted
    assert shape(PostgresDatabase(old_postgres).engine) == wanted
    postgres.drop(url)


def test_the_file_is_copied_beside_itself_before_the_upgrade(old: Path, number: int):
    before = contents(SqliteDatabase(old))
    SqlLedger(old).close()
    copy = old.with_name(f"ledger.db.format-{number}.backup")
    assert rows(copy, "SELECT value FROM meta WHERE name = 'format'") == [{"value": str(number)}]
    assert contents(SqliteDatabase(copy)) == before


# What may happen meanwhile


def test_a_kill_in_the_middle_of_an_upgrade_leaves_the_old_format(
    old: Path, number: int, expected: dict[str, Any]
):
    before = _statements(old)
    assert started(old, "die").wait() == -signal.SIGKILL
    assert rows(old, "SELECT value FROM meta WHERE name = 'format'") == [{"value": str(number)}]
    assert _statements(old) == before
    ledger = SqlLedger(old)
    assert answered(ledger) == expected
    ledger.close()


def test_a_kill_in_the_middle_of_an_upgrade_leaves_the_old_format_on_postgres(
    old_postgres: str, number: int, expected: dict[str, Any], postgres: PostgresServer
):
    assert started(old_postgres, "die").wait() == -signal.SIGKILL
    stored = postgres.run("SELECT value FROM meta WHERE name = 'format'", old_postgres)
    assert stored == [(str(number),)]
    ledger = SqlLedger(PostgresDatabase(old_postgres))
    assert answered(ledger) == expected
    ledger.close()


@pytest.mark.parametrize("where", ["old", "old_postgres"])
def test_two_processes_may_upgrade_at_once(
    where: str, number: int, expected: dict[str, Any], request: pytest.FixtureRequest
):
    assert number < FORMAT
    place = request.getfixturevalue(where)
    both = [started(place) for _ in range(2)]
    said = [process.communicate()[1].decode() for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    ledger = SqlLedger(place if isinstance(place, Path) else PostgresDatabase(place))
    assert answered(ledger) == expected
    ledger.close()


def test_a_newer_format_is_refused_untouched(old: Path):
    SqlLedger(old).close()
    change(old, f"UPDATE meta SET value = '{FORMAT + 1}' WHERE name = 'format'")  # noqa: S608 - ours
    before = old.read_bytes()
    with pytest.raises(Unavailable, match=r"ledger\.newer") as caught:
        SqlLedger(old)
    assert (caught.value.values["found"], caught.value.values["known"]) == (FORMAT + 1, FORMAT)
    assert old.read_bytes() == before


@pytest.mark.parametrize("where", ["old", "old_postgres"])
def test_a_ledger_that_was_upgraded_while_it_was_open_is_left_alone(
    where: str, number: int, request: pytest.FixtureRequest, postgres: PostgresServer
):
    assert number < FORMAT
    place = request.getfixturevalue(where)
    ledger = SqlLedger(place if isinstance(place, Path) else PostgresDatabase(place))
    newer = f"UPDATE meta SET value = '{FORMAT + 1}' WHERE name = 'format'"  # noqa: S608 - ours
    if isinstance(place, Path):
        change(place, newer)
    else:
        postgres.run(newer, place)
    with pytest.raises(Unavailable, match=r"ledger\.newer"):
        Driver(ledger).do("2024-06-01", remember("neu"))
    with pytest.raises(Unavailable, match=r"ledger\.newer"):
        Driver(ledger).titles("2024-06-01")
    ledger.close()
