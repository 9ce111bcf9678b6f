"""Acceptance of diffs: what changed between two pairs of instants, by whom and why."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import diff_stories
import pytest

from damals import Damals
from damals.app.errors import DamalsError, InvalidInput, NotFound
from damals.bootstrap import init_home
from damals.domain.instants import from_datetime
from damals.interfaces.cli.main import main

BEFORE, AFTER = "2024-02-01", "2024-04-01"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("diff")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAMALS_EMBEDDER", "none")
        init_home(folder / "home", timezone="UTC")
        with Damals.open(folder / "home") as opened:
            opened.import_(diff_stories.write(folder / "events.jsonl"))
    return folder / "home"


@pytest.fixture
def memory(home, monkeypatch):
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    with Damals.open(home) as opened:
        yield opened


def told(diff) -> list[tuple[str, str | None, str | None]]:
    """Kind, external ids of before and after."""
    return [(c.kind, _name(c.before), _name(c.after)) for c in diff]


def _name(entry) -> str | None:
    return None if entry is None else entry.external_id


def story(memory, name: str, start: str = BEFORE, end: str = AFTER, **more):
    return memory.diff(start=start, end=end, tag=f"story/{name}", **more)


def only(diff) -> Any:
    [change] = diff.changes
    return change


def refusal(ask: Callable[[], object]) -> tuple[type[DamalsError], str]:
    with pytest.raises(DamalsError) as refused:
        ask()
    return type(refused.value), refused.value.key


# The case of the time page


def test_case_16_the_world_moves_first_and_knowledge_behind_it(memory):
    diff = story(memory, "case16")
    assert told(diff) == [
        ("began", None, "a"),
        ("ended", "b", None),
        ("learned", None, "c"),
        ("corrected", "d", "d"),
    ]
    assert [c.phase for c in diff] == [1, 1, 2, 2]
    assert [c.at[:10] for c in diff] == ["2024-03-01", "2024-03-01", "2024-02-15", "2024-02-20"]
    assert (diff.changes[3].before.content, diff.changes[3].after.content) == ("1", "2")
    assert diff.changes[3].reason == "correct wegen 2024-02-20"
    assert {c.actor for c in diff} == {"import"}


# Kinds


def test_of_an_entry_that_was_replaced_the_one_that_holds_now_is_shown(memory):
    change = only(story(memory, "chain"))
    assert (change.kind, change.relation) == ("superseded", "supersedes")
    assert (_name(change.before), _name(change.after)) == ("alt", "neu")
    assert change.entry_id == change.before.id
    assert change.reason == "update wegen 2024-02-05"


def test_a_revision_is_told_apart_from_a_replacement(memory):
    change = only(story(memory, "revised"))
    assert (change.kind, change.relation) == ("revised", "revises")
    assert (_name(change.before), _name(change.after)) == ("entwurf", "fassung")


def test_what_was_replaced_by_what_was_never_true_has_nothing_in_its_place(memory):
    assert told(story(memory, "lost")) == [("superseded", "verlierer", None)]


def test_an_extension_stands_for_what_was_learned_and_names_what_it_extends(memory):
    change = only(story(memory, "extended"))
    assert (change.kind, change.relation) == ("extended", "extends")
    assert (_name(change.before), _name(change.after)) == ("grund", "zusatz")
    whole = story(memory, "extended", "2024-01-01")
    assert told(whole) == [("learned", None, "grund"), ("extended", "grund", "zusatz")]


def test_a_contradiction_names_both_and_the_new_one_is_learned(memory):
    assert sorted(told(story(memory, "contradicted"))) == [
        ("contradicted", "dreißig", "sechzig"),
        ("learned", None, "sechzig"),
    ]


def test_a_decision_resolves_what_was_contradicted(memory):
    change = only(story(memory, "resolved"))
    assert (change.kind, change.relation) == ("resolved", "contradicts")
    assert {_name(change.before), _name(change.after)} == {"links", "rechts"}
    assert told(story(memory, "resolved", "2024-01-06T12:00", BEFORE)) == [
        ("contradicted", "links", "rechts")
    ]
    assert told(story(memory, "resolved", "2024-01-06T12:00", AFTER)) == [
        ("resolved", "links", "rechts")
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("retracted", ("retracted", "ente", None)),
        ("closed", ("closed", "vertrag", None)),
        ("emptied", ("closed", "nichts", None)),
        ("verified", ("verified", "messwert", "messwert")),
        ("archived", ("archived", "akte", None)),
        ("revived", ("learned", None, "phönix")),
        ("moved", ("corrected", "umzug", None)),
        ("shifted", ("corrected", "schub", "schub")),
        ("ending", ("closed", "frist", "frist")),
    ],
)
def test_every_way_of_changing_has_its_kind(memory, name, expected):
    change = only(story(memory, name))
    assert (change.kind, _name(change.before), _name(change.after)) == expected
    assert change.at.startswith("2024-02-05")
    assert change.phase == 2
    assert change.reason.endswith("wegen 2024-02-05")


def test_what_came_back_to_where_it_was_has_not_changed(memory):
    assert told(story(memory, "passing")) == []
    assert told(story(memory, "passing", BEFORE, "2024-02-05T12:00")) == [
        ("corrected", "gast", "gast")
    ]


def test_of_an_erased_entry_nothing_but_its_id_is_told(memory):
    [erased] = [c for c in memory.diff(start=BEFORE, end=AFTER) if c.kind == "erased"]
    assert (erased.before, erased.after, erased.relation, erased.text) == (None, None, None, None)
    assert erased.at.startswith("2024-02-05")
    assert told(memory.diff(start=BEFORE, end=AFTER, entry=erased.entry_id)) == [
        ("erased", None, None)
    ]
    assert not [c for c in memory.diff(start=AFTER, end=BEFORE) if c.kind == "erased"]
    with pytest.raises(NotFound):
        memory.diff(start=BEFORE, end=AFTER, entry="geheim")


# A bounded update


@pytest.mark.parametrize(
    ("seen_from", "expected"),
    [
        ("2024-04-01", [("closed", "haus", "haus")]),
        ("2024-06-01", [("superseded", "haus", "zelt")]),
        ("2024-09-01", [("corrected", "haus", "haus")]),
    ],
)
def test_a_bounded_update_looks_different_before_inside_and_behind(
    home, monkeypatch, seen_from, expected
):
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    now = datetime.fromisoformat(f"{seen_from}T00:00+00:00")
    with Damals.open(home, clock=lambda: from_datetime(now)) as then:
        diff = story(then, "bounded", BEFORE, "2024-03-01", axis="known")
    assert told(diff) == expected
    assert only(diff).relation == "supersedes"


# Texts


def test_a_correction_shows_which_words_changed(memory):
    change = only(story(memory, "worded"))
    shown = [(part.op, part.text) for part in change.text]
    assert ("delete", "128") in shown
    assert ("insert", "182") in shown
    old = "".join(text for op, text in shown if op != "insert")
    new = "".join(text for op, text in shown if op != "delete")
    assert (old, new) == (change.before.content, change.after.content)


def test_what_took_over_shows_how_it_differs_from_what_it_took_over_from(memory):
    memory.remember("Sitz", "Lange Straße 1, Herford", external_id="sitz", valid_from="2024-01-01")
    memory.update("sitz", "Sitz", "Kurze Straße 1, Herford", reason="r", valid_from="2024-02-01")
    before = memory.get("sitz", as_of="2024-01-15").created_at
    change = next(c for c in memory.diff(start=before, end="now", axis="known").changes
                  if c.kind == "superseded")  # fmt: skip
    assert [(part.op, part.text) for part in change.text] == [
        ("delete", "Lange"), ("insert", "Kurze"), ("equal", " Straße 1, Herford"),
    ]  # fmt: skip


def test_a_correction_of_the_title_shows_the_words_of_the_title(memory):
    change = only(story(memory, "titled"))
    assert [(part.op, part.text) for part in change.text] == [
        ("equal", "Müller "), ("delete", "GmbH"), ("insert", "AG"),
    ]  # fmt: skip


# Axes


def test_along_valid_time_everything_is_seen_as_known_now(memory):
    diff = story(memory, "chain", "2024-01-15", "2024-02-20", axis="valid")
    assert told(diff) == [("ended", "alt", None), ("began", None, "neu")]
    assert {c.phase for c in diff} == {1}
    assert [c.relation for c in diff if c.kind == "ended"] == ["supersedes"]
    assert diff.from_.known_at == diff.to.known_at
    assert (diff.from_.as_of, diff.to.as_of) == (
        "2024-01-15T00:00:00.000000Z", "2024-02-20T00:00:00.000000Z",
    )  # fmt: skip


def test_along_known_time_the_world_stands_still_at_now(memory):
    diff = story(memory, "case16", "2024-02-01", "2024-02-16", axis="known")
    assert told(diff) == [("learned", None, "c")]
    assert diff.from_.as_of == diff.to.as_of
    assert diff.axis == "known"


def test_without_an_axis_both_clocks_stand_at_each_instant(memory):
    diff = memory.diff(start=BEFORE, end=AFTER)
    assert (diff.axis, diff.topic, diff.zone) == (None, None, "UTC")
    assert diff.from_.as_of == diff.from_.known_at == "2024-02-01T00:00:00.000000Z"
    assert diff.to.as_of == diff.to.known_at == "2024-04-01T00:00:00.000000Z"
    places = [(c.phase, c.at, c.entry_id) for c in diff]
    assert places == sorted(places)


def test_each_end_may_have_an_instant_of_its_own_on_either_clock(memory):
    same = story(memory, "case16", known_from=AFTER, known_to=AFTER)
    assert {c.phase for c in same} == {1}
    assert same.from_.known_at == same.to.known_at == "2024-04-01T00:00:00.000000Z"
    assert told(same) == told(story(memory, "case16", known_from=AFTER))
    learned = story(memory, "case16", AFTER, AFTER, known_from=BEFORE)
    assert {c.phase for c in learned} == {2}
    assert (learned.from_.as_of[:10], learned.from_.known_at[:10]) == (AFTER, BEFORE)
    assert told(learned) == [one for one in told(story(memory, "case16")) if one in told(learned)]


@pytest.mark.parametrize("axis", ["valid", "known"])
@pytest.mark.parametrize("name", ["known_from", "known_to"])
def test_an_axis_leaves_no_recorded_instant_to_choose(memory, axis, name):
    asked = {"axis": axis, name: BEFORE}
    assert refusal(lambda: story(memory, "case16", **asked)) == (InvalidInput, "diff.axis_fixes")


def test_backwards_what_was_learned_is_unlearned(memory):
    assert sorted(told(story(memory, "case16", AFTER, BEFORE))) == [
        ("began", None, "b"),
        ("corrected", "d", "d"),
        ("ended", "a", None),
        ("retracted", "c", None),
    ]
    assert sorted(told(story(memory, "revised", AFTER, BEFORE))) == [
        ("learned", None, "entwurf"),
        ("retracted", "fassung", None),
    ]


def test_between_an_instant_and_itself_nothing_changed(memory):
    assert len(memory.diff(start=BEFORE, end=BEFORE)) == 0


# Imprecise bounds


def test_an_entry_began_when_it_may_have_begun_and_how_surely_is_shown(memory):
    began = only(story(memory, "vague", "2024-01-20", "2024-02-20"))
    assert (began.kind, began.at) == ("began", "2024-02-01T00:00:00.000000Z")
    assert began.after.certainty == "possible"
    assert told(story(memory, "vague", "2024-02-20", "2024-03-20")) == []
    certain = only(story(memory, "vague", "2024-01-20", "2024-03-20"))
    assert certain.after.certainty == "certain"


# Which changes


def test_an_entry_is_asked_about_by_its_id_or_its_own_name(memory):
    named = memory.diff(start=BEFORE, end=AFTER, entry="neu")
    assert told(named) == [("superseded", "alt", "neu")]
    by_id = memory.diff(start=BEFORE, end=AFTER, entry=named.changes[0].before.id)
    assert told(by_id) == [("superseded", "alt", "neu")]
    assert told(memory.diff(start=BEFORE, end=AFTER, entry="grund")) == [
        ("extended", "grund", "zusatz")
    ]
    assert told(memory.diff(start=BEFORE, end=AFTER, entry="mittel")) == []


def test_a_parent_tag_asks_for_its_children_and_a_type_for_its_own(memory):
    everything = memory.diff(start=BEFORE, end=AFTER)
    seen = [c for c in everything if c.kind != "erased"]
    assert list(memory.diff(start=BEFORE, end=AFTER, tag="#Story")) == seen
    assert list(memory.diff(start=BEFORE, end=AFTER, type="fact")) == seen
    assert len(memory.diff(start=BEFORE, end=AFTER, type="note")) == 0
    assert len(memory.diff(start=BEFORE, end=AFTER, tag=["story", "story/none"])) == 0


def test_a_topic_finds_all_its_words_in_any_inflection(memory):
    assert told(memory.diff("Sätze Stunden", start=BEFORE, end=AFTER)) == [
        ("corrected", "satz", "satz")
    ]
    assert told(memory.diff("netto", start=BEFORE, end=AFTER)) == [("corrected", "satz", "satz")]
    assert told(memory.diff("Sätze Meter", start=BEFORE, end=AFTER)) == []
    assert told(memory.diff("neu", start=BEFORE, end=AFTER)) == [("superseded", "alt", "neu")]
    assert memory.diff("netto", start=BEFORE, end=AFTER).topic == "netto"


@pytest.mark.parametrize("topic", ["und", "", "!?"])
def test_a_topic_without_a_word_is_refused(memory, topic):
    assert refusal(lambda: memory.diff(topic, start=BEFORE, end=AFTER)) == (
        InvalidInput,
        "diff.topic_empty",
    )


def test_what_cannot_be_meant_is_refused(memory):
    assert refusal(lambda: memory.diff(start=BEFORE, end=AFTER, axis="both")) == (
        InvalidInput,
        "field.choice",
    )
    assert refusal(lambda: memory.diff(start=None, end=AFTER)) == (InvalidInput, "diff.missing")
    assert refusal(lambda: memory.diff(start="neulich mal", end=AFTER)) == (
        InvalidInput,
        "time.unreadable",
    )
    assert refusal(lambda: memory.diff(start=BEFORE, end=AFTER, entry="niemand")) == (
        NotFound,
        "entry.unknown",
    )
    assert refusal(lambda: memory.diff(start=BEFORE, end=AFTER, colour="red")) == (
        InvalidInput,
        "operation.unknown_parameter",
    )


# On the command line


@pytest.fixture
def run(home, monkeypatch, capsys):
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    monkeypatch.setenv("DAMALS_HOME", str(home))

    def run(*words: str, code: int = 0) -> str:
        assert main(words) == code
        return capsys.readouterr().out

    return run


def test_the_json_document_has_the_documented_shape(run):
    document = json.loads(run(
        "diff", "Satz", "--from", BEFORE, "--to", AFTER, "--tag", "story/worded", "--json"
    ))  # fmt: skip
    assert list(document) == ["topic", "axis", "from", "to", "changes", "zone"]
    assert document["from"] == {
        "as_of": "2024-02-01T00:00:00.000000Z", "known_at": "2024-02-01T00:00:00.000000Z",
    }  # fmt: skip
    [change] = document["changes"]
    assert list(change) == ["kind", "relation", "before", "after", "at", "reason", "actor",
                            "entry_id", "phase", "text"]  # fmt: skip
    assert change["before"]["recorded_to"] is None
    assert change["before"]["id"] == change["after"]["id"] == change["entry_id"]
    assert {part["op"] for part in change["text"]} == {"equal", "insert", "delete"}


def test_what_was_known_at_each_end_is_an_option(run):
    words = ("diff", "--from", BEFORE, "--to", AFTER, "--known-from", AFTER, "--known-to", AFTER)
    shown = json.loads(run(*words, "--json"))
    assert shown["from"]["known_at"] == shown["to"]["known_at"] == "2024-04-01T00:00:00.000000Z"
    assert shown["from"]["as_of"] == "2024-02-01T00:00:00.000000Z"


def test_people_read_both_phases_in_their_language(run):
    text = run("diff", "--from", BEFORE, "--to", AFTER, "--tag", "story/case16", "--lang", "de")
    lines = text.splitlines()
    assert lines[0] == ("Von 2024-02-01 00:00 (Wissen von 2024-02-01 00:00) bis 2024-04-01 00:00 "
                        "(Wissen von 2024-04-01 00:00), Zeitzone UTC")  # fmt: skip
    assert "  + begann  2024-03-01  A  2024-03-01 – offen" in lines
    assert "  - endete  2024-03-01  B  2024-01-01 – 2024-03-01" in lines
    assert any(line.startswith("  + erfahren  2024-02-15 00:0") for line in lines)
    assert "      [-1-]{+2+}" in lines
    assert any("correct wegen 2024-02-20 · import" in line for line in lines)
    english = run("diff", "--from", BEFORE, "--to", AFTER, "--tag", "none", "--lang", "en")
    assert english.splitlines()[-1] == "Nothing has changed."


def test_people_read_what_took_the_place_of_what(run):
    text = run("diff", "--from", BEFORE, "--to", AFTER, "--entry", "alt", "--lang", "en")
    assert "superseded" in text
    assert "Alt → Neu" in text


def test_the_bounds_are_required_and_the_help_has_an_example(run):
    assert json.loads(run("diff", "--from", BEFORE, "--json", code=2))["error"]["code"] == (
        "invalid_input"
    )
    assert "damals diff --from 2026-04-01 --to 2026-07-01" in run("diff", "--help")
    assert json.loads(run("diff", "--from", "x", "--to", AFTER, "--axis", "sideways", "--json",
                          code=2))["error"]["code"] == "invalid_input"  # fmt: skip
