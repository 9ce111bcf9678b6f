"""Vision and roadmap: every threshold and message of the design, on its exact day."""

import pytest
from plans import COMMAND, noon, roadmap, said, vision

from damals.domain.ageing import severity
from damals.domain.planning import (
    HALF_LIFE_DAYS,
    alignment,
    is_planning_artefact,
    review,
)
from damals.domain.planning_versions import parse_version

VISION_LOW = (
    "Vision last reviewed {days} days ago (half-life: 60 days). "
    f"Consider {COMMAND} before this session."
)
VISION_MEDIUM = (
    "Vision significantly overdue for review ({days} days, 2× half-life). "
    "Recommend updating before planning work."
)
ROADMAP_LOW = f"Roadmap last reviewed {{days}} days ago. Consider {COMMAND}."
ROADMAP_MEDIUM = "Roadmap significantly overdue for review. Phase statuses may be stale."


def test_a_vision_has_sixty_days_and_a_roadmap_thirty():
    assert HALF_LIFE_DAYS == {"vision": 60, "roadmap": 30}


@pytest.mark.parametrize(
    ("day", "days", "expected"),
    [
        ("2026-01-01", 0, None),
        ("2026-03-01", 59, None),
        ("2026-03-02", 60, ("LOW", VISION_LOW)),
        ("2026-03-03", 61, ("LOW", VISION_LOW)),
        ("2026-05-01", 120, ("LOW", VISION_LOW)),
        ("2026-05-02", 121, ("MEDIUM", VISION_MEDIUM)),
        ("2028-01-01", 730, ("MEDIUM", VISION_MEDIUM)),
    ],
)
def test_a_vision_is_due_from_one_half_life_on_and_overdue_behind_two(day, days, expected):
    found = said(vision(), day)
    wanted = [("vision_overdue", expected[0], expected[1].format(days=days))] if expected else []
    assert (review(vision(), noon(day)).days, found) == (days, wanted)


@pytest.mark.parametrize(
    ("day", "days", "expected"),
    [
        ("2026-01-30", 29, None),
        ("2026-01-31", 30, ("LOW", ROADMAP_LOW)),
        ("2026-03-02", 60, ("LOW", ROADMAP_LOW)),
        ("2026-03-03", 61, ("MEDIUM", ROADMAP_MEDIUM)),
    ],
)
def test_a_roadmap_is_due_from_one_half_life_on_and_overdue_behind_two(day, days, expected):
    wanted = [("roadmap_overdue", expected[0], expected[1].format(days=days))] if expected else []
    assert said(roadmap(), day) == wanted


def test_a_ratio_of_exactly_one_and_exactly_two_is_low():
    days = HALF_LIFE_DAYS["vision"]
    found = [severity(one / days) for one in (days - 1, days, 2 * days, 2 * days + 1)]
    assert found == [None, "LOW", "LOW", "MEDIUM"]


def test_days_are_those_of_the_calendar_also_across_a_summer_time_and_late_at_night():
    late = noon("2026-03-31")
    late = type(late)(late.instant + 9 * 3_600_000_000, late.zone)  # 23:00 in Berlin
    assert review(vision(last_reviewed="2026-03-28"), late).days == 3
    next_day = type(late)(late.instant + 3_600_000_000, late.zone)
    assert review(vision(last_reviewed="2026-03-28"), next_day).days == 4


# --- phases


def phases(*status: tuple[str, str | None]) -> list[dict[str, str | None]]:
    return [{"name": f"P{n}", "status": s, "since": d} for n, (s, d) in enumerate(status, start=1)]


def test_a_phase_stagnates_behind_twice_its_expected_duration_and_not_on_that_day():
    # From 1 January to 11 January are ten days for five phases: two days for each.
    done = ("done", None)
    note = roadmap(
        horizon_end="2026-01-11",
        phases=phases(done, ("in_progress", "2026-01-02"), done, done, done),
    )
    assert said(note, "2026-01-06") == []  # four days: exactly twice
    assert said(note, "2026-01-07") == [
        (
            "phase_stagnant",
            "LOW",
            (
                "Phase 2 (P2) has been in_progress since 2026-01-02. "
                "Check whether it's blocked or needs re-scoping."
            ),
        )
    ]


