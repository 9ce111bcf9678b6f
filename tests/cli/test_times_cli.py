"""What was read from a question is shown back, and the switch that turns reading off."""

import pytest
from program import Program, home_of_its_own

ASKED = "Was wussten wir am 14. März 2030 darüber, wo die Müller GmbH im April 2029 sitzt?"


@pytest.fixture
def program(tmp_path, monkeypatch, capsys) -> Program:
    home_of_its_own(tmp_path, monkeypatch)
    program = Program(capsys)
    program.text("remember", "--title", "Müller GmbH", "--valid-from", "2024-01-01")
    return program


def test_the_words_of_each_clock_are_shown_back_in_both_languages(program: Program):
    shown = program.text("recall", ASKED, "--lang", "de")
    assert "„im April 2029“ sagt, wann es galt" in shown
    assert "„am 14. März 2030“ sagt, was bis dahin bekannt war" in shown
    assert "ist ein Zeitraum (2029-04-01 bis 2029-04-30)" in shown
    shown = program.text("recall", ASKED, "--lang", "en")
    assert "“im April 2029” says when it held" in shown


def test_reading_can_be_turned_off_and_given_instants_stand(program: Program):
    off = program.json("recall", ASKED, "--times", "off")
    assert off["understood"]["from_text"] is None
    given = program.json("recall", ASKED, "--as-of", "2025-01-01", "--known-at", "2031-01-01")
    assert given["as_of"] == "2024-12-31T23:00:00.000000Z"
    assert len(given["results"]) == 1
    assert len(given["understood"]["notes"]) == 2
    program.json("recall", ASKED, "--times", "perhaps", code=2)
