"""Erasing sources, persons and workspaces."""

from pathlib import Path

import pytest
from forgotten import NAME, SAID, SECRETS, STREET, refused

from damals import Damals
from raw_bytes import found, rows

NOTES = {
    "Steuer.md": "# Steuerbescheid Wilhelmine\n\nDer Bescheid liegt im Keller bei den Kohlen.\n",
    "Garten/Beet.md": "---\ntags: [gemuesebeete]\n---\n\nTomaten neben dem Kompost, an der Wand.\n",
    "Verweis.md": "Siehe [[Steuer]] und [[Gibt es hier nicht]].\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A folder of notes."""
    folder = tmp_path / "Notizen von früher"
    for name, text in NOTES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_a_source_goes_with_every_note_it_ever_had(memory: Damals, home: Path, vault: Path):
    memory.import_(vault, name="altes-archiv-vom-dachboden")
    (vault / "Steuer.md").write_text("Alles anders, seit der Keller leer ist.", encoding="utf-8")
    (vault / "Garten/Beet.md").unlink()
    memory.import_(vault, name="altes-archiv-vom-dachboden")
    told = memory.erase("source", "altes-archiv-vom-dachboden")
    assert len(told.erased) == 3
    assert told.certificate.residue == []
    said = [*NOTES.values(), "Alles anders, seit der Keller leer ist."]
    assert found(home, [*said, "altes-archiv-vom-dachboden", "gemuesebeete"]) == []
    assert memory.sources() == ()
    assert memory.audit().ok
    assert memory.get("nachbar").title == "Nachbar"


def test_an_erased_source_is_known_and_can_be_readmitted(memory: Damals, home: Path, vault: Path):
    memory.import_(vault, name="archiv")
    memory.erase("source", "archiv")
    kinds = {kind for (kind,) in rows(home / "ledger.db", "SELECT kind FROM tombstones")}
    assert kinds == {"entry", "mark", "source"}


def test_a_source_that_there_is_not_is_refused(memory: Damals):
    with refused("erase.no_source"):
        memory.erase("source", "nirgends")


def test_a_person_goes_and_who_names_them_is_listed(memory: Damals, home: Path):
    memory.remember("Brief", f"An {NAME}, mit Dank.", external_id="brief")
    told = memory.erase("person", "geheimrat-wilhelmine-1")
    [mention] = told.certificate.mentions
    assert mention.title == "Brief"
    assert mention.repair == f"damals erase entry {mention.id}"
    assert told.certificate.residue == []
    assert found(home, [STREET]) == []
    assert found(home, [NAME]) != []
    memory.erase("entry", mention.id)
    assert found(home, [*SECRETS, SAID]) == []


def test_what_is_no_person_is_not_erased_as_one(memory: Damals):
    with refused("erase.no_person"):
        memory.erase("person", "amt")
    assert memory.get("amt").title == "Meldeamt"


def test_a_workspace_goes_with_all_that_is_in_it(memory: Damals, home: Path):
    memory.create_workspace("zweites-reich")
    with Damals.open(home, workspace="zweites-reich") as other:
        other.remember("Anderswo", "steht der Schlüssel unter der Matte", external_id="x")
        kept = other.get("x").to_dict()
        told = memory.erase("workspace", "default")
        assert told.certificate.residue == []
        assert other.get("x").to_dict() == kept
        assert other.audit().ok
        assert [one.entry.title for one in other.recall("Schlüssel Matte").results] == ["Anderswo"]
    assert found(home, [*SECRETS, SAID, "Der Nachbar grüßt jeden Tag."]) == []
    assert [one.name for one in memory.workspaces()] == ["zweites-reich"]
    with refused("workspace.unknown"):
        memory.entries()


def test_a_workspace_can_be_made_anew_under_its_name(memory: Damals, home: Path):
    memory.create_workspace("zweites-reich")
    with Damals.open(home, workspace="zweites-reich") as other:
        other.remember("Alt", "aus der Zeit davor war das hier")
        told = memory.erase("workspace", "zweites-reich")
        assert told.certificate.residue == []
        assert found(home, ["zweites-reich"]) == []
        memory.create_workspace("zweites-reich")
        other.remember("Neu", "aus der Zeit danach ist das hier")
        assert [one.title for one in other.entries()] == ["Neu"]
        assert [one.entry.title for one in other.recall("Zeit danach").results] == ["Neu"]
        assert other.audit().ok
    assert found(home, ["aus der Zeit davor war das hier"]) == []
