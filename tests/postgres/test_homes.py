"""Homes whose ledger is on a server: the command line works as ever, and homes share knowledge."""

import json
import shutil
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from damals import Damals
from damals.adapters.files.home import Home
from damals.adapters.sql.ledger import SqlLedger
from damals.adapters.sql.postgres import PostgresDatabase
from damals.app.access_model import Job
from damals.app.jobs import JobRunner
from damals.interfaces.cli.main import main
from postgres_server import PASSWORD, QUOTED, Cluster, PostgresServer

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def run(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:  # fmt: skip
    """Runs a command on a home: its JSON document, after a look at its exit code."""
    monkeypatch.setenv("DAMALS_LEDGER", postgres_url)
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    monkeypatch.setenv("DAMALS_INDEX_MODE", "inline")
    monkeypatch.chdir(tmp_path)

    def command(*words: str, home: str = "home", expect: int = 0) -> dict[str, Any]:
        code = main(["--home", str(tmp_path / home), "--json", *words])
        said = capsys.readouterr()
        assert PASSWORD not in said.out + said.err
        assert QUOTED not in said.out + said.err
        assert code == expect, said.out + said.err
        return json.loads(said.out or said.err)

    return command


def opened(home: Path) -> Damals:
    return Damals.open(home)


def titles(found: dict[str, Any]) -> list[str]:
    return [one["title"] for one in found["entries"]]


def recalled(run: Run, query: str, home: str = "home") -> list[str]:
    return [hit["entry"]["title"] for hit in run("recall", query, home=home)["results"]][:1]


def remember(run: Run, title: str, home: str = "home") -> None:
    run("remember", "--title", title, "--content", f"Über {title}.", home=home)


def test_a_home_on_an_empty_server_is_missing_until_something_is_stored(run: Run, tmp_path: Path):
    assert "no archive" in run("list", expect=3)["error"]["message"]
    assert not (tmp_path / "home").exists()
    remember(run, "Rathaus")
    assert titles(run("list")) == ["Rathaus"]
    assert not (tmp_path / "home" / "ledger.db").exists()


def test_init_makes_workspace_and_home_and_a_second_home_finds_them(run: Run):
    assert run("init", "--timezone", "Europe/Berlin")["workspace"]["timezone"] == "Europe/Berlin"
    run("init", "--timezone", "Europe/Berlin", home="other")
    assert run("init", "--timezone", "UTC", home="third", expect=4)["error"]
    assert run("list", home="fourth")["entries"] == []


def test_a_deleted_home_folder_loses_nothing(run: Run, tmp_path: Path):
    remember(run, "Rathaus")
    assert recalled(run, "Rathaus") == ["Rathaus"]
    shutil.rmtree(tmp_path / "home")
    assert titles(run("list")) == ["Rathaus"]
    assert recalled(run, "Rathaus") == ["Rathaus"]


def first(memory: Damals, query: str) -> str:
    """The title of the best answer."""
    return memory.recall(query, limit=1).results[0].entry.title


def test_homes_share_knowledge_and_each_index_follows_by_itself(
    run: Run, tmp_path: Path, postgres: PostgresServer, postgres_url: str
):
    del run  # its settings are what counts
    with opened(tmp_path / "a") as one, opened(tmp_path / "b") as two:
        one.remember("Rathaus", "Montags offen.")
        two.remember("Brücke", "Gesperrt.")
        for memory in (one, two):
            assert first(memory, "montags") == "Rathaus"
            assert first(memory, "gesperrt") == "Brücke"
        one.remember("Bücherei", "Freitags offen.")
        assert first(two, "freitags") == "Bücherei"
        two.reindex()
        assert first(one, "freitags") == "Bücherei"
        assert one.doctor().ok
        assert two.doctor().ok
    names = "SELECT DISTINCT split_part(index_name, '/', 1) FROM index_cursors"
    assert len(postgres.run(names, postgres_url)) == 2


def test_a_job_of_another_home_goes_on_and_one_of_this_home_is_lost_with_its_process(
    blank_postgres_url: str,
):
    one, two = (SqlLedger(PostgresDatabase(blank_postgres_url), index_owner=o) for o in "ab")
    with closing(one), closing(two):
        one.create_workspace("w", "UTC", 0)
        job = Job(str(UUID(int=1)), "import", "bot", "running", {}, created_at=0, updated_at=0)
        one.registry.put_job("w", job)
        theirs = replace(job, elsewhere=True)
        assert two.registry.job("w", job.id) == two.registry.jobs("w", 1)[0] == theirs
        assert JobRunner(lambda _: two.registry, time.time_ns).job("w", job.id)[0] == theirs
        assert JobRunner(lambda _: one.registry, time.time_ns).job("w", job.id)[0].state == "lost"


def test_a_copied_home_is_a_home_of_its_own(run: Run, tmp_path: Path):
    del run
    with opened(tmp_path / "a") as memory:
        memory.remember("Rathaus", "Montags offen.")
        assert first(memory, "montags") == "Rathaus"
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    with opened(tmp_path / "a") as one, opened(tmp_path / "b") as two:
        one.remember("Brücke", "Gesperrt.")
        for memory in (two, one, two):
            assert first(memory, "gesperrt") == "Brücke"
        assert two.doctor().ok
    assert Home(tmp_path / "a").identity() != Home(tmp_path / "b").identity()


def test_a_moved_home_stays_the_same_one(tmp_path: Path):
    first = Home(tmp_path / "first")
    first.create()
    name = first.identity()
    assert first.identity() == name
    first.path.rename(tmp_path / "second")
    assert Home(tmp_path / "second").identity() == name


@pytest.mark.usefixtures("postgres_cluster")
def test_the_settings_show_the_server_without_its_password(run: Run, postgres_url: str):
    shown = {one["name"]: one for one in run("config", "show")["settings"]}
    assert shown["ledger"]["origin"] == "environment"
    assert shown["ledger"]["value"] == postgres_url.replace(QUOTED, "***")


def test_a_server_that_is_down_is_exit_5_and_works_again_when_it_is_back(
    run: Run, postgres_cluster: Cluster
):
    remember(run, "Rathaus")
    postgres_cluster.stop()
    try:
        for words in (("list",), ("remember", "--title", "Brücke"), ("recall", "Rathaus")):
            error = run(*words, expect=5)["error"]
            assert error["code"] == "unavailable"
            assert f"127.0.0.1:{postgres_cluster.port}" in error["message"]
            assert "does not answer" in error["message"]
    finally:
        postgres_cluster.start()
    assert titles(run("list")) == ["Rathaus"]


@pytest.mark.usefixtures("postgres_cluster")
def test_a_wrong_password_is_exit_5_and_is_not_shown(
    run: Run, postgres_url: str, monkeypatch: pytest.MonkeyPatch
):
    wrong = postgres_url.replace(QUOTED, "falsch%20und%20geheim")
    monkeypatch.setenv("DAMALS_LEDGER", wrong)
    told = run("list", expect=5)
    assert "refuses the login" in told["error"]["message"]
    assert "geheim" not in json.dumps(told)


def test_a_fact_that_is_refused_makes_no_workspace_on_the_server(
    run: Run, postgres: PostgresServer, postgres_url: str
):
    run("remember", "--title", "x", "--valid-from", "2024-02-30", expect=2)
    assert postgres.run("SELECT count(*) FROM workspaces", postgres_url) == [(0,)]


def test_a_vault_is_imported_and_exported_as_ever(run: Run, tmp_path: Path):
    vault = tmp_path / "Vault"
    vault.mkdir()
    (vault / "Brücke.md").write_text("# Brücke\n\nSiehe [[Wehr]].\n", encoding="utf-8")
    (vault / "Wehr.md").write_text("# Wehr\n\nAm Wehr.\n", encoding="utf-8")
    assert run("import", str(vault))["added"] == 2
    assert run("import", str(vault))["unchanged"] == 2
    assert run("export", str(tmp_path / "all.jsonl"))["transactions"] >= 1
    assert len((tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()) >= 1
