"""The program, called in the process of a test, on a home of its own."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from damals.interfaces.cli.main import main


class Program:
    """The program, called in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def json(self, *words: str, code: int = 0) -> dict[str, Any]:
        assert main([*words, "--json"]) == code
        shown = self._capsys.readouterr()
        assert "Traceback" not in shown.err
        return json.loads(shown.out)

    def text(self, *words: str, code: int = 0) -> str:
        assert main(words) == code
        return self._capsys.readouterr().out

    def lines(self, *words: str) -> list[str]:
        return self.text(*words).splitlines()


def home_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that is not there yet, in Berlin's zone, searched by words alone."""
    for name in [name for name in os.environ if name.startswith("DAMALS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("DAMALS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DAMALS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("DAMALS_TIMEZONE", "Europe/Berlin")
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    monkeypatch.setenv("DAMALS_LANG", "en")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"
