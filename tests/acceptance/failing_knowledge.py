"""Cases of the failures 6 to 8: guessed values, no grounding in real time, nothing ever learned."""

from pathlib import Path
from tempfile import TemporaryDirectory

from asked_memory import refused
from failing_cases import Cases, World, period

from damals.domain.allen import AllenRelation as R
from damals.domain.allen import allen, possible_relations

GUESSING = Cases(6, "Force-assign values when info is underspecified")
GROUNDING = Cases(7, "No temporal grounding")
BINDING = Cases(8, "No time-binding")


# --- 6


@GUESSING("an unknown start stays unknown, and is possible before it was recorded")
def _(world: World) -> None:
    world.said("a", valid_from="unknown", valid_to="1984-01-01")
    entry = world.memory.get("a", as_of="1970-01-01")
    assert (entry.valid_from, entry.bounds.from_.earliest, entry.certainty) == (
        None, None, "possible",
    )  # fmt: skip


@GUESSING("a month is a month: possible inside of it, certain behind it")
def _(world: World) -> None:
    world.said("a", valid_from="2024-09")
    assert world.memory.get("a").valid_from == "2024-09"
    assert world.held("2024-08-31") == set()
    assert world.memory.get("a", as_of="2024-09-15").certainty == "possible"
    assert world.memory.get("a", as_of="2024-10-01").certainty == "certain"
    sure = world.memory.entries(as_of="2024-09-15", certain=True)
    assert len(sure) == 0


@GUESSING("what is uncertain is marked so and moves nothing")
def _(world: World) -> None:
    world.said("a", valid_from="2024-09-01~")
    entry = world.memory.get("a")
    assert (entry.uncertain, entry.bounds.from_.earliest) == (True, "2024-08-31T22:00:00.000000Z")


@GUESSING("an end that nobody knows is no end today, and not open either")
def _(world: World) -> None:
    world.said("a", valid_from="2020-01-01", valid_to="unknown")
    world.days(1)
    entry = world.memory.get("a")
    assert (entry.valid_to, entry.bounds.to.latest) == ("unknown", None)
    assert world.held() == set()
    assert world.memory.get("a", as_of="2021-01-01").certainty == "possible"


@GUESSING("an open end is null, and stays so")
def _(world: World) -> None:
    world.said("a", valid_from="2020-01-01", valid_to=None)
    assert world.memory.get("a").valid_to is None
    assert world.held("9999-01-01") == {"a"}


@GUESSING("a note without a date has an unknown start, whatever its file says")
def _(world: World) -> None:
    with TemporaryDirectory() as made:
        vault = Path(made) / "v"
        vault.mkdir()
        (vault / "n.md").write_text("---\ncreated: 2019-01-01\n---\nText", encoding="utf-8")
        world.memory.import_(vault)
    [entry] = world.memory.entries()
    assert (entry.valid_from, entry.created) == (None, "2018-12-31T23:00:00.000000Z")


@GUESSING("a day that does not exist is refused and never moved")
def _(world: World) -> None:
    for day in ("2026-02-30", "2025-02-29", "31.04.2026"):
        code, key = refused(world.said, "a", valid_from=day)
        assert (code, key.split(".")[0]) == (2, "time")
    assert world.memory.log().transactions == ()


@GUESSING("an hour that was skipped or happened twice is refused with its readings")
def _(world: World) -> None:
    assert refused(world.said, "a", valid_from="2025-03-30T02:30") == (2, "time.gap")
    assert refused(world.said, "a", valid_from="2025-10-26T02:30") == (2, "time.fold")


@GUESSING("an end before the start is refused and not swapped")
def _(world: World) -> None:
    assert refused(world.said, "a", valid_from="2026-02-01", valid_to="2026-01-01")[0] == 2
    assert refused(world.said, "a", valid_from="2026-02-01", valid_to="2026-02-01")[0] == 2


@GUESSING("periods too imprecise for one relation have all that are possible, and no pick")
def _(world: World) -> None:
    del world
    first, second = period("2024-01-01", "2024-03"), period("2024-03-15", "2024-05-01")
    assert possible_relations(first, second) == {R.BEFORE, R.MEETS, R.OVERLAPS}
    assert refused(allen, first, second) == (2, "allen.several")


# --- 7


@GROUNDING("what was never verified has no score, rather than a good one")
def _(world: World) -> None:
    world.said("a")
    entry = world.memory.get("a")
    assert (entry.grounding_score, entry.last_verified) == (None, None)


@GROUNDING("grounding halves in a window: 180 days after a score of 0.8 it is 0.4")
def _(world: World) -> None:
    world.at("2026-01-01").said("a", "Zinssatz 4 Prozent", staleness_risk="slow_decay")
    world.memory.verify("a", score=0.8)
    world.days(180)
    [hit] = world.memory.recall("Zinssatz").results
    assert abs(hit.grounding - 0.4) < 1e-9


@GROUNDING("a verification resets score and clock")
def _(world: World) -> None:
    world.at("2026-01-01").said("a", "Zinssatz 4 Prozent")
    world.memory.verify("a", score=0.5)
    world.days(90)
    world.memory.verify("a", score=1.0, evidence="Vertrag")
    [hit] = world.memory.recall("Zinssatz").results
    assert hit.grounding == 1.0


