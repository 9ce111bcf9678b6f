"""More tags or names than are searched: refused on every way in; what is there stops nothing."""

import json
from pathlib import Path

import pytest

from damals.app.errors import InvalidInput
from damals.bootstrap import open_home
from damals.domain.errors import DamalsError
from damals.local import LocalDamals
from git_repository import Repository

MANY = [f"t{number}" for number in range(1_001)]
NESTED = ["/".join([letter] * 300) for letter in "abcd"]
"""Four tags, each of which lies in 299 others."""
VIELE = {"op": "remember", "external_id": "viele", "title": "Viele"}
TOO_MANY = "1001 values; at most 1000"


@pytest.fixture
def memory(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    monkeypatch.setenv("DAMALS_INDEX_MODE", "inline")
    with open_home(tmp_path / "home", timezone="UTC") as opened:
        yield opened


def titles(memory: LocalDamals, question: str, **options) -> list[str]:
    return [one.entry.title for one in memory.recall(question, **options).results]


def write(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def kept_events(path: Path, *operations: dict) -> Path:
    """Events as a home exports them that took them once."""
    lines = [
        {"recorded_at": f"2024-01-{day:02}T00:00:00Z", "logged_at": "2024-02-01T00:00:00Z"} | one
        for day, one in enumerate(operations, start=1)
    ]
    path.write_text("".join(f"{json.dumps(one)}\n" for one in lines), encoding="utf-8")
    return path


WAYS = {
    "remember": lambda memory, _, said: memory.remember("Viele", "Text", **said),
    "update": lambda memory, entry, said: memory.update(
        entry, "Viele", "Text", reason="neu", **said
    ),
    "correct": lambda memory, entry, said: memory.correct(entry, reason="falsch", **said),
    "transact": lambda memory, _, said: memory.transact(
        [{"op": "remember", "title": "Gut"}, {"op": "remember", "title": "Viele", **said}]
    ),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("said", [{"tags": MANY}, {"tags": NESTED}, {"acl": MANY}])
def test_no_operation_stores_more_than_is_searched(memory, way, said):
    entry = memory.remember("Alt", "Ein alter Eintrag").id
    with pytest.raises(InvalidInput) as refused:
        way(memory, entry, said)
    assert refused.value.key == "field.too_many"
    assert refused.value.values["limit"] == 1_000
    assert titles(memory, "alter Eintrag Viele Gut") == ["Alt"]


def test_as_many_as_are_searched_are_stored_and_found(memory):
    memory.remember("Viele", "Text", tags=MANY[:1_000])
    assert titles(memory, "Text", tag="t999") == ["Viele"]


def test_of_a_vault_only_the_note_fails_that_says_too_much(memory, tmp_path):
    folder = tmp_path / "vault"
    write(folder, "gut.md", "Ein guter Text\n")
    write(folder, "viele.md", "Text " + " ".join(f"#{tag}" for tag in MANY) + "\n")
    write(folder, "zugriff.md", "---\nacl: [" + ", ".join(MANY) + "]\n---\nGeheim\n")
    report = memory.import_(folder)
    assert report.added == 1
    assert [one.path for one in report.failed] == ["viele.md", "zugriff.md"]
    assert all(TOO_MANY in one.reason for one in report.failed)
    assert titles(memory, "guter Text Geheim") == ["gut"]
    write(folder, "viele.md", "Weniger Text #t0\n")
    assert memory.import_(folder).added == 1
    assert titles(memory, "Weniger Text", tag="t0") == ["viele"]


def test_a_note_that_says_too_much_stays_as_it_was(memory, tmp_path):
    folder = tmp_path / "vault"
    write(folder, "note.md", "Der erste Stand #t0\n")
    memory.import_(folder)
    write(folder, "note.md", "Der zweite Stand " + " ".join(f"#{tag}" for tag in MANY) + "\n")
    assert [one.path for one in memory.import_(folder).failed] == ["note.md"]
    [found] = memory.recall("Stand", tag="t0").results
    assert found.entry.content.startswith("Der erste")


def test_of_a_history_only_the_commit_of_the_note_fails(memory, tmp_path):
    git = Repository(tmp_path / "vault")
    git.commit("2020-01-01", note="Der erste Stand\n", gut="Gut eins\n")
    git.commit("2020-01-02", note="Viele " + " ".join(f"#{tag}" for tag in MANY), gut="Gut zwei\n")
    git.commit("2020-01-03", note="Der dritte Stand\n")
    report = memory.import_(git.root, history=True)
    assert [one.path for one in report.failed] == ["note.md"]
    assert sorted(titles(memory, "dritte Stand Gut zwei")) == ["gut", "note"]
    [then] = memory.recall("Gut", known_at="2020-01-02T12:00").results
    assert then.entry.content.strip() == "Gut zwei"


def test_events_that_say_too_much_store_nothing(memory, tmp_path):
    path = tmp_path / "events.jsonl"
    event = {"recorded_at": "2024-01-01", "op": "remember", "title": "Viele", "tags": MANY}
    path.write_text(json.dumps(event), encoding="utf-8")
    with pytest.raises(DamalsError, match=TOO_MANY):
        memory.import_(path)
    assert not memory.log().transactions


def test_what_a_home_took_once_is_found_by_what_fits_and_stops_nothing(memory, tmp_path):
    path = kept_events(
        tmp_path / "events.jsonl",
        VIELE | {"content": "Text", "tags": MANY},
        {"op": "remember", "title": "Namen", "content": "Namen", "acl": MANY},
        {"op": "correct", "target": "viele", "acl": MANY, "reason": "mehr"},
        {"op": "remember", "title": "Gut", "content": "Ein guter Text"},
    )
    memory.import_(path)
    assert titles(memory, "guter") == ["Gut"]
    assert titles(memory, "Text", tag="t999") == ["Viele"]
    assert titles(memory, "Text", tag="t1000") == []
    memory.reindex()
    assert sorted(titles(memory, "Text")) == ["Gut", "Viele"]
    memory.remember("Neu", "Ganz neu")
    assert titles(memory, "Ganz neu") == ["Neu"]


def test_doctor_names_what_lists_more_than_is_searched_until_it_is_shortened(memory, tmp_path):
    viele = VIELE | {"tags": NESTED}
    namen = {"op": "remember", "external_id": "namen", "title": "Namen", "acl": MANY}
    memory.import_(kept_events(tmp_path / "events.jsonl", viele, namen))
    health = memory.doctor()
    [told] = [one for one in health.checks if not one.ok]
    assert (told.name, health.ok) == ("tags", False)
    for name in ("viele", "namen"):
        assert memory.get(name).id in told.message
    memory.correct("viele", reason="zu viele", tags=["kurz"])
    memory.correct("namen", reason="zu viele", acl=["anna"])
    assert memory.doctor().ok


def test_a_heading_of_more_words_than_are_searched_stops_nothing(memory, tmp_path):
    folder = tmp_path / "vault"
    words = " ".join(f"w{number:x}q" for number in range(120_000))
    write(folder, "lang.md", f"# Anfang {words}\n\nText unter der Überschrift\n")
    write(folder, "gut.md", "Ein guter Text\n")
    assert memory.import_(folder).added == 2
    assert "gut" in titles(memory, "guter Text")
    assert titles(memory, "Überschrift")[0] == "lang"
    assert memory.doctor().ok
