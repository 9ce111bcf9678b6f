"""The contract of the chunk index, kept by collections on a Qdrant server.

Three times: by the client's own copy of the engine in memory, by the same behind real HTTP, and by
a real server where ``QDRANT_URL`` names one.
"""

import os
from collections.abc import Iterator
from uuid import uuid4

import pytest
from index_contract import DIMENSION, ChunkIndexContract
from index_phrases_contract import PhrasesContract
from qdrant_client import QdrantClient

from damals.adapters.qdrant.settings import QdrantSettings
from damals.adapters.qdrant.shelf import QdrantShelf
from damals.app.ports import ChunkIndex
from qdrant_server import QdrantServer

GIVEN = os.environ.get("QDRANT_URL", "")


def settings(url: str = "http://in-memory", prefix: str = "mindnet") -> QdrantSettings:
    key = os.environ.get("QDRANT_API_KEY", "")
    return QdrantSettings(url, DIMENSION, "a-model", "1", owner="a-home", prefix=prefix, key=key)


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")
@pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning")
class TestClientInMemory(ChunkIndexContract, PhrasesContract):
    @pytest.fixture
    def index(self) -> ChunkIndex:
        return QdrantShelf(settings(), QdrantClient(":memory:")).current().index


@pytest.fixture(scope="module")
def server() -> Iterator[QdrantServer]:
    with QdrantServer() as server:
        yield server


class TestOverHttp(ChunkIndexContract, PhrasesContract):
    @pytest.fixture
    def index(self, server: QdrantServer) -> Iterator[ChunkIndex]:
        server.empty()
        index = QdrantShelf(settings(server.url)).current().index
        yield index
        index.close()


def a_shelf_on_a_real_server() -> QdrantShelf:
    return QdrantShelf(settings(GIVEN, f"damals-test-{uuid4().hex}"))


@pytest.fixture(scope="module")
def on_a_real_server() -> Iterator[ChunkIndex]:
    shelf = a_shelf_on_a_real_server()
    index = shelf.current().index
    yield index
    shelf.discard()
    index.close()


class RealServer(ChunkIndexContract, PhrasesContract):
    @pytest.fixture
    def index(self, on_a_real_server: ChunkIndex) -> ChunkIndex:
        on_a_real_server.delete(list(on_a_real_server.ids()))
        return on_a_real_server

    @pytest.fixture
    def closable(self) -> Iterator[ChunkIndex]:
        shelf = a_shelf_on_a_real_server()
        yield shelf.current().index
        shelf.discard()


if GIVEN:

    class TestRealServer(RealServer):
        pass

else:

    def test_a_real_server_keeps_the_contract():
        pytest.skip(
            f"NOT RUN: {len([name for name in dir(RealServer) if name.startswith('test_')])} tests"
            " of a real Qdrant server, of which there is none here (set QDRANT_URL=http://…)"
        )
