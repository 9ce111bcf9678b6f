"""A server of a model that says what a test wants, in both protocols."""

import json
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, BinaryIO

Says = Callable[[dict[str, Any]], str]
"""From the request to what the model writes."""

OK = 200
SOURCE = re.compile(r"<source (\d+) ([0-9a-f]+)>\n(.*?)\n</source \1 \2>", re.DOTALL)


def sources(request: dict[str, Any]) -> dict[int, str]:
    """The fenced sources of a request, by number."""
    user = request["messages"][-1]["content"]
    return {int(number): text for number, _, text in SOURCE.findall(user)}


def sentences(*said: tuple[str, list[int]]) -> str:
    """What a model that keeps to the schema writes."""
    return json.dumps({"sentences": [{"text": t, "citations": c} for t, c in said]})


@dataclass
class ModelServer:
    """What it is to do, and what it was asked."""

    says: Says = lambda _: sentences()
    ollama: bool = False
    status: int = 200
    pause_s: float = 0.0
    """How long it says nothing."""
    breaks_off_after: int | None = None
    raw: bytes | None = None
    ended: str = "stop"
    """Why the answer ends; empty for an end without a word of it."""
    drips_s: float = 0.0
    """It sends a blank this often, and never a line."""
    endless: bool = False
    """What it sends does not end."""
    sent: int = 0
    """Bytes of what does not end."""
    asked: list[tuple[str, dict[str, Any], dict[str, str]]] = field(default_factory=list)
    url: str = ""
    released: threading.Event = field(default_factory=threading.Event)


@contextmanager
def serving(model: ModelServer) -> Iterator[ModelServer]:
    """The server, on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            self._send(OK, [b'{"version": "0.12.0"}' if model.ollama else b"{}"])

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            model.asked.append((self.path, body, dict(self.headers)))
            if model.pause_s:
                model.released.wait(model.pause_s)
            self._send(model.status, _lines(model, body, ollama=self.path == "/api/chat"))

        def _send(self, status: int, lines: Iterable[bytes]) -> None:
            self.send_response(status)
            if model.breaks_off_after is not None:
                self.send_header("Content-Length", "1000000")
            self.end_headers()
            with suppress(OSError):  # whoever asked may be gone
                for line in lines:
                    _drip(model, self.wfile)
                    self.wfile.write(line)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    model.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield model
    finally:
        model.released.set()
        server.shutdown()
        server.server_close()


def _drip(model: ModelServer, to: BinaryIO) -> None:
    while model.drips_s and not model.released.wait(model.drips_s):
        to.write(b" ")


def _lines(model: ModelServer, body: dict[str, Any], *, ollama: bool) -> Iterable[bytes]:
    """What the server sends."""
    if model.endless:
        return _endless(model)
    if model.raw is not None:
        return [model.raw]
    if model.status != OK:
        return [b'{"error": "no such model"}']
    return _streamed(model, body, ollama=ollama)


def _endless(model: ModelServer) -> Iterator[bytes]:
    piece = b"a" * 65536
    while not model.released.is_set():
        yield piece
        model.sent += len(piece)


def _streamed(model: ModelServer, body: dict[str, Any], *, ollama: bool) -> list[bytes]:
    """What the model writes, in pieces."""
    text = model.says(body)
    pieces = [text[at : at + 7] for at in range(0, len(text), 7)]
    lines = [_ollama(one) if ollama else _openai(one) for one in pieces[: model.breaks_off_after]]
    if model.breaks_off_after is None:
        lines += _end(model.ended, ollama=ollama)
    return lines


def _end(reason: str, *, ollama: bool) -> list[bytes]:
    """The last lines of an answer that ended for a reason; none for no reason."""
    if not reason:
        return []
    if ollama:
        told = {"done": True, "done_reason": reason, "message": {}}
        return [json.dumps(told).encode() + b"\n"]
    last = {"choices": [{"delta": {}, "finish_reason": reason}]}
    return [b"data: " + json.dumps(last).encode() + b"\n\n", b"data: [DONE]\n\n"]


def _ollama(piece: str) -> bytes:
    return json.dumps({"message": {"role": "assistant", "content": piece}}).encode() + b"\n"


def _openai(piece: str) -> bytes:
    return b"data: " + json.dumps({"choices": [{"delta": {"content": piece}}]}).encode() + b"\n\n"
