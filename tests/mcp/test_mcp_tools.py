"""What the tools do and answer: the documented names, and nothing that costs and says nothing."""

import json

import pytest
from jsonschema import Draft202012Validator
from mcp_speaking import fill, rounds

from damals.api import Damals
from damals.app.errors import DamalsError, InvalidInput, NotFound
from damals.interfaces.mcp import compact, resources
from damals.interfaces.mcp.caller import Caller
from damals.interfaces.mcp.tools import TOOLS

BY_NAME = {tool.name: tool for tool in TOOLS}


@pytest.fixture
def call(memory: Damals):
    """Calls a tool as an assistant would, and checks the answer against its schema."""
    caller = Caller(memory, "en", "claude", "session-1")

    def called(name: str, **given):
        answer = BY_NAME[name].call(caller, given)
        Draft202012Validator(BY_NAME[name].output_schema()).validate(answer)
        assert set(answer) <= set(BY_NAME[name].answer), "an undeclared name"
        return answer

    return called


def test_every_tool_answers_what_its_schema_says(memory: Damals, call):
    played = rounds(*fill(memory))
    assert {name for name, _ in played} == set(BY_NAME)
    for name, arguments in played:
        assert call(name, **arguments)


def test_nothing_that_is_null_empty_or_a_vector_is_answered(memory: Damals, call):
    def check(value):
        if isinstance(value, dict):
            for name, item in value.items():
                assert item not in (None, "", [], {}) or name in {"results", "changes"}, name
                assert "vector" not in name
                check(item)
        elif isinstance(value, list):
            [check(item) for item in value]

    for name, arguments in rounds(*fill(memory)):
        check(call(name, **arguments))


def test_the_seeds_example_the_old_address_holds_until_the_move_and_the_new_one_from_then(call):
    old = call("remember", title="Anschrift Müller GmbH", content="Hauptstraße 1, Bad Salzuflen",
               valid_from="2024-09-01")["entry"]  # fmt: skip
    done = call(
        "update_fact",
        target_id=old["id"],
        new_title="Anschrift Müller GmbH ab 01.06.2026",
        new_content="Industriestraße 7, Detmold",
        update_reason="Umzug zum 01.06.2026",
        valid_from="2026-06-01",
    )
    assert [one["valid_to"] for one in done["replaced"]] == ["2026-06-01"]
    then = call("recall_at_time", query="Anschrift Müller", as_of="2026-04-01")
    now = call("recall_at_time", query="Anschrift Müller", as_of="2026-06-15")
    assert "Hauptstraße" in then["results"][0]["chunk"]["text"]
    assert "Industriestraße" in now["results"][0]["chunk"]["text"]
    assert len(then["results"]) == len(now["results"]) == 1


def test_what_an_assistant_says_is_marked_with_its_name_and_conversation(memory: Damals, call):
    made = call("remember", title="Sprache", content="Deutsch")["entry"]
    source = memory.get(made["id"]).source
    assert (source.kind, source.name, source.session) == ("mcp", "claude", "session-1")


def test_the_same_thing_said_again_in_another_conversation_changes_nothing(memory: Damals, call):
    first = call("remember", title="Sprache", content="Deutsch")
    other = Caller(memory, "en", "claude", "session-2")
    again = BY_NAME["remember"].call(other, {"title": "Sprache", "content": "Deutsch"})
    assert again["unchanged"] is True
    assert again["entry"]["id"] == first["entry"]["id"]
    assert len(memory.log().transactions) == 1


def test_a_new_entry_can_carry_its_relations(call):
    first = call("remember", title="Angebot", content="Tagessatz 900")["entry"]
    second = call("remember", title="Nachtrag", content="Tagessatz 950 ab Juli",
                  relations=[{"type": "extends", "dst": first["id"]}])["entry"]  # fmt: skip
    assert [(r["type"], r["entry_id"]) for r in second["relations"]] == [("extends", first["id"])]


