"""A restore to a server that was killed on its way: nobody takes for a ledger what is none yet."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import psycopg
import pytest
from program import Program
from restoring import beside, holding, restored

from damals import Damals
from damals.adapters.backups.postgres_restore import RestoredDatabase
from damals.bootstrap.migrating import migrate_home
from damals.domain.errors import Conflict, Unavailable
from postgres_server import PASSWORD

SECRET = "Zahnarzttermin von Erika Mustermann"  # noqa: S105 -- what is to be gone

ASKING = (
    lambda memory: memory.entries(),
    lambda memory: memory.recall("Zahnarzt"),
    lambda memory: memory.backup(),
    lambda memory: memory.remember("Neu", "x"),
)

KILLED = """
import os, signal, sys
from pathlib import Path
from damals.bootstrap import restoring
from damals.bootstrap.backups import Keys

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

where, home, named, to = sys.argv[1:]
if where == "filled":
    restoring._Target.erase_again = die
elif where == "erased":
    restoring.staging.swap = die
else:
    restoring.RestoredDatabase.release = die
place = restoring.place_of(home, to)
restoring.restore_backup(place, (home, named), Keys(None, lambda: None), lambda _: None)
"""


@pytest.fixture
def backup(home: Path, blank, monkeypatch) -> str:
    """Of a ledger on a server, one of whose entries was erased since; another database is named."""
    monkeypatch.setenv("DAMALS_LEDGER", blank())
    with Damals.open(home) as memory:
        gone = memory.remember("Weg", SECRET).id
        memory.remember("Bleibt", "x")
        made = memory.backup()
        memory.erase("entry", gone)
    monkeypatch.setenv("DAMALS_LEDGER", blank())
    return made.id


def killed(where: str, home: Path, backup: str, to: Path) -> None:
    """Restore in a process that kills itself at a step."""
    command = [sys.executable, "-c", KILLED, where, str(home), backup, str(to)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.mark.parametrize("where", ["filled", "erased", "swapped"])
def test_what_it_left_is_no_ledger_and_the_same_command_begins_anew(
    home: Path, backup: str, tmp_path: Path, where: str, program: Program
):
    new = tmp_path / "new"
    killed(where, home, backup, new)
    assert new.exists() == (where == "swapped")
    for folder in (new, tmp_path / "another"):
        for ask in ASKING:
            with Damals.open(folder) as memory, pytest.raises(Unavailable) as refused:
                ask(memory)
            assert refused.value.key == "ledger.restoring"
            assert PASSWORD not in str(refused.value)
    told = program.json("doctor", "--home", str(tmp_path / "another"), code=7)
    assert "is being restored" in str(told)
    program.json("init", "--home", str(tmp_path / "another"), code=5)
    done = restored(home, backup, new)
    assert (done.transactions, done.erased_again) == ({"default": 2}, 1)
    assert holding(new, SECRET) == []
    assert not [one for one in beside(new) if ".restoring-" in one]
    for folder in (new, tmp_path / "another"):
        with Damals.open(folder) as memory:
            assert [one.title for one in memory.entries(limit=None)] == ["Bleibt"]
            assert memory.audit().ok
    with pytest.raises(Conflict):
        restored(home, backup, tmp_path / "third")


def test_nothing_moves_into_what_it_left(home: Path, backup: str, tmp_path: Path, monkeypatch):
    target = os.environ["DAMALS_LEDGER"]
    killed("filled", home, backup, tmp_path / "new")
    monkeypatch.delenv("DAMALS_LEDGER")
    with Damals.open(tmp_path / "file") as memory:
        memory.remember("Anderes", "y")
    with pytest.raises(Unavailable) as refused:
        migrate_home(tmp_path / "file", ledger=target)
    assert refused.value.key == "ledger.restoring"


def test_a_program_of_the_server_that_outlived_it_is_ended(home: Path, backup: str, tmp_path: Path):
    """As ``pg_restore`` would, it holds what it has made when its caller is gone."""
    url = os.environ["DAMALS_LEDGER"]
    killed("filled", home, backup, tmp_path / "new")
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT oid FROM pg_namespace WHERE nspname = current_schema()"
        ).fetchone()
    assert row is not None
    orphan = psycopg.connect(url, application_name=f"damals restore {row[0]}")
    orphan.execute("LOCK TABLE contents")
    assert restored(home, backup, tmp_path / "new").erased_again == 1
    with pytest.raises(psycopg.OperationalError):
        orphan.execute("SELECT 1")


def test_two_at_once_exclude_each_other(home: Path, backup: str, tmp_path: Path):
    held, ended = threading.Event(), threading.Event()

    def hold() -> None:
        with RestoredDatabase(os.environ["DAMALS_LEDGER"]).alone():
            held.set()
            ended.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        assert held.wait(60)
        with pytest.raises(Unavailable) as refused:
            restored(home, backup, tmp_path / "new")
        assert refused.value.key == "backup.restored_to"
    finally:
        ended.set()
        thread.join()
    assert restored(home, backup, tmp_path / "new").erased_again == 1
