"""Clients for the tests: raw JSON-RPC in a few lines, and what every tool is called with."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Self

import httpx2

from damals.api import Damals

PROTOCOL = "2025-06-18"
WAIT_S = 60

HELLO = {
    "protocolVersion": PROTOCOL,
    "capabilities": {},
    "clientInfo": {"name": "roher-client", "version": "1.0"},
}


QUIET = {"embedder": "none", "index_mode": "inline"}
"""No model and no worker: answers rest on words alone."""


def fill(memory: Damals) -> tuple[str, str, str]:
    """Three entries: the first two contradict each other, the third stands alone."""
    first = memory.remember("Kapital", "Das Kapital beträgt 25.000 Euro.", key="mueller/kapital")
    second = memory.remember("Kapital laut Register", "Das Kapital beträgt 50.000 Euro.")
    third = memory.remember("Sitz", "Bad Salzuflen", valid_from="2024-09-01", key="mueller/sitz")
    memory.contradict(first.id, second.id, reason="zwei Quellen")
    return first.id, second.id, third.id


def environment(home: Path, **more: str) -> dict[str, str]:
    """What a server of the tests runs with: words alone, no model, no worker."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("DAMALS_")}
    cache = os.environ.get("DAMALS_CACHE")
    return {
        **kept,
        **({"DAMALS_CACHE": cache} if cache else {}),
        "DAMALS_HOME": str(home),
        "DAMALS_EMBEDDER": "none",
        "DAMALS_INDEX_MODE": "inline",
        "DAMALS_LANG": "en",
        **more,
    }


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "damals", "mcp", *arguments]


class Failed(Exception):
    """A request was answered with an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code = error["code"]


def result_of(answer: dict[str, Any]) -> dict[str, Any]:
    if "error" in answer:
        raise Failed(answer["error"])
    return answer["result"]


class RawStdio:
    """Speaks line by line with a server process, and remembers every line that came back."""

    def __init__(self, home: Path, *arguments: str, **more: str) -> None:
        self.process = subprocess.Popen(
            command(*arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(home, **more),
        )
        self.lines: list[bytes] = []
        self.said: list[bytes] = []
        self._arrived: queue.Queue[bytes | None] = queue.Queue()
        self._number = 0
        self._threads = [
            threading.Thread(target=self._read, daemon=True),
            threading.Thread(target=self._log, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(WAIT_S)
        for thread in self._threads:
            thread.join(WAIT_S)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None and not pipe.closed:
                pipe.close()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.append(line)
            self._arrived.put(line)
        self._arrived.put(None)

    def _log(self) -> None:
        self.said.extend(self.process.stderr)

    @property
    def log(self) -> str:
        return b"".join(self.said).decode()

    def write(self, text: str) -> None:
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()

    def next(self) -> dict[str, Any]:
        line = self._arrived.get(timeout=WAIT_S)
        assert line is not None, self.log
        return json.loads(line)

    def send(self, method: str, params: object = None, number: int | None = None) -> None:
        message: dict[str, object] = {"jsonrpc": "2.0", "method": method}
        message |= {} if params is None else {"params": params}
        message |= {} if number is None else {"id": number}
        self.write(json.dumps(message))

    def ask(self, method: str, params: object = None) -> dict[str, Any]:
        """The result of a request.

        Raises:
            Failed: the server refused it.
        """
        self._number += 1
        self.send(method, params, self._number)
        while True:
            answer = self.next()
            if answer.get("id") == self._number:
                return result_of(answer)

    def hello(self) -> dict[str, Any]:
        told = self.ask("initialize", HELLO)
        self.send("notifications/initialized")
        return told

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def leave(self) -> int:
        """Close this end, and wait until the server has gone."""
        self.process.stdin.close()
        return self.process.wait(WAIT_S)

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(WAIT_S)


class RawHttp:
    """Speaks JSON-RPC with a server at an address, and lets nothing hide behind a library."""

    def __init__(self, url: str, key: str | None = None, **headers: str) -> None:
        self.url = url
        self.headers = {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": PROTOCOL,
            **({"Authorization": f"Bearer {key}"} if key else {}),
            **headers,
        }
        self._number = 0

    def post(self, message: object, **headers: str) -> httpx2.Response:
        return httpx2.post(self.url, json=message, headers={**self.headers, **headers}, timeout=30)

    def ask(self, method: str, params: object = None) -> dict[str, Any]:
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method}
        answered = self.post(message if params is None else {**message, "params": params})
        session = answered.headers.get("mcp-session-id")
        if session:
            self.headers["Mcp-Session-Id"] = session
        assert "application/json" in answered.headers["content-type"], answered.text
        return result_of(answered.json())

    def hello(self) -> dict[str, Any]:
        told = self.ask("initialize", HELLO)
        accepted = self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert accepted.status_code == 202
        return told

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})


def rounds(first: str, second: str, third: str) -> list[tuple[str, dict[str, object]]]:
    """Every tool with arguments that suit the entries of :func:`fill`, in an order that works."""
    return [
        ("remember", {"title": "Sprache", "content": "Deutsch", "key": "mueller/sprache"}),
        ("ask", {"question": "Welche Anschrift hat die Müller GmbH?"}),
        ("recall", {"query": "Sprache", "limit": 2}),
        ("update_fact", {
            "target_id": third, "new_title": "Sitz", "new_content": "Detmold",
            "update_reason": "Umzug", "valid_from": "2026-06-01",
        }),
        ("recall_at_time", {"query": "Sitz", "as_of": 2025}),
        ("correct_fact", {"id": third, "reason": "Tippfehler", "title": "Sitz der Firma"}),
        ("verify_fact", {"id": third, "evidence": "Handelsregister"}),
        ("resolve_contradiction", {"a": first, "b": second, "keep": "b", "reason": "geprüft"}),
        ("close_fact", {"id": second, "how": "archive", "reason": "nicht mehr gebraucht"}),
        ("fact_history", {"id": third, "limit": 5}),
        ("diff_knowledge", {"from": "2025-01-01", "to": "now", "limit": 5}),
        ("hygiene", {"limit": 2}),
    ]  # fmt: skip