def test_an_expected_duration_need_not_be_whole_days():
    # Ten days for three phases: 3⅓ each, so more than 6⅔ days are too many.
    done = ("done", None)
    note = roadmap(
        horizon_end="2026-01-11", phases=phases(("in_progress", "2026-01-01"), done, done)
    )
    assert said(note, "2026-01-07") == []
    assert [kind for kind, *_ in said(note, "2026-01-08")] == ["phase_stagnant"]


@pytest.mark.parametrize("status", ["in_progress", "In Progress", "in-progress", "IN_PROGRESS"])
def test_a_phase_in_progress_may_be_written_in_several_ways(status):
    note = roadmap(horizon_end="2026-01-02", phases=phases((status, "2025-12-01")))
    assert [kind for kind, *_ in said(note, "2026-01-05")] == ["phase_stagnant"]


@pytest.mark.parametrize("status", ["done", "planned", "blocked", "erledigt"])
def test_only_phases_in_progress_stagnate(status):
    note = roadmap(horizon_end="2026-01-02", phases=phases((status, "2020-01-01")))
    assert said(note, "2026-01-05") == []


def test_a_horizon_that_is_a_month_reaches_to_its_end():
    note = roadmap(horizon_end="2026-01", phases=phases(("in_progress", "2025-11-30")))
    # 31 days to the first of February, so 62 days are not too many and 63 are.
    kinds = {day: {kind for kind, *_ in said(note, day)} for day in ("2026-01-31", "2026-02-01")}
    assert "phase_stagnant" not in kinds["2026-01-31"]
    assert "phase_stagnant" in kinds["2026-02-01"]


# --- alignment


def aligned(vision_version: str, linked: str) -> str | None:
    remark = alignment(vision_version, linked)
    return None if remark is None else remark.key


def test_a_roadmap_of_an_older_vision_is_named_with_both_versions():
    remark = alignment("1.10", "1.9")
    assert remark is not None
    assert (remark.kind, remark.severity) == ("roadmap_behind_vision", "LOW")
    assert remark.values == {"linked": "1.9", "current": "1.10"}


def test_a_roadmap_of_a_vision_that_is_not_there_yet_is_odd_and_nobody_knows_the_repair():
    remark = alignment("1.9", "1.10")
    assert remark is not None
    assert (remark.kind, remark.repair) == ("planning_field_odd", None)


@pytest.mark.parametrize(
    ("current", "linked", "key"),
    [
        ("1.10", "1.9", "planning.behind"),
        ("1.9", "1.10", "planning.ahead"),
        ("2", "v1.99", "planning.behind"),
        ("v2", "2", None),
        ("2.0", "2", None),
        ("2.0.1", "2", "planning.behind"),
        ("2026-03", "2026-02", "planning.behind"),
        ("10", "9", "planning.behind"),
    ],
)
def test_versions_are_compared_as_numbers(current, linked, key):
    assert aligned(current, linked) == key


@pytest.mark.parametrize("value", [2, 2.5, "v2", "V2.1", "version 3", "1.2.3.4", "0"])
def test_numbers_and_texts_are_versions(value):
    assert parse_version(value) is not None


@pytest.mark.parametrize("value", [None, "", "neu", True, [1], {"a": 1}, "1.x", "²", "9" * 101])
def test_what_is_no_number_is_no_version(value):
    assert parse_version(value) is None


# --- missing and odd


@pytest.mark.parametrize("empty", [None, "", "  ", []])
@pytest.mark.parametrize("field", ["linked_vision_version", "horizon_end", "phases"])
def test_a_missing_field_of_a_roadmap_is_a_finding_that_says_what_to_write(field, empty):
    [(kind, severity, text)] = said(roadmap(**{field: empty}), "2026-01-02")
    assert (kind, severity) == ("planning_field_missing", "LOW")
    assert field in text
    assert "into its frontmatter" in text


@pytest.mark.parametrize("field", ["version", "last_reviewed"])
def test_a_missing_field_of_a_vision_is_a_finding_that_says_what_to_write(field):
    [(kind, _, text)] = said(vision(**{field: None}), "2026-01-02")
    assert kind == "planning_field_missing"
    assert field in text


