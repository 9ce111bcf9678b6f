"""A server that is dead, slow, locked, too old, or no Qdrant at all: over real sockets."""

import json
import socket
from collections.abc import Iterator

import pytest
from qdrant_client import QdrantClient

from damals.adapters.qdrant.server import Server
from damals.adapters.qdrant.settings import QdrantSettings
from damals.adapters.qdrant.shelf import QdrantShelf
from damals.app.index_model import IndexFilter, IndexQuery
from damals.app.ports import ChunkIndex
from damals.domain.errors import Corrupt, DamalsError, Unavailable
from qdrant_server import QdrantServer
from random_index import DIMENSION, a_point, an_id, vector

EVERYTHING = IndexFilter("main", 1, 1)
QUESTION = IndexQuery(EVERYTHING, vector(1, 0, 0, 0), None, 10)


@pytest.fixture
def server() -> Iterator[QdrantServer]:
    with QdrantServer() as server:
        yield server


def settings(url: str, **changes: object) -> QdrantSettings:
    return QdrantSettings(url, DIMENSION, "m", "1", **{"owner": "home", "timeout_s": 5} | changes)


def opened(server: QdrantServer, **changes: object) -> ChunkIndex:
    return QdrantShelf(settings(server.url, **changes)).current().index


@pytest.fixture(scope="module")
def opened_once() -> Iterator[tuple[QdrantServer, ChunkIndex]]:
    with QdrantServer() as server:
        yield server, opened(server)


def failure(call, *arguments: object) -> DamalsError:
    with pytest.raises(DamalsError) as caught:
        call(*arguments)
    return caught.value


def test_points_that_list_much_are_more_requests_and_none_is_refused_for_its_size(server):
    index = opened(server)
    tags = tuple(f"{number:04}" + "ü" * 400 for number in range(1_000))
    points = [a_point(number, tags=tags) for number in range(60)]
    index.upsert(points)
    assert index.count() == len(points)
    assert server.largest < 32_000_000
    assert sum(method == "PUT" and "/points" in path for method, path in server.requests) > 2


def test_nobody_listens():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        error = failure(QdrantShelf(settings(url)).current)
    assert (type(error), error.key) == (Unavailable, "qdrant.unreachable")
    assert error.values["url"] == url


def test_an_address_that_no_host_has():
    error = failure(QdrantShelf(settings("http://host.invalid:6333")).current)
    assert error.key == "qdrant.unreachable"


def test_a_key_is_sent_and_a_wrong_one_is_refused_without_being_told(server: QdrantServer):
    server.key = "a-secret"
    assert opened(server, key="a-secret").count() == 0
    error = failure(opened, server)
    assert error.key == "qdrant.key"
    error = failure(lambda: opened(server, key="another-secret"))
    assert error.key == "qdrant.key"
    assert "secret" not in f"{error!r} {error.values} {settings(server.url, key='a-secret')!r}"


def test_a_key_that_may_only_read_is_refused(server: QdrantServer):
    index = opened(server)
    server.status = 403
    assert failure(index.upsert, [a_point("a")]).key == "qdrant.key"


def test_the_user_of_an_address_is_not_told(server: QdrantServer):
    url = server.url.replace("http://", "http://name:password@")
    server.status = 500
    error = failure(QdrantShelf(settings(url)).current)
    assert error.values["url"] == server.url


def test_an_answer_that_comes_late_is_not_waited_for_and_not_asked_for_again(server: QdrantServer):
    index = opened(server, timeout_s=1)
    asked = len(server.requests)
    server.delay_s = 2.0
    error = failure(index.query, QUESTION)
    assert (error.key, error.values["seconds"]) == ("qdrant.slow", 1)
    assert len(server.requests) == asked + 1


@pytest.mark.parametrize("version", ["1.18.9", "1.9.0", "0.11.7"])
def test_a_version_without_a_corpus_for_the_idf_is_too_old(server: QdrantServer, version: str):
    server.version = version
    error = failure(opened, server)
    assert (error.key, error.values["found"]) == ("qdrant.old", version)
    assert error.values["needed"] == "1.19"


@pytest.mark.parametrize("version", ["1.19.0", "1.20.3-dev", "2.0.0"])
def test_a_newer_version_is_taken(server: QdrantServer, version: str):
    server.version = version
    assert opened(server).count() == 0


