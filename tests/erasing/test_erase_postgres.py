"""The same on a server; its own log is not reached."""

from pathlib import Path

import pytest
from forgotten import NAME, SAID, SECRETS, STREET, lived
from killed_erasure import killed
from psycopg import sql

from damals import Damals
from damals.adapters.backups.journal import JournalFile
from damals.adapters.files.home import Home
from damals.adapters.sql.ledger import SqlLedger
from damals.adapters.sql.postgres import PostgresDatabase
from postgres_server import Cluster, PostgresServer
from raw_bytes import filled, forms

TARGET = "geheimrat-wilhelmine-1"


@pytest.fixture
def url(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("DAMALS_LEDGER", postgres_url)
    return postgres_url


def in_tables(postgres: PostgresServer, url: str, text: str) -> bool:
    counted = sql.SQL("SELECT count(*) FROM contents WHERE position({} in text) > 0")
    [(count,)] = postgres.run(counted.format(sql.Literal(text)), url)
    return count != 0


def test_the_texts_are_in_no_table_and_the_chain_verifies(
    postgres: PostgresServer, url: str, tmp_path: Path
):
    with Damals.open(tmp_path / "home") as memory:
        lived(memory)
        assert in_tables(postgres, url, NAME)
        told = memory.erase("entry", TARGET)
        assert not in_tables(postgres, url, NAME)
        assert memory.audit().ok
        assert memory.get("nachbar").title == "Nachbar"
        assert told.certificate.residue == []
        assert isinstance(told.certificate.unsearched, dict)
        assert told.certificate.unsearched["ledger"] == "server"
        again = memory.erase("workspace", "default")
        assert again.certificate.residue == []
    assert postgres.run("SELECT count(*) FROM contents", url) == [(0,)]


def test_the_files_of_the_server_hold_none_of_it_but_its_log(
    postgres_cluster: Cluster, url: str, tmp_path: Path
):
    del url
    with Damals.open(tmp_path / "home") as memory:
        lived(memory)
        memory.erase("entry", TARGET)
    data = postgres_cluster.folder
    wanted = [form[:24] for text in (*SECRETS, SAID, STREET) for form in forms(text)]
    holding = {
        "pg_wal" if "pg_wal" in path.parts else path.relative_to(data).as_posix()
        for path in data.rglob("*")
        if path.is_file() and not path.is_symlink()
        for held in [filled(path)]
        if any(form in held for form in wanted)
    }
    assert holding <= {"pg_wal"}


# --- several homes on one ledger


def shards(home: Path) -> list[str]:
    return sorted(one.name for one in (home / "index").glob("edge-*"))


def waiting(postgres: PostgresServer, url: str) -> list[str]:
    return [pending for (pending,) in postgres.run("SELECT pending FROM erasures", url)]


def journalled(home: Path) -> int:
    return len(JournalFile(home.with_name(f"{home.name}.backups")).records())


def known(home: Path) -> None:
    """A home on the ledger with an index of its own."""
    with Damals.open(home) as memory:
        memory.recall("Nachbar")


@pytest.fixture
def homes(url: str, tmp_path: Path) -> tuple[Path, Path]:
    """Two homes on one ledger, each with an index."""
    del url
    one, other = tmp_path / "one", tmp_path / "other"
    with Damals.open(one) as memory:
        lived(memory)
    known(other)
    return one, other


def test_another_home_is_named_until_it_has_followed(
    postgres: PostgresServer, url: str, homes: tuple[Path, Path]
):
    one, other = homes
    with Damals.open(one) as memory:
        told = memory.erase("entry", TARGET)
    assert told.certificate.unsearched["homes"] == [Home(other).identity()]
    assert journalled(one) == 1
    before = shards(other)
    with Damals.open(other) as memory:
        [named] = [check for check in memory.doctor().checks if check.name == "erasures"]
        assert not named.ok
        memory.remember("Danach", "geht es weiter")
        assert memory.doctor().ok
    assert journalled(other) == 1
    assert shards(other) != before
    assert waiting(postgres, url) == ["{}"]


@pytest.mark.parametrize("at", [2, 4, 5])
def test_what_one_home_was_killed_at_another_one_finishes_and_both_follow(
    postgres: PostgresServer, url: str, homes: tuple[Path, Path], at: int
):
    one, other = homes
    killed(one, at)
    before = shards(other)
    with Damals.open(other) as memory:
        memory.remember("Danach", "geht es weiter")
        assert memory.audit().ok
    assert journalled(other) == 1
    assert shards(other) != before
    [(told,)] = postgres.run("SELECT certificate FROM erasures", url)
    assert '"texts":0' not in told
    assert not in_tables(postgres, url, NAME)
    with Damals.open(one) as memory:
        memory.remember("Noch später", "geht es weiter")
    assert journalled(one) == 1
    assert waiting(postgres, url) == ["{}"]


def test_while_another_home_is_at_it_changes_go_on(
    postgres: PostgresServer, url: str, homes: tuple[Path, Path]
):
    one, other = homes
    killed(one, 2)
    busy = SqlLedger(PostgresDatabase(url), index_owner="busy")
    try:
        with busy.erasures.alone(0.0) as alone, Damals.open(other) as memory:
            assert alone
            memory.remember("Danach", "geht es weiter", external_id="danach")
            assert memory.get("danach").title == "Danach"
            assert postgres.run("SELECT certificate FROM erasures", url) == [(None,)]
    finally:
        busy.close()


def test_a_workspace_is_followed_as_well(
    postgres: PostgresServer, url: str, homes: tuple[Path, Path]
):
    one, other = homes
    with Damals.open(one) as memory:
        memory.create_workspace("daneben")
        told = memory.erase("workspace", "default")
        assert told.certificate.unsearched["homes"] == [Home(other).identity()]
    with Damals.open(other, workspace="daneben") as memory:
        memory.remember("Danach", "geht es weiter")
    assert journalled(other) == 1
    assert waiting(postgres, url) == ["{}"]


def test_a_home_that_only_made_a_backup_writes_erasures_down_beside_it(
    url: str, homes: tuple[Path, Path], tmp_path: Path
):
    del url
    third = tmp_path / "third"
    with Damals.open(third) as memory:
        memory.backup()
    with Damals.open(homes[0]) as memory:
        told = memory.erase("entry", TARGET)
    assert Home(third).identity() in told.certificate.unsearched["homes"]
    with Damals.open(third) as memory:
        memory.remember("Danach", "geht es weiter")
    assert journalled(third) == 1
