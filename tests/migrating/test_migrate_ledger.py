"""A home whose ledger moves to a server: the same rows, chain and answers, then one switch."""

from pathlib import Path

import yaml
from moving_home import Run, everything

from damals import Damals
from postgres_server import PostgresServer, with_schema

ASKED = ("recall", "Vertrag Frist", "--as-of", "2024-09-01", "--no-receipt")


def test_a_home_that_was_moved_knows_the_same_and_answers_the_same(
    home: Path, run: Run, blank_postgres_url: str
):
    before, asked = everything(home), run(*ASKED)["results"]
    told = run("migrate", "--ledger", blank_postgres_url, "--sample", "20")
    assert told["state"] == "done"
    assert told["recalls"] == {"asked": 20, "equal": 20, "common": 1.0}
    assert told["index"]["kept"]
    assert everything(home) == before
    assert run(*ASKED)["results"] == asked
    heads = {one["workspace"]: one["head"] for one in told["chains"]}
    assert heads == {name: one["audit"]["head"] for name, one in before.items()}
    assert run("doctor")["ok"]


def test_the_home_goes_on_on_the_server_where_the_file_ended(
    home: Path, run: Run, blank_postgres_url: str
):
    last = run("log")["transactions"][-1]["number"]
    run("migrate", "--ledger", blank_postgres_url, "--sample", "0")
    run("remember", "--title", "Danach", "--content", "Nach dem Umzug.")
    assert run("log")["transactions"][-1]["number"] == last + 1
    assert run("recall", "nach dem Umzug")["results"][0]["entry"]["title"] == "Danach"
    assert run("audit", "verify")["ok"]
    del home


def test_the_index_is_taken_along_and_not_filled_anew(
    home: Path, run: Run, blank_postgres_url: str, postgres: PostgresServer
):
    run(*ASKED)
    made = {path: path.stat().st_ino for path in (home / "index").iterdir()}
    run("migrate", "--ledger", blank_postgres_url, "--sample", "5")
    assert run(*ASKED)["index_lag"] == 0
    assert {path: path.stat().st_ino for path in (home / "index").iterdir()} == made
    owner = (home / "home-id").read_text("utf-8").split()[0]
    names = postgres.run("SELECT DISTINCT index_name FROM index_cursors", blank_postgres_url)
    assert names == [(f"{owner}/edge-1",)]


def test_the_old_ledger_stays_beside_until_somebody_removes_it(
    home: Path, run: Run, blank_postgres_url: str
):
    before = (home / "ledger.db").stat().st_ino
    told = run("migrate", "--ledger", blank_postgres_url, "--sample", "0")
    old = Path(told["switched"]["old_ledger"])
    assert old.name.startswith("ledger.db.migrated-")
    assert old.stat().st_ino == before
    assert [path.name for path in home.glob("ledger.db*")] == [old.name]


def test_settings_keep_their_comments_and_their_order(
    home: Path, run: Run, blank_postgres_url: str
):
    text = "# Unser Archiv\nlang: de   # wie im Haus\nledger: sqlite  # eine Datei\nport: 7500\n"
    (home / "config.yaml").write_text(text, encoding="utf-8")
    run("migrate", "--ledger", blank_postgres_url, "--sample", "0")
    after = (home / "config.yaml").read_text("utf-8")
    assert after == text.replace("ledger: sqlite", f'ledger: "{blank_postgres_url}"')
    assert yaml.safe_load(after)["ledger"] == blank_postgres_url


def test_a_password_in_the_settings_is_for_their_owner_alone(
    home: Path, run: Run, blank_postgres_url: str
):
    (home / "config.yaml").write_text("lang: de\n", encoding="utf-8")
    (home / "config.yaml").chmod(0o644)
    told = run("migrate", "--ledger", blank_postgres_url, "--sample", "0")
    assert told["switched"]["password_in_config"]
    assert (home / "config.yaml").stat().st_mode & 0o777 == 0o600


def test_what_was_asked_of_the_home_and_who_may_ask_moves_too(
    home: Path, run: Run, blank_postgres_url: str
):
    receipt = run("recall", "Vertrag Frist")["receipt"]
    kept = run("why", receipt)
    run("migrate", "--ledger", blank_postgres_url, "--sample", "0")
    assert run("why", receipt) == kept
    assert [one["name"] for one in run("keys", "list")["keys"]] == ["gast"]
    del home


def test_two_schemas_of_one_database_take_two_homes(
    home: Path, run: Run, blank_postgres_url: str, postgres: PostgresServer
):
    postgres.run("CREATE SCHEMA eins", blank_postgres_url)
    told = run("migrate", "--ledger", with_schema(blank_postgres_url, "eins"), "--sample", "5")
    assert told["recalls"]["equal"] == 5
    with Damals.open(home) as memory:
        assert memory.audit().ok
    assert (
        postgres.run("SELECT 1 FROM pg_tables WHERE schemaname = 'public'", blank_postgres_url)
        == []
    )


def test_an_erasure_removes_the_old_ledger_too(home: Path, run: Run, blank_postgres_url: str):
    erased = run("list")["entries"][0]["id"]
    run("migrate", "--ledger", blank_postgres_url, "--sample", "0")
    told = run("erase", "entry", erased, "--yes")
    assert not list(home.glob("ledger.db*"))
    assert not told["certificate"]["residue"]
