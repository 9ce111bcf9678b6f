"""A client of a server: keys, errors, what is sent again, what is sent along."""

import http.server
import json
import threading
from collections.abc import Iterator

import pytest

from afar import ServedHome
from damals import Damals, messages
from damals.bootstrap import init_home
from damals.errors import (
    Conflict,
    DamalsError,
    Denied,
    InvalidInput,
    NotFound,
    Unavailable,
)
from damals.remote.client import RemoteDamals
from damals.remote.connection import Manners
from damals.remote.failures import error_of
from dropping_proxy import DroppingProxy

NOBODY = "http://127.0.0.1:9"


@pytest.fixture
def served(tmp_path) -> Iterator[ServedHome]:
    init_home(tmp_path / "home", timezone="Europe/Berlin")
    made = ServedHome(tmp_path / "home")
    yield made
    made.close()


def owner(served: ServedHome, url: str | None = None) -> RemoteDamals:
    return RemoteDamals(url or served.listener.url, served.listener.token)


def test_the_holder_of_a_key_is_the_actor_and_may_do_what_its_roles_say(served):
    secret = served.memory.create_key("kim", roles=["reader"]).secret
    served.memory.remember("X")
    with Damals.connect(served.listener.url, secret) as reader:
        assert reader.entries().entries[0].title == "X"
        with pytest.raises(Denied) as refused:
            reader.remember("Y")
        assert refused.value.key == "access.right"
        with pytest.raises(Denied):
            reader.keys()
    secret = served.memory.create_key("alex", roles=["writer"], workspaces=["default"]).secret
    with Damals.connect(f"{served.listener.url}/v1/", secret) as writer:
        writer.remember("Y")
        assert writer.log().transactions[-1].actor == "alex"
        with pytest.raises(Denied):
            writer.erase("entry", writer.entries().entries[0].id)
        with pytest.raises(Denied):
            writer.transact([{"op": "erase", "target": writer.entries().entries[0].id}])
        served.memory.revoke_key("alex")
        with pytest.raises(Denied) as refused:
            writer.entries()
        assert refused.value.key == "access.unknown_key"
    served.memory.create_workspace("zwei")
    secret = served.memory.create_key("eins", workspaces=["default"]).secret
    with Damals.connect(served.listener.url, secret, workspace="zwei") as outside:
        with pytest.raises(NotFound) as refused:
            outside.entries()
        assert refused.value.key == "workspace.unknown"


def test_without_a_key_nobody_gets_in(served):
    with Damals.connect(served.listener.url) as memory, pytest.raises(Denied) as refused:
        memory.entries()
    assert refused.value.key == "access.no_key"


def test_nobody_at_the_address_is_unavailable():
    memory = RemoteDamals(NOBODY, manners=Manners(retries=1))
    with memory, pytest.raises(Unavailable) as refused:
        memory.entries()
    assert refused.value.key == "remote.unreachable"
    assert refused.value.values["url"] == NOBODY


@pytest.mark.parametrize("url", ["", "archiv", "ftp://x", "http://", "http://a:b:c", "file:///x"])
def test_what_is_no_address_is_refused(url):
    with pytest.raises(DamalsError) as refused, Damals.connect(url) as memory:
        memory.entries()
    assert refused.value.key in {"remote.url", "remote.unreachable"}


def test_a_lost_answer_is_asked_for_again_and_nothing_is_done_twice(served):
    proxy = DroppingProxy(served.listener.url)
    with owner(served, proxy.url) as memory:
        proxy.drop = 2
        assert memory.remember("X").transaction == 1
        proxy.marks = b"GET "
        proxy.drop = 1
        assert len(memory.log().transactions) == 1
        proxy.marks = b"POST "
        proxy.drop = 1
        made = memory.create_workspace("zwei")
        assert made in memory.workspaces()
        proxy.drop = 1
        with memory.transaction() as together:
            together.remember("Y")
        proxy.drop = 1
        with memory.transaction() as together:
            together.remember("Z")
            proxy.drop = 1
        assert [entry.title for entry in memory.entries(limit=None)] == ["X", "Y", "Z"]
        proxy.drop = 1
        with pytest.raises(Conflict) as refused:
            memory.create_key("kim")  # a secret that nobody has heard is not kept to be told again
        assert refused.value.key == "request.secret"
    proxy.close()


def test_a_file_of_events_is_sent_along(served, tmp_path):
    events = tmp_path / "history.jsonl"
    lines = [
        {"op": "remember", "title": f"E{n}", "recorded_at": f"2020-01-0{n}"} for n in range(1, 4)
    ]
    events.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    secret = served.memory.create_key("kim", roles=["writer"]).secret
    with Damals.connect(served.listener.url, secret) as memory:
        assert memory.import_(events).added == 3
        with pytest.raises(Conflict) as refused:
            memory.import_(events)
        assert refused.value.values["cause"].key == "transaction.too_early"
        for wrong in ({"dry_run": True}, {"prune": True}):
            with pytest.raises(InvalidInput) as refused:
                memory.import_(events, **wrong)
            assert refused.value.key == "import.events_options"
        with pytest.raises(NotFound):
            memory.import_(tmp_path / "missing.jsonl")
        with pytest.raises(Denied) as refused:
            memory.import_(tmp_path)
        assert refused.value.key == "import.outside"
        assert memory.export(tmp_path / "out.jsonl").transactions == 3


def test_texts_of_answers_are_in_the_language_of_the_asker(served):
    with owner(served) as memory:
        memory.remember("X")
        english = memory.doctor()
        with messages.speaking("de"):
            german = memory.doctor()
    assert english.checks != german.checks
    assert [check.name for check in english.checks] == [check.name for check in german.checks]


# --- others than damals


class Other(http.server.BaseHTTPRequestHandler):
    """Answers as something that is not damals."""

    answer = (200, "text/html", b"<p>Hallo</p>")

    def do_GET(self) -> None:
        status, kind, body = self.answer
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


@pytest.mark.parametrize(
    ("answer", "kind", "key"),
    [
        ((200, "text/html", b"<p>Hallo</p>"), Unavailable, "remote.answer"),
        ((200, "application/json", b"[]"), Unavailable, "remote.answer"),
        ((200, "application/json", b"{}"), Unavailable, "remote.answer"),
        ((200, "application/json", b'{"entries": 3, "next": null}'), Unavailable, "remote.answer"),
        ((502, "text/html", b"Bad Gateway"), Unavailable, "remote.status"),
        ((404, "text/html", b"nothing"), NotFound, "remote.status"),
        ((403, "application/json", b'{"code": 3}'), Denied, "remote.status"),
        ((302, "text/html", b""), Unavailable, "remote.answer"),
    ],
)
def test_what_answers_otherwise_is_not_believed(monkeypatch, answer, kind, key):
    monkeypatch.setattr(Other, "answer", answer)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Other)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    memory = RemoteDamals(url, manners=Manners(retries=0))
    with memory, pytest.raises(DamalsError) as refused:
        memory.entries()
    assert isinstance(refused.value, kind)
    assert refused.value.key == key
    server.shutdown()
    server.server_close()


def test_an_error_of_a_newer_server_is_known_by_its_code():
    document = {"code": "conflict", "key": "from.the.future", "values": {"a": {"b": 1}}}
    error = error_of(409, document, NOBODY)
    assert (type(error), error.key) == (Conflict, "from.the.future")
    error = error_of(500, {"code": "internal", "detail": "x"}, NOBODY)
    assert (type(error), error.key) == (DamalsError, "remote.failed")
