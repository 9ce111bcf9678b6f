"""The tool ``hygiene``: no more of each kind than was asked for, and what needs a decision."""

import json
from typing import Any

import pytest
from mcp_speaking import QUIET, RawHttp, fill

from damals import messages
from damals.api import Damals
from damals.app.errors import InvalidInput
from damals.bootstrap import init_home, open_home
from damals.interfaces.mcp.caller import Caller
from damals.interfaces.mcp.failures import explain
from damals.interfaces.mcp.tools import TOOLS

[TOOL] = [tool for tool in TOOLS if tool.name == "hygiene"]


def test_an_assistant_is_told_what_is_to_be_decided_and_that_it_must_not_decide(memory: Damals):
    fill(memory)
    told = TOOL.call(Caller(memory, "en", "claude", "s"), {"kind": "contradiction"})
    [one] = told["findings"]
    assert one["decision"] is True
    assert one["repair"].startswith("damals resolve ")
    labels = {way["label"] for way in one["choices"]}
    assert labels == {"the first one stands", "the second one stands", "both hold"}
    assert one["choices"][0]["command"] == one["repair"]
    assert told["kinds"] == [{"kind": "contradiction", "count": 1}]
    assert "never decide" in TOOL.describe("en")


def test_no_more_of_a_kind_is_told_than_was_asked_for_and_all_are_counted(memory: Damals):
    for number in range(4):
        memory.remember(f"Wichtig {number}", "", importance=5, pinned=False)
    told = TOOL.call(Caller(memory, "en", "claude", "s"), {"limit": 1, "kind": ["unpinned"]})
    assert len(told["findings"]) == 1
    assert told["kinds"] == [{"kind": "unpinned", "count": 4}]


@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"limit": 10**400}, "…"),
        ({"limit": True}, "true"),
        ({"limit": 51}, "51"),
        ({"limit": 0}, "0"),
        ({"limit": "x" * 5_000}, "xxx…"),
        ({"as_of": 10**4_000}, "…"),
        ({"topic": None, "kind": [None]}, "null"),
        ({"topic": {"a": "ü"}}, '{"a": "ü"}'),
        ({"kind": ["bogus"]}, "bogus"),
        ({"kind": "due"}, "due"),
        ({"as_of": "quatsch"}, "quatsch"),
        ({"art": "orphan"}, "art"),
    ],
)
def test_what_cannot_be_read_is_refused_in_few_words(
    memory: Damals, lang: str, given: dict[str, Any], shown: str
):
    fill(memory)
    messages.speak(lang)
    with pytest.raises(InvalidInput) as raised:
        TOOL.call(Caller(memory, lang, "claude", "s"), given)
    told = explain(raised.value)
    assert shown in told
    assert len(told) < 500


def test_a_report_says_what_it_does_not_know(tmp_path):
    init_home(tmp_path / "home", timezone="UTC")
    with open_home(tmp_path / "home", accesses=False, **QUIET) as memory:
        memory.remember("Alt", "x", importance=1, domain="campaign")
        given = {"kind": "below_threshold", "as_of": "2100"}
        told = TOOL.call(Caller(memory, "en", "claude", "s"), given)
        assert len(told["caveats"]) == 1
        assert "caveats" not in TOOL.call(Caller(memory, "en", "claude", "s"), {})


def test_the_past_can_be_asked_for(memory: Damals):
    fill(memory)
    told = TOOL.call(Caller(memory, "en", "claude", "s"), {"as_of": 2019, "known_at": 2019})
    assert told["findings"] == []
    assert told["understood"]["as_of"].startswith("201")


def test_a_key_is_told_of_what_it_sees_and_nothing_of_files(served, tmp_path):
    vault = tmp_path / "Mein Vault"
    vault.mkdir()
    for name, more in (("a", ""), ("b", ""), ("c", "visibility: restricted\n")):
        text = f"---\naliases: [Chef]\n{more}---\n# Notiz {name}\n"
        (vault / f"{name}.md").write_text(text, encoding="utf-8")
    served.memory.import_(vault)
    kinds = ["ambiguous_alias", "missing_field", "orphan"]
    told = []
    for key in (served.token, served.memory.create_key("leser").secret):
        raw = RawHttp(served.mcp, key)
        raw.hello()
        told.append(raw.call("hygiene", kind=kinds, limit=50)["structuredContent"])
    own, guest = (json.dumps(one, ensure_ascii=False) for one in told)
    assert ("Notiz c" in own, "Notiz c" in guest) == (True, False)
    assert (str(vault) in own, str(vault) in guest) == (True, False)
    counts = {one["kind"]: one["count"] for one in told[1]["kinds"]}
    assert counts["missing_field"] == 2
    [alias] = [one for one in told[1]["findings"] if one["kind"] == "ambiguous_alias"]
    assert len(alias["entries"]) == 2
    assert "(2)" in alias["message"]
    assert not {"repair", "choices"} & alias.keys()
