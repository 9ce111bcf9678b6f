"""``ask``, ``why`` and ``replay`` on the command line."""

import json
from pathlib import Path

import pytest
from program import Program, home_of_its_own

QUESTION = "Welche Anschrift hat die Müller GmbH?"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> Program:
    home_of_its_own(tmp_path, monkeypatch)
    made = Program(capsys)
    made.json("remember", "--title", "Anschrift der Müller GmbH", "--content", "Hauptstraße 1")
    return made


def test_an_answer_its_reasons_and_its_replay(program: Program):
    answer = program.json("ask", QUESTION)
    assert "Hauptstraße 1 [1]" in answer["answer"]
    why = program.json("why", answer["receipt"])
    assert why["reasons"] == answer["reasons"]
    assert program.json("replay", answer["receipt"]) == answer
    again = program.json("replay", answer["receipt"], "--recompute")
    assert again["differences"] == []


def test_people_read_marks_quotes_scores_and_the_receipt(program: Program):
    asked = program.text("ask", QUESTION)
    receipt = asked.rsplit("receipt: ", 1)[1].strip()
    assert "[1] Anschrift der Müller GmbH" in asked
    why = program.text("why", receipt)
    assert "cited as [1]" in why
    assert "matched: " in why
    assert "words" in why
    assert "computed again: the same" in program.text("replay", receipt, "--recompute")
    assert program.text("replay", receipt).splitlines()[0] == asked.splitlines()[0]


def test_what_is_not_known_is_said_in_both_languages(program: Program):
    said = "Wie hoch ist der Eiffelturm?"
    assert "does not answer" in program.text("ask", said)
    assert "beantwortet das nicht" in program.text("ask", said, "--lang", "de")


def test_a_recall_names_its_receipt_and_can_go_without(program: Program):
    assert "receipt: " in program.text("recall", QUESTION)
    assert "receipt: " not in program.text("recall", QUESTION, "--no-receipt")
    found = program.json("recall", QUESTION)
    assert json.dumps(program.json("replay", found["receipt"])) == json.dumps(found)


def test_an_unknown_receipt_exits_3(program: Program):
    error = program.json("why", "nirgends", code=3)
    assert error["error"]["code"] == "not_found"
    program.json("replay", "nirgends", code=3)
