"""What a receipt keeps of an answer: no text that the ledger has."""

import json
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from damals.bootstrap import open_home
from damals.local import LocalDamals

PART = "Der Abstand ist zwölf Millimeter."
CONTENT = "\n\n".join(f"## Anlage {name}\n\n{PART} " + f"{name} prüft. " * 110 for name in "ABCD")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[LocalDamals]:
    memory = open_home(tmp_path / "home", embedder="none", timezone="Europe/Berlin", brief=True)
    assert isinstance(memory, LocalDamals)
    yield memory
    memory.close()


def document(memory: LocalDamals, receipt: str | None) -> str:
    kept = memory.opened.ledger("default").receipts.get("default", UUID(receipt))
    assert kept is not None
    return json.dumps(kept.document, ensure_ascii=False)


def test_texts_neighbours_and_sources_are_read_from_the_ledger_again(memory: LocalDamals):
    memory.remember("Handbuch", CONTENT, tags=["t"], external_id="handbuch")
    found = memory.recall("Abstand Anlage C", neighbours=1, explain=True)
    assert found.results[0].context is not None
    before = json.dumps(found.to_dict(), ensure_ascii=False)
    kept = document(memory, found.receipt)
    assert PART not in kept
    assert '"Handbuch"' not in kept
    assert '"committed_at"' not in kept
    assert len(kept) < 2_000 < len(before)
    memory.correct("handbuch", content=CONTENT.replace("zwölf", "elf"), reason="gemessen")
    assert json.dumps(memory.replay(found.receipt).to_dict(), ensure_ascii=False) == before


def test_a_receipt_that_kept_texts_as_they_were_is_told_as_it_was(memory: LocalDamals):
    memory.remember("Handbuch", CONTENT)
    found = memory.recall("Abstand Anlage C", explain=True)
    receipts = memory.opened.ledger("default").receipts
    kept = receipts.get("default", UUID(found.receipt))
    assert kept is not None
    told = json.loads(json.dumps(kept.document))
    told["result"]["results"][0]["explanation"]["provenance"] = found.results[
        0
    ].entry.source.to_dict()
    told["result"]["results"][0]["chunk"] = found.results[0].chunk.to_dict()
    old = kept.__class__(
        UUID(int=7), kept.kind, kept.created_at, kept.number, kept.as_of, kept.known_at, None,
        kept.entries, told,
    )  # fmt: skip
    receipts.put("default", old)
    again = memory.replay(str(old.id)).to_dict() | {"receipt": found.receipt}
    assert json.dumps(again) == json.dumps(found.to_dict())


def test_of_text_that_repeats_the_place_that_answered_is_cited(memory: LocalDamals):
    entry = memory.remember("Handbuch", CONTENT)
    answer = memory.ask("Wie groß ist der Abstand der Anlage C in Millimeter?")
    hit = memory.recall("Wie groß ist der Abstand der Anlage C in Millimeter?").results[0]
    own = [one for one in answer.citations if one.chunk_id == hit.chunk.id]
    assert own, "the best chunk is cited"
    for one in own:
        assert hit.chunk.start <= one.start < one.end <= hit.chunk.end
        assert entry.content[one.start : one.end] == one.quote
    assert "Anlage C" in hit.chunk.heading or "Anlage C" in hit.chunk.text
