from collections.abc import Iterator
from pathlib import Path

import pytest
from index_contract import DIMENSION, ChunkIndexContract
from index_phrases_contract import PhrasesContract

from damals.adapters.edge.schema import EdgeSettings
from damals.adapters.edge.shard import EdgeChunkIndex
from damals.adapters.edge.worker import WorkerChunkIndex
from damals.adapters.memory.index import MemoryChunkIndex
from damals.app.ports import ChunkIndex


def settings(folder: Path) -> EdgeSettings:
    return EdgeSettings(folder, DIMENSION, "a-model", "1", reserve_bytes=1_000_000)


# Making a shard takes longer than a test: one serves all tests, emptied between them.


@pytest.fixture(scope="module")
def inline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EdgeChunkIndex]:
    index = EdgeChunkIndex(settings(tmp_path_factory.mktemp("inline")))
    yield index
    index.close()


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkerChunkIndex]:
    index = WorkerChunkIndex(settings(tmp_path_factory.mktemp("worker")))
    yield index
    index.close()


def emptied(index: ChunkIndex) -> ChunkIndex:
    index.delete(list(index.ids()))
    return index


class TestMemory(ChunkIndexContract, PhrasesContract):
    @pytest.fixture
    def index(self) -> ChunkIndex:
        return MemoryChunkIndex()


class TestEdgeInline(ChunkIndexContract, PhrasesContract):
    @pytest.fixture
    def index(self, inline: EdgeChunkIndex) -> ChunkIndex:
        return emptied(inline)

    @pytest.fixture
    def closable(self, tmp_path: Path) -> ChunkIndex:
        return EdgeChunkIndex(settings(tmp_path))


class TestEdgeWorker(ChunkIndexContract, PhrasesContract):
    @pytest.fixture
    def index(self, worker: WorkerChunkIndex) -> ChunkIndex:
        return emptied(worker)

    @pytest.fixture
    def closable(self, tmp_path: Path) -> ChunkIndex:
        return WorkerChunkIndex(settings(tmp_path))
