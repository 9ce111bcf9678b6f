"""What was erased is not imported again, unless somebody who may erase says so."""

import json
import sqlite3
from contextlib import closing

import pytest

from damals import messages
from damals.domain.access import Principal
from damals.domain.instants import FOREVER, format_instant
from damals.domain.parsing import parse_moment
from damals.domain.zones import load_zone
from damals.errors import Conflict, Denied, NotFound
from git_repository import Repository

TEXT = "Ein Text, der so lang ist, dass ihn niemand zweimal schreibt. " * 5


@pytest.fixture
def vault(tmp_path):
    folder = tmp_path / "Archiv"
    folder.mkdir()
    (folder / "Weg.md").write_text(TEXT, encoding="utf-8")
    (folder / "Bleibt.md").write_text("[[Weg]]", encoding="utf-8")
    return folder


def titled(memory, title):
    return next((one for one in memory.entries(limit=None) if one.title == title), None)


def readmitted_by(memory):
    """Who let something in again, by the ledger's own file."""
    with closing(sqlite3.connect(memory.opened.parts.home.path / "ledger.db")) as ledger:
        rows = ledger.execute(
            "SELECT readmitted_by FROM tombstones WHERE readmitted_at < ?", [FOREVER]
        )
        return {by for (by,) in rows}


def reasons(memory):
    return [one.reason for one in memory.log().transactions]


def test_a_file_comes_back_as_another_entry_and_then_stays(memory, vault):
    memory.import_(vault)
    gone = titled(memory, "Weg").id
    memory.erase("entry", gone)
    refused = memory.import_(vault)
    assert [one.path for one in refused.failed] == ["Weg.md"]
    assert titled(memory, "Weg") is None
    back = memory.import_(vault, readmit=True)
    assert (back.added, back.failed) == (1, ())
    found = titled(memory, "Weg")
    assert found.id != gone
    assert found.content == TEXT
    assert [one.entry_id for one in titled(memory, "Bleibt").relations] == [found.id]
    again = memory.import_(vault)
    assert (again.added, again.failed, again.unchanged) == (0, (), 2)
    (vault / "Weg.md").write_text(TEXT + "mehr", encoding="utf-8")
    assert memory.import_(vault).changed == 1
    assert titled(memory, "Weg").id == found.id
    assert memory.audit().ok


def test_it_is_recorded_who_let_it_in(memory, vault):
    memory.import_(vault)
    memory.erase("entry", titled(memory, "Weg").id)
    boss = memory.under(Principal("chefin", ("admin",)))
    boss.import_(vault, readmit=True)
    last = [one for one in memory.log().transactions if one.reason == "readmit"]
    assert {one.actor for one in last} == readmitted_by(memory) == {"chefin"}


def test_only_who_may_erase_may_readmit(memory, vault):
    writer = memory.under(Principal("schreiber", ("writer",)))
    with pytest.raises(Denied):
        writer.import_(vault, readmit=True)


@pytest.mark.parametrize("name", ["crm-7", "0190c2a4-6d5e-7c1f-9b0a-3d2e4f5a6b7c"])
def test_a_note_with_an_id_of_its_own_comes_back(memory, vault, name):
    note = f"---\nid: {name}\n---\n{TEXT}"
    (vault / "Weg.md").write_text(note, encoding="utf-8")
    memory.import_(vault)
    gone = titled(memory, "Weg").id
    memory.erase("entry", gone)
    assert [one.path for one in memory.import_(vault).failed] == ["Weg.md"]
    assert memory.import_(vault, readmit=True).failed == ()
    found = titled(memory, "Weg")
    assert found.id != gone
    (vault / "Weg.md").write_text(note + "mehr", encoding="utf-8")
    report = memory.import_(vault)
    assert (report.changed, report.failed) == (1, ())
    assert titled(memory, "Weg").id == found.id


def test_what_comes_back_can_be_erased_and_come_back_again(memory, vault):
    memory.import_(vault)
    ids = []
    for _ in range(3):
        ids.append(titled(memory, "Weg").id)
        memory.erase("entry", ids[-1])
        assert [one.path for one in memory.import_(vault).failed] == ["Weg.md"]
        assert memory.import_(vault, readmit=True).failed == ()
    assert len({*ids, titled(memory, "Weg").id}) == 4


