"""The timeline of a topic: every event on both clocks, in order, and what held at each."""

import pytest
from insight_home import Clock, home

from damals.errors import InvalidInput, NotFound


@pytest.fixture
def clock() -> Clock:
    """It stands at 2024-01-01 until a test moves it."""
    return Clock()


@pytest.fixture
def memory(tmp_path, clock):
    """A home on that clock."""
    with home(tmp_path / "home", clock) as opened:
        yield opened


def told(timeline) -> list[tuple[str, str, str, str]]:
    """Events in short: clock, day, kind, title."""
    return [(one.clock, one.at[:10], one.kind, one.title) for one in timeline]


def moved(memory, clock):
    """A firm moves; its move is announced before it holds."""
    old = memory.remember("Sitz Müller", "Hauptstraße 1", valid_from="2023-09-01", key="sitz")
    clock.to("2024-03-01")
    new = memory.update(
        old.id, "Sitz Müller neu", "Industriestraße 7", valid_from="2024-06-01", reason="Umzug"
    )
    clock.to("2024-09-01")
    return old, new


def test_what_began_ended_and_was_learned_stands_in_order_on_both_clocks(memory, clock):
    old, new = moved(memory, clock)

    line = memory.timeline("Müller")

    assert told(line) == [
        ("valid", "2023-09-01", "began", "Sitz Müller"),
        ("known", "2024-01-01", "learned", "Sitz Müller"),
        ("known", "2024-03-01", "superseded", "Sitz Müller"),
        ("valid", "2024-06-01", "began", "Sitz Müller neu"),
        ("valid", "2024-06-01", "ended", "Sitz Müller"),
    ] or told(line)[3:] == [
        ("valid", "2024-06-01", "ended", "Sitz Müller"),
        ("valid", "2024-06-01", "began", "Sitz Müller neu"),
    ]
    taken = line.events[2]
    assert (taken.entry_id, taken.other_id, taken.other_title) == (old.id, new.id, new.title)
    assert (taken.reason, taken.operation, taken.relation) == ("Umzug", "update", "supersedes")


def test_each_step_shows_what_held_behind_its_event(memory, clock):
    moved(memory, clock)
    line = memory.timeline("Müller")

    held = {}
    for one in line:
        at = memory.timeline("Müller", step=one.step)
        assert (at.as_of, at.known_at) == (one.as_of, one.known_at)
        listed = memory.entries(as_of=at.as_of, known_at=at.known_at)
        assert [entry.id for entry in at.held] == [entry.id for entry in listed]
        held[one.kind, one.title] = [entry.title for entry in at.held]

    assert held["learned", "Sitz Müller"] == ["Sitz Müller"]
    assert held["superseded", "Sitz Müller"] == ["Sitz Müller neu"]
    assert held["ended", "Sitz Müller"] == ["Sitz Müller neu"]


def test_without_a_step_the_state_is_that_of_the_asked_pair(memory, clock):
    moved(memory, clock)

    before = memory.timeline("Müller", as_of="2024-04-01")
    unknown = memory.timeline("Müller", as_of="2024-07-01", known_at="2024-02-01")

    assert [one.title for one in before.held] == ["Sitz Müller"]
    assert [one.title for one in unknown.held] == ["Sitz Müller"]
    assert [one[2] for one in told(unknown)] == ["began", "learned"]


def test_what_was_taken_back_later_is_told_all_the_same(memory, clock):
    one = memory.remember("Preis Brot", "3", valid_from="2023-01-01")
    clock.to("2024-02-01")
    memory.correct(one.id, content="4", reason="verlesen")
    clock.to("2024-03-01")
    memory.end(one.id, "2024-02-15", reason="teurer")
    clock.to("2024-04-01")
    memory.retract(one.id, reason="erfunden")

    line = memory.timeline("Brot", axis="known")

    assert [event.kind for event in line] == ["learned", "corrected", "closed", "retracted"]
    assert [event.reason for event in line] == [None, "verlesen", "teurer", "erfunden"]
    assert not memory.timeline("Brot", step=4, axis="known").held


