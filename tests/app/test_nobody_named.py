"""An acl whose names are all empty names nobody: it must not open an entry to everybody."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from damals import Damals
from damals.domain.errors import InvalidInput


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Damals]:
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    monkeypatch.setenv("DAMALS_INDEX_MODE", "inline")
    with Damals.open(tmp_path / "home") as opened:
        yield opened


@pytest.mark.parametrize("acl", [[""], [" ", ""], " "])
def test_empty_names_are_refused(memory: Damals, acl):
    entry = memory.remember("Gehalt", "Anna sieht es", acl=["anna"]).id
    for change in (
        lambda: memory.remember("Neu", "Text", acl=acl),
        lambda: memory.correct(entry, reason="neu", acl=acl),
    ):
        with pytest.raises(InvalidInput) as refused:
            change()
        assert refused.value.key == "field.nobody"
    assert list(memory.get(entry).acl) == ["anna"]


@pytest.mark.parametrize("acl", [[], ""])
def test_no_names_at_all_are_everybody(memory: Damals, acl):
    entry = memory.remember("Gehalt", "Anna sieht es", acl=["anna"]).id
    memory.correct(entry, reason="neu", acl=acl)
    assert list(memory.get(entry).acl) == []