@pytest.mark.parametrize("tool", [tool.name for tool in TOOLS])
def test_an_unknown_argument_is_refused_by_every_tool_before_anything_is_done(
    memory: Damals, call, tool: str
):
    arguments = dict(rounds(*fill(memory)))[tool]
    before = len(memory.log().transactions)
    with pytest.raises(InvalidInput) as refused:
        call(tool, **arguments, valid_until="2026-01-01")
    assert refused.value.key == "mcp.argument_unknown"
    assert refused.value.values["name"] == "valid_until"
    assert len(memory.log().transactions) == before


@pytest.mark.parametrize("tool", [tool.name for tool in TOOLS])
def test_every_required_argument_is_asked_for(memory: Damals, call, tool: str):
    arguments = dict(rounds(*fill(memory)))[tool]
    for parameter in BY_NAME[tool].parameters:
        if parameter.required:
            left = {name: value for name, value in arguments.items() if name != parameter.name}
            with pytest.raises(InvalidInput, match=parameter.name):
                call(tool, **left)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("recall", {"query": "x", "limit": 0}),
        ("recall", {"query": "x", "limit": 51}),
        ("recall", {"query": "x", "limit": True}),
        ("recall", {"query": "x", "limit": 1.5}),
        ("recall", {"query": ["x"]}),
        ("recall", {"query": "x", "certain": "vielleicht"}),
        ("recall_at_time", {"query": "x", "as_of": {"year": 2024}}),
        ("remember", {"title": "x", "relations": ["extends"]}),
        ("remember", {"title": "x", "on_overlap": "overwrite"}),
        ("verify_fact", {"id": "x", "score": "hoch"}),
        ("close_fact", {"id": "x", "how": "delete", "reason": "y"}),
        ("close_fact", {"id": "x", "how": "retract", "at": "2024", "reason": "y"}),
        ("correct_fact", {"id": "x", "reason": "y"}),
        ("fact_history", {"id": "x", "cursor": "Seite 2"}),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_with_a_hint(
    memory: Damals, call, tool: str, arguments: dict
):
    fill(memory)
    with pytest.raises((InvalidInput, NotFound)) as refused:
        call(tool, **arguments)
    assert refused.value.key.startswith(("mcp.", "entry.unknown", "cursor.invalid"))


def test_values_that_models_send_in_other_types_are_read_as_they_were_meant(call):
    made = call("remember", title=2024, content="Jahr", tags="jahre", valid_from=2024, key=None)
    assert made["entry"]["title"] == "2024"
    assert made["entry"]["tags"] == ["jahre"]
    assert made["entry"]["valid_from"] == "2024"
    found = call("recall", query="Jahr", limit="1", certain="false")
    assert len(found["results"]) == 1
    assert call("recall_at_time", query="Jahr", as_of=2025)["understood"]["as_of"] == (
        "2025-01-01T00:00:00.000000Z"
    )


def test_an_empty_text_takes_a_value_away_and_null_leaves_it(memory: Damals, call):
    made = call("remember", title="A", content="B", key="a/b", valid_from="2024")["entry"]
    call("correct_fact", id=made["id"], reason="x", title="C", key=None, valid_from=None)
    assert (memory.get(made["id"]).key, memory.get(made["id"]).valid_from) == ("a/b", "2024")
    call("correct_fact", id=made["id"], reason="x", key="", valid_from="")
    assert (memory.get(made["id"]).key, memory.get(made["id"]).valid_from) == (None, None)


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_no_more_results_than_asked_for(call, limit: int):
    for number in range(5):
        call("remember", title=f"Rechnung {number}", content=f"Rechnung Nummer {number}")
    for tool, more in (("recall", {}), ("recall_at_time", {"as_of": "now"})):
        assert len(call(tool, query="Rechnung", limit=limit, **more)["results"]) == limit


