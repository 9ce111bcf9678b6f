"""The hygiene page: findings, and repairs after one question."""

import pytest


@pytest.fixture
def quarrel(home):
    """Two entries that contradict each other."""
    a = home.remember("Tee grün", "80 Grad", valid_from="2023-01-01")
    b = home.remember("Tee heiß", "95 Grad", valid_from="2023-01-01")
    home.contradict(a.id, b.id, reason="beides geht nicht")
    return a, b


def way(shown, kind: str, label: str) -> str:
    """The link to a repair of the first finding of a kind."""
    links = shown.one(f"#{kind}").all("div.ways a")
    return next(one["href"] for one in links if one.text == label)


def kinds(shown) -> list[str]:
    return [one["id"] for one in shown.all("section.severity section")]


@pytest.mark.usefixtures("quarrel")
def test_findings_stand_by_how_much_they_weigh(pages):
    shown = pages.get("hygiene")

    assert shown.texts("section.severity h2")[0] == "Severity: high"
    assert kinds(shown)[0] == "contradiction"
    assert "Tee grün" in shown.one("#contradiction").text


def test_an_archive_without_findings_is_told_to_be_well(pages, home):
    home.remember("Tee", "80 Grad", valid_from="2023-01-01")

    assert pages.get("hygiene", kind="contradiction").all("section.empty")


@pytest.mark.usefixtures("quarrel")
def test_a_repair_is_asked_first_and_shows_what_it_would_record(pages, home):
    before = len(home.log().transactions)

    shown = pages.get(way(pages.get("hygiene"), "contradiction", "the first one stands"))

    assert "resolve" in shown.text
    assert len(home.log().transactions) == before


def test_a_repair_is_one_transaction_with_its_reason(pages, home, quarrel):
    a, _ = quarrel
    asked = pages.get(way(pages.get("hygiene"), "contradiction", "the first one stands"))

    shown = pages.send(asked.form("main form[method=post]"))

    last = home.log().transactions[-1]
    assert [one["op"] for one in last.ops] == ["resolve"]
    assert "contradiction" in last.reason
    assert str(last.number) in shown.one("p.notice").text
    assert "contradiction" not in kinds(shown)
    assert [one.id for one in home.entries()] == [a.id]


@pytest.mark.usefixtures("quarrel")
def test_a_finding_that_is_gone_is_not_repaired_again(pages, home):
    asked = pages.get(way(pages.get("hygiene"), "contradiction", "both hold"))
    pages.send(asked.form("main form[method=post]"))
    before = len(home.log().transactions)

    shown = pages.send(asked.form("main form[method=post]"))

    assert shown.status == 409
    assert shown.problem
    assert len(home.log().transactions) == before


def test_what_the_form_says_is_not_what_is_recorded_unless_a_finding_says_so(pages, home, quarrel):
    a, _ = quarrel
    before = len(home.log().transactions)

    made_up = pages.post(
        "hygiene/repair", view="hygiene", kind="contradiction", entry=a.id, part="", choice="keep_a"
    )
    unknown = pages.post("hygiene/repair", view="hygiene", kind="staub", entry=a.id, choice="x")

    assert (made_up.status, unknown.status) == (409, 400)
    assert len(home.log().transactions) == before


@pytest.mark.usefixtures("quarrel")
def test_a_way_that_a_finding_does_not_have_is_not_gone(pages):
    asked = pages.get(way(pages.get("hygiene"), "contradiction", "both hold"))

    shown = pages.send(asked.form("main form[method=post]"), choice="burn")

    assert shown.status == 404
    assert "burn" in shown.problem


def test_who_may_only_read_sees_commands_and_no_repairs(pages, home, quarrel):
    guest = pages.as_("gast", "reader")
    before = len(home.log().transactions)

    shown = guest.get("hygiene")
    asked = {"kind": "contradiction", "entry": [one.id for one in quarrel], "choice": "keep_a"}
    sent = guest.post("hygiene/repair", view="hygiene", part="", **asked)

    assert not shown.all("div.ways a")
    assert "damals resolve" in shown.one("#contradiction").text
    assert sent.status in (403, 409)
    assert len(home.log().transactions) == before


@pytest.mark.usefixtures("quarrel")
def test_nothing_is_repaired_in_the_past(pages):
    shown = pages.get("hygiene", as_of="2040-01-01")

    assert kinds(shown)
    assert not shown.all("div.ways a")


@pytest.mark.usefixtures("quarrel")
def test_filters_leave_what_they_name(pages):
    assert kinds(pages.get("hygiene", severity="HIGH")) == ["contradiction"]
    assert kinds(pages.get("hygiene", kind="orphan")) in ([], ["orphan"])
    assert pages.get("hygiene", topic="Kaffee").all("section.empty")


def test_a_kind_with_many_findings_is_told_step_by_step(pages, home):
    for number in range(14):
        home.remember(f"Wichtig {number}", importance=5, valid_from="2023-01-01")

    shown = pages.get("hygiene", kind="unpinned")
    more = pages.get(shown.one("#unpinned nav a")["href"].split("#")[0])

    assert len(shown.all("#unpinned article")) == 10
    assert len(more.all("#unpinned article")) == 14


@pytest.mark.parametrize("view", ["lint", "due"])
def test_the_linter_has_views_of_its_own_whose_findings_can_be_repaired(pages, home, view):
    one = home.remember("Wichtig", importance=5, staleness_risk="stable", valid_from="2023-01-01")
    shown = pages.get("hygiene", view=view)
    if view == "due":
        assert shown.status == 200
        return

    asked = pages.get(way(shown, "unpinned", "pin it"))
    pages.send(asked.form("main form[method=post]"))

    assert home.get(one.id).pinned


@pytest.mark.parametrize(
    "asked", [{"kind": "staub"}, {"as_of": "gestern oder so"}, {"topic": "der und"}]
)
@pytest.mark.usefixtures("quarrel")
def test_what_cannot_be_reported_is_told(pages, asked):
    shown = pages.get("hygiene", **asked)

    assert shown.status == 400
    assert next(iter(asked.values())) in shown.problem
