"""The same on a server; its own log is not reached."""

from pathlib import Path

import pytest
from forgotten import NAME, SAID, SECRETS, STREET, lived
from psycopg import sql
from raw_bytes import filled, forms

from damals import Damals
from postgres_server import Cluster, PostgresServer

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
