"""What is in the way of a migration is named before anything is changed."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from moving_home import Run

from damals import Damals
from damals.adapters.files.lock import HomeLock
from damals.adapters.sql.ledger import SqlLedger
from damals.adapters.sql.postgres import PostgresDatabase
from postgres_server import PostgresServer, with_wrong_password


def message(told: dict[str, Any]) -> str:
    return told["error"]["message"]


def test_a_dry_run_says_what_would_be_done_and_changes_nothing(
    home: Path, run: Run, blank_postgres_url: str, postgres: PostgresServer
):
    files = sorted(path.relative_to(home) for path in home.rglob("*"))
    told = run("migrate", "--ledger", blank_postgres_url, "--dry-run")
    assert told["state"] == "planned"
    assert told["ready"]
    assert told["rows"] == sum(table["rows"] for table in told["tables"]) > 500
    assert told["estimate_s"] >= told["held_s"] > 0
    tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
    assert postgres.run(tables, blank_postgres_url) == [(0,)]
    assert sorted(path.relative_to(home) for path in home.rglob("*")) == files


def test_a_dry_run_names_all_that_is_missing(
    run: Run, blank_postgres_url: str, postgres: PostgresServer
):
    postgres.run("CREATE TABLE rechnungen (id int)", blank_postgres_url)
    told = run("migrate", "--ledger", blank_postgres_url, "--dry-run")
    assert not told["ready"]
    assert ["rechnungen" in one for one in told["missing"]] == [True]
    assert "rechnungen" in message(run("migrate", "--ledger", blank_postgres_url, expect=4))
    assert postgres.run("SELECT count(*) FROM rechnungen", blank_postgres_url) == [(0,)]


def test_a_user_without_rights_is_named(
    run: Run, blank_postgres_url: str, postgres: PostgresServer
):
    postgres.run("DROP ROLE IF EXISTS leser", blank_postgres_url)
    postgres.run("CREATE ROLE leser LOGIN PASSWORD 'lesen'", blank_postgres_url)
    try:
        address = blank_postgres_url.replace(
            blank_postgres_url.split("//")[1].split("@", maxsplit=1)[0], "leser:lesen"
        )
        told = run("migrate", "--ledger", address, "--dry-run")
        assert any("may not make tables" in one for one in told["missing"])
        assert "may not make tables" in message(run("migrate", "--ledger", address, expect=5))
    finally:
        postgres.run("DROP ROLE leser", blank_postgres_url)


def test_a_database_of_another_encoding_is_refused(run: Run, postgres: PostgresServer):
    name = "damals_latin"
    postgres.run(f"DROP DATABASE IF EXISTS {name}")
    postgres.run(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'"
        " LOCALE_PROVIDER libc")  # fmt: skip
    try:
        told = run("migrate", "--ledger", postgres.at(name), expect=5)
        assert "LATIN1" in message(told)
    finally:
        postgres.run(f"DROP DATABASE {name}")


def test_the_ledger_of_another_home_is_left_alone(
    run: Run, blank_postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as inside:
        inside.setenv("DAMALS_LEDGER", blank_postgres_url)
        with Damals.open(tmp_path / "other") as memory:
            memory.remember("Fremd", "Von einem anderen Archiv.")
    told = run("migrate", "--ledger", blank_postgres_url, expect=4)
    assert "another home" in message(told)
    assert len(run("list")["entries"]) > 10


def test_an_empty_ledger_on_the_server_is_as_good_as_nothing(run: Run, blank_postgres_url: str):
    SqlLedger(PostgresDatabase(blank_postgres_url)).close()
    assert run("migrate", "--ledger", blank_postgres_url, "--sample", "0")["state"] == "done"


def test_a_server_that_is_not_there_or_refuses_the_login_is_unavailable(
    run: Run, postgres: PostgresServer
):
    assert "does not answer" in message(
        run("migrate", "--ledger", "postgresql://a@127.0.0.1:9/x", expect=5)
    )
    wrong = with_wrong_password(postgres.url)
    assert run("migrate", "--ledger", "postgresql://" + wrong.split()[0], expect=5)["error"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 2),
        (("--ledger", "sqlite"), 2),
        (("--ledger", "mysql://localhost/x"), 2),
        (("--ledger", "postgresql://localhost/x", "--sample", "-1"), 2),
    ],
)
def test_what_cannot_be_meant_is_wrong_usage(words: tuple[str, ...], code: int, run: Run):
    assert run("migrate", *words, expect=code)["error"]["hint"]


def test_a_missing_home_is_not_made(tmp_path: Path, blank_postgres_url: str, run: Run):
    told = run(
        "--home", str(tmp_path / "none"), "migrate", "--ledger", blank_postgres_url, expect=3
    )
    assert "no archive" in message(told)
    assert not (tmp_path / "none").exists()


def test_a_home_that_another_process_keeps_is_copied_but_not_switched(
    home: Path, run: Run, blank_postgres_url: str
):
    with HomeLock(home, command="damals serve"):
        assert "damals serve" in message(run("migrate", "--ledger", blank_postgres_url, expect=5))
    assert (home / "ledger.db").exists()
    told = run("migrate", "--ledger", blank_postgres_url, "--dry-run")
    assert told["copied_before"] > 500
    assert run("migrate", "--ledger", blank_postgres_url, "--sample", "0")["state"] == "done"


def test_a_setting_that_the_home_cannot_overrule_is_named(
    run: Run, blank_postgres_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("DAMALS_LEDGER", "sqlite")
    assert "DAMALS_LEDGER" in message(run("migrate", "--ledger", blank_postgres_url, expect=4))


def test_settings_that_cannot_be_changed_are_named_before_anything_is_copied(
    home: Path, run: Run, blank_postgres_url: str, postgres: PostgresServer
):
    (home / "config.yaml").write_text("{lang: de}\n", encoding="utf-8")
    assert "config.yaml" in message(run("migrate", "--ledger", blank_postgres_url, expect=2))
    assert (
        postgres.run("SELECT 1 FROM pg_tables WHERE tablename = 'meta'", blank_postgres_url) == []
    )


def test_a_ledger_that_is_on_a_server_already_is_not_moved_again(run: Run, blank_postgres_url: str):
    run("migrate", "--ledger", blank_postgres_url, "--sample", "0")
    assert "on a server already" in message(
        run("migrate", "--ledger", blank_postgres_url, expect=4)
    )


def test_a_target_that_somebody_wrote_to_is_not_overwritten(
    home: Path, run: Run, blank_postgres_url: str
):
    run("migrate", "--ledger", blank_postgres_url, "--sample", "0")
    run("remember", "--title", "Neu", "--content", "Nur auf dem Server.")
    old = next(home.glob("ledger.db.migrated-*"))
    old.rename(home / "ledger.db")  # somebody goes back to the file
    (home / "config.yaml").unlink()
    assert "has not" in message(run("migrate", "--ledger", blank_postgres_url, expect=4))


def test_german_texts_say_the_same(run: Run):
    told = run("--lang", "de", "migrate", "--ledger", "sqlite", expect=2)
    assert "PostgreSQL-Datenbank" in message(told)


def test_an_older_ledger_is_upgraded_before_it_is_moved(
    home: Path, run: Run, blank_postgres_url: str
):
    with closing(sqlite3.connect(home / "ledger.db")) as file, file:
        file.execute("UPDATE meta SET value = '4' WHERE name = 'format'")
    told = run("migrate", "--ledger", blank_postgres_url, expect=4)
    assert "damals doctor" in told["error"]["hint"]


def test_a_text_that_the_server_cannot_hold_is_named(home: Path, run: Run, blank_postgres_url: str):
    with closing(sqlite3.connect(home / "ledger.db")) as file, file:
        file.execute("UPDATE contents SET text = 'a' || char(0) WHERE id = 5")
    told = run("migrate", "--ledger", blank_postgres_url, "--dry-run")
    assert any("U+0000" in one for one in told["missing"])
    assert "U+0000" in message(run("migrate", "--ledger", blank_postgres_url, expect=2))
