"""The index against the oracle: what is found at a pair of instants is what holds there."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test
from oracle_machine import TwoClocks
from oracle_profile import examples, fastest
from oracle_readings import certain, possible

from damals.adapters.edge.schema import EdgeSettings
from damals.adapters.edge.shard import EdgeChunkIndex
from damals.adapters.memory.index import MemoryChunkIndex
from damals.adapters.memory.ledger import MemoryLedger
from damals.app.index_model import IndexFilter, IndexQuery, SparseVector
from damals.app.indexing import Projector
from damals.app.ports import ChunkIndex

TOKEN = SparseVector((1,), (1.0,))
PAIRS = 12


class OneToken:
    """A lexical encoder that finds everything: the filter alone decides."""

    version = "1"

    def passage(self, text: str) -> SparseVector:
        del text
        return TOKEN

    query = passage

    def words(self, text: str) -> list[tuple[str, int, int]]:
        del text
        return []

    def matched(self, text: str, stems: object) -> list[str]:
        del text, stems
        return []


class NoVectors:
    """A cache that is always empty: there is no model here."""

    def get_many(self, keys):
        del keys
        return {}

    def put_many(self, vectors):
        del vectors

    def forget(self, workspace, lookups):
        del workspace, lookups
        return 0

    def close(self):
        pass


class IndexOfTwoClocks(TwoClocks):
    """All operations, and an index that follows them."""

    def open(self) -> None:
        self.ledger = MemoryLedger()
        self.workspace = "w"
        self.number = 1
        self.index = self.empty_index()

    def empty_index(self) -> ChunkIndex:
        return MemoryChunkIndex()

    def project(self) -> None:
        Projector(
            f"i{self.number}", self.ledger, self.index, OneToken(), None, NoVectors()
        ).project()

    @rule()
    def follow(self) -> None:
        self.project()
        self.ask()

    @rule(really=st.sampled_from([True, False, False, False]))
    def rebuild(self, *, really: bool) -> None:
        if really:
            self.rebuilt()

    def rebuilt(self) -> None:
        """Dropped and filled anew from the ledger."""
        self.index.close()
        self.number += 1
        self.index = self.empty_index()
        self.project()
        self.ask()

    def ask(self, pairs: int = PAIRS) -> None:
        if self.blurred or not self.oracle.past:
            return
        grid = self.grid()
        for v, t in grid[:: max(1, len(grid) // pairs)]:
            for sure in (False, True):
                assert self.found(v, t, sure=sure) == self.holding(v, t, sure=sure), (v, t, sure)

    def found(self, v: int, t: int, *, sure: bool) -> set[str]:
        where = IndexFilter(self.workspace, v, t, certain=sure)
        names = {i: name for name, i in self.oracle.state.ids.items()}
        hits = self.index.query(
            IndexQuery(where=where, vector=None, lexical=TOKEN, limit=1_000)
        ).lexical
        assert self.index.count(where) == len(hits)
        return {names[hit.entry_id] for hit in hits}

    def holding(self, v: int, t: int, *, sure: bool) -> set[str]:
        state, hidden = self.oracle.at(t), self.oracle.hidden()
        holds = certain if sure else possible
        archived = {e.name: e.archived for e in self.oracle.state.entries.values()}
        return {
            e.name
            for e in state.entries.values()
            if e.name not in hidden
            and holds(e.rects, v)
            and not ((since := archived[e.name]) is not None and since <= min(v, t))
        }

    def teardown(self) -> None:
        if hasattr(self, "oracle") and self.oracle.past:
            self.project()
            self.ask()
            before = set(self.index.ids())
            self.rebuilt()
            assert set(self.index.ids()) == before
            self.ask(PAIRS * 4)
        self.close()

    def close(self) -> None:
        if hasattr(self, "index"):
            self.index.close()


class IndexOnEdge(IndexOfTwoClocks):
    """One shard for all histories, each in a workspace of its own: making one takes long."""

    folder: ClassVar[Path]
    numbers: ClassVar[Iterator[int]] = count(1)
    shared: ClassVar[tuple[MemoryLedger, ChunkIndex, int] | None] = None

    def open(self) -> None:
        shared = IndexOnEdge.shared or (MemoryLedger(), self.empty_index(), 1)
        self.ledger, self.index, self.number = IndexOnEdge.shared = shared
        self.workspace = f"w{next(self.numbers)}"

    def empty_index(self) -> ChunkIndex:
        place = Path(mkdtemp(dir=self.folder)) / "shard"
        return EdgeChunkIndex(EdgeSettings(place, 4, "none", "1", reserve_bytes=1_000_000))

    def rebuilt(self) -> None:
        super().rebuilt()
        IndexOnEdge.shared = (self.ledger, self.index, self.number)

    def teardown(self) -> None:
        if hasattr(self, "oracle"):
            self.project()
            self.ask(PAIRS * 2)

    @classmethod
    def let_go(cls) -> None:
        if cls.shared is not None:
            cls.shared[1].close()
            cls.shared = None


def test_an_index_in_memory_finds_what_the_oracle_holds():
    run_state_machine_as_test(IndexOfTwoClocks, settings=examples(50))


def test_an_index_on_a_shard_finds_what_the_oracle_holds():
    with TemporaryDirectory(prefix="damals-oracle-", dir=fastest()) as folder:
        IndexOnEdge.folder = Path(folder)
        try:
            run_state_machine_as_test(IndexOnEdge, settings=examples(20))
        finally:
            IndexOnEdge.let_go()
