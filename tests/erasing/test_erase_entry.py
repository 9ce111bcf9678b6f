"""After an erasure the bytes are nowhere, and everything else is as it was."""

import json
import sqlite3
from pathlib import Path
from typing import Any

from forgotten import NAME, SAID, SECRETS, STREET, refused

from damals import Damals
from raw_bytes import found, rows

TARGET = "geheimrat-wilhelmine-1"


def everything_else(memory: Damals, folder: Path) -> dict[str, Any]:
    """What the home answers, but for what tells of instants of the asking."""
    memory.export(folder / "events.jsonl")
    return {
        "entries": [one.to_dict() for one in memory.entries(limit=None)],
        "amt": memory.history("amt").to_dict(),
        "nachbar": memory.history("nachbar").to_dict(),
        "log": memory.log().to_dict(),
        "events": (folder / "events.jsonl").read_text(encoding="utf-8"),
        "recall": [one.entry.id for one in memory.recall("Meldeamt Nachbar").results],
    }


def test_before_it_the_bytes_are_there(home: Path):
    assert {text for _, text in found(home, [NAME, STREET])} == {NAME, STREET}


def test_after_it_the_bytes_are_in_no_file(memory: Damals, home: Path):
    told = memory.erase("entry", TARGET, reason=f"{NAME} verlangt es")
    assert found(home, [*SECRETS, SAID, f"{NAME} verlangt es"]) == []
    assert told.certificate.residue == []
    assert {"ledger.db", "ledger.db-wal"} <= set(told.certificate.searched)
    assert told.certificate.removed["entries"] == 1
    assert told.certificate.removed["versions"] == 2
    assert told.certificate.removed["texts"] > 5


def test_they_are_in_no_file_of_a_closed_home_either(memory: Damals, home: Path):
    memory.erase("entry", TARGET)
    memory.close()
    assert found(home, [*SECRETS, SAID]) == []


def test_the_chain_still_verifies(memory: Damals):
    memory.erase("entry", TARGET)
    assert memory.audit().ok
    memory.remember("Danach", "geht es weiter")
    assert memory.audit().ok


def test_only_the_erased_texts_are_gone(memory: Damals, home: Path):
    memory.erase("entry", TARGET)
    texts = [text for (text,) in rows(home / "ledger.db", "SELECT text FROM contents")]
    assert "Der Nachbar grüßt jeden Tag." in texts
    assert "owner" in texts
    gone = rows(home / "ledger.db", "SELECT lookup, salt FROM contents WHERE text IS NULL")
    assert set(gone) == {(None, None)}


def test_what_others_say_is_answered_as_before(home: Path, tmp_path: Path):
    """Purging takes no more away than erasing has taken from answers."""
    with Damals.open(home) as memory:
        with memory.transaction() as together:
            together.erase("entry", TARGET)
            inside = [one.id for one in together.entries(limit=None)]
        after = everything_else(memory, tmp_path)
        assert [one["id"] for one in after["entries"]] == inside
    with Damals.open(home) as again:
        assert everything_else(again, tmp_path) == after
        assert json.dumps(after, ensure_ascii=False).count("Geheimrat") == 0
        assert again.doctor().ok


def test_it_is_in_no_answer_and_a_tombstone_is_left(memory: Damals):
    told = memory.erase("entry", TARGET)
    assert [one.id for one in told.tombstones] == list(told.erased)
    with refused("entry.erased"):
        memory.get(told.erased[0])
    with refused("entry.erased"):
        memory.erase("entry", told.erased[0])
    with refused("entry.erased_before"):
        memory.transact([{"op": "remember", "id": told.erased[0], "title": "wieder da"}])


def test_a_text_that_others_use_as_well_stays_and_is_counted(memory: Damals, home: Path):
    memory.remember("Anderer Titel", SAID, external_id="doppelt")
    told = memory.erase("entry", TARGET)
    assert told.certificate.shared >= 1
    assert told.certificate.residue == []
    assert memory.get("doppelt").content == SAID
    again = memory.erase("entry", "doppelt")
    assert found(home, [STREET]) == []
    assert again.certificate.residue == []


