"""Every kind of finding: what it is, where exactly it begins, and what it says."""

import math

import pytest
from hygiene_home import FAR, SAID, SECOND, Time, apart, found, kinds, titles

from damals.bootstrap import init_home, open_home
from damals.local import LocalDamals

DAYS_BY_RISK = [("fast_decay", 30), ("slow_decay", 180)]


# --- superseded and referenced


def test_what_is_superseded_is_told_while_something_that_holds_refers_to_it(home, clock):
    old, by = apart(home), apart(home, 1, title="Verweis")
    home.relate(by, "depends_on", old)
    assert titles(home, "superseded_referenced") == []
    clock.days(1)
    home.update(old, "Neu", "ganz anders", reason="r")
    [one] = found(home, "superseded_referenced")
    assert (one.entries, one.titles, one.severity) == (
        (old, by), ("Sache 0", "Verweis"), "MEDIUM"
    )  # fmt: skip
    assert one.message == (
        "“Sache 0” is superseded by “Neu” and still referenced by entries that hold (1): Verweis. "
        "Those that mean the new one are to be related to it by hand."
    )
    assert one.repair == f"damals archive {old} --reason 'superseded, and not needed any more'"
    assert [choice.name for choice in one.choices] == ["archive"]


def test_every_way_to_repair_something_is_one_command_and_one_operation(home, clock):
    old, by = apart(home), apart(home, 1, importance=5)
    home.relate(by, "depends_on", old, confidence=0.4)
    clock.days(1)
    home.update(old, "Neu", "ganz anders", reason="r")
    clock.days(400)
    ways = [way for one in home.hygiene(limit=None).findings for way in one.choices]
    assert len(ways) > 3
    assert all(len(way.operations) == 1 for way in ways)
    assert not any(" && " in way.command for way in ways)


def test_what_superseded_an_entry_does_not_count_as_a_reference(home, clock):
    old = apart(home)
    clock.days(1)
    home.update(old, "Neu", "ganz anders", reason="r")
    assert titles(home, "superseded_referenced") == []


def test_neither_does_what_is_archived_itself_nor_what_was_derived(home, clock):
    old, by = apart(home), apart(home, 1)
    home.relate(by, "part_of", old)
    home.derive()
    clock.days(1)
    home.update(old, "Neu", "ganz anders", reason="r")
    assert [len(one) for one in titles(home, "superseded_referenced")] == [2]
    home.archive(by, reason="r")
    assert titles(home, "superseded_referenced") == []


def test_an_archived_entry_is_in_no_finding_at_all(home, clock):
    old, by = apart(home, importance=5), apart(home, 1)
    home.relate(by, "depends_on", old)
    home.archive(old, reason="r")
    clock.days(5_000)
    told = {entry for one in home.hygiene(limit=None).findings for entry in one.entries}
    assert old not in told


# --- decayed and to be reviewed


@pytest.mark.parametrize(("risk", "window"), DAYS_BY_RISK)
def test_an_unverified_entry_has_decayed_a_window_after_it_was_recorded(
    home: LocalDamals, clock: Time, risk: str, window: int
):
    apart(home, staleness_risk=risk)
    clock.to(window - SECOND)
    assert titles(home, "decayed") == []
    clock.to(window)
    [one] = found(home, "decayed")
    assert (one.severity, one.decision) == ("MEDIUM", True)
    assert f"{window} days ago; its window is {window} days" in one.message
    assert [choice.name for choice in one.choices] == ["verify", "archive"]


def test_what_is_pinned_or_stable_never_decays(home, clock):
    apart(home, pinned=True, staleness_risk="slow_decay")
    apart(home, 1, staleness_risk="stable")
    clock.days(5_000)
    assert titles(home, "decayed") == []


def test_what_was_reinforced_is_to_be_reviewed_for_a_window_before_it_decays(home, clock):
    one = apart(home, staleness_risk="fast_decay")
    for day in (1, 2):
        clock.to(day)
        home.verify(one)
    clock.to(32)
    assert titles(home, "review") == []
    clock.to(33)
    assert (titles(home, "review"), titles(home, "decayed")) == ([("Sache 0",)], [])
    clock.to(62)
    assert kinds(home.hygiene(kind=["review", "decayed"])) == ["decayed"]
    assert found(home, "review")[0].message.startswith("REVIEW “Sache 0”: last verified on")


def test_verifying_sets_the_clock_back(home, clock):
    one = apart(home)
    clock.days(181)
    assert titles(home, "decayed") != []
    home.verify(one)
    assert titles(home, "decayed") == titles(home, "review") == []


# --- how important it still is


