"""From the ledger to the index: what is written, and what a stop half-way costs."""

import time
from dataclasses import replace

import pytest

from damals import messages
from damals.adapters.memory.index import MemoryChunkIndex
from damals.adapters.memory.ledger import MemoryLedger
from damals.adapters.text.german import GermanLexicalEncoder
from damals.adapters.vault.chunker import MarkdownChunker
from damals.app.index_model import AccessFilter, IndexFilter, IndexQuery
from damals.app.indexing import Projector
from damals.app.ports import NamedIndex
from damals.app.recall import Question
from damals.app.record import Request, Tools, record
from damals.app.search import Search
from damals.domain.errors import Corrupt, Unavailable
from damals.domain.instants import DAY, FOREVER
from directions import Directions

NOW = 1_700_000_000_000_000
STRANGER = AccessFilter(visibilities=("public", "internal"), max_sensitivity=0, principals=())


class NoModel(Directions):
    """An embedder whose model is not there."""

    def passage(self, text: str) -> bytes:
        raise Unavailable("embed.unavailable", reason=text)

    query = passage


class Vectors(dict):
    """A cache of vectors in memory."""

    def get_many(self, keys):
        return {key: self[key] for key in keys if key in self}

    def put_many(self, vectors):
        self.update(vectors)


class Shelf:
    """One index, replaced by an empty one when it is thrown away."""

    def __init__(self) -> None:
        self.index = MemoryChunkIndex()
        self.number = 1
        self.is_fresh = True

    def current(self) -> NamedIndex:
        fresh, self.is_fresh = self.is_fresh, False
        return NamedIndex(f"memory-{self.number}", self.index, fresh)

    def fresh(self) -> NamedIndex:
        self.next = MemoryChunkIndex()
        return NamedIndex(f"memory-{self.number + 1}", self.next, fresh=True)

    def adopt(self, name: str) -> None:
        assert name == f"memory-{self.number + 1}"
        self.index, self.number = self.next, self.number + 1

    def discard(self) -> None:
        self.index, self.is_fresh = MemoryChunkIndex(), True


@pytest.fixture
def ledger():
    made = MemoryLedger()
    for name in ("eins", "zwei"):
        made.create_workspace(name, "UTC", NOW)
    return made


def tell(ledger, *operations, workspace="eins"):
    with ledger.write(workspace) as writer:
        at = writer.head().recorded_at
        tools = Tools(MarkdownChunker(), lambda: max(NOW, at) + DAY)
        return record(writer, tools, Request(operations, "test"))


def remember(title, **fields):
    return {"op": "remember", "ref": title, "title": title, "content": f"Inhalt {title}", **fields}


def search_of(ledger, shelf, embedder=None):
    return Search(ledger, shelf, GermanLexicalEncoder(), embedder or Directions(), Vectors())


def found(index, words, access=None, workspace="eins"):
    where = IndexFilter(workspace, NOW + 400 * DAY, FOREVER - 1)
    where = where if access is None else replace(where, access=access)
    query = IndexQuery(where, None, GermanLexicalEncoder().query(words), 10)
    return [hit.entry_id for hit in index.query(query).lexical]


def test_who_may_see_an_entry_is_in_every_point_of_it(ledger):
    shelf = Shelf()
    tell(ledger, remember("Gehalt", visibility="restricted", sensitivity=3, acl=["chef"]))
    tell(ledger, remember("Gehaltsband"))
    search_of(ledger, shelf).catch_up("eins")
    assert len(found(shelf.index, "Gehalt")) == 2
    assert len(found(shelf.index, "Gehalt", STRANGER)) == 1


