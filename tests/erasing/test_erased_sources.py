"""A source that was erased as a whole comes back only when somebody says so.

The same for vaults, files of events and histories, on the command line and over REST.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import pytest

from afar import open_from_afar
from damals import Damals
from damals.domain.errors import DamalsError
from damals.interfaces.cli.main import main
from git_repository import Repository

NAME = "Archiv/alt & 50 % ä"
"""Slashes, blanks and the like are to be told apart from what they mean in addresses."""


@dataclass(frozen=True)
class Kind:
    """Something to import.

    Attributes:
        path: of the file or folder.
        options: of the import.
        count: how many entries it gives.
    """

    path: Path
    options: dict[str, Any]
    count: int = 2


class Way(Protocol):
    """How it is asked for."""

    def take_in(self, kind: Kind, **more: Any) -> str | None:
        """Import; the key of what refused it."""
        ...

    def erase(self) -> int:
        """Erase the source; how many entries."""
        ...

    def titles(self) -> set[str]:
        """Of what is there."""
        ...


class OnCommandLine:
    """The program, with the errors as it tells them."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._home = ["--home", str(home), "--json", "--lang", "en"]
        self._capsys = capsys

    def _told(self, *words: str, codes: tuple[int, ...] = (0,)) -> dict[str, Any]:
        assert main([*words, *self._home]) in codes
        return json.loads(self._capsys.readouterr().out)

    def take_in(self, kind: Kind, **more: Any) -> str | None:
        given = kind.options | more
        flags = [f"--{name}" for name, value in given.items() if value is True]
        named = ["--name", given["name"]] if "name" in given else []
        told = self._told("import", str(kind.path), *flags, *named, codes=(0, 4))
        if "error" not in told:
            return None
        assert "--readmit" in f"{told['error']['message']} {told['error']['hint']}"
        assert told["error"]["code"] == "conflict"
        return "source.erased_before"

    def erase(self) -> int:
        return len(self._told("erase", "source", NAME, "--yes")["erased"])

    def titles(self) -> set[str]:
        return {one["title"] for one in self._told("list")["entries"]}


class OverRest:
    """A client of a server."""

    def __init__(self, memory: Damals) -> None:
        self._memory = memory

    def take_in(self, kind: Kind, **more: Any) -> str | None:
        try:
            self._memory.import_(kind.path, **(kind.options | more))
        except DamalsError as problem:
            return problem.key
        return None

    def erase(self) -> int:
        return len(self._memory.erase("source", NAME).erased)

    def titles(self) -> set[str]:
        return {one.title for one in self._memory.entries()}


@pytest.fixture(params=["command line", "rest"])
def way(
    request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Iterator[Way]:
    if request.param == "command line":
        yield OnCommandLine(tmp_path / "home", capsys)
        return
    with open_from_afar(tmp_path / "home") as memory:
        yield OverRest(memory)


def vault(folder: Path) -> Kind:
    made = folder / "Notizen"
    made.mkdir()
    (made / "A.md").write_text("Tomaten neben dem Kompost", encoding="utf-8")
    (made / "B.md").write_text("Zwiebeln an der Südmauer", encoding="utf-8")
    return Kind(made, {"name": NAME})


def events(folder: Path) -> Kind:
    """Without ids of their own: nothing but the source tells that they were there before."""
    made = folder / "events.jsonl"
    said = [
        {"op": "remember", "recorded_at": f"2020-01-0{day}", "title": title,
         "content": f"{title} im Beet", "source": {"kind": "file", "name": NAME}}
        for day, title in ((1, "A"), (2, "B"))
    ]  # fmt: skip
    made.write_text("".join(json.dumps(one) + "\n" for one in said), encoding="utf-8")
    return Kind(made, {})


def history(folder: Path) -> Kind:
    made = Repository(folder / "Geschichte")
    made.commit("2015-01-10", "First", A="alt\n", B="neu\n")
    made.commit("2015-02-10", "Second", A="anders\n")
    return Kind(made.root, {"name": NAME, "history": True})


def later(kind: Kind) -> Kind:
    """Events are stored behind what is known, and this home knows of an erasure just now."""
    if kind.path.suffix == ".jsonl":
        lines = kind.path.read_text(encoding="utf-8")
        for day in ("2020-01-01", "2020-01-02"):
            lines = lines.replace(day, datetime.now(UTC).isoformat())
        kind.path.write_text(lines, encoding="utf-8")
    return kind


@pytest.mark.parametrize("make", [vault, events, history])
def test_it_is_refused_until_it_is_readmitted(
    way: Way, tmp_path: Path, make: Callable[[Path], Kind]
):
    kind = make(tmp_path)
    assert way.take_in(kind) is None
    assert way.titles() == {"A", "B"}
    assert way.erase() == kind.count
    assert way.titles() == set()
    kind = later(kind)
    assert way.take_in(kind) == "source.erased_before"
    assert way.titles() == set()
    assert way.take_in(kind, readmit=True) is None
    assert way.titles() == {"A", "B"}
    if kind.path.is_dir():
        assert way.take_in(kind) is None
