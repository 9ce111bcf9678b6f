"""A Qdrant server on a real socket: enough of its REST protocol, over the client's own engine.

What it takes and gives is checked by the client's own models, so that no test passes with a request
that a real server would not understand. It can be told to fail in the ways that servers fail.
"""

import json
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import unquote, urlsplit

from pydantic import BaseModel
from pydantic_core import to_jsonable_python
from qdrant_client import QdrantClient, models

VERSION = "1.19.0"


class QdrantServer:
    """Serves from its making on, at ``url``; a context manager.

    Attributes:
        key: asked of every request when it is not empty.
        version: what it says to be.
        delay_s: how long it thinks before each answer.
        garbage: what it answers instead, when it is not ``None``.
        broken: how many of the next requests end without an answer.
        breaks_after: carries out so many requests, then none until it is set anew.
        status: with which status it refuses everything, when it is not 0.
        requests: paths that it was asked for.
        largest: bytes of its largest request; a real one takes 32 MB.
        indexes: payload indexes by collection and field.
        layouts: with what each collection was made.
        client: its content.
    """

    def __init__(self, port: int = 0) -> None:
        self.key = ""
        self.version = VERSION
        self.delay_s = 0.0
        self.garbage: bytes | None = None
        self.broken = 0
        self.status = 0
        self.largest = 0
        self.breaks_after: int | None = None
        self.requests: list[tuple[str, str]] = []
        self.indexes: dict[str, dict[str, Any]] = {}
        self.layouts: dict[str, models.CreateCollection] = {}
        self.empty()
        self._turn = threading.Lock()
        self._port = port
        self._http: ThreadingHTTPServer | None = None
        self.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def empty(self) -> None:
        """Forget everything."""
        self.client = QdrantClient(":memory:", force_disable_check_same_thread=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Listen; again at the same port after a stop, with all that it had."""
        outer = self

        class Handler(_Handler):
            server_of = outer

        self._http = ThreadingHTTPServer(("127.0.0.1", self._port), Handler)
        self._http.daemon_threads = True
        self._port = self._http.server_address[1]
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        """Refuse connections from now on."""
        if self._http is not None:
            self._http.shutdown()
            self._http.server_close()
            self._http = None

    def answer(self, method: str, path: str, body: bytes) -> object:
        """What a request is answered with; raises what the client's engine raises."""
        with self._turn:
            told = json.loads(body) if body else {}
            match [unquote(part) for part in path.strip("/").split("/")]:
                case [""]:
                    return None
                case ["aliases"]:
                    return self.client.get_aliases()
                case ["collections"]:
                    return self.client.get_collections()
                case ["collections", "aliases"]:
                    change = models.ChangeAliasesOperation.model_validate(told)
                    return self.client.update_collection_aliases(change.actions)
                case ["collections", name, *rest]:
                    return self._of_collection(method, name, tuple(rest), told)
        raise LookupError(path)

    def _of_collection(
        self, method: str, name: str, rest: tuple[str, ...], told: dict[str, Any]
    ) -> object:
        client = self.client
        if (method, rest) == ("PUT", ()):
            given = self.layouts[name] = models.CreateCollection.model_validate(told)
            return client.create_collection(
                name, vectors_config=given.vectors or {},
                sparse_vectors_config=given.sparse_vectors, metadata=given.metadata,
            )  # fmt: skip
        if not client.collection_exists(name):
            raise LookupError(name)
        if (method, rest) == ("PUT", ("index",)):
            asked = models.CreateFieldIndex.model_validate(told)
            self.indexes.setdefault(name, {})[asked.field_name] = asked.field_schema
            return models.UpdateResult(status=models.UpdateStatus.COMPLETED)
        if (method, rest) == ("PATCH", ()):
            change = models.UpdateCollection.model_validate(told)
            return client.update_collection(name, metadata=change.metadata)
        return _CALLS[method, rest](client, name, told)


def _upsert(client: QdrantClient, name: str, told: dict[str, Any]) -> object:
    return client.upsert(name, models.PointsList.model_validate(told).points)


def _query(client: QdrantClient, name: str, told: dict[str, Any]) -> object:
    asked = models.QueryRequestBatch.model_validate(told)
    for one in asked.searches:  # its search is exact, and it warns of whoever says so
        one.params = one.params and models.SearchParams(idf=one.params.idf)
    return client.query_batch_points(name, asked.searches)


def _count(client: QdrantClient, name: str, told: dict[str, Any]) -> object:
    asked = models.CountRequest.model_validate(told)
    return client.count(name, count_filter=asked.filter, exact=bool(asked.exact))


def _scroll(client: QdrantClient, name: str, told: dict[str, Any]) -> object:
    asked = models.ScrollRequest.model_validate(told)
    points, following = client.scroll(
        name, scroll_filter=asked.filter, limit=asked.limit or 10, offset=asked.offset,
        with_payload=asked.with_payload or False, with_vectors=asked.with_vector or False,
    )  # fmt: skip
    return models.ScrollResult(points=points, next_page_offset=following)


def _retrieve(client: QdrantClient, name: str, told: dict[str, Any]) -> object:
    asked = models.PointRequest.model_validate(told)
    return client.retrieve(
        name, asked.ids, with_payload=asked.with_payload or False,
        with_vectors=asked.with_vector or False,
    )  # fmt: skip


def _set_payload(client: QdrantClient, name: str, told: dict[str, Any]) -> object:
    asked = models.SetPayload.model_validate(told)
    points = asked.points if asked.points is not None else asked.filter
    return client.set_payload(name, asked.payload, points=points)


def _vectors(client: QdrantClient, name: str, told: dict[str, Any]) -> object:
    return client.update_vectors(name, models.UpdateVectors.model_validate(told).points)


def _delete(client: QdrantClient, name: str, told: dict[str, Any]) -> object:
    if "points" in told:
        return client.delete(name, models.PointIdsList.model_validate(told).points)
    return client.delete(name, models.FilterSelector.model_validate(told))


Call = Callable[[QdrantClient, str, dict[str, Any]], object]

_CALLS: dict[tuple[str, tuple[str, ...]], Call] = {
    ("GET", ()): lambda client, name, _: client.get_collection(name),
    ("DELETE", ()): lambda client, name, _: client.delete_collection(name),
    ("PUT", ("points",)): _upsert,
    ("POST", ("points",)): _retrieve,
    ("POST", ("points", "query", "batch")): _query,
    ("POST", ("points", "count")): _count,
    ("POST", ("points", "scroll")): _scroll,
    ("POST", ("points", "payload")): _set_payload,
    ("PUT", ("points", "vectors")): _vectors,
    ("POST", ("points", "delete")): _delete,
}


class _Handler(BaseHTTPRequestHandler):
    server_of: QdrantServer
    protocol_version = "HTTP/1.1"

    def _handle(self) -> None:
        server, path = self.server_of, urlsplit(self.path).path
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        server.requests.append((self.command, path))
        server.largest = max(server.largest, len(body))
        time.sleep(server.delay_s)
        if server.breaks_after is not None:
            server.broken = int(not server.breaks_after)
            server.breaks_after = max(server.breaks_after - 1, 0)
        if server.broken:
            server.broken -= 1
            self.close_connection = True
            return
        if server.garbage is not None:
            self._send(200, server.garbage)
        elif server.status:
            self._send(server.status, b'{"status":{"error":"no"},"time":0.0}')
        elif server.key and self.headers.get("api-key") != server.key:
            self._send(401, b"Must provide an API key or an Authorization bearer token")
        elif path == "/":
            told = {"title": "qdrant - vector search engine", "version": server.version}
            self._send(200, json.dumps(told).encode())
        else:
            self._answer(path, body)

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = _handle  # noqa: N815 -- as the base asks

    def _answer(self, path: str, body: bytes) -> None:
        try:
            found = self.server_of.answer(self.command, path, body)
            status, told = 200, {"result": _plain(found), "status": "ok", "time": 0.001}
        except LookupError as error:
            reason = f"Not found: Collection `{error.args[0]}` doesn't exist!"
            status, told = 404, {"status": {"error": reason}, "time": 0.0}
        except ValueError as error:
            status, told = 400, {"status": {"error": str(error)}, "time": 0.0}
        self._send(status, json.dumps(told).encode())

    def _send(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        with suppress(ConnectionError):  # who asked may have given up
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Be quiet."""


def _plain(found: object) -> object:
    if isinstance(found, BaseModel):
        return found.model_dump(mode="json")
    return [_plain(one) for one in found] if isinstance(found, list) else to_jsonable_python(found)
