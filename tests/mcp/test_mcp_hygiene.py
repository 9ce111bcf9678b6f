"""The tool ``hygiene``: no more of each kind than was asked for, and what needs a decision."""

from mcp_speaking import fill

from damals.api import Damals
from damals.interfaces.mcp.caller import Caller
from damals.interfaces.mcp.tools import TOOLS

[TOOL] = [tool for tool in TOOLS if tool.name == "hygiene"]


def test_an_assistant_is_told_what_is_to_be_decided_and_that_it_must_not_decide(memory: Damals):
    fill(memory)
    told = TOOL.call(Caller(memory, "en", "claude", "s"), {"kind": "contradiction"})
    [one] = told["findings"]
    assert one["decision"] is True
    assert one["repair"].startswith("damals resolve ")
    assert told["kinds"] == [{"kind": "contradiction", "count": 1}]
    assert "never decide" in TOOL.describe("en")


def test_no_more_of_a_kind_is_told_than_was_asked_for_and_all_are_counted(memory: Damals):
    for number in range(4):
        memory.remember(f"Wichtig {number}", "", importance=5, pinned=False)
    told = TOOL.call(Caller(memory, "en", "claude", "s"), {"limit": 1, "kind": ["unpinned"]})
    assert len(told["findings"]) == 1
    assert told["kinds"] == [{"kind": "unpinned", "count": 4}]


def test_the_past_can_be_asked_for(memory: Damals):
    fill(memory)
    told = TOOL.call(Caller(memory, "en", "claude", "s"), {"as_of": 2019, "known_at": 2019})
    assert told["findings"] == []
    assert told["understood"]["as_of"].startswith("201")
