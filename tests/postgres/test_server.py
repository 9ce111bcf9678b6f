"""What a server refuses, how it is said, and what the schema itself refuses."""

from collections.abc import Iterator

import psycopg
import pytest
from ledger_driver import CREATED, Driver, instant, remember, update
from psycopg import errors

from damals.adapters.sql.ledger import SqlLedger, holds_workspace
from damals.adapters.sql.postgres import PostgresDatabase
from damals.adapters.sql.postgres_errors import Server, translated
from damals.adapters.sql.reader import SqlReader
from damals.domain.errors import Corrupt, DamalsError, InvalidInput, Unavailable
from damals.domain.operations import Correct, Retract
from postgres_server import (
    PASSWORD,
    QUOTED,
    PostgresServer,
    free_port,
    with_schema,
    with_wrong_password,
)


@pytest.fixture
def driver(postgres_url: str) -> Iterator[Driver]:
    ledger = SqlLedger(PostgresDatabase(postgres_url))
    ledger.create_workspace("w", "UTC", CREATED)
    yield Driver(ledger)
    ledger.close()


def setting(driver: Driver, name: str, *, writing: bool) -> object:
    opened = driver.ledger.write("w") if writing else driver.ledger.read("w")
    with opened as reader:
        assert isinstance(reader, SqlReader)
        connection = reader._connection  # noqa: SLF001 - settings have no other window
        return connection.exec_driver_sql(f"SHOW {name}").scalar_one()


def test_a_reader_has_one_snapshot_and_cannot_write(driver: Driver):
    assert setting(driver, "transaction_isolation", writing=False) == "repeatable read"
    assert setting(driver, "transaction_read_only", writing=False) == "on"


def test_a_writer_sees_what_was_committed_and_commits_to_the_disk(driver: Driver):
    assert setting(driver, "transaction_isolation", writing=True) == "read committed"
    assert setting(driver, "transaction_read_only", writing=True) == "off"
    assert setting(driver, "synchronous_commit", writing=True) == "on"


def test_a_server_that_would_not_wait_for_the_disk_is_overruled(
    blank_postgres_url: str, postgres: PostgresServer
):
    name = psycopg.conninfo.conninfo_to_dict(blank_postgres_url)["dbname"]
    postgres.run(f'ALTER DATABASE "{name}" SET synchronous_commit = off')
    ledger = SqlLedger(PostgresDatabase(blank_postgres_url))
    ledger.create_workspace("w", "UTC", CREATED)
    assert setting(Driver(ledger), "synchronous_commit", writing=True) == "on"
    ledger.close()


def test_texts_sort_by_their_bytes_whatever_language_the_server_speaks(driver: Driver):
    names = ["w", "Zebra", "apfel", "Äpfel", "zebra"]
    for name in names[1:]:
        driver.ledger.create_workspace(name, "UTC", CREATED)
    assert [one.name for one in driver.ledger.workspaces()] == sorted(names)


def test_looking_for_a_ledger_makes_none(blank_postgres_url: str, postgres: PostgresServer):
    assert not holds_workspace(PostgresDatabase(blank_postgres_url))
    tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
    assert postgres.run(tables, blank_postgres_url) == [(0,)]
    ledger = SqlLedger(PostgresDatabase(blank_postgres_url))
    assert not holds_workspace(PostgresDatabase(blank_postgres_url))
    ledger.create_workspace("w", "UTC", CREATED)
    assert holds_workspace(PostgresDatabase(blank_postgres_url))
    ledger.close()


# Overlaps


