"""How an entry ages: the tables, thresholds and boundary days of the temporal design."""

import math
from itertools import pairwise
from pathlib import Path

import pytest

from damals.adapters.files.types import TypeFiles
from damals.domain.ageing import (
    ARCHIVAL_THRESHOLD,
    Checked,
    HalfLives,
    Life,
    Status,
    below_threshold,
    days_since_access,
    effective_grounding,
    effective_importance,
    half_lives,
    is_doubtful,
    lifecycle,
    lifecycle_instant,
    overdue,
    research_age,
    severity,
    stands_accepted,
    status,
)
from damals.domain.entries import Attributes
from damals.domain.instants import DAY

TYPES = TypeFiles(Path("nowhere")).load().catalogue

SLOW = HalfLives("slow_decay", 180, 180, 180)
FAST = HalfLives("fast_decay", 60, 90, 30)
STABLE = HalfLives("stable", 365, 730, math.inf)


def has(**fields: object) -> Attributes:
    return Attributes("t", **fields)


def life(*checked: float, attributes: Attributes | None = None, **fields: object) -> Life:
    """An entry recorded at day 0, with verifications at some days."""
    checks = tuple(Checked(round(day * DAY), 1.0) for day in checked)
    return Life(attributes or has(), 0, 0, checks, **fields)


def at(one: Life, day: float, ages: HalfLives = SLOW) -> str:
    return lifecycle(one, ages, round(day * DAY)).value


# --- half-lives


@pytest.mark.parametrize(
    ("domain", "decay", "research", "verification", "risk"),
    [
        ("architecture", 365, 730, 90, "stable"),
        ("audience", 90, 180, 180, "slow_decay"),
        ("campaign", 30, 90, 30, "fast_decay"),
        ("ai_ml", 60, 90, 30, "fast_decay"),
        ("mathematics", math.inf, 730, math.inf, "stable"),
        ("security", 60, 30, 30, "fast_decay"),
        ("cloud", 180, 180, 180, "slow_decay"),
        ("frameworks", 180, 180, 180, "slow_decay"),
        ("foundations", 365, 1825, math.inf, "stable"),
        ("api_docs", 60, 90, 30, "fast_decay"),
        ("preferences", 180, 180, 60, "slow_decay"),
        ("regulatory", 180, 180, 180, "slow_decay"),
        ("proofs", 365, 730, math.inf, "stable"),
    ],
)
def test_each_domain_has_its_three_half_lives(
    domain: str, decay: float, research: float, verification: float, risk: str
):
    """What a domain does not name follows its risk."""
    found = half_lives(TYPES, has(domain=domain))
    assert found == HalfLives(risk, decay, research, verification)


@pytest.mark.parametrize(
    ("risk", "expected"), [("fast_decay", FAST), ("slow_decay", SLOW), ("stable", STABLE)]
)
def test_without_a_domain_the_half_lives_follow_the_risk(risk: str, expected: HalfLives):
    assert half_lives(TYPES, has(staleness_risk=risk)) == expected


def test_what_an_entry_says_wins_over_its_domain_and_that_over_its_type():
    assert half_lives(TYPES, has(type="journal")).risk == "stable"
    assert half_lives(TYPES, has(type="journal", domain="ai_ml")).risk == "fast_decay"
    said = half_lives(TYPES, has(domain="ai_ml", staleness_risk="slow_decay"))
    assert said == HalfLives("slow_decay", 60, 90, 180), "what the domain names stays"
    assert half_lives(TYPES, has(type="never heard of", domain="nor of this")).risk == "slow_decay"
    assert half_lives(TYPES, has(staleness_risk="whatever")).risk == "slow_decay"


@pytest.mark.parametrize(
    "type_",
    ["experience", "principle", "value", "role", "persona", "person", "journal", "decision",
     "translation", "note"],
)  # fmt: skip
def test_packaged_types_of_a_life_are_stable(type_: str):
    assert half_lives(TYPES, has(type=type_)).risk == "stable"


@pytest.mark.parametrize(
    "type_", ["fact", "reference", "goal", "plan", "project", "wiki", "calibration"]
)
def test_packaged_types_of_the_world_decay_slowly(type_: str):
    assert half_lives(TYPES, has(type=type_)).risk == "slow_decay"


