"""Whole entries and notes by their address, at any pair of instants."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

import pytest
from mcp_speaking import QUIET

from damals.api import Damals
from damals.app.errors import InvalidInput, NotFound
from damals.bootstrap import open_home
from damals.interfaces.mcp import resources

NOTES = {
    "Mandanten/Müller GmbH.md": "---\ntags: [kunde]\n---\n# Müller GmbH\n\nSitz in Detmold.\n",
    "Mandanten/Weiß & Söhne.md": "# Weiß\n\nSitz in Lage.\n",
    "Archiv/Müller GmbH.md": "# Müller GmbH\n\nSitz in Bad Salzuflen.\n",
    "¿.md": "…\n",
}
SAME = "Archiv/Müller GmbH.md"


def write(folder: Path, notes: Mapping[str, str]) -> Path:
    for name, text in notes.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def noted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Damals]:
    """A memory with two vaults in it, one of which has a note of the same path as the other."""
    folder = tmp_path_factory.mktemp("noted")
    with open_home(folder / "home", **QUIET) as memory:
        memory.import_(write(folder / "vault", NOTES))
        memory.import_(write(folder / "other", {SAME: "Sitz in Herford.\n"}), name="other")
        yield memory


@pytest.mark.parametrize("path", NOTES)
@pytest.mark.parametrize("written", [quote, str], ids=["encoded", "as it is"])
def test_a_note_is_found_by_its_path(noted: Damals, path: str, written):
    notes = resources.read(noted, f"note://{written(path)}")
    assert {note.mime_type for note in notes} == {"text/markdown"}
    said = NOTES[path].rpartition("\n\n")[2].strip()
    assert any(said in note.text for note in notes)


def test_a_note_of_words_that_no_search_finds_is_found_too(noted: Damals):
    assert [one.text.strip() for one in resources.read(noted, "note://¿.md")] == ["…"]


def test_two_vaults_can_have_a_note_of_the_same_path(noted: Damals):
    texts = [one.text for one in resources.read(noted, f"note://{SAME}")]
    assert len(texts) == 2
    assert any("Herford" in text for text in texts)


def test_an_entry_is_read_at_the_instants_of_its_address(memory: Damals):
    old = memory.remember("Sitz", "Bad Salzuflen", valid_from="2024-09-01", external_id="sitz/1 ä")
    memory.update(old.id, "Sitz", "Detmold", reason="Umzug", valid_from="2026-06-01")
    [now] = resources.read(memory, f"entry://{old.id}?as_of=2025")
    assert json.loads(now.text)["content"] == "Bad Salzuflen"
    [named] = resources.read(memory, "entry://sitz%2F1%20%C3%A4?as_of=2025-01-01&known_at=now")
    assert json.loads(named.text)["id"] == old.id
    with pytest.raises(NotFound):
        resources.read(memory, f"entry://{old.id}?as_of=2023")


@pytest.mark.parametrize(
    "uri",
    ["entry://", "note://", "http://x", "entry", "", "entry://x?limit=1", "entry://x?as_of",
     "entry://[x", "note://a?as_of=2024&as_of=2025&x=1"],
)  # fmt: skip
def test_what_is_no_address_is_refused(memory: Damals, uri: str):
    memory.remember("A", "B")
    with pytest.raises(InvalidInput) as refused:
        resources.read(memory, uri)
    assert refused.value.key == "mcp.uri"


def test_the_listing_comes_in_pages_and_every_address_in_it_leads_somewhere(
    memory: Damals, tmp_path: Path
):
    memory.import_(write(tmp_path / "vault", NOTES))
    for number in range(resources.LISTED + 5):
        memory.remember(f"T{number}", "x")
    listed, cursor = resources.listing(memory, None)
    assert len(listed) == resources.LISTED
    rest, end = resources.listing(memory, cursor)
    assert end is None
    assert len({one.uri for one in (*listed, *rest)}) == resources.LISTED + 5 + len(NOTES)
    notes = [one for one in (*listed, *rest) if one.uri.startswith("note://")]
    assert len(notes) == len(NOTES)
    for one in (*notes, *rest):
        assert resources.read(memory, one.uri)
