"""Filters that the ledger decides: exact words over borders of chunks, grounding, and their cap."""

from collections.abc import Sequence

import pytest
from ranked_memory import titles

from damals import Damals, messages
from damals.adapters.sql.reader import SqlReader
from damals.adapters.vault.chunker import MarkdownChunker
from damals.app.finding import candidates

LONG = " ".join(f"wort{number}" for number in range(600))


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Of how many entries versions were read, by each call."""
    counts: list[int] = []
    whole = SqlReader.versions_at

    def counting(self: SqlReader, entry_ids: Sequence[object], at: object) -> object:
        counts.append(len(entry_ids))
        return whole(self, entry_ids, at)

    monkeypatch.setattr(SqlReader, "versions_at", counting)
    return counts


def borders(content: str) -> list[int]:
    chunks = MarkdownChunker().split(content)
    assert len(chunks) > 2
    return [chunk.end for chunk in chunks[:-1]]


@pytest.mark.parametrize(("before", "behind"), [(1, 1), (1, 2), (2, 1), (4, 1), (1, 4)])
def test_a_phrase_that_reaches_over_the_border_of_two_chunks_is_found(
    memory: Damals, before: int, behind: int
):
    memory.remember("Lang", LONG)
    apart = LONG.split()
    memory.remember("Verstreut", " ".join([*apart[::2], *apart[1::2]]))
    for border in borders(LONG):
        words = [*LONG[:border].split()[-before:], *LONG[border:].split()[:behind]]
        assert titles(memory.recall(f'Stille "{" ".join(words)}"')) == ["Lang"]
        assert not titles(memory.recall(f'Stille "{" ".join(reversed(words))}"'))


def test_more_results_of_the_same_phrase_are_inside_of_a_chunk(memory: Damals):
    cut = LONG[borders(LONG)[0] - 30 : borders(LONG)[0] + 30].split()[1:-1]
    phrase = " ".join(cut)
    memory.remember("Lang", LONG)
    memory.remember("Kurz", f"Es heißt: {phrase}.")
    assert set(titles(memory.recall(f'"{phrase}"'))) == {"Lang", "Kurz"}
    assert titles(memory.recall(f'"{phrase}"', limit=1)) == ["Kurz"], "asked for one, found one"


def test_what_was_not_looked_through_is_said(memory: Damals, monkeypatch: pytest.MonkeyPatch):
    with memory.transaction():
        for number in range(40):
            memory.remember(f"Frist {number}", "Die Frist ist vier, Wochen sind es.")
    memory.remember("Genau", "Vier Wochen Ruhe, und von der Frist kein Wort im Vertrag.")
    whole = memory.recall('Frist "vier wochen"', limit=5)
    assert (titles(whole), whole.caveats) == (["Genau"], ())
    monkeypatch.setattr(candidates, "MAX_CHECKED", 8)
    cut = memory.recall('Frist "vier wochen"', limit=5)
    assert messages.text("recall.cut", None, count=8) in cut.caveats


def test_the_grounding_filter_reads_what_it_looks_at_and_not_all_that_was_verified(
    memory: Damals, read: list[int]
):
    with memory.transaction():
        ids = [memory.remember(f"Ruhe {n}", f"Ruhe {n} im Haus").id for n in range(400)]
        for place, one in enumerate(ids):
            memory.verify(one, score=0.9 if place % 2 else 0.2)
    read.clear()
    found = memory.recall("Ruhe", min_grounding=0.5, limit=10)
    assert len(titles(found)) == 10
    assert all((hit.grounding or 0) >= 0.5 for hit in found)
    assert max(read) <= 200
    assert sum(read) < 400
