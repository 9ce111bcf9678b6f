"""The question is embedded while an index that works apart looks for its words."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from ranked_memory import START, Topics, memory_at

from damals import Damals
from damals.adapters.memory.index import MemoryChunkIndex
from damals.adapters.text.german import GermanLexicalEncoder
from damals.app.finding.meaning import Meant, meaning, nearest
from damals.app.finding.question import Engines
from damals.app.index_model import Hits, IndexFilter, IndexQuery, SparseVector
from damals.app.ports import Embedder
from damals.app.results import Recall
from damals.domain.errors import Unavailable
from damals.domain.instants import DAY
from damals.domain.ranking import Weights

QUESTIONS = ("Stille", "Frist im Vertrag", '"das Haus"', "+Wert Ziel", "nichts davon", "!?")
WORDS = IndexQuery(IndexFilter("main", 0, 0), None, SparseVector((1,), (1.0,)), 5)


class Broken(Topics):
    """A model that is not there."""

    def query(self, text: str) -> bytes:
        raise Unavailable("embed.unavailable", reason=text)


class Apart(MemoryChunkIndex):
    """An index that says that it works apart, and when it has looked for words alone."""

    apart = True

    def __init__(self) -> None:
        super().__init__()
        self.looked = Event()

    def query(self, query: IndexQuery) -> Hits:
        found = super().query(query)
        if query.vector is None:
            self.looked.set()
        return found


class Waiting(Topics):
    """A model that does not answer before words were looked for."""

    def __init__(self, looked: Event) -> None:
        self.looked = looked

    def query(self, text: str) -> bytes:
        assert self.looked.wait(10)
        return super().query(text)


def filled(memory: Damals) -> None:
    for number in range(12):
        said = f"Stille und Ruhe, das Haus. Frist {number}" if number % 2 else f"Vertrag {number}"
        memory.remember(f"Eintrag {number}", said + " Wert" * (number % 3), type="note")
    memory.reindex()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with memory_at(tmp_path / "home", clock=lambda: START) as memory:
        filled(memory)
    return tmp_path / "home"


def asked(folder: Path, mode: str, **more: object) -> list[Recall]:
    later = {"clock": lambda: START + 2 * DAY, "index_mode": mode, **more}
    with memory_at(folder, **later) as memory:
        return [memory.recall(one, explain=True) for one in QUESTIONS]


def test_words_are_looked_for_while_the_question_is_embedded():
    index = Apart()
    means = meaning(Engines(index, GermanLexicalEncoder(), Waiting(index.looked)), "Stille")
    assert nearest(index, WORDS, means) == Hits()
    assert means() == Meant(Topics().query("Stille"))


def test_an_index_in_this_process_is_asked_once_with_the_vector():
    asked: list[IndexQuery] = []

    class Here(MemoryChunkIndex):
        def query(self, query: IndexQuery) -> Hits:
            asked.append(query)
            return super().query(query)

    index = Here()
    nearest(index, WORDS, meaning(Engines(index, GermanLexicalEncoder(), Topics()), "Stille"))
    assert [one.vector for one in asked] == [Topics().query("Stille")]


def test_answers_are_the_same_whether_the_index_works_apart_or_not(folder: Path):
    assert asked(folder, "worker") == asked(folder, "inline")


def test_without_a_model_words_alone_answer_and_say_so_wherever_the_index_works(folder: Path):
    apart = asked(folder, "worker", embedding=Broken())
    assert apart == asked(folder, "inline", embedding=Broken())
    assert apart[0].results
    assert {one.weights["text_share"] for one in apart} == {1.0}
    assert all(one.caveats for one in apart)


@pytest.mark.parametrize("model", [None, Broken()])
@pytest.mark.parametrize("index", [Apart(), MemoryChunkIndex()])
def test_a_question_that_has_no_vector_weighs_its_words_alone(
    index: MemoryChunkIndex, model: Embedder | None
):
    means = meaning(Engines(index, GermanLexicalEncoder(), model), "Stille")
    assert means() == Meant(None, ("recall.without_vectors",))
    assert means().weigh(Weights()).text_share == 1.0
    partly = meaning(Engines(index, GermanLexicalEncoder(), model, words_only=True), "Stille")
    assert partly() == Meant(None)


def test_several_threads_that_ask_at_once_each_get_their_own_answer(folder: Path):
    alone = asked(folder, "inline")
    later = {"clock": lambda: START + 2 * DAY, "index_mode": "worker"}
    with memory_at(folder, **later) as memory, ThreadPoolExecutor(6) as threads:
        many = [*QUESTIONS * 5]
        found = list(threads.map(lambda one: memory.recall(one, explain=True), many))
    assert found == alone * 5