@GROUNDING("a verification is asked for at an earlier instant as it stood then")
def _(world: World) -> None:
    world.at("2026-01-01").said("a", "Zinssatz 4 Prozent")
    world.days(30)
    world.memory.verify("a", score=0.9)
    assert world.memory.get("a", known_at="2026-01-15").grounding_score is None
    assert world.memory.get("a").grounding_score == 0.9


@GROUNDING("yesterday is the day before the clock's, in the zone of the workspace")
def _(world: World) -> None:
    world.at("2026-06-14T22:30:00Z")  # the 15th in Berlin already
    world.said("a", valid_from="gestern")
    assert world.memory.get("a").bounds.from_.earliest == "2026-06-13T22:00:00.000000Z"


@GROUNDING("what is not verified decays with real time alone, and on its day")
def _(world: World) -> None:
    world.at("2026-01-01T00:00:00Z").said("a", "API v3", staleness_risk="fast_decay")
    world.days(29.95)  # the 30th in Berlin, an hour before midnight
    assert world.memory.get("a").status == "active"
    world.days(0.05)
    assert world.memory.get("a").status == "decayed"
    assert world.memory.get("a", as_of="2026-01-15").status == "active"


@GROUNDING("what an import says of its own past does not make it look forgotten or checked")
def _(world: World) -> None:
    world.said("a", created="1990-01-01", updated="1991-01-01")
    entry = world.memory.get("a")
    assert (entry.last_verified, entry.recorded_from[:10]) == (None, "2026-06-15")


# --- 8


@BINDING("what is learned today is known today and was not known yesterday")
def _(world: World) -> None:
    world.at("2026-05-01").said("alt", "Hauptstraße 1", valid_from="2024-09-01")
    world.at("2026-06-01")
    world.memory.update("alt", "neu", "Industriestraße 7", reason="Umzug", valid_from="2026-06-01")
    assert world.content("2026-06-15") == ["Industriestraße 7"]
    assert world.content("2026-06-15", "2026-05-15") == ["Hauptstraße 1"]
    assert world.content("2026-04-01") == ["Hauptstraße 1"]


@BINDING("a correction changes what is known and not what was believed")
def _(world: World) -> None:
    world.at("2026-05-01").said("a", "1", valid_from="2026-01-01")
    world.at("2026-06-01")
    world.memory.correct("a", content="2", reason="Tippfehler")
    assert (world.content("2026-02-01"), world.content("2026-02-01", "2026-05-15")) == (
        ["2"],
        ["1"],
    )


@BINDING("an end is an instant and takes nothing back")
def _(world: World) -> None:
    world.said("a", valid_from="2026-01-01")
    world.memory.end("a", "2026-04-01", reason="gekündigt")
    assert (world.held("2026-03-31"), world.held("2026-04-01")) == ({"a"}, set())


@BINDING("what was never true is gone from now on, and still found where it was believed")
def _(world: World) -> None:
    world.at("2026-05-01").said("a", valid_from="2026-01-01")
    world.at("2026-06-01")
    world.memory.retract("a", reason="verwechselt")
    assert (world.held("2026-02-01"), world.held("2026-02-01", "2026-05-15")) == (set(), {"a"})


@BINDING("what changed is told with who, when and why")
def _(world: World) -> None:
    world.at("2026-05-01").said("a", "1", valid_from="2026-01-01")
    world.at("2026-06-01")
    world.memory.correct("a", content="2", reason="Tippfehler")
    [change] = world.memory.diff(start="2026-05-15", end="2026-06-10")
    assert (change.kind, change.reason, change.before.content, change.after.content) == (
        "corrected", "Tippfehler", "1", "2",
    )  # fmt: skip
    found = world.memory.trace("a").entries[0]
    assert (found.entered.operation, found.before[0].content) == ("correct", "1")


@BINDING("a new fact retires nothing that it does not replace")
def _(world: World) -> None:
    for number in range(20):
        world.said(f"e{number}", f"Tatsache {number}", valid_from="2026-01-01")
    world.memory.update("e7", "neu", "andere", reason="r", external_id="neu")
    kept = {f"e{number}" for number in range(20)} - {"e7"}
    assert world.held() == kept | {"neu"}


@BINDING("two periods of the same fact stay two, and the gap stays a gap")
def _(world: World) -> None:
    for start, end in (("2020-01-01", "2021-01-01"), ("2023-01-01", "2024-01-01")):
        world.memory.remember("Amt", "Müller ist Vorsitzende", valid_from=start, valid_to=end)
    days = ("2020-06-01", "2022-06-01", "2023-06-01")
    assert [len(world.content(day)) for day in days] == [1, 0, 1]


@BINDING("a transaction that is taken back leaves what was known before it")
def _(world: World) -> None:
    world.at("2026-05-01").said("a", "1", valid_from="2026-01-01")
    world.at("2026-06-01")
    number = world.memory.correct("a", content="2", reason="r").transaction
    world.at("2026-06-02")
    world.memory.revert(number, reason="doch nicht")
    assert world.content("2026-02-01") == ["1"]
    assert world.content("2026-02-01", "2026-06-01T18:00:00Z") == ["2"]