def test_a_short_text_is_counted_and_not_searched_for(memory: Damals):
    memory.remember("Ja", "Nein", external_id="kurz")
    told = memory.erase("entry", "kurz")
    unsearched = told.certificate.unsearched
    assert isinstance(unsearched, dict)
    assert unsearched["short"]


def test_tags_that_only_it_had_are_in_no_table(memory: Damals, home: Path):
    memory.erase("entry", TARGET)
    assert rows(home / "ledger.db", "SELECT tag FROM version_tags") == []


def test_several_are_erased_in_one_transaction(memory: Damals, home: Path):
    done = memory.transact([{"op": "erase", "target": TARGET}, {"op": "erase", "target": "amt"}])
    certificates = [one["certificate"] for one in done.results]
    assert [one["residue"] for one in certificates] == [[], []]
    assert found(home, [*SECRETS, "Öffnet um acht Uhr morgens."]) == []
    assert memory.audit().ok


def test_what_an_open_transaction_erases_is_gone_at_its_end(memory: Damals, home: Path):
    with memory.transaction() as together:
        told = together.erase("entry", TARGET)
        assert told.certificate.residue is None
    assert found(home, SECRETS) == []


def test_a_receipt_that_named_it_goes_with_its_question(memory: Damals, home: Path):
    question = "Wer wohnt im Hinterhaus der Langen Straße zwölf?"
    receipt = memory.ask(question, as_of="2024-06-01").receipt
    told = memory.erase("entry", TARGET)
    assert receipt is not None
    assert told.certificate.removed["receipts"] == 2
    assert found(home, [question]) == []
    with refused("receipt.erased"):
        memory.why(receipt)


def test_a_copy_from_before_an_upgrade_goes(memory: Damals, home: Path):
    with sqlite3.connect(home / "ledger.db.format-4.backup") as copy:
        copy.execute("CREATE TABLE old (text TEXT)")
        copy.execute("INSERT INTO old VALUES (?)", (SAID,))
    copy.close()
    told = memory.erase("entry", TARGET)
    assert isinstance(told.certificate.rebuilt, dict)
    assert told.certificate.rebuilt["copies"] == ["ledger.db.format-4.backup"]
    assert found(home, [STREET]) == []


def test_a_foreign_file_in_the_home_that_holds_it_is_named(memory: Damals, home: Path):
    (home / "notiz.txt").write_bytes(b"xx" + STREET.encode("utf-16-le"))
    told = memory.erase("entry", TARGET)
    assert isinstance(told.certificate.residue, list)
    assert [one["file"] for one in told.certificate.residue] == ["notiz.txt"]


def test_exports_that_hold_it_are_listed(memory: Damals, tmp_path: Path):
    memory.export(tmp_path / "all.jsonl")
    assert memory.erase("entry", TARGET).certificate.exports == (str(tmp_path / "all.jsonl"),)
    memory.remember("Später", "kam es", external_id="spaet")
    assert memory.erase("entry", "spaet").certificate.exports == ()


def test_backups_that_hold_it_are_listed(memory: Damals):
    made = memory.backup()
    told = memory.erase("entry", TARGET)
    assert told.certificate.backups == (made.path,)


def test_the_journal_beside_the_backups_tells_ids_and_no_text(memory: Damals, home: Path):
    told = memory.erase("entry", TARGET)
    beside = home.with_name("home.backups")
    said = "".join(one.read_text() for one in beside.rglob("*") if one.is_file())
    assert told.erased[0] in said
    assert found(beside, SECRETS) == []


def test_only_four_kinds_of_things_can_be_erased(memory: Damals):
    with refused("erase.kind"):
        memory.erase("dream", TARGET)
    with refused("erase.precondition"):
        memory.erase("person", TARGET, if_transaction=1)
