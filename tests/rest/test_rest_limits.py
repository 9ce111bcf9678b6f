"""How much, how often, how many at once, how long."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from rest_server import TOKEN, Served, serve

from damals.app.door import Door
from damals.interfaces.rest.options import ServerOptions
from damals.interfaces.rest.rates import Rates


@pytest.fixture
def limited(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    running = []

    def start(**limits) -> Served:
        running.append(serve(tmp_path / "home", Door(TOKEN), ServerOptions(**limits)))
        return next(running[-1])

    yield start
    for one in running:
        next(one, None)


@contextmanager
def turn_taken(served: Served) -> Iterator[None]:
    """Somebody else's turn, which changes wait for."""
    taken, over = threading.Event(), threading.Event()

    def hold() -> None:
        with served.home.opened.turn:
            taken.set()
            over.wait(30)

    holder = threading.Thread(target=hold)
    holder.start()
    assert taken.wait(10)
    try:
        yield
    finally:
        over.set()
        holder.join()


def test_a_body_that_is_too_long_is_refused_before_it_is_read(limited):
    served = limited(max_body_bytes=1000, max_import_bytes=3000)
    api = served.client(workspace="default")
    long = api.post("/entries", json={"title": "t", "content": "x" * 2000})
    assert (long.status_code, long.json()["key"]) == (413, "request.too_large")
    assert long.json()["values"] == {"limit": 1000}
    api.post("/entries", json={"title": "t"})
    headers = {"Content-Type": "application/x-ndjson"}
    assert api.post("/imports", content=b"\n" * 2000, headers=headers).status_code == 202
    assert api.post("/imports", content=b"\n" * 4000, headers=headers).status_code == 413


@pytest.mark.parametrize("path", ["/entries", "/imports"])
def test_a_body_of_untold_length_is_refused_where_it_becomes_too_long(limited, path: str):
    served = limited(max_body_bytes=1000, max_import_bytes=3000)
    api = served.client(workspace="default")
    api.post("/entries", json={"title": "t"})
    kind = "application/json" if path == "/entries" else "application/x-ndjson"
    answer = api.post(path, content=(b" " * 500 for _ in range(20)), headers={"Content-Type": kind})
    assert (answer.status_code, answer.json()["key"]) == (413, "request.too_large")


def test_nobody_without_a_key_sends_a_body(limited):
    served = limited(max_body_bytes=1000)
    host, _, port = served.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(
            b"POST /v1/workspaces/default/entries HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\nContent-Length: 900\r\n\r\n"
        )
        assert connection.recv(4096).startswith(b"HTTP/1.1 401")


def test_a_key_asks_so_many_times_a_minute_and_the_owner_as_often_as_they_like(limited):
    served = limited(requests_per_minute=3)
    served.home.remember("da")
    someone = served.client(served.key("someone"), "default")
    other = served.client(served.key("other"), "default")
    assert [someone.get("/entries").status_code for _ in range(4)] == [200, 200, 200, 429]
    refused = someone.get("/entries")
    assert refused.json()["key"] == "request.too_many"
    assert int(refused.headers["retry-after"]) in range(1, 21)
    assert other.get("/entries").status_code == 200
    owner = served.client(workspace="default")
    assert {owner.get("/entries").status_code for _ in range(6)} == {200}


def test_guessing_keys_is_slowed_down(limited):
    served = limited(requests_per_minute=3)
    served.home.remember("da")
    answers = [served.client(f"damals_{n}").get("/workspaces").status_code for n in range(5)]
    assert answers == [401, 401, 401, 429, 429]
    assert len(served.home.denials()) == 3


def test_a_bucket_fills_up_steadily_and_never_over():
    rates = Rates(60)
    assert [rates.wait_of("a", 0.0) for _ in range(60)] == [0] * 60
    assert rates.wait_of("a", 0.0) == 1
    assert rates.wait_of("b", 0.0) == 0
    assert [rates.wait_of("a", 1.0), rates.wait_of("a", 1.0)] == [0, 1]
    assert [rates.wait_of("a", 1000.0) for _ in range(61)] == [0] * 60 + [1]


def test_a_request_that_takes_too_long_is_answered_and_done_all_the_same(limited):
    served = limited(request_timeout_s=0.3)
    api = served.client(workspace="default")
    api.post("/entries", json={"title": "zuerst"})
    key = {"Idempotency-Key": "a"}
    with turn_taken(served):
        late = api.post("/entries", json={"title": "wartet"}, headers=key)
        assert (late.status_code, late.json()["key"]) == (503, "request.timeout")
        assert late.headers["cache-control"] == "no-store"
        assert api.get("/entries").status_code == 200
    again = api.post("/entries", json={"title": "wartet"}, headers=key)
    assert again.status_code == 201
    assert len(api.get("/entries").json()["entries"]) == 2


def test_more_requests_at_once_than_allowed_are_refused_and_the_place_is_free_again(limited):
    served = limited(concurrent_requests=2, request_timeout_s=0.3)
    api = served.client(workspace="default")
    api.post("/entries", json={"title": "zuerst"})
    with turn_taken(served):
        for number in range(2):
            assert api.post("/entries", json={"title": f"w{number}"}).status_code == 503
        full = api.get("/entries")
        assert (full.status_code, full.json()["key"]) == (503, "request.busy")
        assert full.headers["retry-after"] == "1"
    while (answer := api.get("/entries")).status_code == 503:
        pass
    assert answer.status_code == 200


def test_questions_go_on_while_many_changes_wait(limited):
    served = limited()
    api = served.client(workspace="default")
    api.post("/entries", json={"title": "zuerst"})
    waiting = []
    with turn_taken(served):
        for number in range(60):
            client = served.client(workspace="default")
            waiting.append(
                threading.Thread(target=client.post, args=("/entries",),
                                 kwargs={"json": {"title": f"w{number}"}})
            )  # fmt: skip
            waiting[-1].start()
        assert api.get("/entries").status_code == 200
    for one in waiting:
        one.join()
    assert len(api.get("/entries", params={"limit": "all"}).json()["entries"]) == 61


def test_who_listens_to_events_takes_no_place_of_a_request_and_has_a_limit_of_their_own(limited):
    served = limited(concurrent_requests=1)
    api = served.client(workspace="default")
    api.post("/entries", json={"title": "zuerst"})
    headers = {"Content-Type": "application/x-ndjson"}
    with turn_taken(served):
        job = api.post("/imports", content=b"\n", headers=headers).json()["id"]
        with api.stream("GET", f"/jobs/{job}/events") as listening:
            assert listening.status_code == 200
            assert api.get("/entries").status_code == 200
            full = api.get(f"/jobs/{job}/events")
            assert (full.status_code, full.json()["key"]) == (503, "request.busy")
    assert "event: done" in api.get(f"/jobs/{job}/events").text
