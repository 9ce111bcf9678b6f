"""Every kind of finding: what it is, where exactly it begins, and what it says."""

import math

import pytest
from hygiene_home import FAR, SAID, SECOND, Time, apart, found, kinds, titles

from damals.domain.findings import (
    HYGIENE,
    SEVERITY,
    Kind,
)
from damals.errors import InvalidInput
from damals.local import LocalDamals

DAYS_BY_RISK = [("fast_decay", 30), ("slow_decay", 180)]


# --- superseded and referenced


def test_what_is_superseded_is_told_while_something_that_holds_refers_to_it(home, clock):
    old, by = apart(home), apart(home, 1, title="Verweis")
    home.relate(by, "depends_on", old)
    assert titles(home, "superseded_referenced") == []
    clock.days(1)
    new = home.update(old, "Neu", "ganz anders", reason="r")
    [one] = found(home, "superseded_referenced")
    assert (one.entries, one.titles, one.severity) == (
        (old, by), ("Sache 0", "Verweis"), "MEDIUM"
    )  # fmt: skip
    assert one.message == (
        "“Sache 0” is superseded by “Neu” and still referenced by active entries (1): Verweis."
    )
    assert one.repair == f"damals archive {old} --reason 'superseded, and not needed any more'"
    assert one.choices[1].command == (
        f"damals unrelate {by} depends_on {old} && damals relate {by} depends_on {new.id}"
    )


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
    clock.to(32 + SECOND)
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
    clock.to(exact - 0.001)
    assert titles(home, "below_threshold") == []
    clock.to(exact + 0.001)
    [one] = found(home, "below_threshold")
    assert "effective importance of 0.20, below 0.20: importance 1" in one.message
    assert "never used since it was logged on 2024-01-01" in one.message
    assert [choice.name for choice in one.choices] == ["archive", "pin"]


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


# --- relations


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


# --- the report


def test_findings_are_grouped_by_weight_and_kind_and_ranked_by_effective_importance(home, clock):
    for number, importance in enumerate((3, 5, 4)):
        apart(home, number, importance=importance)
    a, b = apart(home, 3), apart(home, 4)
    home.contradict(a, b, reason="r")
    clock.days(200)
    report = home.hygiene(limit=None)
    weights = [("HIGH", "MEDIUM", "LOW").index(one.severity) for one in report.kinds]
    assert weights == sorted(weights)
    assert kinds(report)[0] == "contradiction"
    for kind in kinds(report):
        ranks = [one.importance for one in report.findings if one.kind == kind]
        assert ranks == sorted(ranks, reverse=True)
    assert titles(home, "unpinned") == [("Sache 1",), ("Sache 2",)]


def test_of_each_kind_so_many_are_told_and_all_are_counted(home):
    for number in range(5):
        apart(home, number)
    report = home.hygiene(limit=2)
    [orphans] = [one for one in report.kinds if one.kind == "orphan"]
    assert (orphans.count, orphans.shown) == (5, 2)
    assert sum(one.kind == "orphan" for one in report.findings) == 2
    assert home.hygiene(limit=None).count == report.count


def test_a_topic_keeps_the_findings_of_which_an_entry_says_all_its_words(home):
    apart(home)
    apart(home, 1)
    assert titles(home, "orphan", topic="Heizungen") == [("Sache 1",)]
    assert home.hygiene("Heizungen").topic == "Heizungen"
    assert home.hygiene("Heizung Müllwagen").findings == ()


def test_an_unknown_kind_is_refused(home):
    for ask in (lambda: home.hygiene(kind="staub"), lambda: home.lint(kind="orphan")):
        with pytest.raises(InvalidInput) as refused:
            ask()
        assert refused.value.key == "field.choice"


def test_every_kind_has_a_weight_and_a_name_in_both_languages():
    from damals import messages  # noqa: PLC0415 -- only here

    assert SEVERITY.keys() == set(Kind)
    for lang in messages.LANGUAGES:
        assert all(messages.has(f"hygiene.kind.{kind}", lang) for kind in Kind)


def test_looking_after_knowledge_is_no_access_and_changes_nothing(home, clock):
    apart(home, importance=1, domain="campaign")
    clock.days(80)
    before = home.log()
    assert home.hygiene() == home.hygiene()
    home.lint(due=True)
    assert home.log() == before
    assert titles(home, "below_threshold") == [("Sache 0",)]


def test_a_hygiene_report_has_every_kind_but_what_is_due():
    assert set(HYGIENE) == set(Kind) - {Kind.DUE}
