"""A report as a whole: its order, its size, its topic, and that looking changes nothing."""

import pytest
from hygiene_home import apart, found, kinds, titles

from damals import messages
from damals.bootstrap import init_home, open_home
from damals.domain.findings import HYGIENE, SEVERITY, Kind
from damals.errors import InvalidInput


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


def test_commands_name_the_workspace_that_a_report_is_of(tmp_path, clock):
    init_home(tmp_path / "two", timezone="UTC")
    options = {"clock": clock, "embedder": "none", "index_mode": "inline"}
    with open_home(tmp_path / "two", **options) as home:
        home.create_workspace("b")
    with open_home(tmp_path / "two", workspace="b", **options) as home:
        apart(home, importance=5, staleness_risk="stable")
        [one] = found(home, "unpinned")
        assert one.repair == f"damals pin {one.entries[0]} --workspace b"


def test_a_hygiene_report_has_every_kind_but_what_is_due():
    assert set(HYGIENE) == set(Kind) - {Kind.DUE}
