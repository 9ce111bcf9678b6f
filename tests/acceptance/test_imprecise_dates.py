"""Dates that nobody knows exactly, through every path: in, stored, asked, compared, out, replayed.

A month stands for an instant somewhere inside it; an unknown start for one before it was first
recorded; an unknown end for one before it was recorded. Where something may hold it is *possible*,
where it surely does, *certain*.
"""

import json

import pytest

from damals import Damals
from damals.app.errors import InvalidInput, NotFound
from damals.bootstrap import init_home
from damals.interfaces.cli.main import main

ASKED = ("2024-08-31", "2024-09-15", "2024-10-01", "2024-12-31", "2025-06-01", "2026-01-01")

EXPECTED = {
    "month": (None, "possible", "certain", "certain", "certain", "certain"),
    "year end": ("certain", "certain", "certain", "certain", "possible", None),
    "unsure day": (None, "certain", "certain", "certain", "certain", "certain"),
    "inside one month": (None, "possible", None, None, None, None),
    "unknown start": ("possible", "possible", "possible", "possible", "certain", "certain"),
    "unknown end": ("possible", "possible", "possible", "possible", None, None),
    "nothing known": ("possible", "possible", "possible", "possible", None, None),
}
"""By title: the certainty at each asked instant, as known at the end of 2025."""

RECORDED = "2025-03-01T00:00:00Z"


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    init_home(tmp_path / "home", timezone="UTC")
    return tmp_path / "home"


def told(title: str, valid_from: str | None, valid_to: str | None) -> dict[str, object]:
    return {
        "op": "remember",
        "recorded_at": "",
        "ref": title,
        "title": title,
        "content": f"Vertrag über {title}.",
        "valid_from": valid_from,
        "valid_to": valid_to,
    }


@pytest.fixture
def filled(home, tmp_path):
    events = [
        told("month", "2024-09", None),
        told("year end", "2024-01-01", "2025"),
        told("unsure day", "2024-09-01?", None),
        told("inside one month", "2024-09", "2024-09"),
        told("unknown start", "unknown", None),
        told("unknown end", "2024-01-01", "unknown"),
        told("nothing known", None, "unknown"),
    ]
    for place, event in enumerate(events):
        event["recorded_at"] = f"2025-03-01T00:00:0{place}Z"
    file = tmp_path / "events.jsonl"
    file.write_text("\n".join(json.dumps(event) for event in events), encoding="utf-8")
    with Damals.open(home) as memory:
        memory.import_(file)
        yield memory


def expected(place: int, *, certain: bool = False) -> dict[str, str]:
    found = {title: states[place] for title, states in EXPECTED.items()}
    if certain:
        return {title: state for title, state in found.items() if state == "certain"}
    return {title: state for title, state in found.items() if state is not None}


@pytest.mark.parametrize(("place", "asked"), list(enumerate(ASKED)))
def test_a_listing_says_what_is_certain_and_what_is_possible(filled, place, asked):
    assert {e.title: e.certainty for e in filled.entries(as_of=asked)} == expected(place)
    surely = {e.title: e.certainty for e in filled.entries(as_of=asked, certain=True)}
    assert surely == expected(place, certain=True)


@pytest.mark.parametrize(("place", "asked"), list(enumerate(ASKED)))
def test_recall_finds_the_same_through_the_filter_of_the_index(filled, place, asked):
    found = filled.recall("Vertrag", as_of=asked, limit=None)
    assert {hit.entry.title: hit.entry.certainty for hit in found} == expected(place)
    surely = filled.recall("Vertrag", as_of=asked, limit=None, certain=True)
    assert {hit.entry.title for hit in surely} == set(expected(place, certain=True))


@pytest.mark.parametrize(("place", "asked"), list(enumerate(ASKED)))
def test_one_entry_is_shown_where_it_may_hold_and_nowhere_else(filled, place, asked):
    for title, states in EXPECTED.items():
        if states[place] is None:
            with pytest.raises(NotFound) as refusal:
                filled.get(title, as_of=asked)
            assert refusal.value.key == "entry.not_then"
        else:
            assert filled.get(title, as_of=asked).certainty == states[place]