@pytest.mark.parametrize("column", ["key_id", "entry_id"])
def test_the_server_itself_refuses_two_current_versions_that_hold_at_once(
    driver: Driver, postgres_url: str, postgres: PostgresServer, column: str
):
    driver.do("2024-01-10", remember("a", key="k", valid_to="2024-06-01"))
    other = {"key_id": "entry_id", "entry_id": "key_id"}[column]
    names = [row[0] for row in postgres.run(
        "SELECT column_name FROM information_schema.columns WHERE table_name = 'versions'",
        postgres_url,
    )]  # fmt: skip
    values = {"id": "99", "end_text": "'another'", "end_latest": "end_latest + 1"}
    if other == "key_id":
        values["key_id"] = "NULL"
    else:
        driver.do("2024-01-11", remember("b"))
        values["entry_id"] = "(SELECT entry_id FROM versions WHERE id = 2)"
    chosen = ", ".join(values.get(str(name), str(name)) for name in names)
    target = ", ".join(map(str, names))
    copy = f"INSERT INTO versions ({target}) SELECT {chosen} FROM versions WHERE id = 1"  # noqa: S608 - ours
    with pytest.raises(errors.ExclusionViolation):
        postgres.run(copy, postgres_url)


def test_periods_that_meet_at_the_same_imprecise_bound_do_not_overlap(driver: Driver):
    driver.do("2024-01-10", remember("a", "2024-01", valid_to="2024-03", key="k"))
    driver.do("2024-01-11", remember("b", "2024-03", valid_to="2024-03", key="k"))
    driver.do("2024-01-12", remember("c", "2024-03", valid_to="2024-05", key="k"))
    driver.do("2024-01-13", remember("e", "2024-01-01", valid_to="2024-12-01"))
    driver.do("2024-01-14", update("d", "e", valid_from="2024-03", valid_to="2024-05"))
    driver.do("2024-01-15", Correct("d", {"content": "corrected"}))
    assert driver.titles("2024-03-10") == ["A", "B", "C", "D", "E"]
    driver.do("2024-01-16", Retract("d"))
    assert driver.titles("2024-02-10") == ["A", "E"]


def test_an_unknown_start_and_open_ends_are_no_obstacle(driver: Driver):
    driver.do("2024-01-10", remember("a", None, key="k"))
    driver.do("2024-01-11", remember("b", "2024-01-01", key="k", on_overlap="replace"))
    driver.do("2024-01-12", remember("c", "2024-02", key="k", on_overlap="replace"))
    assert driver.titles("2024-03-10") == ["C"]
    assert driver.titles("2023-01-01") == ["A"]


# Two ledgers on one server


def test_two_schemas_of_one_database_are_two_ledgers(
    blank_postgres_url: str, postgres: PostgresServer
):
    drivers: list[Driver] = []
    for schema in ("eins", "Zwei"):
        postgres.run(f'CREATE SCHEMA "{schema}"', blank_postgres_url)
        ledger = SqlLedger(PostgresDatabase(with_schema(blank_postgres_url, f'"{schema}"')))
        ledger.create_workspace("w", "UTC", CREATED)
        drivers.append(Driver(ledger))
    first, second = drivers
    with first.ledger.write("w") as one, second.ledger.write("w") as two:
        first.into(one, instant("2024-01-10"), [remember("a")])
        second.into(two, instant("2024-01-10"), [remember("b")])
    assert (first.titles("2024-02-01"), second.titles("2024-02-01")) == (["A"], ["B"])
    for driver in drivers:
        assert list(driver.ledger.check()) == []
        driver.ledger.close()


def test_a_schema_that_is_missing_is_named(blank_postgres_url: str):
    with pytest.raises(Unavailable, match=r"postgres\.no_schema") as caught:
        SqlLedger(PostgresDatabase(with_schema(blank_postgres_url, "fehlt")))
    assert "fehlt" in str(caught.value.values["path"])


# Refusals


def refusal(url: str) -> DamalsError:
    with pytest.raises(DamalsError) as caught:
        SqlLedger(PostgresDatabase(url))
    told = f"{caught.value!r} {caught.value.values}"
    assert PASSWORD not in told
    assert QUOTED not in told
    return caught.value


