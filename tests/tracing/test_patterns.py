"""Patterns: first observed, evolution, evidence, and how stable a topic is on its exact day."""

import math
from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st
from insight_home import home

from damals.app.pattern_results import Pattern
from damals.app.wire import from_wire, to_wire
from damals.domain.access import Principal
from damals.domain.ageing import HalfLives
from damals.domain.instants import DAY
from damals.domain.patterns import Observation, Windows, half_life, verdict
from damals.errors import InvalidInput, NotFound

HALF = 100.0


def judged(first=1000.0, newest=None, revisions=(), accessed=None, windows=None):
    """The verdict at day 0 of a topic with a half-life of 100 days; figures are days ago."""
    seen = [first] if newest is None else [first, newest]
    evidence = [Observation(None, round(-days * DAY), "recorded") for days in seen]
    steps = [Revision(round(-days * DAY)) for days in revisions]
    last = None if accessed is None else round(-accessed * DAY)
    return verdict(evidence, steps, last, HALF, (0, UTC, windows or Windows())).stability


class Revision:
    revises = True

    def __init__(self, at: int) -> None:
        self.at = at


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"first": 0}, "emerging"),
        ({"first": 99}, "emerging"),
        ({"first": 100}, "stable"),
        ({"first": 99, "revisions": (1, 2, 3)}, "emerging"),
        ({"revisions": (1,), "newest": 1}, "stable"),
        ({"revisions": (1, 99), "newest": 1}, "evolving"),
        ({"revisions": (1, 100), "newest": 1}, "stable"),
        ({"newest": 199}, "stable"),
        ({"newest": 200}, "declining"),
        ({"newest": 500, "accessed": 200}, "declining"),
        ({"newest": 500, "accessed": 199}, "stable"),
        ({"newest": 5, "accessed": 500}, "stable"),
        ({"first": 150}, "stable"),
    ],
)
def test_the_first_rule_that_holds_decides_on_its_exact_day(given, expected):
    assert judged(**given) == expected


def test_windows_are_settings():
    assert judged(first=150, windows=Windows(emerging=2)) == "emerging"
    assert judged(revisions=(1,), newest=1, windows=Windows(revisions=1)) == "evolving"
    assert judged(revisions=(150, 160), newest=1, windows=Windows(evolving=2)) == "evolving"
    assert judged(newest=120, windows=Windows(declining=1)) == "declining"


@given(st.floats(0, 2000), st.floats(0, 2000), st.lists(st.floats(0, 2000), max_size=4))
def test_every_topic_has_one_stability(first, newest, revisions):
    old = max(first, newest, *revisions, 0)
    found = judged(first=old, newest=newest, revisions=revisions)
    recent = sum(days < HALF for days in revisions)
    if old < HALF - 1:
        assert found == "emerging"
    elif old > HALF + 1 and recent >= 2 and all(abs(days - HALF) > 1 for days in revisions):
        assert found == "evolving"


def ages(decay: float) -> HalfLives:
    return HalfLives("stable", decay, 1, 1)


def test_a_topic_ages_as_fast_as_its_fastest_part_and_what_never_decays_as_what_is_stable():
    assert half_life([ages(365), ages(60), ages(math.inf)]) == 60
    assert half_life([ages(math.inf)]) == 365
    assert half_life([]) == 365


# --- over a home


def fast(memory, name: str, text: str, day: str | None = None, **more) -> str:
    """An example that ages within 60 days."""
    bounds = {"valid_from": day} if day else {}
    return memory.remember(
        name, text, external_id=name, staleness_risk="fast_decay", **bounds, **more
    ).id


def test_a_topic_is_told_with_its_evidence_its_evolution_and_the_rule(memory, clock):
    clock.to("2024-01-10")
    fast(memory, "eins", "Vektorsuche mit HNSW", "2024-01-01")
    clock.to("2024-02-01")
    said = {"external_id": "zwei", "staleness_risk": "fast_decay", "valid_from": "2024-02-01"}
    memory.update("eins", "zwei", "Vektorsuche mit Quantisierung", reason="schneller", **said)
    clock.to("2024-02-10")
    fast(memory, "drei", "Filter bei der Vektorsuche", "2024-02-05")
    memory.relate("drei", "extends", "zwei")
    found = memory.patterns("Vektorsuche", as_of="2024-02-15")
    assert found.first_observed.startswith("2024-01-01")
    assert [(one.title, one.at[:10], one.origin, one.status) for one in found.evidence] == [
        ("eins", "2024-01-01", "valid_from", "superseded"),
        ("zwei", "2024-02-01", "valid_from", "active"),
        ("drei", "2024-02-05", "valid_from", "active"),
    ]
    assert [(s.relation, s.title, s.old_title, s.reason) for s in found.evolution] == [
        ("supersedes", "zwei", "eins", "schneller"),
        ("extends", "drei", "zwei", None),
    ]
    assert (found.half_life_days, found.stability) == (60.0, "emerging")
    assert found.rule == "emerging: first observed 45 days ago, within 60 days"


def test_the_stability_changes_on_exactly_the_right_day(memory, clock):
    clock.to("2024-01-01")
    fast(memory, "eins", "Vektorsuche")

    def at(days, **more):
        clock.to("2024-01-01")
        clock.days(days)
        return memory.patterns("Vektorsuche", **more).stability

    assert [at(days) for days in (0, 59.99, 60, 119.99, 120)] == [
        "emerging", "emerging", "stable", "stable", "declining",
    ]  # fmt: skip


