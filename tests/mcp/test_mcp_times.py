"""Times in what an assistant asks: read by ``recall``, never by ``recall_at_time``."""

import pytest

from damals.api import Damals
from damals.interfaces.mcp.caller import Caller
from damals.interfaces.mcp.tools import TOOLS

BY_NAME = {tool.name: tool for tool in TOOLS}
ASKED = "Was wussten wir am 14. März 2020 über die Müller GmbH im April 2026?"


@pytest.fixture
def call(memory: Damals):
    memory.remember("Müller GmbH", "Hauptstraße 1", valid_from="2024-01-01")
    caller = Caller(memory, "en", "claude", "session-1")

    def called(name: str, **given):
        return BY_NAME[name].call(caller, given)

    return called


def test_recall_reads_both_clocks_from_the_question_and_shows_its_words(call):
    answer = call("recall", query=ASKED)
    understood = answer["understood"]
    assert understood["known_at"].startswith("2020-03-1")
    assert understood["as_of_text"] == "im April 2026"
    assert understood["known_at_text"] == "am 14. März 2020"
    assert "notes" not in understood
    assert any("im April 2026" in said for said in answer["caveats"])


def test_recall_at_time_has_its_instants_and_reads_none(call):
    answer = call("recall_at_time", query=ASKED, as_of="2025-01-01")
    assert answer["understood"]["as_of"] in (
        "2024-12-31T23:00:00.000000Z",
        "2025-01-01T00:00:00.000000Z",
    )
    assert "from_text" not in answer["understood"]
    assert answer["results"]