def test_a_server_that_is_not_there_is_named_without_the_password():
    url = f"postgresql://damals:{QUOTED}@127.0.0.1:{free_port()}/postgres"
    error = refusal(url)
    assert (type(error), error.key) == (Unavailable, "postgres.unreachable")
    assert "127.0.0.1" in str(error.values["path"])


@pytest.mark.usefixtures("postgres_cluster")
def test_a_wrong_password_is_a_refused_login(blank_postgres_url: str):
    error = refusal(with_wrong_password(blank_postgres_url))
    assert (type(error), error.key) == (Unavailable, "postgres.login")
    assert "falsch" not in str(error.values)


def test_a_missing_database_is_named(postgres: PostgresServer):
    error = refusal(postgres.at("gibt_es_nicht"))
    assert (type(error), error.key) == (Unavailable, "postgres.no_database")
    assert "gibt_es_nicht" in str(error.values["path"])


@pytest.mark.parametrize(
    "url", ["postgresql://u:geheim@h?/d", "postgresql://u:geheim@h/d?nichts=1", "postgresql://["]
)
def test_an_address_that_cannot_be_read_is_not_repeated(url: str):
    with pytest.raises(InvalidInput, match=r"postgres\.url") as caught:
        PostgresDatabase(url)
    assert caught.value.values == {}
    assert caught.value.__context__ is None or caught.value.__suppress_context__


@pytest.mark.usefixtures("postgres_cluster")
def test_a_user_without_rights_is_told_which_extension_is_missing(
    blank_postgres_url: str, postgres: PostgresServer
):
    postgres.run(
        "DROP ROLE IF EXISTS gast; CREATE ROLE gast LOGIN PASSWORD 'gast'; CREATE SCHEMA s"
        " AUTHORIZATION gast", blank_postgres_url,
    )  # fmt: skip
    guest = {"user": "gast", "password": "gast", "options": "-csearch_path=s"}
    url = psycopg.conninfo.make_conninfo(blank_postgres_url, **guest)
    error = refusal(url)
    assert (type(error), error.key) == (Unavailable, "postgres.btree_gist")
    tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 's'"
    assert postgres.run(tables, blank_postgres_url) == [(0,)]
    postgres.run("CREATE EXTENSION btree_gist", blank_postgres_url)
    SqlLedger(PostgresDatabase(url)).close()
    postgres.run("DROP OWNED BY gast; DROP ROLE gast", blank_postgres_url)


@pytest.mark.parametrize(
    ("state", "kind", "key"),
    [
        ("08006", Unavailable, "postgres.unreachable"),
        ("25006", Unavailable, "postgres.read_only"),
        ("28P01", Unavailable, "postgres.login"),
        ("3D000", Unavailable, "postgres.no_database"),
        ("40001", Unavailable, "ledger.busy"),
        ("40P01", Unavailable, "ledger.busy"),
        ("42501", Unavailable, "postgres.rights"),
        ("53100", Unavailable, "ledger.disk_full"),
        ("53300", Unavailable, "postgres.unreachable"),
        ("55P03", Unavailable, "ledger.busy"),
        ("57014", Unavailable, "postgres.stopped"),
        ("57P01", Unavailable, "postgres.unreachable"),
        ("58030", Unavailable, "postgres.unreachable"),
        ("XX001", Corrupt, "postgres.corrupt"),
        ("XX002", Corrupt, "postgres.corrupt"),
    ],
)
def test_what_a_server_says_has_a_meaning(state: str, kind: type[DamalsError], key: str):
    server = Server.of(
        {"host": "h", "port": "5433", "user": "u", "password": "geheim", "dbname": "d"}
    )
    said = translated(errors.lookup(state)("Das Passwort ist\n„geheim“."), server)
    assert isinstance(said, kind)
    assert said.key == key
    assert said.values == {
        "path": "postgresql://u@h:5433/d", "problem": "Das Passwort ist „***“"
    }  # fmt: skip


def test_a_mistake_of_ours_stays_what_it_is():
    error = errors.lookup("42P01")("relation does not exist")
    assert translated(error, Server.of({})) is error
