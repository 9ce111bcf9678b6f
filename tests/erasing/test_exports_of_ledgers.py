"""What left the home is noted, in every ledger."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from forgotten import refused

from damals.adapters.memory.ledger import MemoryLedger
from damals.adapters.sql.ledger import SqlLedger
from damals.app.access_model import NotedExport
from damals.app.ledger_port import Ledger


@pytest.fixture(params=["memory", "sqlite"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    made: Ledger = (
        MemoryLedger() if request.param == "memory" else SqlLedger(tmp_path / "ledger.db")
    )
    made.create_workspace("w", "UTC", 1)
    yield made
    made.close()


def test_exports_are_noted_with_what_is_in_them(ledger: Ledger):
    first = NotedExport("events", "/elsewhere/Jürgen.jsonl", 10, 1)
    second = NotedExport("person", "/elsewhere/2.jsonl", 11, 2, "bot")
    for one in (first, second):
        ledger.registry.note_export("w", one)
    assert list(ledger.registry.exports("w")) == [first, second]
    assert list(ledger.registry.exports("w", since=2)) == [second]
    assert list(ledger.registry.exports("nobody")) == []
    with refused("workspace.unknown"):
        ledger.registry.note_export("nobody", first)
