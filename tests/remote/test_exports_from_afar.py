"""What is exported is the same, whoever owns the home, and lies where who asked wanted it."""

import json
import sqlite3
from contextlib import closing

import pytest

from damals.errors import Conflict, DamalsError, InvalidInput, NotFound


@pytest.fixture
def filled(asked):
    asked.own.remember("Anna Müller", "Kundin", type="person", external_id="anna",
                       valid_from="2020-01-01")  # fmt: skip
    asked.own.remember("Notiz", "Annas Hund, Anna Müllers Katze", external_id="n",
                       valid_from="2020-01-01")  # fmt: skip
    asked.own.relate("n", "part_of", "anna")
    return asked


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_notes_are_the_same_however_they_come(filled):
    given = {"as_of": "2024-01-01", "known_at": filled.own.log().transactions[-1].recorded_at}
    given |= {"format": "markdown", "history": True, "lang": "de"}
    filled.own.export(filled.folder / "own", **given)
    report = filled.memory.export(filled.folder / "asked", **given)
    assert (report.notes, report.written, report.kept) == (2, 3, ())
    assert contents(filled.folder / "asked") == contents(filled.folder / "own")
    again = filled.memory.export(filled.folder / "asked", **given)
    assert (again.written, again.unchanged) == (0, 3)


def test_a_person_gets_the_same_however_it_comes(filled):
    names = ("a.json", "a.md", "a.html")
    for folder, memory in (("own", filled.own), ("asked", filled.memory)):
        (filled.folder / folder).mkdir()
        for name in names:
            report = memory.export(filled.folder / folder / name, person="anna", lang="de")
            assert (report.format, report.notes) == ("person", 1)
    own, told = (
        json.loads((filled.folder / folder / "a.json").read_text("utf-8"))
        for folder in ("own", "asked")
    )
    own.pop("made_at"), told.pop("made_at")
    assert told == own
    assert "Annas Hund" in (filled.folder / "asked/a.md").read_text("utf-8")


def test_what_cannot_be_exported_is_refused_in_the_same_way(filled):
    (filled.folder / "full").mkdir()
    (filled.folder / "full/x").write_text("x")
    refused = [
        ("full", {"format": "markdown"}, Conflict, "export.not_ours"),
        ("x", {"format": "docx"}, InvalidInput, "field.choice"),
        ("x", {"history": True}, InvalidInput, "export.options"),
        ("x", {"person": "nobody"}, NotFound, "entry.unknown"),
    ]
    for name, options, kind, key in refused:
        with pytest.raises(kind) as caught:
            filled.memory.export(filled.folder / name, **options)
        assert caught.value.key == key


def test_an_export_is_noted_where_who_asked_put_it(filled):
    filled.memory.export(filled.folder / "all.jsonl")
    filled.memory.export(filled.folder / "notes", format="markdown")
    statement = "SELECT kind, text FROM exports JOIN contents ON contents.id = path_id ORDER BY 1"
    with closing(sqlite3.connect(filled.folder / "home/ledger.db")) as ledger:
        noted = ledger.execute(statement).fetchall()
    assert noted == [
        ("events", str(filled.folder / "all.jsonl")),
        ("markdown", str(filled.folder / "notes")),
    ]


def test_what_was_erased_is_readmitted_from_afar(asked):
    events = asked.folder / "events.jsonl"
    made = asked.own.remember("Weg", "x", valid_from="2020-01-01")
    asked.own.erase("entry", made.id)
    at = asked.own.log().transactions[-1].recorded_at
    later = f"{at[:-7]}{int(at[-7:-1]) + 1:06}Z" if not at.endswith("999999Z") else at
    said = {"op": "remember", "id": made.id, "title": "Weg", "recorded_at": later}
    events.write_text(json.dumps(said), encoding="utf-8")
    with pytest.raises(DamalsError):
        asked.memory.import_(events)
    assert asked.memory.import_(events, readmit=True).added == 1
    assert [one.title for one in asked.memory.entries()] == ["Weg"]
