"""What clients are told of the tools: little, true, and in both languages."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from damals import messages
from damals.interfaces.mcp import prompts
from damals.interfaces.mcp.server import told
from damals.interfaces.mcp.tools import TOOLS

TOKENS = 4_000
CHARS_PER_TOKEN = 3
"""A careful estimate without a tokenizer: the tokenizers of today's models take 3.3 to 4.5
characters of JSON with English or German in it for a token, so dividing by 3 counts too many."""

ALL_TOOLS = 12
SEED = {
    "update_fact": [
        "target_id", "new_title", "new_content", "update_reason", "valid_from", "valid_to",
    ],
    "recall_at_time": ["query", "as_of", "known_at", "limit"],
}  # fmt: skip
READING = {"recall", "recall_at_time", "fact_history", "diff_knowledge", "ask", "hygiene"}


def listed(lang: str) -> list[dict[str, Any]]:
    """The list of tools as it goes over the wire."""
    return [told(tool, lang).model_dump(by_alias=True, exclude_none=True) for tool in TOOLS]


def size(lang: str) -> float:
    document = {"tools": listed(lang)}
    return len(json.dumps(document, ensure_ascii=False, separators=(",", ":"))) / CHARS_PER_TOKEN


@pytest.mark.parametrize("lang", messages.LANGUAGES)
def test_the_whole_list_of_tools_stays_under_its_budget_with_room_for_those_to_come(lang: str):
    to_come = ALL_TOOLS - len(TOOLS)
    largest = max(len(json.dumps(one, ensure_ascii=False)) for one in listed(lang))
    assert size(lang) + to_come * largest / CHARS_PER_TOKEN < TOKENS


def test_the_tools_of_the_seed_keep_their_names_and_parameters():
    known = {tool.name: [one.name for one in tool.parameters] for tool in TOOLS}
    assert SEED.items() <= known.items()


def test_the_required_parameters_of_the_seed_are_required_and_no_others():
    required = {tool.name: [one.name for one in tool.parameters if one.required] for tool in TOOLS}
    assert required["update_fact"] == SEED["update_fact"][:4]
    assert required["recall_at_time"] == SEED["recall_at_time"][:2]


@pytest.mark.parametrize("lang", messages.LANGUAGES)
def test_every_tool_is_explained_and_every_schema_is_one(lang: str):
    for tool in listed(lang):
        assert tool["description"] == messages.text(f"mcp.tool.{tool['name']}", lang)
        assert messages.has(f"mcp.tool.{tool['name']}", lang)
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
            assert set(schema["required"]) <= set(schema["properties"])
        assert tool["inputSchema"]["additionalProperties"] is False


def test_every_schema_names_one_type_a_parameter_so_that_every_client_takes_it():
    for tool in listed("en"):
        for name, schema in tool["inputSchema"]["properties"].items():
            assert isinstance(schema.get("type", "string"), str), (tool["name"], name)


def test_annotations_say_who_reads_who_writes_and_who_takes_something_away():
    hints = {tool["name"]: tool["annotations"] for tool in listed("en")}
    assert {name for name, told_ in hints.items() if told_["readOnlyHint"]} == READING & set(hints)
    assert all(told_["openWorldHint"] is False for told_ in hints.values())
    destructive = {name for name, told_ in hints.items() if told_.get("destructiveHint")}
    assert destructive == {"close_fact", "resolve_contradiction"}
    idempotent = {name for name, told_ in hints.items() if told_.get("idempotentHint")}
    assert idempotent == {"remember", "correct_fact", "close_fact", "resolve_contradiction"}


def test_every_explanation_of_a_parameter_belongs_to_one():
    names = {f"mcp.argument.{one.name}" for tool in TOOLS for one in tool.parameters}
    names |= {f"mcp.argument.{tool.name}.{one.name}" for tool in TOOLS for one in tool.parameters}
    for lang in messages.LANGUAGES:
        written = {key for key in messages.catalogue(lang) if key.startswith("mcp.argument.")}
        assert written <= names


def test_hints_that_name_tools_name_those_that_exist_and_stand_for_messages_that_exist():
    known = messages.catalogue("en")
    for key in known:
        if key.startswith("mcp.hint."):
            assert key.removeprefix("mcp.hint.") in known


@pytest.mark.parametrize("lang", messages.LANGUAGES)
def test_the_memory_pack_names_every_tool_and_every_rule(lang: str):
    pack = prompts.memory_pack(lang)
    named = {tool.name for tool in TOOLS if f"`{tool.name}`" in pack}
    assert {tool.name for tool in TOOLS} - named <= {"remember"}
    rules = {
        "en": ["never overwrite", "Never guess a date", "echo", "valid time", "recorded time"],
        "de": ["überschreibe nie", "Rate nie ein Datum", "Echo", "Gültigkeit", "Erfassung"],
    }
    assert [rule for rule in rules[lang] if rule not in pack] == []
