"""What was imported is told the same, whoever owns the home."""

import json
from pathlib import Path


def test_each_import_of_a_source_replaces_what_the_last_one_gave(asked):
    vault = asked.folder / "Notizen"
    vault.mkdir()
    (vault / "a.md").write_text("---\nimportance: 9\n---\nEins.\n", encoding="utf-8")
    (vault / "b.md").write_bytes(b"\xff\xfe\xff")
    asked.own.import_(vault)
    [told] = asked.memory.sources()
    assert told.to_dict() == asked.own.sources()[0].to_dict()
    assert (told.name, told.kind, told.entries) == ("Notizen", "vault", 1)
    assert Path(told.root) == vault.resolve()
    result = told.result
    assert (result.added, result.failures, result.advice) == (1, 1, 1)
    assert [one.path for one in result.failed] == ["b.md"]
    assert "importance" in result.warnings[0].reason
    (vault / "b.md").unlink()
    asked.own.import_(vault)
    [again] = asked.memory.sources()
    assert again.imported_at > told.imported_at
    assert (again.result.added, again.result.unchanged, again.result.failures) == (0, 1, 0)


def test_a_file_of_events_is_a_source_without_notes(asked):
    events = asked.folder / "alt.jsonl"
    said = {"op": "remember", "title": "A", "recorded_at": "2020-01-01T00:00:00Z"}
    events.write_text(json.dumps(said), encoding="utf-8")
    asked.own.import_(events)
    [told] = asked.memory.sources()
    assert (told.name, told.kind, told.entries, told.result.added) == (
        "alt.jsonl",
        "events",
        None,
        1,
    )


def test_a_trial_leaves_no_source(asked):
    (asked.folder / "v").mkdir()
    (asked.folder / "v" / "a.md").write_text("Eins.", encoding="utf-8")
    asked.own.import_(asked.folder / "v", dry_run=True)
    assert list(asked.memory.sources()) == []
