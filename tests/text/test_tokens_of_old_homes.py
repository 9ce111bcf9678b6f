"""An index that was filled by an older version of the tokens is filled anew when it is opened."""

from pathlib import Path

import pytest

from damals.adapters.edge.shelf import MADE_WITH
from damals.adapters.text.german import GermanLexicalEncoder
from damals.bootstrap import open_home

VERSION = GermanLexicalEncoder().version
OLDER = VERSION.replace("de2-", "de1-")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with open_home(tmp_path / "home", embedder="none", timezone="UTC") as memory:
        memory.remember("Müller", content="Die Müller GmbH sitzt in Detmold.")
        assert memory.recall("Wo saß sie?")
    return tmp_path / "home"


def _note(home: Path) -> Path:
    (note,) = home.rglob(MADE_WITH)
    return note


def _asked(home: Path) -> list[tuple[str, ...]]:
    with open_home(home, embedder="none") as memory:
        return [hit.explanation.matched for hit in memory.recall("Wo saß sie?", explain=True)]


def test_the_version_of_the_tokens_is_kept_beside_the_index(home):
    assert VERSION in _note(home).read_text(encoding="utf-8").splitlines()


def test_an_index_of_this_version_is_used_as_it_is(home):
    before = _note(home).stat().st_mtime_ns
    assert _asked(home) == [("sitzt",)]
    assert _note(home).stat().st_mtime_ns == before


def test_an_index_of_an_older_version_is_filled_anew(home):
    note = _note(home)
    told = note.read_text(encoding="utf-8")
    note.write_text(told.replace(VERSION, OLDER), encoding="utf-8")
    assert _asked(home) == [("sitzt",)]
    assert _note(home).read_text(encoding="utf-8") == told