def test_a_trial_readmits_nothing(memory, vault):
    memory.import_(vault)
    memory.erase("entry", titled(memory, "Weg").id)
    report = memory.import_(vault, readmit=True, dry_run=True)
    assert (report.added, report.failed) == (1, ())
    assert [one.path for one in memory.import_(vault).failed] == ["Weg.md"]


def test_a_history_comes_back_with_all_that_it_said(memory, tmp_path):
    repository = Repository(tmp_path / "Archiv")
    repository.commit(at="2020-01-01", Weg=TEXT)
    repository.commit(at="2020-02-01", Weg=None, Dort=TEXT + "mehr")
    repository.commit(at="2020-03-01", Bleibt="x")
    memory.import_(tmp_path / "Archiv", history=True)
    gone = titled(memory, "Dort").id
    memory.erase("entry", gone)
    told = memory.import_(tmp_path / "Archiv", readmit=True)
    assert told.failed == ()
    found = titled(memory, "Dort")
    assert found.id != gone
    assert found.content == TEXT + "mehr"


def test_a_history_that_is_replayed_elsewhere_after_an_erasure_tells_what_was_readmitted(
    memory, tmp_path
):
    repository = Repository(tmp_path / "Archiv")
    repository.commit(at="2020-01-01", Weg=TEXT)
    repository.commit(at="2020-02-01", Weg=None, Dort=TEXT + "mehr")
    (tmp_path / "jetzt").mkdir()
    (tmp_path / "jetzt/Dort.md").write_text(TEXT + "mehr", encoding="utf-8")
    memory.import_(tmp_path / "jetzt")
    memory.erase("entry", titled(memory, "Dort").id)
    refused = memory.import_(tmp_path / "Archiv", history=True)
    assert refused.added == 0
    assert titled(memory, "Dort") is None
    told = memory.import_(tmp_path / "Archiv", history=True, readmit=True)
    assert told.added == 1
    assert titled(memory, "Dort").content == TEXT + "mehr"
    assert readmitted_by(memory) == {"import"}


def stamped(memory, path, lines):
    """A file of events with what lines say, just behind all that a home knows."""
    at = parse_moment(memory.log().transactions[-1].recorded_at, zone=load_zone("UTC"))
    told = (
        json.dumps({"recorded_at": format_instant(at + n), **line})
        for n, line in enumerate(lines, start=1)
    )
    path.write_text("\n".join(told), encoding="utf-8")
    return path


def test_events_of_erased_entries_are_stored_as_of_others(memory, tmp_path):
    made = memory.remember("Weg", TEXT, external_id="weg", valid_from="2020-01-01")
    memory.remember("Bleibt", "x", external_id="bleibt", valid_from="2020-01-01")
    memory.erase("entry", made.id)
    said = {"op": "remember", "id": made.id, "title": "Weg", "content": TEXT}
    events = stamped(
        memory,
        tmp_path / "events.jsonl",
        [
            {"ops": [said]},
            {"op": "relate", "src": "bleibt", "type": "links_to", "dst": made.id},
            {"ops": [{"op": "correct", "target": made.id, "content": "neu"}], "reason": "eigener"},
        ],
    )
    with pytest.raises(Conflict) as caught:
        memory.import_(events)
    assert caught.value.values["cause"].key == "entry.erased_before"
    memory.import_(events, readmit=True)
    back = titled(memory, "Weg")
    assert back.id != made.id
    assert back.content == "neu"
    assert [one.entry_id for one in titled(memory, "Bleibt").relations] == [back.id]
    assert reasons(memory)[-3:] == ["readmit (owner)", None, "eigener"]
    with pytest.raises(NotFound):
        memory.get(made.id)
    assert memory.audit().ok


def test_the_refusal_names_the_way_out(memory, vault):
    memory.import_(vault)
    memory.erase("entry", titled(memory, "Weg").id)
    memory.import_(vault)
    for lang in messages.LANGUAGES:
        for key in ("entry.erased_before", "source.erased_before"):
            assert "--readmit" in str(messages.hint(key, lang, {"id": "x", "name": "x"}))