# --- lifecycle


def test_a_new_entry_is_active_until_a_window_has_passed():
    assert at(life(), 0) == "active"
    assert at(life(), 180 - 1e-9) == "active"
    assert at(life(), 180) == "decayed"
    assert at(life(), 30 - 1e-9, FAST) == "active"
    assert at(life(), 30, FAST) == "decayed"


def test_a_verification_consolidates_and_the_next_reinforces():
    assert at(life(10), 10) == "consolidated"
    assert at(life(10), 190 - 1e-9) == "consolidated"
    assert at(life(10), 190) == "decayed"
    assert at(life(10, 20), 20) == "reinforced"
    assert at(life(10, 20, 30), 30) == "reinforced"


def test_what_is_reinforced_is_consolidated_after_one_window_and_decayed_after_two():
    twice = life(10, 20)
    assert at(twice, 200 - 1e-9) == "reinforced"
    assert at(twice, 200) == "consolidated"
    assert at(twice, 380 - 1e-9) == "consolidated"
    assert at(twice, 380) == "decayed"


def test_what_has_decayed_is_reinforced_by_a_verification():
    assert at(life(180), 180) == "reinforced"
    assert at(life(180 - 1e-9), 180) == "consolidated", "it had not decayed yet"
    assert at(life(10, 200), 200) == "reinforced"


def test_a_verification_of_what_became_consolidated_again_reinforces_it():
    assert at(life(10, 20, 250), 250) == "reinforced"
    assert at(life(10, 20, 250), 430) == "consolidated"


def test_pinned_and_stable_entries_never_decay():
    pinned = has(pinned=True)
    assert at(life(attributes=pinned), 10_000) == "active"
    assert at(life(1, 2, attributes=pinned), 10_000) == "consolidated"
    assert at(life(), 10_000, STABLE) == "active"
    assert at(life(1, 2), 10_000, STABLE) == "reinforced", "there is no window"
    windowed = HalfLives("stable", 365, 730, 90)
    assert at(life(1, 2), 92, windowed) == "consolidated"
    assert at(life(1, 2), 10_000, windowed) == "consolidated"


def test_a_pin_exempts_from_decay_and_takes_nothing_back():
    """Whatever was reached by verifications is the same pinned and unpinned."""
    pinned = has(pinned=True)
    assert at(life(100), 101, FAST) == "reinforced", "it had decayed"
    assert at(life(100, attributes=pinned), 101, FAST) == "reinforced"
    assert at(life(100, attributes=pinned), 130, FAST) == "consolidated", "a window later"
    assert at(life(100), 160, FAST) == "decayed"
    assert at(life(100, attributes=pinned), 160, FAST) == "consolidated"


@pytest.mark.parametrize("days", [(), (10,), (100,), (10, 20), (10, 100), (10, 20, 100, 200)])
def test_pinned_and_unpinned_differ_in_nothing_but_decay(days: tuple[float, ...]):
    for day in range(int(max(days, default=0)), 400):
        loose = at(life(*days), day, FAST)
        kept = at(life(*days, attributes=has(pinned=True)), day, FAST)
        assert loose in {kept, "decayed"}
        assert kept != "decayed"


def test_what_an_assistant_filed_is_acquired_until_it_is_decided_or_verified():
    filed = has(acquired=True)
    assert at(life(attributes=filed), 1000) == "acquired"
    assert at(life(1, attributes=filed), 1) == "consolidated"
    assert at(life(attributes=has(acquired=False)), 1) == "active"


def test_archived_goes_before_superseded_and_that_before_everything_else():
    both = life(1, 2, superseded=True, archived=True)
    assert status(both, SLOW, 2 * DAY) is Status.ARCHIVED
    assert status(life(1, 2, superseded=True), SLOW, 2 * DAY) is Status.SUPERSEDED
    assert status(life(1, 2), SLOW, 2 * DAY) is Status.REINFORCED


def test_the_lifecycle_is_read_at_the_earlier_of_both_clocks():
    assert lifecycle_instant(5, 3) == lifecycle_instant(3, 5) == 3


