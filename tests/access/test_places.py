"""Addresses of the machine are told to who administers, and to nobody else, wherever they stand."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from damals.app.door import Door
from damals.app.wire import to_wire
from damals.bootstrap import open_home
from damals.domain.access import Principal
from damals.interfaces.listening import Listener
from damals.interfaces.mcp.http import add_mcp
from damals.interfaces.rest.app import create_app
from damals.local import LocalDamals

ROLES = ("reader", "writer")
RECALLED = {"limit": 3, "explain": True}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "Verwaltung von Anna"
    folder.mkdir()
    (folder / "Mietvertrag.md").write_text("# Mietvertrag\n\nDie Miete beträgt 700 Euro.\n")
    (folder / "Kaution.md").write_text("# Kaution\n\nSiehe [[Mietvertrag]].\n")
    return folder


@pytest.fixture
def owner(tmp_path: Path, vault: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalDamals]:
    """A home with a vault, of which one note has changed."""
    monkeypatch.setenv("DAMALS_INDEX_MODE", "inline")
    home = open_home(tmp_path / "home", embedder="none", brief=True)
    assert isinstance(home, LocalDamals)
    home.import_(vault)
    (vault / "Mietvertrag.md").write_text("# Mietvertrag\n\nDie Miete beträgt 750 Euro.\n")
    home.import_(vault)
    yield home
    home.close()


def asked(memory: LocalDamals, folder: Path) -> dict[str, str]:
    """Everything that can be asked about the notes, as text, by what was asked."""
    note = next(one for one in memory.entries() if one.title == "Mietvertrag")
    found = memory.recall("Wie hoch ist die Miete?", **RECALLED)
    answered = memory.ask("Wie hoch ist die Miete?")
    ways: dict[str, Callable[[], Any]] = {
        "entry": lambda: memory.get(note.id),
        "entries": lambda: memory.entries(limit=None),
        "history": lambda: memory.history(note.id),
        "log": memory.log,
        "recall": lambda: found,
        "replayed recall": lambda: memory.replay(str(found.receipt)),
        "answer": lambda: answered,
        "reasons": lambda: memory.why(str(answered.receipt)),
        "replayed answer": lambda: memory.replay(str(answered.receipt), recompute=True),
        "diff": lambda: memory.diff(start="2020-01-01", end="now", axis="known"),
        "trace": lambda: memory.trace(note.id),
        "graph": lambda: memory.graph(note.id),
        "hygiene": memory.hygiene,
        "lint": memory.lint,
        "gate": lambda: memory.gate([note.id]),
        "patterns": lambda: memory.patterns("Miete"),
    }
    told = {name: json.dumps(to_wire(ask())) for name, ask in ways.items()}
    told["sources"] = json.dumps([to_wire(one) for one in memory.sources()])
    folder.mkdir()
    memory.export(folder / "events.jsonl")
    told["export"] = (folder / "events.jsonl").read_text("utf-8")
    memory.export(folder / "notes", format="markdown")
    notes = (folder / "notes").rglob("*.md")
    told["exported notes"] = "\n".join(one.read_text("utf-8") for one in notes)
    return told


def telling(told: dict[str, str], vault: Path) -> set[str]:
    """What of it tells where the vault lies."""
    places = (vault.as_uri(), str(vault), vault.parent.as_uri(), str(vault.parent))
    return {name for name, text in told.items() if any(one in text for one in places)}


@pytest.mark.parametrize("role", ROLES)
def test_who_does_not_administer_is_told_of_no_place(
    owner: LocalDamals, vault: Path, tmp_path: Path, role: str
):
    told = asked(owner.under(Principal("bot", (role,), None, "restricted", 3)), tmp_path / role)
    assert telling(told, vault) == set()
    assert "Mietvertrag.md" in told["entry"]
    assert vault.name in told["entry"]


def test_who_administers_is_told_where_an_entry_comes_from(
    owner: LocalDamals, vault: Path, tmp_path: Path
):
    for name, asker in (
        ("owner", owner),
        ("admin", owner.under(Principal("ops", ("admin",), None, "restricted", 3))),
    ):
        told = telling(asked(asker, tmp_path / name), vault)
        assert {"entry", "history", "log", "recall", "export"} <= told


def test_a_vault_that_a_key_imports_is_known_again_by_where_it_lies(
    owner: LocalDamals, vault: Path
):
    writer = owner.under(Principal("bot", ("writer",), None, "restricted", 3))
    assert writer.import_(vault).unchanged == 2
    assert writer.import_(vault / "Kaution.md").unchanged == 1
    assert {one.name for one in writer.sources()} == {vault.name}
    assert {one.source.uri for one in writer.entries()} == {None}
    assert {one.source.uri for one in owner.entries()} == {vault.as_uri()}


def test_keys_are_told_of_no_place_over_rest_and_mcp(owner: LocalDamals, vault: Path):
    secret = owner.create_key("bot", roles=("writer",)).secret
    listener = Listener(lambda token: served(owner, token), lambda _: True)
    listener.begin()
    listener.ready.wait()
    try:
        headers = {"Authorization": f"Bearer {secret}"}
        with httpx2.Client(base_url=listener.url, headers=headers) as client:
            below = "/v1/workspaces/default"
            told = {
                path: client.get(f"{below}/{path}").text for path in ("entries", "log", "sources")
            }
            body = {"query": "Miete", "explain": True}
            told["recall"] = client.post(f"{below}/recall", json=body).text
            call = {"name": "recall", "arguments": {"query": "Miete"}}
            told["mcp"] = spoken(client, "tools/call", call)
    finally:
        listener.stop()
    names = (vault.name, "Mietvertrag.md")
    silent = {path: text for path, text in told.items() if not any(one in text for one in names)}
    assert silent == {}
    assert telling(told, vault) == set()


def served(owner: LocalDamals, token: str) -> FastAPI:
    app = create_app(owner, Door(token))
    add_mcp(app)
    return app


def spoken(client: httpx2.Client, method: str, params: dict[str, Any]) -> str:
    """What an assistant is answered over HTTP."""
    accepted = {"Accept": "application/json, text/event-stream"}
    info = {"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}  # fmt: skip
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": info}
    begun = client.post("/mcp", json=hello, headers=accepted)
    session = {"Mcp-Session-Id": begun.headers.get("mcp-session-id", "")}
    headers = accepted | {name: one for name, one in session.items() if one}
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    client.post("/mcp", json=ready, headers=headers)
    asked_for = {"jsonrpc": "2.0", "id": 2, "method": method, "params": params}
    return client.post("/mcp", json=asked_for, headers=headers).text