def test_a_change_of_who_may_see_it_reaches_the_points_of_every_version(ledger):
    shelf = Shelf()
    search = search_of(ledger, shelf)
    tell(ledger, remember("Gehalt"))
    search.catch_up("eins")
    assert len(found(shelf.index, "Gehalt", STRANGER)) == 1
    tell(ledger, {"op": "correct", "target": "Gehalt", "visibility": "restricted"})
    search.catch_up("eins")
    assert found(shelf.index, "Gehalt", STRANGER) == []
    assert len(found(shelf.index, "Gehalt")) == 1


def test_what_was_written_before_a_stop_is_written_again_and_nothing_is_thrown_away(ledger):
    shelf = Shelf()
    search = search_of(ledger, shelf)
    tell(ledger, remember("Erstes"))
    search.catch_up("eins", wait=True)
    tell(ledger, remember("Zweites"))
    named = NamedIndex("memory-1", shelf.index, fresh=False)
    stopped = Projector(
        named.name, _Stopped(ledger), named.index, GermanLexicalEncoder(), Directions(), Vectors()
    )
    with pytest.raises(KeyboardInterrupt):
        stopped.project()
    assert shelf.index.count() == 2
    again = search_of(ledger, shelf)
    assert again.catch_up("eins", wait=True).transactions == 0
    assert shelf.index.count() == 2
    assert not shelf.is_fresh, "the index in use was thrown away"
    assert again.disagreement() is None


class _Stopped:
    """A ledger whose process ends before the cursor moves."""

    def __init__(self, ledger) -> None:
        self._ledger = ledger

    def __getattr__(self, name):
        return getattr(self._ledger, name)

    def advance(self, *_):
        raise KeyboardInterrupt


@pytest.mark.parametrize("apart", [False, True])
def test_the_cursor_stays_where_it_was_when_a_later_slice_is_not_written(ledger, apart):
    tell(ledger, *(remember(f"Satz {n}") for n in range(300)))
    tell(ledger, *(remember(f"Wort {n}") for n in range(300)))
    tell(ledger, *(remember(f"Laut {n}") for n in range(300)))
    index = _Full(apart, room=300)
    project = Projector("i", ledger, index, GermanLexicalEncoder(), None, Vectors()).project
    with pytest.raises(Unavailable):
        project()
    assert index.count() == 300
    assert len(ledger.outbox("i", 2_000)) == 3
    index.room = 900
    assert project() == 900
    assert index.count() == 900
    assert ledger.outbox("i", 2_000) == []


class _Full(MemoryChunkIndex):
    """An index that takes so many points and no more."""

    def __init__(self, apart: bool, room: int) -> None:
        super().__init__()
        self.apart = apart
        self.room = room

    def upsert(self, points) -> None:
        if self.count() + len(points) > self.room:
            raise Unavailable("index.disk_full", path="", free=0, needed=1)
        super().upsert(points)


def test_the_cursor_moves_on_the_way_so_that_a_stop_repeats_little(ledger):
    for n in range(5):
        tell(ledger, *(remember(f"Satz {n} {m}") for m in range(1_500)))
    heard = []
    index = MemoryChunkIndex()
    projector = Projector("i", ledger, index, GermanLexicalEncoder(), None, Vectors())
    assert projector.project(lambda _: heard.append(len(ledger.outbox("i", 10_000)))) == 7_500
    assert heard == [1, 0]


def test_an_index_that_lacks_points_is_filled_anew(ledger):
    shelf = Shelf()
    tell(ledger, remember("Erstes"), remember("Zweites"))
    search_of(ledger, shelf).catch_up("eins", wait=True)
    shelf.index.delete(list(shelf.index.ids())[:1])
    search_of(ledger, shelf).catch_up("eins", wait=True)
    assert shelf.index.count() == 2


def test_an_index_that_is_found_damaged_while_it_is_asked_is_filled_anew(ledger, monkeypatch):
    shelf = Shelf()
    search = search_of(ledger, shelf)
    tell(ledger, remember("Erstes"))
    search.catch_up("eins", wait=True)
    damaged = shelf.index

    def broken(*_):
        raise Corrupt("index.corrupt", path="here")

    monkeypatch.setattr(damaged, "upsert", broken)
    tell(ledger, remember("Zweites"))
    assert search.catch_up("eins", wait=True).transactions == 0
    assert shelf.index is not damaged
    assert shelf.index.count() == 2