def test_an_entry_is_below_the_threshold_when_it_is_strictly_less_than_a_fifth(home, clock):
    apart(home, importance=1, domain="campaign")
    exact = 30 * math.log2(5)  # 1 · 2^(−d/30) = 0.2
    clock.to(math.floor(exact) + 1 - SECOND)
    assert titles(home, "below_threshold") == []
    clock.to(math.ceil(exact))
    [one] = found(home, "below_threshold")
    assert "effective importance of 0.20, below 0.20: importance 1" in one.message
    assert "never used since it was logged on 2024-01-01" in one.message
    assert [choice.name for choice in one.choices] == ["archive", "pin"]
    assert one.decision is True


def test_that_nobody_notes_what_is_used_is_said_where_it_decides(tmp_path, clock):
    init_home(tmp_path / "plain", timezone="UTC")
    options = {"clock": clock, "embedder": "none", "index_mode": "inline", "accesses": False}
    with open_home(tmp_path / "plain", **options) as home:
        apart(home, importance=1, domain="campaign")
        assert home.hygiene().caveats == ()
        clock.days(80)
        [caveat] = home.hygiene().caveats
        assert caveat.startswith("It is not noted here what was returned to whom")
        assert home.hygiene(kind="orphan").caveats == ()


def test_where_accesses_are_noted_nothing_is_to_be_minded_about_them(home, clock):
    apart(home, importance=1, domain="campaign")
    clock.days(80)
    assert titles(home, "below_threshold") == [("Sache 0",)]
    assert home.hygiene().caveats == ()


def test_what_is_pinned_is_exempt_and_what_was_verified_counts_from_there(home, clock):
    apart(home, importance=1, domain="campaign", pinned=True)
    other = apart(home, 1, importance=1, domain="campaign")
    clock.days(60)
    home.verify(other)
    clock.days(69)
    assert titles(home, "below_threshold") == []
    clock.days(1)
    [one] = found(home, "below_threshold")
    assert "last verified on 2024-03-01" in one.message


def test_what_was_superseded_and_nobody_needs_is_proposed_for_archiving_too(home, clock):
    old = apart(home, importance=1, domain="campaign")
    clock.days(1)
    home.update(old, "Neu", "ganz anders", reason="r", importance=5)
    clock.days(80)
    assert titles(home, "below_threshold") == [("Sache 0",)]


@pytest.mark.parametrize(("importance", "told"), [(3, False), (4, True), (5, True)])
def test_importance_from_4_on_is_nudged_to_be_pinned(home, importance, told):
    apart(home, importance=importance)
    apart(home, 1, importance=importance, pinned=True)
    apart(home, 2, importance=importance, domain="mathematics")
    listed = found(home, "unpinned")
    assert [one.titles for one in listed] == [("Sache 0",)] * told
    assert {one.severity for one in listed} <= {"LOW"}


# --- contradictions, decisions


def test_a_contradiction_is_told_until_somebody_decides(home, clock):
    a, b = sorted((apart(home), apart(home, 1)))
    home.contradict(b, a, reason="r")
    clock.days(1)
    [one] = found(home, "contradiction")
    assert (one.entries, one.severity, one.decision) == ((a, b), "HIGH", True)
    assert "since 2024-01-01" in one.message
    assert [choice.name for choice in one.choices] == ["keep_both", "keep_a", "keep_b"]
    assert one.choices[1].command == (
        f"damals resolve {a} {b} --keep a"
        " --reason 'decided in a hygiene check: the first one stands'"
    )
    home.resolve(a, b, keep="both", reason="r")
    assert found(home, "contradiction") == []


def test_a_contradiction_of_what_does_not_hold_any_more_needs_no_decision(home, clock):
    a, b = apart(home), apart(home, 1)
    home.contradict(a, b, reason="r")
    clock.days(1)
    home.end(b, "now", reason="r")
    assert found(home, "contradiction") == []


def test_what_may_contradict_or_repeat_is_a_candidate_with_what_shows_it(home):
    a = home.remember("Timeout API", "Das Timeout beträgt 30 s.", type="fact", **FAR).id
    b = home.remember("Timeout API", "Das Timeout beträgt 60 s.", type="fact", **FAR).id
    [one] = found(home, "possible_contradiction")
    assert set(one.entries) == {a, b}
    assert "30" in one.message
    assert "60" in one.message
    assert [choice.name for choice in one.choices][:2] == ["relate", "contradict"]
    assert one.decision is True


def test_two_that_say_the_same_are_near_duplicates(home):
    text = "Der Wartungsvertrag mit der Firma Krüger läuft Ende März aus."
    home.remember("Wartung", text, type="fact", **FAR)
    home.remember("Wartung Krüger", text.replace("läuft", "läuft bald"), type="fact", **FAR)
    [one] = found(home, "near_duplicate")
    assert [choice.name for choice in one.choices] == ["relate", "archive_b", "archive_a"]


