"""Strangers at the address of an owner: they are shown nothing, and not believed."""

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from afar import announced
from damals import Damals
from damals.app.ownership import Owner, proof_of
from damals.app.versions import PROGRAM_VERSION
from damals.bootstrap import init_home, open_home
from damals.errors import Unavailable

TOKEN = "token-of-an-owner-that-was-killed"  # noqa: S105 -- opens nothing


class Stranger(http.server.BaseHTTPRequestHandler):
    """Answers anything with ``answer``, and remembers what it was shown."""

    answer: bytes
    seen: list[tuple[str, dict[str, str], bytes]]

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        told = dict(self.headers.items()), self.rfile.read(length)
        self.seen.append((f"{self.command} {self.path.partition('?')[0]}", *told))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(self.answer)))
        self.end_headers()
        self.wfile.write(self.answer)

    do_POST = do_GET  # noqa: N815 -- names that the base class calls

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("DAMALS_LOCK_TIMEOUT_S", "0.3")
    folder = tmp_path / "home"
    init_home(folder, timezone="Europe/Berlin")
    return folder


@pytest.fixture
def stranger() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stranger)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    "answer",
    [
        b'{"status": "ok"}',
        b'{"status": "ok", "proof": null}',
        b'{"status": "ok", "proof": ""}',
        b'{"status": "ok", "proof": "\xc3\xa4"}',
        json.dumps({"status": "ok", "proof": proof_of("geraten", "0" * 32)}).encode(),
        json.dumps({"status": "ok", "proof": proof_of(TOKEN, "0" * 32)}).encode(),
        b"[]",
        b"<p>Hallo</p>",
        b"[" * 4_000,
        b" " * 1_000_000,
        b"",
    ],
)
def test_a_stranger_where_an_owner_was_is_shown_no_secret_and_nothing_else(
    home, stranger, monkeypatch, answer
):
    monkeypatch.setattr(Stranger, "answer", answer, raising=False)
    monkeypatch.setattr(Stranger, "seen", [], raising=False)
    with open_home(home) as holder:
        holder.remember("X")
        left = json.dumps({"url": stranger, "token": TOKEN, "pid": 1})
        (home / "damals.lock").write_text(left, encoding="utf-8")
        with Damals.open(home) as memory, pytest.raises(Unavailable) as refused:
            memory.remember("geheim")
    assert refused.value.key == "home.held"
    assert Stranger.seen
    for call, headers, body in Stranger.seen:
        assert (call, body) == ("GET /v1/health", b"")
        assert "authorization" not in {name.lower() for name in headers}
        assert TOKEN not in str(headers)


def test_the_owner_of_another_home_is_a_stranger(home, tmp_path):
    other = tmp_path / "other"
    init_home(other, timezone="UTC")
    with announced(home) as served, announced(other) as strange:
        lock = served.memory.opened.parts.home.lock
        lock.announce(Owner(strange.listener.url, served.listener.token))
        with Damals.open(home) as memory, pytest.raises(Unavailable) as refused:
            memory.remember("X")
        assert refused.value.key == "home.held"
        lock.announce(Owner(served.listener.url, served.listener.token))
        with Damals.open(home) as memory:
            assert memory.remember("X").transaction == 1


def test_an_owner_proves_itself_to_whoever_asks_and_tells_no_secret(home):
    with announced(home) as served:
        url, token = served.listener.url, served.listener.token
        for challenge in ("0" * 16, "0123456789abcdef" * 4):
            told = httpx2.get(f"{url}/v1/health", params={"challenge": challenge})
            proof = proof_of(token, challenge)
            assert told.json() == {"status": "ok", "proof": proof, "version": PROGRAM_VERSION}
            assert token not in told.text
        assert httpx2.get(f"{url}/v1/health").json() == {"status": "ok"}
        for wrong in ("", "0" * 15, "0" * 65, "GET /v1/keys", "\u00e4" * 20):
            assert httpx2.get(f"{url}/v1/health", params={"challenge": wrong}).status_code == 400


def test_an_owner_of_another_version_is_named_and_not_waited_for(home, monkeypatch):
    monkeypatch.setenv("DAMALS_LOCK_TIMEOUT_S", "600")
    with announced(home):
        monkeypatch.setattr("damals.remote.greeting.PROGRAM_VERSION", "0.0.1")
        with Damals.open(home) as memory, pytest.raises(Unavailable) as refused:
            memory.remember("X")
    assert refused.value.key == "home.other_version"
    assert refused.value.values == {"theirs": PROGRAM_VERSION, "ours": "0.0.1"}


def test_each_challenge_and_each_token_has_a_proof_of_its_own():
    proofs = {proof_of(token, one) for token in ("a", "b", "\udcff") for one in ("00", "01")}
    assert len(proofs) == 6