def test_what_one_workspace_lacks_is_not_said_of_another(ledger):
    shelf = Shelf()
    search = search_of(ledger, shelf)
    tell(ledger, remember("Hier"))
    search.catch_up("eins", wait=True)
    tell(ledger, *(remember(f"Dort {n}") for n in range(100)), workspace="zwei")
    assert search.catch_up("eins").vectors == 0
    assert search.catch_up("zwei").vectors == 100


def test_without_a_model_an_index_of_words_is_built_all_the_same(ledger):
    shelf = Shelf()
    search = search_of(ledger, shelf, NoModel())
    tell(ledger, remember("Wörter"))
    assert search.rebuild(lambda: NOW).points == 1
    assert len(found(shelf.index, "Wörter")) == 1


def test_waiting_for_vectors_without_a_model_leaves_them_queued_and_says_so(ledger):
    shelf = Shelf()
    search = search_of(ledger, shelf, NoModel())
    tell(ledger, remember("Wörter"))
    assert search.catch_up("eins", wait=True).vectors == 1
    assert len(found(shelf.index, "Wörter")) == 1


def test_a_rebuild_leaves_nothing_of_the_old_index_in_the_queue(ledger):
    shelf = Shelf()
    search = search_of(ledger, shelf)
    tell(ledger, *(remember(f"Notiz {n}") for n in range(80)))
    search.catch_up("eins")
    assert ledger.lag("memory-1").vectors == 80
    search.rebuild(lambda: NOW)
    assert ledger.lag("memory-1").vectors == 0
    assert ledger.lag("memory-2") == search.lag("eins")


def test_vectors_follow_in_the_background_of_a_program_that_stays(ledger):
    shelf = Shelf()
    search = Search(ledger, shelf, GermanLexicalEncoder(), Directions(), Vectors(), background=True)
    tell(ledger, *(remember(f"Notiz {n}") for n in range(150)))
    assert search.catch_up("eins").vectors == 150
    deadline = time.monotonic() + 60
    while search.lag("eins").vectors and time.monotonic() < deadline:
        time.sleep(0.02)
    search.close()
    assert ledger.lag("memory-1").vectors == 0
    hits = shelf.index.query(
        IndexQuery(IndexFilter("eins", NOW + DAY, FOREVER - 1), Directions().query("x"), None, 500)
    )
    assert len(hits.dense) == 150


def test_closing_stops_the_background_work_and_what_is_left_stays_queued(ledger):
    shelf = Shelf()
    tell(ledger, *(remember(f"Notiz {n}") for n in range(150)))
    search = Search(ledger, shelf, GermanLexicalEncoder(), Slow(), Vectors(), background=True)
    search.catch_up("eins")
    search.close()
    left = ledger.lag("memory-1").vectors
    assert left > 0, "closing waited for all of it"
    assert search_of(ledger, shelf).catch_up("eins", wait=True).vectors == 0


def test_an_answer_by_words_blames_the_missing_vectors_and_no_model_that_works(ledger):
    search = search_of(ledger, Shelf())
    tell(ledger, *(remember(f"Frist {n}") for n in range(100)))
    lag = search.catch_up("eins")
    with ledger.read("eins") as reader:
        found = search.recall(reader, lambda: NOW + DAY, Question("Frist"), lag)
    assert (found.index_lag, found.caveats) == (
        100, (messages.text("recall.vectors_pending"),),
    )  # fmt: skip
    assert len(found.results) == 10


class Slow(Directions):
    """An embedder that takes its time."""

    def passage(self, text: str) -> bytes:
        time.sleep(0.01)
        return super().passage(text)
