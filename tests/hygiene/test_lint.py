"""The linter: what does not fit, what is to be reviewed, and what is due."""

import math

import pytest
from hygiene_home import SECOND, Time, apart, found, kinds

from damals.domain.ageing import DECAY_DAYS, HalfLives
from damals.domain.findings import DUE_DAYS, LINT, fits, fitting_risk
from damals.local import LocalDamals


def test_the_linter_tells_what_does_not_fit_and_what_is_past_its_window(home, clock):
    apart(home, importance=5)
    apart(home, 1, domain="campaign", staleness_risk="stable")
    clock.days(181)
    report = home.lint()
    assert (kinds(report), report.linter) == (["risk", "review", "unpinned"], True)
    assert {kind.value for kind in LINT} == set(kinds(report))


@pytest.mark.parametrize("risk", list(DUE_DAYS))
def test_what_is_due_is_due_weekly_monthly_or_quarterly_by_its_risk(
    home: LocalDamals, clock: Time, risk: str
):
    assert dict(DUE_DAYS) == {"fast_decay": 7, "slow_decay": 30, "stable": 90}
    one = apart(home, staleness_risk=risk)
    clock.to(DUE_DAYS[risk] - SECOND)
    assert home.lint(due=True).findings == ()
    clock.to(DUE_DAYS[risk])
    [told] = home.lint(due=True).findings
    assert (told.kind, told.entries) == ("due", (one,))
    home.verify(one)
    assert home.lint(due=True).findings == ()


def test_of_what_is_not_due_the_linter_says_nothing(home, clock):
    old = apart(home, importance=5)
    clock.days(29)
    apart(home, 1, importance=5)
    clock.days(1)
    assert [one.entries for one in home.lint(due=True, kind="unpinned").findings] == [(old,)]
    assert len(home.lint(kind="unpinned").findings) == 2


def test_past_its_window_what_is_due_reads_review(home, clock):
    apart(home, staleness_risk="fast_decay")
    clock.to(31 - SECOND)
    assert kinds(home.lint(due=True)) == ["due"]
    clock.to(31)
    assert kinds(home.lint(due=True)) == ["review"]


def test_confirmed_stale_is_superseded_or_archived_and_not_reviewed_any_more(home, clock):
    a, b = apart(home), apart(home, 1)
    clock.days(181)
    home.archive(a, reason="r")
    home.update(b, "Neu", "x", reason="r")
    told = {entry for one in home.lint(due=True, limit=None).findings for entry in one.entries}
    assert told.isdisjoint({a, b})


def ages(risk: str, decay: float) -> HalfLives:
    return HalfLives(risk, decay, 1, 1)


@pytest.mark.parametrize(
    ("risk", "decay", "sound"),
    [
        ("fast_decay", 29, False),
        ("fast_decay", 30, True),
        ("fast_decay", 60, True),
        ("fast_decay", 61, False),
        ("slow_decay", 60, False),
        ("slow_decay", 61, True),
        ("slow_decay", 90, True),
        ("slow_decay", 364, True),
        ("slow_decay", 365, False),
        ("stable", 30, False),
        ("stable", 364, False),
        ("stable", 365, True),
        ("stable", 10_000, True),
        ("stable", math.inf, True),
        ("slow_decay", math.inf, False),
        ("fast_decay", math.inf, False),
    ],
)
def test_risk_and_half_life_fit_as_the_table_says(risk: str, decay: float, sound: bool):
    assert fits(ages(risk, decay), pinned=False) is sound


def test_a_pin_fits_what_is_stable_and_nothing_else():
    for decay in (30, 100, 365):
        assert fits(ages("stable", decay), pinned=True)
        assert not fits(ages("fast_decay", decay), pinned=True)
        assert not fits(ages("slow_decay", decay), pinned=True)


def test_the_half_lives_that_follow_from_a_risk_fit_it():
    assert all(fits(ages(risk, days), pinned=False) for risk, days in DECAY_DAYS.items())


def test_the_risk_that_fits_is_proposed():
    days = (29, 30, 60, 60.5, 61, 364, 365, math.inf)
    assert [fitting_risk(ages("stable", one), pinned=False) for one in days] == [
        None, "fast_decay", "fast_decay", None, "slow_decay", "slow_decay", "stable", "stable",
    ]  # fmt: skip


def test_a_stable_entry_of_a_domain_that_decays_fast_is_a_finding_of_medium_weight(home):
    one = apart(home, domain="campaign", staleness_risk="stable")
    [told] = found(home, "risk")
    assert (told.severity, told.decision) == ("MEDIUM", True)
    assert told.message == (
        "“Sache 0” is said to age at a slow rate, and its importance has a half-life of 30 days."
        " Both do not fit; you decide which is right."
    )
    assert told.repair == (
        f"damals correct {one} --staleness-risk fast_decay --reason 'risk and half-life now fit'"
    )


def test_what_never_fades_is_told_without_a_number_of_days(home):
    apart(home, domain="mathematics", staleness_risk="fast_decay")
    [told] = found(home, "risk")
    assert "inf" not in told.message
    assert "the importance of its domain never fades" in told.message


@pytest.mark.parametrize("pinned", [True, False])
@pytest.mark.parametrize("importance", [3, 5])
@pytest.mark.parametrize("domain", [None, "campaign", "ai_ml", "mathematics", "architecture"])
@pytest.mark.parametrize("risk", [None, "fast_decay", "slow_decay", "stable"])
def test_what_a_repair_of_the_linter_settles_is_not_found_in_another_way(
    home, risk, domain, importance, pinned
):
    apart(home, staleness_risk=risk, domain=domain, importance=importance, pinned=pinned)
    told = kinds(home.lint())
    while told:
        [one, *_] = found(home, told[0])
        home.transact(one.choices[0].operations)
        assert kinds(home.lint()) == told[1:]
        told = told[1:]


def test_a_pin_is_proposed_alone_only_where_it_fits_the_risk(home):
    a = apart(home, importance=5, staleness_risk="stable")
    b = apart(home, 1, importance=4)
    told = {one.entries[0]: one for one in found(home, "unpinned")}
    assert (told[a].repair, told[a].decision) == (f"damals pin {a}", False)
    lasting, usual = (one.command for one in told[b].choices)
    assert lasting.startswith(f"damals correct {b} --pinned --staleness-risk stable --reason ")
    assert usual.startswith(f"damals correct {b} --importance 3 --reason ")
    assert told[b].decision
    home.transact(told[b].choices[1].operations)
    assert [one.entries for one in found(home, "unpinned")] == [(a,)]


def test_so_is_one_that_ages_fast_and_is_pinned(home):
    one = apart(home, domain="campaign", pinned=True)
    [told] = found(home, "risk")
    assert [choice.command for choice in told.choices] == [
        f"damals correct {one} --staleness-risk stable --reason 'risk and half-life now fit'",
        f"damals unpin {one}",
    ]