def test_past_its_window_an_entry_is_to_be_reviewed():
    assert not overdue(life(), SLOW, 180 * DAY)
    assert not overdue(life(), SLOW, 181 * DAY - 1), "the hour of a question moves nothing"
    assert overdue(life(), SLOW, 181 * DAY)
    assert not overdue(life(), STABLE, 10_000 * DAY)
    assert overdue(life(), HalfLives("stable", 365, 730, 90), 91 * DAY)


# --- grounding


def test_grounding_halves_with_each_window_since_the_last_verification():
    one = Life(has(), 0, 0, (Checked(0, 0.8),))
    for days, expected in ((0, 0.8), (180, 0.4), (360, 0.2), (90, 0.8 / math.sqrt(2))):
        assert effective_grounding(one, SLOW, days * DAY) == pytest.approx(expected)
    assert effective_grounding(one, STABLE, 10_000 * DAY) == 0.8
    assert effective_grounding(life(), SLOW, 0) is None


def test_a_new_verification_resets_score_and_clock_of_grounding():
    one = Life(has(), 0, 0, (Checked(0, 0.8), Checked(180 * DAY, 0.6)))
    assert effective_grounding(one, SLOW, 180 * DAY) == 0.6


def test_what_is_superseded_counts_half_unless_the_setting_says_otherwise():
    one = Life(has(), 0, 0, (Checked(0, 0.8),), superseded=True)
    assert effective_grounding(one, SLOW, 0) == 0.4
    assert effective_grounding(one, SLOW, 0, share=0.25) == pytest.approx(0.2)


# --- decay


def test_days_since_access_fall_back_to_the_verification_and_then_to_the_logging():
    one = Life(has(), 0, 40 * DAY, (Checked(50 * DAY, 1.0),), accessed=60 * DAY)
    found = days_since_access(one, 100 * DAY)
    assert (found.days, found.origin, found.since) == (40, "access", 60 * DAY)
    checked = days_since_access(life(50), 100 * DAY)
    assert (checked.days, checked.origin) == (50, "verified")
    replayed = Life(has(created=0), 0, 40 * DAY)
    logged = days_since_access(replayed, 100 * DAY)
    assert (logged.days, logged.origin) == (60, "logged"), "never a replayed or imported date"
    assert days_since_access(replayed, 10 * DAY).days == 0


@pytest.mark.parametrize("importance", range(1, 6))
def test_importance_halves_with_each_half_life_since_the_last_access(importance: int):
    one = life(attributes=has(importance=importance))
    for halves in range(5):
        found = effective_importance(one, SLOW, 180 * halves * DAY)
        assert found == pytest.approx(importance * 2**-halves)


def test_what_is_pinned_does_not_lose_importance():
    assert effective_importance(life(attributes=has(pinned=True)), FAST, 10_000 * DAY) == 3
    endless = HalfLives("stable", math.inf, 730, math.inf)
    assert effective_importance(life(), endless, 10_000 * DAY) == 3


def test_exactly_the_threshold_is_not_below_it():
    assert ARCHIVAL_THRESHOLD == 0.2
    assert not below_threshold(0.2)
    assert below_threshold(math.nextafter(0.2, 0))
    assert not below_threshold(math.nextafter(0.2, 1))


def test_an_entry_falls_below_the_threshold_on_its_day():
    """Importance 1 with 60 days is below 0.2 after 60 · log2(5) = 139.3 days."""
    one = life(attributes=has(importance=1))
    assert not below_threshold(effective_importance(one, FAST, 139 * DAY))
    assert below_threshold(effective_importance(one, FAST, 140 * DAY))


def test_the_webhook_that_nobody_looked_at_for_90_days_is_kept_when_it_is_pinned():
    """The example of the design: a campaign's 30 days, and nobody thought of pinning."""
    campaign = half_lives(TYPES, has(domain="campaign"))
    one, pinned = (
        life(attributes=has(importance=1)),
        life(attributes=has(importance=1, pinned=True)),
    )
    assert below_threshold(effective_importance(one, campaign, 90 * DAY))
    assert not below_threshold(effective_importance(pinned, campaign, 90 * DAY))


