"""Real processes on one home: servers, programs that use the library, commands."""

import contextlib
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from damals import Damals

WAIT_S = 120

WRITER = """
import sys
from damals import Damals

with Damals.open(sys.argv[1]) as memory:
    print("ready", flush=True)
    for number in range(int(sys.argv[3])):
        entry = memory.remember(f"{sys.argv[2]}-{number}", "Inhalt")
        print(entry.id, flush=True)
        if number % 5 == 4:
            memory.recall(f"{sys.argv[2]}-{number}", limit=1)
"""
"""Remembers so many entries under a name, and says the id of each as soon as it is acknowledged."""

KEEPER = """
import sys
from damals import Damals
from damals.opening import Stay, open_damals

with open_damals(sys.argv[1], stay=Stay.PROCESS) as memory:
    memory.remember("vom Halter")
    print("ready", flush=True)
    sys.stdin.read()
"""
"""Holds a home until its standard input ends."""


def start(*command: str, **environment: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, encoding="utf-8", env={**os.environ, **environment},
    )  # fmt: skip


def program(script: str, home: Path, *arguments: object) -> "subprocess.Popen[str]":
    return start("-c", script, str(home), *(str(one) for one in arguments))


def said(process: "subprocess.Popen[str]") -> str:
    """The next line that a process says.

    Byte for byte: what a buffered reader took beyond the line, ``communicate`` would not see.
    """
    assert process.stdout is not None
    line = bytearray()
    while (byte := os.read(process.stdout.fileno(), 1)) not in (b"", b"\n"):
        line += byte
    assert line, process.communicate(timeout=WAIT_S)
    return line.decode("utf-8")


class Assistant:
    """An MCP server process, and an assistant that has it remember one thing after the other.

    Attributes:
        ids: of the entries that it was told of.
        failed: answers that were none.
        heard: set with the first id.
    """

    def __init__(self, home: Path, name: str) -> None:
        self.process = start("-m", "damals", "--home", str(home), "mcp")
        self.ids: set[str] = set()
        self.failed: list[object] = []
        self.heard = threading.Event()
        self._name = name
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self._thread = threading.Thread(target=self._talk, daemon=True)
        self._thread.start()

    def leave(self) -> None:
        """Kill the process and wait for the last word."""
        self.process.kill()
        self._thread.join(WAIT_S)
        assert not self._thread.is_alive()
        self.process.wait(WAIT_S)

    def _talk(self) -> None:
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}}
        hello["clientInfo"] = {"name": self._name, "version": "1"}
        with contextlib.suppress(OSError):  # killed while it was written to
            self._ask(0, "initialize", hello)
            for number in itertools.count(1):
                given = {"title": f"{self._name}-{number}", "content": "Inhalt"}
                asked = {"name": "remember", "arguments": given}
                answer = self._ask(number, "tools/call", asked)
                if answer is None:
                    return
                result = answer.get("result", {})
                if result.get("isError", True):
                    self.failed.append(answer)
                else:
                    self.ids.add(result["structuredContent"]["entry"]["id"])
                    self.heard.set()

    def _ask(self, number: int, method: str, params: object) -> dict | None:
        """The answer; nothing when the process has ended."""
        self._write({"id": number, "method": method, "params": params})
        if not number:
            self._write({"method": "notifications/initialized"})
        while line := self.process.stdout.readline():
            told = json.loads(line)
            if told.get("id") == number:
                return told
        return None

    def _write(self, message: dict) -> None:
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()


@contextlib.contextmanager
def server(home: Path, *options: str) -> Iterator["subprocess.Popen[str]"]:
    """A server on any free port; it is killed at the end if it still runs."""
    process = start("-m", "damals", "--home", str(home), "serve", "--port", "0", *options)
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert re.search(r"http://127\.0\.0\.1:\d+", line), line + process.stderr.read()
        # What it logs later must not fill the pipe.
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(WAIT_S)


def end(process: "subprocess.Popen[str]", number: int = signal.SIGTERM) -> int:
    """Send a signal and wait. Returns the exit code."""
    process.send_signal(number)
    return process.wait(WAIT_S)


def damals(home: Path, *arguments: str, expect: int = 0, **environment: str) -> dict:
    """What a command prints as JSON."""
    process = start("-m", "damals", "--home", str(home), "--json", *arguments, **environment)
    out, err = process.communicate(timeout=WAIT_S)
    assert process.returncode == expect, (arguments, process.returncode, out, err)
    return json.loads(out) if out else {}


def entries(home: Path) -> dict[str, str]:
    """Titles of all entries by id."""
    with Damals.open(home) as memory:
        return {entry.id: entry.title for entry in memory.entries(limit=None)}


def assert_sound(home: Path) -> None:
    """Ledger, index and chain are well, and nobody holds the home."""
    with Damals.open(home) as memory:
        assert memory.doctor().ok
        assert memory.audit().ok
    assert (home / "damals.lock").read_text(encoding="utf-8") == ""


def lead_through(home: Path, url: str) -> str:
    """Make the lock file name another address for the owner. Returns the one that it named."""
    lock = home / "damals.lock"
    told = json.loads(lock.read_text(encoding="utf-8"))
    before = told["url"]
    lock.write_text(json.dumps({**told, "url": url}), encoding="utf-8")
    return before