def ok(result: object) -> bytes:
    return json.dumps({"result": result, "status": "ok", "time": 0.0}).encode()


GARBAGE = {
    "a page": b"<html>It works!</html>",
    "nothing": b"",
    "bytes": b"\x00\xff\xfe\x80",
    "a number": b"17",
    "a list": b"[]",
    "an empty object": b"{}",
    "another program": b'{"title":"elasticsearch","version":"8.1.0"}',
    "no version": b'{"title":"qdrant - vector search engine","version":"new"}',
    "half an answer": b'{"result":{"points":[',
    "no result": ok(None),
    "true": ok(True),
    "another result": ok({"collections": 3}),
    "a list of lists": ok([[[]]]),
    "a text": ok("fine"),
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("answer", GARBAGE.values(), ids=GARBAGE.keys())
def test_garbage_is_called_so_at_the_first_question(server: QdrantServer, answer: bytes):
    server.garbage = answer
    error = failure(opened, server)
    assert (type(error), error.key) == (Unavailable, "qdrant.garbage")


@pytest.mark.parametrize("answer", GARBAGE.values(), ids=GARBAGE.keys())
@pytest.mark.parametrize(
    "question",
    [
        lambda index: index.upsert([a_point("a")]),
        lambda index: index.query(QUESTION),
        lambda index: index.count(),
        lambda index: list(index.ids()),
        lambda index: index.close_points({an_id("a"): 5}),
        lambda index: index.delete([an_id("a")]),
    ],
    ids=["upsert", "query", "count", "ids", "close", "delete"],
)
def test_garbage_that_comes_later_is_an_error_of_damals(
    opened_once: tuple[QdrantServer, ChunkIndex], question, answer: bytes
):
    server, index = opened_once
    server.garbage = answer
    error = failure(question, index)
    assert isinstance(error, Unavailable | Corrupt)
    server.garbage = None
    index.upsert([a_point("a")])
    assert index.count() == 1


def test_a_hit_without_its_fields_is_damage_that_a_rebuild_mends(server: QdrantServer):
    index = opened(server)
    index.upsert([a_point("a")])
    server.client.overwrite_payload("mindnet_chunks_1", {"workspace": "main"}, [str(an_id("a"))])
    point = {"id": str(an_id("a")), "version": 1, "score": 1.0, "payload": {"entry_id": "x"}}
    server.garbage = ok([{"points": [point]}])
    error = failure(index.query, QUESTION)
    assert (type(error), error.key) == (Corrupt, "index.corrupt")


def test_a_connection_that_breaks_once_is_made_again(server: QdrantServer):
    index = opened(server)
    for call in (lambda: index.upsert([a_point("a")]), index.count, lambda: index.query(QUESTION)):
        server.broken = 1
        call()
    assert index.count() == 1
    server.broken = 2
    assert failure(index.count).key == "qdrant.unreachable"
    assert index.count() == 1


def test_a_server_that_was_restarted_is_found_again(server: QdrantServer):
    index = opened(server)
    index.upsert([a_point("a")])
    server.stop()
    assert failure(index.count).key == "qdrant.unreachable"
    server.start()
    assert index.count() == 1


@pytest.mark.parametrize("status", [400, 409, 422, 429, 500, 502, 503, 507])
def test_what_the_server_refuses_is_told_with_its_reason(server: QdrantServer, status: int):
    index = opened(server)
    server.status = status
    error = failure(index.upsert, [a_point("a")])
    assert error.key == "qdrant.failed"
    assert str(status) in str(error.values["reason"])


def test_a_collection_that_somebody_removed_is_damage_that_a_rebuild_mends(server: QdrantServer):
    index = opened(server)
    server.client.delete_collection("mindnet_chunks_1")
    error = failure(index.query, QUESTION)
    assert (type(error), error.key) == (Corrupt, "index.corrupt")


def test_a_closed_index_says_so(server: QdrantServer):
    index = opened(server)
    index.close()
    for call in (index.count, index.flush, lambda: index.upsert([a_point("a")])):
        assert failure(call).key == "index.closed"


def test_an_error_of_this_program_is_not_taken_for_one_of_the_server():
    server = Server(settings("http://in-memory"), QdrantClient(":memory:"))

    def wrong(client: object) -> object:
        raise ZeroDivisionError(client)

    with pytest.raises(ZeroDivisionError):
        server.ask(wrong)
