"""A home that cannot be written: every command says so, nothing is changed, nothing crashes."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

NOBODY = "65534"


@pytest.fixture
def as_nobody(tmp_path):
    """Runs a command as a user who may read a home, and change nothing."""
    if os.name != "posix" or os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("NOT RUN: only root with setpriv can be another user; no read-only home tested")
    place = tmp_path
    while place != place.parent:  # whoever is to read the home has to get there
        place.chmod(place.stat().st_mode | 0o011)
        place = place.parent

    def run(home: Path, *words: str) -> tuple[int, dict[str, object]]:
        done = subprocess.run(
            [
                *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
                *(sys.executable, "-m", "damals", "--home", str(home), "--json", *words),
            ],
            capture_output=True, text=True, check=False, timeout=120, cwd="/",
            env={
                "PATH": os.environ["PATH"], "DAMALS_EMBEDDER": "none", "DAMALS_LOCK_TIMEOUT_S": "1",
                "PYTHONPATH": os.pathsep.join(sys.path), "DAMALS_CACHE": "/nonexistent",
            },
        )  # fmt: skip
        if done.returncode == 126 or "Permission denied" in done.stderr:
            pytest.skip(f"NOT RUN: the interpreter is not for others: {done.stderr.strip()[:200]}")
        return done.returncode, json.loads(done.stdout)

    return run


@pytest.mark.parametrize(
    "words",
    [("list",), ("recall", "Mietvertrag"), ("remember", "--title", "x"), ("reindex",), ("log",)],
)
def test_every_command_says_that_a_home_cannot_be_written(words, home, as_nobody):
    for path in (home, *home.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    before = (home / "ledger.db").read_bytes()
    code, told = as_nobody(home, *words)
    assert code == 5, told
    assert told["error"]["code"] == "unavailable"
    assert str(home) in told["error"]["message"]
    assert (home / "ledger.db").read_bytes() == before


def test_doctor_says_it_as_a_finding_and_looks_at_the_rest(home, as_nobody):
    for path in (home, *home.rglob("*")):
        with suppress(FileNotFoundError):  # what lay beside a database that is being closed
            path.chmod(0o755 if path.is_dir() else 0o644)
    code, told = as_nobody(home, "doctor")
    assert code == 7, told
    wrong = {one["name"] for one in told["checks"] if not one["ok"]}
    assert wrong >= {"home", "access"}
    assert next(one for one in told["checks"] if one["name"] == "config")["ok"]


def test_a_home_that_others_may_not_even_look_into_is_unavailable(home, as_nobody):
    code, told = as_nobody(home, "list")
    assert (code, told["error"]["code"]) == (5, "unavailable")
