"""Exports of any kind: what goes together, and what is noted of them."""

from contextlib import contextmanager

import pytest

from damals.errors import Conflict, InvalidInput


@contextmanager
def refused(kind, key):
    with pytest.raises(kind) as caught:
        yield
    assert caught.value.key == key


def written(memory, folder):
    return memory.export(folder, format="markdown")


def test_options_that_do_not_go_together_are_refused(memory, tmp_path):
    for options in (
        {"history": True},
        {"as_of": "2024"},
        {"person": "x", "format": "markdown"},
        {"person": "x", "as_of": "2024"},
    ):
        with refused(InvalidInput, "export.options"):
            memory.export(tmp_path / "out", **options)
    with refused(InvalidInput, "field.choice"):
        memory.export(tmp_path / "out", format="docx")


def test_every_export_is_noted_where_it_was_written(memory, tmp_path):
    made = memory.remember("A", "x", type="person")
    memory.export(tmp_path / "events.jsonl")
    written(memory, tmp_path / "out")
    memory.export(tmp_path / "a.json", person=made.id)
    noted = memory.opened.ledger("default").registry.exports("default")
    assert [(one.kind, one.path, one.number) for one in noted] == [
        ("events", str(tmp_path / "events.jsonl"), 1),
        ("markdown", str(tmp_path / "out"), 1),
        ("person", str(tmp_path / "a.json"), 1),
    ]


def test_an_export_that_cannot_be_written_is_not_noted(memory, tmp_path):
    memory.remember("A", "x")
    (tmp_path / "out").mkdir()
    (tmp_path / "out/x").write_text("x")
    with pytest.raises(Conflict):
        written(memory, tmp_path / "out")
    with pytest.raises(InvalidInput):
        memory.export(tmp_path / "out")
    assert list(memory.opened.ledger("default").registry.exports("default")) == []


def test_an_export_is_no_part_of_a_transaction(memory, tmp_path):
    with memory.transaction() as together, refused(InvalidInput, "transaction.open"):
        together.remember("A", "x")
        memory.export(tmp_path / "x.jsonl")
    assert not (tmp_path / "x.jsonl").exists()