def test_an_end_that_was_learned_is_seen_where_it_took_effect(memory, clock):
    one = memory.remember("Preis Brot", "3", valid_from="2023-01-01")
    clock.to("2024-02-01")
    memory.end(one.id, "2024-05-01", reason="wird teurer")

    closed = memory.timeline("Brot", axis="known").events[-1]

    assert (closed.kind, closed.as_of[:10], closed.known_at[:10]) == (
        "closed",
        "2024-05-01",
        "2024-02-01",
    )


def test_checks_archiving_and_contradictions_are_events(memory, clock):
    a = memory.remember("Tee grün", "80 Grad", valid_from="2023-01-01")
    b = memory.remember("Tee grün heiß", "90 Grad", valid_from="2023-01-01")
    clock.to("2024-02-01")
    memory.verify(a.id)
    clock.to("2024-02-02")
    memory.contradict(a.id, b.id, reason="beides geht nicht")
    clock.to("2024-02-03")
    memory.resolve(a.id, b.id, keep="both", reason="je nach Sorte")
    clock.to("2024-02-04")
    memory.archive(b.id, reason="alt")

    kinds = [(one.kind, one.at[:10]) for one in memory.timeline("Tee", axis="known")]

    assert kinds[2:] == [
        ("verified", "2024-02-01"),
        ("contradicted", "2024-02-02"),
        ("resolved", "2024-02-03"),
        ("archived", "2024-02-04"),
    ]


def test_an_imprecise_start_is_told_as_it_was_given_and_an_unknown_one_is_no_event(memory):
    memory.remember("Turm hoch", valid_from="2023-05")
    memory.remember("Turm alt", valid_from=None)

    world = memory.timeline("Turm", axis="valid")

    assert told(world) == [("valid", "2023-05-01", "began", "Turm hoch")]
    assert world.events[0].valid_from == "2023-05"


def test_a_tag_is_a_topic_and_what_took_over_belongs_to_it(memory):
    old = memory.remember("Erste", tags=["ort"], valid_from="2023-01-01")
    memory.update(old.id, "Zweite", "x", reason="r", valid_from="2024-01-01", tags=[])

    assert {one.title for one in memory.timeline("ort")} == {"Erste", "Zweite"}


def test_a_timeline_is_told_in_pages_and_a_step_opens_its_own(memory):
    for number in range(5):
        memory.remember(f"Regal {number}", valid_from="2023-01-01")
    whole = memory.timeline("Regal", limit=None)

    first = memory.timeline("Regal", limit=4)
    second = memory.timeline("Regal", limit=4, after=first.next)
    opened = memory.timeline("Regal", limit=4, step=6)

    assert (whole.count, first.count, first.next) == (10, 10, 4)
    assert first.events + second.events == whole.events[:8]
    assert [one.step for one in opened] == [5, 6, 7, 8]
    assert memory.timeline("Regal", limit=4, after=8).next is None


@pytest.mark.parametrize("step", [0, -1, True, "1"])
def test_a_step_is_a_number_from_one(memory, step):
    memory.remember("Regal", valid_from="2023-01-01")

    with pytest.raises(InvalidInput, match=str(step)):
        memory.timeline("Regal", step=step)


def test_what_is_not_there_is_not_found(memory):
    memory.remember("Regal", valid_from="2023-01-01")

    with pytest.raises(NotFound, match="Schrank"):
        memory.timeline("Schrank")
    with pytest.raises(NotFound, match="99"):
        memory.timeline("Regal", step=99)
    with pytest.raises(InvalidInput):
        memory.timeline("Regal", axis="quer")
    with pytest.raises(InvalidInput):
        memory.timeline(" ")


def test_an_erased_entry_leaves_no_event(memory, clock):
    one = memory.remember("Sitz Müller", valid_from="2023-01-01")
    other = memory.remember("Müller Telefon", valid_from="2023-01-01")
    clock.to("2024-02-01")
    memory.erase("entry", one.id)

    assert {event.entry_id for event in memory.timeline("Müller")} == {other.id}