ODD = {
    "a day that is none": vision(last_reviewed="2026-02-30"),
    "a word": vision(last_reviewed="neulich"),
    "a list": vision(last_reviewed=["2026-01-01"]),
    "a review that is to come": vision(last_reviewed="2027-01-01"),
    "a version that is none": vision(version="neu"),
    "a horizon that is none": roadmap(horizon_end="bald"),
    "an open horizon": roadmap(horizon_end="offen"),
    "a horizon in a list": roadmap(horizon_end=[1]),
    "a horizon before the review": roadmap(horizon_end="2025-12-31"),
    "a horizon on the day of the review": roadmap(horizon_end="2026-01-01"),
    "phases as a text": roadmap(phases="erst das, dann das"),
    "phases as a mapping": roadmap(phases={"name": "a"}),
    "a phase that begins in the future": roadmap(phases=phases(("in_progress", "2027-01-01"))),
    "a phase that began at no time": roadmap(phases=phases(("in_progress", "neulich"))),
}


@pytest.mark.parametrize("note", ODD.values(), ids=ODD)
def test_an_odd_field_is_a_finding_and_stops_nothing_else(note):
    [(kind, severity, text)] = said(note, "2026-01-02")
    assert (kind, severity) == ("planning_field_odd", "LOW")
    assert "{" not in text.replace("{'name': 'a'}", "")


def test_phases_without_status_or_start_are_findings():
    found = said(
        roadmap(phases=["Idee", {"name": "Bau", "status": "in_progress"}, {}, 7]), "2026-01-02"
    )
    assert [text for _, _, text in found] == [
        "Phase 1 (Idee) of roadmap.md has no status. Give it one, for example in_progress or done.",
        (
            "Phase 2 (Bau) of roadmap.md is in_progress and does not say since when. "
            "Give it since: YYYY-MM-DD."
        ),
        "Phase 3 of roadmap.md has no status. Give it one, for example in_progress or done.",
        "Phase 4 (7) of roadmap.md has no status. Give it one, for example in_progress or done.",
    ]


def test_what_is_to_be_said_is_said_in_german():
    texts = [
        *said(vision(), "2026-05-01", "de"),
        *said(vision(), "2026-05-02", "de"),
        *said(roadmap(), "2026-02-10", "de"),
        *said(roadmap(), "2026-04-10", "de"),
    ]
    assert [text for _, _, text in texts] == [
        (
            "Die Vision wurde zuletzt vor 120 Tagen geprüft (Halbwertszeit: 60 Tage). "
            f"Vor dieser Sitzung {COMMAND} erwägen."
        ),
        (
            "Die Prüfung der Vision ist weit überfällig (121 Tage, 2× Halbwertszeit). "
            "Vor weiterer Planung sollte sie überarbeitet werden."
        ),
        f"Die Roadmap wurde zuletzt vor 40 Tagen geprüft. {COMMAND} erwägen.",
        "Die Prüfung der Roadmap ist weit überfällig. Der Stand der Phasen kann veraltet sein.",
    ]


# --- which notes are plans


@pytest.mark.parametrize(
    ("path", "properties", "reviewed", "expected"),
    [
        ("wiki/vision.md", {}, None, True),
        ("wiki/roadmap.md", {}, None, True),
        ("notes/Wiki/Vision.md", {}, None, True),
        ("plan/vision.md", {"version": "1"}, None, True),
        ("plan/vision.md", {}, 0, True),
        ("plan/roadmap.md", {"phases": []}, None, True),
        ("roadmap.md", {"horizon_end": "2026"}, None, True),
        ("augen/vision.md", {}, None, False),
        ("augen/vision.md", {"phases": []}, None, False),
        ("wiki/visionen.md", {"version": "1"}, 0, False),
        ("wiki/vision.md/x.md", {}, None, False),
        (None, {"version": "1"}, 0, False),
    ],
)
def test_a_plan_is_known_by_its_file_and_by_what_it_says(path, properties, reviewed, expected):
    assert is_planning_artefact(path, properties, reviewed) is expected