def test_bounds_print_as_they_were_given_and_as_instants_between_which_they_lie(filled):
    month = filled.get("month").to_dict()
    assert (month["valid_from"], month["valid_to"], month["uncertain"]) == ("2024-09", None, False)
    assert month["bounds"] == {
        "from": {
            "earliest": "2024-09-01T00:00:00.000000Z",
            "latest": "2024-10-01T00:00:00.000000Z",
        },
        "to": {"earliest": None, "latest": None},
        "zone": "UTC",
    }
    unsure = filled.get("unsure day").to_dict()
    assert (unsure["valid_from"], unsure["uncertain"]) == ("2024-09-01?", True)
    ended = filled.get("unknown end", as_of="2024-06-01").to_dict()
    assert (ended["valid_from"], ended["valid_to"]) == ("2024-01-01", "unknown")
    assert ended["bounds"]["to"] == {"earliest": None, "latest": None}
    nothing = filled.get("nothing known", as_of="2024-06-01")
    assert (nothing.valid_from, nothing.valid_to) == (None, "unknown")


def test_the_difference_of_two_instants_names_what_began_or_ended_perhaps(filled):
    found = filled.diff(start="2024-08-31", end="2024-09-15", axis="valid")
    began = {c.after.title: c.after.certainty for c in found.changes if c.kind == "began"}
    assert began == {
        "month": "possible",
        "unsure day": "certain",
        "inside one month": "possible",
    }
    later = filled.diff(start="2025-06-01", end="2026-01-01", axis="valid")
    assert [(c.kind, c.before.title, c.before.certainty) for c in later.changes] == [
        ("ended", "year end", "possible")
    ]


def test_what_a_command_prints_tells_possible_from_certain(filled, home, capsys):
    filled.close()
    assert main(["--home", str(home), "list", "--as-of", "2024-09-15", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["entries"]
    assert {e["title"]: e["certainty"] for e in listed} == expected(1)
    assert main(["--home", str(home), "list", "--as-of", "2024-09-15", "--lang", "de"]) == 0
    printed = capsys.readouterr().out
    assert "2024-09" in printed
    assert "möglich" in printed


def test_a_home_that_is_filled_from_an_export_answers_the_same(filled, tmp_path):
    filled.export(tmp_path / "all.jsonl")
    init_home(tmp_path / "other", timezone="UTC")
    with Damals.open(tmp_path / "other") as other:
        other.import_(tmp_path / "all.jsonl")
        for place, asked in enumerate(ASKED):
            assert {e.title: e.certainty for e in other.entries(as_of=asked)} == expected(place)
            for hit in other.recall("Vertrag", as_of=asked, limit=None):
                assert hit.entry.certainty == expected(place)[hit.entry.title]


def test_a_correction_makes_an_imprecise_date_exact_and_the_old_belief_stays(filled):
    before = filled.get("month").recorded_from
    filled.correct("month", valid_from="2024-09-20", reason="Das Datum fand sich im Vertrag")
    assert "month" not in {e.title for e in filled.entries(as_of="2024-09-15")}
    then = filled.entries(as_of="2024-09-15", known_at=before)
    assert "month" in {e.title for e in then}


def test_an_update_takes_over_at_an_imprecise_instant(filled):
    filled.update(
        "unsure day", "new", "Etwas Neues.", external_id="new", valid_from="2025-01", reason="r"
    )
    inside = {e.title: e.certainty for e in filled.entries(as_of="2025-01-15")}
    assert (inside["unsure day"], inside["new"]) == ("possible", "possible")
    behind = {e.title: e.certainty for e in filled.entries(as_of="2025-02-01")}
    assert "unsure day" not in behind
    assert behind["new"] == "certain"


def test_what_is_left_of_an_imprecise_bound_is_shown_as_it_can_be_given_again(filled):
    filled.end("unknown end", "2024-03-01", reason="r")
    left = filled.get("unknown end", as_of="2024-02-01").to_dict()
    assert left["valid_to"] == "/2024-03-01T00:00:00.000000Z"
    assert left["bounds"]["to"] == {"earliest": None, "latest": "2024-03-01T00:00:00.000000Z"}
    again = filled.remember("again", valid_from="2023-01-01", valid_to=left["valid_to"]).to_dict()
    assert (again["valid_to"], again["bounds"]["to"]) == (left["valid_to"], left["bounds"]["to"])


@pytest.mark.parametrize("text", ["2024-03-01T00:00:00Z/2024-02-01T00:00:00Z", "/", "a/b", "/2024"])
def test_what_is_no_range_between_two_instants_is_refused(filled, text):
    with pytest.raises(InvalidInput):
        filled.remember("x", valid_from="2023-01-01", valid_to=text)


def test_a_taken_key_is_named_without_a_word_of_the_program(filled, home, capsys):
    filled.remember("first", key="k", valid_from="2020-01-01")
    filled.close()
    words = ("remember", "--title", "second", "--key", "k", "--valid-from", "", "--on-overlap")
    assert main(["--home", str(home), *words, "fill"]) == 4
    assert "None" not in capsys.readouterr().err
