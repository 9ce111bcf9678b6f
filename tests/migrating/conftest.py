"""Every test of a migration has a home in a file and a database with nothing in it."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from moving_home import Run, filled

from damals.interfaces.cli.main import main
from postgres_server import PASSWORD, QUOTED


@pytest.fixture(autouse=True)
def _words_only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Vectors are not what these tests are about; no setting of the machine reaches them."""
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    monkeypatch.setenv("DAMALS_INDEX_MODE", "inline")
    monkeypatch.setenv("DAMALS_TIMEZONE", "Europe/Berlin")
    monkeypatch.setenv("DAMALS_LOCK_TIMEOUT_S", "1")
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def _template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with some entries, made once."""
    return filled(tmp_path_factory.mktemp("template") / "home", 40)


@pytest.fixture
def home(_template: Path, tmp_path: Path) -> Path:
    """A home with some entries."""
    return Path(shutil.copytree(_template, tmp_path / "home"))


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command on the home: its JSON document, after a look at its exit code."""

    def command(*words: str, expect: int = 0) -> Any:
        capsys.readouterr()
        code = main(["--home", str(home), "--json", *words])
        said = capsys.readouterr()
        assert PASSWORD not in said.out + said.err
        assert QUOTED not in said.out + said.err
        assert code == expect, said.out + said.err
        return json.loads(said.out)

    return command
