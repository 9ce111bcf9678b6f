"""What is erased while a home moves: where it may be is named, and it never comes back."""

from pathlib import Path
from typing import Any

import pytest
from moving_home import Run

from damals.app.migrating.run import Wanted
from damals.app.results import Progress
from damals.bootstrap import open_home
from damals.bootstrap.migrating import migrate_home
from postgres_server import PASSWORD, PostgresServer
from qdrant_server import QdrantServer

SECRET = "Sein Kennwort war Zwetschgenkuchen mit Sahne."  # noqa: S105 -- what is to be gone
OTHER = "Der zweite Zettel lag im Hof unter dem Blumentopf."


class Ended(Exception):
    """The migration ends here."""


def ends_in(stage: str) -> Any:
    """Listens, and ends the migration in a stage, at its last report of it or near."""

    def listen(progress: Progress) -> None:
        if progress.stage == stage:
            raise Ended

    return listen


def erased(home: Path, title: str = "Geheimes") -> Any:
    """The certificate of an erasure."""
    with open_home(home) as memory:
        [secret] = [one.id for one in memory.entries(limit=None) if one.title == title]
        return memory.erase("entry", secret).certificate


@pytest.fixture
def secret(home: Path) -> str:
    with open_home(home) as memory:
        memory.remember("Noch eins", OTHER)
        return memory.remember("Geheimes", SECRET).id


@pytest.mark.usefixtures("secret")
def test_the_ledger_in_the_making_is_named_until_the_home_uses_it(
    home: Path, blank_postgres_url: str, postgres: PostgresServer, run: Run
):
    with pytest.raises(Ended):
        migrate_home(home, ledger=blank_postgres_url, wanted=Wanted(0), listen=ends_in("compare"))
    found = (
        "SELECT count(*) FROM contents WHERE text LIKE '%Zwetschgen%' OR text LIKE '%Blumentopf%'"
    )
    assert postgres.run(found, blank_postgres_url) == [(2,)]
    certificate = erased(home)
    [named] = certificate.unsearched["moving"]
    assert PASSWORD not in named
    assert named.rpartition("/")[2] == blank_postgres_url.rpartition("/")[2]
    migrate_home(home, ledger=blank_postgres_url, wanted=Wanted(2))
    assert postgres.run(found, blank_postgres_url) == [(1,)]
    certificate = erased(home, "Noch eins")
    assert "moving" not in certificate.unsearched
    assert list(home.glob("ledger.db*")) == []
    assert postgres.run(found, blank_postgres_url) == [(0,)]
    assert run("audit", "verify")["ok"]


@pytest.mark.usefixtures("secret")
def test_the_index_in_the_making_is_named_until_the_home_uses_it(home: Path):
    with QdrantServer() as server:
        with pytest.raises(Ended):
            migrate_home(home, qdrant=f"{server.url}/?api_key=x", listen=ends_in("index"))
        certificate = erased(home)
        assert certificate.unsearched["moving"] == [server.url]
        migrate_home(home, qdrant=server.url, wanted=Wanted(2))
        assert "zwetschgenkuchen" not in payloads(server)
        assert "blumentopf" in payloads(server)
        assert "moving" not in erased(home, "Noch eins").unsearched
        assert "blumentopf" not in payloads(server)


def payloads(server: QdrantServer) -> str:
    """All that a server holds, as one text."""
    names = [one.name for one in server.client.get_collections().collections]
    told = (str(server.client.scroll(name, limit=10_000)) for name in names)
    return "".join(told).casefold()


@pytest.mark.usefixtures("secret")
def test_a_file_that_a_killed_switch_left_is_a_residue(home: Path, blank_postgres_url: str):
    done = migrate_home(home, ledger=blank_postgres_url, wanted=Wanted(0))
    assert done.switched is not None
    Path(str(done.switched.old_ledger)).rename(home / "ledger.db")  # as if killed just before
    assert "ledger.db" in [one["file"] for one in erased(home).residue]
    assert migrate_home(home, ledger=blank_postgres_url).state == "finished"
    assert erased(home, "Noch eins").residue == []
    assert list(home.glob("ledger.db*")) == []
