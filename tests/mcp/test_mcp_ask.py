"""The tool ``ask``: quotes with numbers, or that it is not known."""

import pytest

from damals.api import Damals
from damals.interfaces.mcp import compact
from damals.interfaces.mcp.caller import Caller
from damals.interfaces.mcp.tools import TOOLS

[ASK] = [tool for tool in TOOLS if tool.name == "ask"]
QUESTION = "Welche Anschrift hat die Müller GmbH?"


@pytest.fixture
def caller(memory: Damals) -> Caller:
    memory.remember(
        "Anschrift der Müller GmbH", "Hauptstraße 1", valid_from="2020", external_id="sitz"
    )
    return Caller(memory, "en", "claude", "session-1")


def test_an_answer_has_its_quotes_and_a_receipt_and_no_reasons(caller: Caller, memory: Damals):
    answer = ASK.call(caller, {"question": QUESTION})
    assert answer["abstained"] is False
    [citation] = answer["citations"]
    entry = memory.get("sitz")
    assert citation["entry_id"] == entry.id
    assert entry.content[citation["start"] : citation["end"]] == citation["quote"]
    assert "reasons" not in answer
    assert memory.why(answer["receipt"]).question == QUESTION


def test_what_is_not_known_is_said_to_be(caller: Caller):
    answer = ASK.call(caller, {"question": "Wie hoch ist der Eiffelturm?"})
    assert answer["abstained"] is True
    assert "citations" not in answer
    assert ASK.call(caller, {"question": QUESTION, "as_of": 2010})["abstained"] is True


def test_a_long_quote_is_cut_and_says_where_the_rest_is(caller: Caller, memory: Damals):
    long = "Die Anschrift der Holz AG ist " + "sehr " * 2_000 + "weit weg."
    memory.remember("Anschrift der Holz AG", long)
    answer = ASK.call(caller, {"question": "Welche Anschrift hat die Holz AG?"})
    assert len(answer["citations"][0]["quote"]) < compact.MAX_PASSAGE_CHARS + 200
    assert "entry://" in answer["citations"][0]["quote"]