# --- research


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [
        (0.0, None),
        (math.nextafter(1.0, 0), None),
        (1.0, "LOW"),
        (1.5, "LOW"),
        (2.0, "LOW"),
        (math.nextafter(2.0, 3), "MEDIUM"),
        (10.0, "MEDIUM"),
    ],
)
def test_the_gate_flags_from_the_half_life_on(ratio: float, expected: str | None):
    assert severity(ratio) == expected


@pytest.mark.parametrize(
    ("domain", "days"), [("ai_ml", 90), ("security", 30), ("cloud", 180), ("frameworks", 180)]
)
def test_the_boundary_days_of_each_domain_are_exact(domain: str, days: int):
    attributes = has(domain=domain, retrieved_at=0)
    one, ages = life(attributes=attributes), half_lives(TYPES, attributes)
    asked = {
        days * DAY - 1: None,
        days * DAY: "LOW",
        (2 * days + 1) * DAY - 1: "LOW",
        (2 * days + 1) * DAY: "MEDIUM",
    }
    for as_of, expected in asked.items():
        assert research_age(one, ages, as_of).severity == expected
    assert research_age(one, ages, days * DAY).ratio == 1.0
    assert research_age(one, ages, 2 * days * DAY).ratio == 2.0


def test_the_age_of_research_says_by_which_account_it_counts():
    everything = has(retrieved_at=10 * DAY, created=30 * DAY)
    one = Life(everything, 50 * DAY, 50 * DAY, valid_from=40 * DAY)
    as_of = 100 * DAY
    found = research_age(one, SLOW, as_of, 20 * DAY)
    assert (found.origin, found.days) == ("retrieved_at", 90)
    bare = Life(has(created=30 * DAY), 50 * DAY, 50 * DAY, valid_from=40 * DAY)
    assert research_age(bare, SLOW, as_of, 20 * DAY).origin == "content"
    assert research_age(bare, SLOW, as_of).origin == "created"
    assert research_age(Life(has(), 50 * DAY, 0, valid_from=0), SLOW, as_of).origin == "valid_from"
    last = research_age(Life(has(), 50 * DAY, 0), SLOW, as_of)
    assert (last.origin, last.days) == ("recorded", 50)


# --- before use


def doubtful(one: Life, ages: HalfLives, day: float) -> bool:
    instant = round(day * DAY)
    return is_doubtful(one, ages, instant, status(one, ages, instant))


def test_what_was_verified_longer_ago_than_its_window_is_flagged():
    windowed = HalfLives("stable", 365, 730, 90)
    assert not doubtful(life(10), windowed, 100)
    assert not doubtful(life(10), windowed, 101 - 1e-6), "still the same day"
    assert doubtful(life(10), windowed, 101)
    assert not doubtful(life(), windowed, 10_000), "stable, and nobody ever verified it"


def test_what_has_decayed_or_is_superseded_is_flagged():
    assert not doubtful(life(), SLOW, 179)
    assert doubtful(life(), SLOW, 180)
    assert doubtful(life(1, superseded=True), SLOW, 2)


def test_what_ages_fast_is_flagged_when_it_was_not_checked_for_more_than_30_days():
    pinned = life(attributes=has(pinned=True))
    assert not doubtful(pinned, FAST, 30)
    assert doubtful(pinned, FAST, 31)
    long = HalfLives("fast_decay", 60, 90, 60)
    assert not doubtful(life(), long, 30)
    assert doubtful(life(), long, 31)
    assert not doubtful(life(29), long, 40), "a verification starts its clock anew"


def test_an_acceptance_stands_until_a_later_verification():
    accepted = has(accepted=10 * DAY)
    assert stands_accepted(life(attributes=accepted), 10 * DAY)
    assert not stands_accepted(life(attributes=accepted), 10 * DAY - 1)
    assert stands_accepted(life(5, attributes=accepted), 20 * DAY)
    assert not stands_accepted(life(10, attributes=accepted), 20 * DAY)
    assert not stands_accepted(life(), 20 * DAY)


def test_grounding_and_importance_only_fall_with_time():
    one = Life(has(), 0, 0, (Checked(0, 1.0),))
    days = [day * DAY for day in range(0, 1000, 7)]
    for rule in (effective_grounding, effective_importance):
        found = [rule(one, SLOW, day) or 0.0 for day in days]
        assert all(before > after for before, after in pairwise(found))