def test_an_access_keeps_a_topic_from_declining(memory, clock):
    fast(memory, "eins", "Vektorsuche")
    clock.days(100)
    memory.get("eins")
    clock.days(30)
    found = memory.patterns("Vektorsuche")
    assert (found.stability, found.last_accessed) == ("stable", "2024-04-10T00:00:00.000000Z")
    clock.days(90)
    assert memory.patterns("Vektorsuche").stability == "declining"
    # As it would have been told before that access, it is as it was told then.
    assert memory.patterns("Vektorsuche", as_of="2024-04-09", known_at="2024-04-09").stability == (
        "stable"
    )


def test_two_revisions_within_a_half_life_make_it_evolving(memory, clock):
    fast(memory, "eins", "Vektorsuche eins", "2023-01-01")
    clock.to("2024-03-01")
    for number, day in enumerate(("2024-02-01", "2024-02-20"), start=2):
        fast(memory, f"n{number}", f"Vektorsuche {number}", day)
    memory.relate("n2", "revises", "eins")
    assert memory.patterns("Vektorsuche").stability == "stable"
    memory.relate("n3", "supersedes", "n2")
    found = memory.patterns("Vektorsuche")
    assert found.stability == "evolving"
    assert found.rule == "evolving: 2 revisions within 60 days"
    assert memory.patterns("Vektorsuche", as_of="2024-02-19").stability == "stable"


def test_a_tag_is_a_topic_with_its_children(memory):
    memory.remember("A", "x", tags=["suche/vektor"])
    memory.remember("B", "y", tags=["suche"])
    memory.remember("C", "z", tags=["forschung"])
    assert {one.title for one in memory.patterns("Suche").evidence} == {"A", "B"}


def test_what_a_topic_came_from_belongs_to_it_however_it_was_worded(memory, clock):
    memory.remember("Alt", "Nächste Nachbarn", external_id="alt")
    clock.days(1)
    memory.update("alt", "Neu", "Vektorsuche", reason="Begriff")
    clock.days(1)
    assert [one.title for one in memory.patterns("Vektorsuche").evidence] == ["Alt", "Neu"]


def test_an_example_is_observed_when_its_source_says_else_when_it_began_else_when_recorded(
    memory, clock
):
    clock.to("2024-05-01")
    memory.remember("A", "thema", created="2020-01-01", valid_from="2021-01-01")
    memory.remember("B", "thema", valid_from="2021-01-01")
    memory.remember("C", "thema", valid_from="unknown")
    memory.remember("D", "thema", valid_from="2030-01-01")
    found = memory.patterns("Thema")
    assert [(one.title, one.at[:4], one.origin) for one in found.evidence] == [
        ("A", "2020", "created"),
        ("B", "2021", "valid_from"),
        ("C", "2024", "recorded"),
    ]


def test_a_retracted_example_is_none_and_was_one_before(memory, clock):
    memory.remember("A", "thema", external_id="a")
    memory.remember("B", "thema", external_id="b")
    clock.days(5)
    memory.retract("a", reason="r")
    assert [one.title for one in memory.patterns("thema").evidence] == ["B"]
    then = memory.patterns("thema", as_of="2024-01-02", known_at="2024-01-02")
    assert {one.title for one in then.evidence} == {"A", "B"}


def test_an_earlier_pair_is_answered_as_it_was_then(memory, clock):
    fast(memory, "eins", "Vektorsuche", "2023-12-01")
    clock.days(10)
    then = memory.patterns("Vektorsuche")
    clock.days(400)
    fast(memory, "zwei", "Vektorsuche neu")
    memory.get("eins")
    again = memory.patterns("Vektorsuche", as_of="2024-01-11", known_at="2024-01-11")
    assert again == then


@pytest.mark.parametrize(
    ("topic", "kind", "key"),
    [("", InvalidInput, "field.empty"), ("nirgends", NotFound, "patterns.nothing")],
)
def test_what_has_no_example_is_refused(memory, topic, kind, key):
    with pytest.raises(kind) as raised:
        memory.patterns(topic)
    assert raised.value.key == key


def test_a_guest_is_told_nothing_of_hidden_examples(memory):
    memory.remember("A", "thema", external_id="a", valid_from="2023-06-01")
    memory.remember("S", "thema", external_id="s", visibility="restricted", valid_from="2020-01-01")
    memory.relate("s", "extends", "a")
    found = memory.under(Principal("bob")).patterns("thema")
    assert [one.title for one in found.evidence] == ["A"]
    assert (found.evolution, found.first_observed[:4]) == ((), "2023")


def test_windows_come_from_the_settings_of_the_home(tmp_path, clock):
    with home(tmp_path / "h", clock, pattern_emerging=0, pattern_declining=0.5) as memory:
        fast(memory, "eins", "thema")
        assert memory.patterns("thema").stability == "stable"
        clock.days(30)
        assert memory.patterns("thema").stability == "declining"


def test_a_pattern_can_be_read_back_from_its_json(memory):
    memory.remember("A", "thema")
    found = memory.patterns("thema")
    assert from_wire(Pattern, to_wire(found)) == found