def test_a_history_comes_in_pages_that_together_are_the_whole_of_it(memory: Damals, call):
    made = call("remember", title="A0", content="derselbe Text", valid_from="2024")["entry"]
    for number in range(1, 6):
        call("correct_fact", id=made["id"], reason=f"r{number}", title=f"A{number}")
    whole = memory.history(made["id"]).versions
    got, cursor = [], None
    while True:
        page = call(
            "fact_history", id=made["id"], limit=2, **({"cursor": cursor} if cursor else {})
        )
        assert len(page["versions"]) <= 2
        got += page["versions"]
        cursor = page.get("next")
        if cursor is None:
            break
    assert [one["title"] for one in got] == [one.title for one in whole]
    assert [one.get("reason") for one in got] == [one.reason for one in whole]
    # A text stands once a page, so that each can be read by itself.
    assert [("content" in one) for one in got] == [place % 2 == 0 for place in range(len(got))]


def test_a_diff_comes_in_pages_of_the_same_diff_even_when_something_changes_between(call):
    for number in range(5):
        call("remember", title=f"T{number}", content="x", valid_from=f"2025-0{number + 1}-01")
    asked = {"from": "2024-01-01", "to": "now", "limit": 2}
    page = call("diff_knowledge", **asked)
    first = page
    got = page["changes"]
    call("remember", title="T9", content="x", valid_from="2024-02-01")
    while "next" in page:
        page = call("diff_knowledge", **asked, cursor=page["next"])
        assert (page["from"], page["to"]) == (first["from"], first["to"])
        got = got + page["changes"]
    assert [one["after"]["title"] for one in got] == [f"T{number}" for number in range(5)]


def test_a_long_text_is_cut_and_says_where_the_rest_is(memory: Damals, call):
    text = "Der Vertrag mit der Müller GmbH. " + "Sehr langer Text ohne Absatz " * 400
    made = call("remember", title="Vertrag", content=text)["entry"]
    shown = call("fact_history", id=made["id"])["versions"][0]["content"]
    assert len(shown) < compact.MAX_CONTENT_CHARS + 200
    uri = shown.rpartition("entry://")[2].rstrip("]")
    [whole] = resources.read(memory, f"entry://{uri}")
    assert json.loads(whole.text)["content"] == text
    hit = call("recall", query="Vertrag Müller")["results"][0]
    assert len(hit["chunk"]["text"]) < compact.MAX_PASSAGE_CHARS + 200
    assert hit["resource"] == f"entry://{made['id']}"


def test_closing_ends_now_or_then_retracts_or_archives(memory: Damals, call):
    ids = [call("remember", title=f"A{n}", content="x", valid_from="2024")["entry"]["id"]
           for n in range(3)]  # fmt: skip
    ended = call("close_fact", id=ids[0], how="end", at="2025-01-01", reason="vorbei")
    assert ended["entry"]["valid_to"] == "2025-01-01"
    again = call("close_fact", id=ids[0], how="end", at="2025-01-01", reason="vorbei")
    assert again["unchanged"] is True
    call("close_fact", id=ids[1], how="retract", reason="war nie so")
    archived = call("close_fact", id=ids[2], how="archive", reason="unwichtig")
    assert archived["entry"]["status"] == "archived"
    assert memory.entries().entries == ()


def test_an_answer_tells_what_contradicts_it(memory: Damals, call):
    first, second, _ = fill(memory)
    found = call("recall", query="Kapital")["results"]
    assert {one["entry"]["id"]: one["contradicts"] for one in found} == {
        first: [second], second: [first],
    }  # fmt: skip
    call("resolve_contradiction", a=first, b=second, keep="a", reason="Register ist veraltet")
    assert [one["entry"]["id"] for one in call("recall", query="Kapital")["results"]] == [first]


def test_reading_a_memory_that_was_never_written_says_so(call):
    for tool, given in (
        ("recall", {"query": "x"}),
        ("fact_history", {"key": "x"}),
        ("diff_knowledge", {"from": "2024"}),
    ):
        with pytest.raises(DamalsError) as told:
            call(tool, **given)
        assert told.value.key == "home.missing"