def test_a_candidate_is_put_aside_by_saying_how_both_stand_to_each_other(home):
    a = home.remember("Timeout API", "Das Timeout beträgt 30 s.", type="fact", **FAR).id
    b = home.remember("Timeout API", "Das Timeout beträgt 60 s.", type="fact", **FAR).id
    home.relate(a, "related_to", b)
    assert found(home, "possible_contradiction") == []


def test_what_an_assistant_filed_is_told_until_somebody_decides(home, clock):
    [made] = home.transact([
        {"op": "remember", "title": "Neu", "content": SAID[0], "acquired": True}
    ]).results  # fmt: skip
    clock.days(1)
    [one] = found(home, "acquired")
    assert one.message == (
        "“Neu” was filed by an assistant on 2024-01-01 and waits for a decision."
    )
    assert [choice.name for choice in one.choices] == ["verify", "retract"]
    home.verify(made["entry"]["id"])
    assert found(home, "acquired") == []


# --- dates


def test_uncertain_and_unknown_dates_are_told_and_imprecise_ones_are_not(home):
    for number, dates in enumerate((
        {"valid_from": "2024-01"},
        {"valid_from": "2023~"},
        {"valid_from": "unknown"},
        {"valid_from": "2020-01-01", "valid_to": "2031-05?"},
    )):  # fmt: skip
        apart(home, number, **dates)
    told = {one.titles[0]: one for one in found(home, "uncertain_date")}
    assert sorted(told) == ["Sache 1", "Sache 2", "Sache 3"]
    assert told["Sache 1"].repair is not None
    assert "--valid-from 2023 --reason" in told["Sache 1"].repair
    assert "--valid-to 2031-05 --reason" in (told["Sache 3"].repair or "")
    assert told["Sache 2"].repair is None
    assert told["Sache 2"].message == "It is not known since when “Sache 2” holds."


def test_a_date_of_what_is_known_in_several_rectangles_is_confirmed_by_hand(home, clock):
    # A correction of a bound makes one rectangle, in which what lies between would hold again.
    one = apart(home, valid_from="2020-01-01", valid_to="2031-05?")
    clock.days(1)
    between = {"valid_from": "2022-01-01", "valid_to": "2023-01-01"}
    home.update(one, "Dazwischen", "ganz anders", reason="r", **between)
    [told] = found(home, "uncertain_date")
    assert (told.entries, told.repair, told.choices) == ((one,), None, ())
    [then] = found(home, "uncertain_date", known_at="2024-01-01")
    assert [way.name for way in then.choices] == ["confirm"]


def test_both_ends_of_an_entry_are_findings_of_their_own(home):
    apart(home, valid_from="2020~", valid_to="2031-05?")
    listed = found(home, "uncertain_date")
    assert [(one.titles, one.part) for one in listed] == [
        (("Sache 0",), "end"), (("Sache 0",), "start")
    ]  # fmt: skip


def test_confirming_one_of_two_uncertain_dates_leaves_the_other(home):
    one = apart(home, valid_from="2020~", valid_to="2031-05?")
    [way] = next(each for each in found(home, "uncertain_date") if each.part == "end").choices
    home.transact(way.operations, reason="r")
    assert [each.part for each in found(home, "uncertain_date")] == ["start"]
    assert home.get(one).valid_to == "2031-05"


# --- relations


def test_each_relation_to_what_was_retracted_is_a_finding_of_its_own(home, clock):
    a, b, c = (apart(home, number) for number in range(3))
    for kind, other in (("depends_on", b), ("extends", b), ("depends_on", c)):
        home.relate(a, kind, other)
    clock.days(1)
    home.retract(b, reason="r")
    home.retract(c, reason="r")
    listed = found(home, "broken_link")
    assert [one.entries for one in listed] == [(a,)] * 3
    assert {one.repair for one in listed} == {
        f"damals unrelate {a} depends_on {b}",
        f"damals unrelate {a} extends {b}",
        f"damals unrelate {a} depends_on {c}",
    }
    assert len({one.part for one in listed}) == 3


def test_an_orphan_stands_in_no_relation_that_was_stated(home):
    a, b = apart(home), apart(home, 1)
    apart(home, 2)
    home.relate(a, "related_to", b)
    assert titles(home, "orphan") == [("Sache 2",)]
    assert found(home, "orphan")[0].repair is None


def test_a_relation_to_what_was_retracted_is_broken_and_one_to_what_has_ended_is_not(home, clock):
    a, b, c = (apart(home, number) for number in range(3))
    home.relate(a, "depends_on", b)
    home.relate(a, "extends", c)
    clock.days(1)
    home.end(c, "now", reason="r")
    assert found(home, "broken_link") == []
    home.retract(b, reason="r")
    [one] = found(home, "broken_link")
    assert (one.titles, one.repair) == (("Sache 0",), f"damals unrelate {a} depends_on {b}")
