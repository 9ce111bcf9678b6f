"""A home whose index moves to a Qdrant server, with its ledger or without."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from moving_home import Run, everything

from damals.app.errors import DamalsError
from damals.app.migrating.run import Wanted
from damals.app.results import Progress
from damals.bootstrap import open_home
from damals.bootstrap.migrating import migrate_home
from qdrant_server import QdrantServer


@pytest.fixture
def qdrant() -> Iterator[QdrantServer]:
    """A server that knows nothing yet."""
    with QdrantServer() as server:
        yield server


class Ended(Exception):
    """The migration ends here."""


def test_an_index_that_was_moved_finds_the_same(home: Path, run: Run, qdrant: QdrantServer):
    before = everything(home)
    told = run("migrate", "--qdrant", qdrant.url, "--sample", "10")
    assert told["recalls"] == {"asked": 10, "equal": 10, "common": 1.0}
    assert not told["index"]["kept"]
    assert told["switched"]["old_ledger"] is None
    assert yaml.safe_load((home / "config.yaml").read_text("utf-8")) == {"qdrant": qdrant.url}
    assert (home / "ledger.db").exists()
    assert everything(home) == before
    assert run("doctor")["ok"]


def test_ledger_and_index_move_together(
    home: Path, run: Run, qdrant: QdrantServer, blank_postgres_url: str
):
    before = everything(home)
    told = run("migrate", "--ledger", blank_postgres_url, "--qdrant", qdrant.url, "--sample", "10")
    assert told["recalls"]["equal"] == 10
    settings = yaml.safe_load((home / "config.yaml").read_text("utf-8"))
    assert settings == {"ledger": blank_postgres_url, "qdrant": qdrant.url}
    assert everything(home) == before
    assert run("recall", "Vertrag Frist")["index_lag"] == 0


def test_a_move_of_both_that_ended_while_the_index_was_filled_does_not_fill_it_again(
    home: Path, qdrant: QdrantServer, blank_postgres_url: str
):
    asked: list[Progress] = []

    def ends(progress: Progress) -> None:
        asked.append(progress)
        if progress.stage == "sample" and progress.done > 3:
            raise Ended

    places = {"ledger": blank_postgres_url, "qdrant": qdrant.url}
    with pytest.raises(Ended):
        migrate_home(home, **places, wanted=Wanted(3), listen=ends)
    filled = sum(method == "PUT" and path.endswith("/points") for method, path in qdrant.requests)
    done = migrate_home(home, **places, wanted=Wanted(3))
    again = sum(method == "PUT" and path.endswith("/points") for method, path in qdrant.requests)
    assert again == filled > 0
    assert done.recalls is not None
    assert done.recalls.equal == 3


def test_a_server_that_is_not_there_leaves_the_home_as_it_was(
    home: Path, run: Run, qdrant: QdrantServer
):
    qdrant.stop()
    assert run("migrate", "--qdrant", qdrant.url, "--dry-run", expect=5)["error"]["hint"]
    assert run("migrate", "--qdrant", qdrant.url, expect=5)["error"]["hint"]
    assert not (home / "config.yaml").exists()
    assert run("recall", "Vertrag Frist")["results"]


def test_a_dry_run_makes_no_collection(run: Run, qdrant: QdrantServer):
    told = run("migrate", "--qdrant", qdrant.url, "--dry-run")
    assert told["ready"]
    assert not qdrant.layouts


def test_an_index_that_is_there_already_is_not_moved_again(home: Path, qdrant: QdrantServer):
    migrate_home(home, qdrant=qdrant.url, wanted=Wanted(0))
    with pytest.raises(DamalsError) as error:
        migrate_home(home, qdrant=qdrant.url)
    assert error.value.key == "migrate.index_already"
    with open_home(home) as memory:
        assert memory.recall("Vertrag Frist").results
