"""The status of an entry is the same wherever it is shown, at any pair of instants."""

import pytest
from ageing_home import Time, home, titles

from damals.api import Damals
from damals.domain.ageing import Status
from damals.errors import InvalidInput


@pytest.fixture
def full(memory: Damals, time: Time) -> Damals:
    """One entry of each status, as of 2024-06-01; all say the same word."""
    memory.remember("active", "Stille", type="journal", external_id="active")
    memory.remember("decayed", "Stille", staleness_risk="fast_decay", external_id="decayed")
    for name in ("consolidated", "reinforced"):
        memory.remember(name, "Stille", type="journal", external_id=name)
        memory.verify(name)
    memory.verify("reinforced")
    memory.remember("old", "Stille", external_id="superseded")
    time.to("2024-02-01")
    memory.update("superseded", "replaced", "Stille", reason="anew", type="journal")
    memory.remember("archived", "Stille", external_id="archived")
    memory.archive("archived", reason="enough")
    time.to("2024-06-01")
    return memory


EACH = ("active", "decayed", "consolidated", "reinforced", "archived")


def test_show_history_and_graph_tell_the_same_status(full: Damals):
    for name in EACH:
        assert full.get(name).status == name
        assert {one.status for one in full.history(name).versions} == {name}
        assert full.graph(name).nodes[0].status == name
    assert full.get("superseded").status == "superseded"


def test_recall_and_list_tell_the_same_status(full: Damals):
    held = {"active", "decayed", "consolidated", "reinforced"}
    listed = {one.title: one.status for one in full.entries()}
    found = {hit.entry.title: hit.entry.status for hit in full.recall("Stille", limit=None)}
    assert listed == found == {**{name: name for name in held}, "replaced": "active"}


def test_a_neighbour_in_the_graph_has_its_status(full: Damals, time: Time):
    hub = full.remember("hub", type="journal")
    for name in (*EACH, "superseded"):
        full.relate(hub.id, "related_to", name)
    time.days(1)
    around = {one.title: one.status for one in full.graph(hub.id).nodes if one.hops}
    assert around == {**{name: name for name in EACH}, "old": "superseded"}


def test_a_diff_tells_the_status_at_each_of_its_ends(full: Damals, time: Time):
    time.to("2024-07-01")
    full.verify("decayed")
    found = full.diff(start="2024-06-15", end="2024-07-02", entry="decayed").changes
    [verified] = [one for one in found if one.kind == "verified"]
    assert (verified.before.status, verified.after.status) == ("decayed", "reinforced")


@pytest.mark.parametrize("status", [one for one in Status if one is not Status.ACQUIRED])
def test_each_status_can_be_listed(full: Damals, status: Status):
    found = full.entries(status=status.value)
    expected = {"superseded": ["old"], "active": ["active", "replaced"]}
    assert sorted(titles(found)) == expected.get(status.value, [status.value])
    assert {one.status for one in found} == {status.value}


def test_an_unknown_status_is_refused(memory: Damals):
    with pytest.raises(InvalidInput) as refused:
        memory.entries(status="rotten")
    for one in Status:
        assert one.value in str(refused.value.values["allowed"])


def test_a_status_is_listed_as_of_any_pair(full: Damals):
    def listed(status: str, **pair: str) -> list[str]:
        return sorted(titles(full.entries(status=status, **pair)))

    assert "decayed" in listed("active", as_of="2024-01-15")
    assert listed("decayed", as_of="2024-01-15") == []
    assert listed("decayed", as_of="2024-06-01", known_at="2024-01-15") == []
    assert listed("archived", as_of="2024-01-15") == []


def test_pages_of_a_status_are_full_and_hold_each_entry_once(time: Time):
    with home(time) as memory:
        with memory.transaction() as several:
            for number in range(60):
                risk = "fast_decay" if number % 7 == 0 else "stable"
                several.remember(f"{number:02}", staleness_risk=risk)
        time.days(31)
        for status, count in (("decayed", 9), ("active", 51)):
            whole = titles(memory.entries(status=status, limit=None))
            assert len(whole) == count
            pages, cursor = [], None
            while True:
                page = memory.entries(status=status, limit=4, cursor=cursor)
                pages.append(titles(page))
                cursor = page.next
                if cursor is None:
                    break
            assert [one for page in pages for one in page] == whole
            assert all(len(page) == 4 for page in pages[:-1])


def test_pages_are_full_when_many_others_lie_between(time: Time, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("damals.app.looking._LOOKED_AT", 3)
    with home(time) as memory:
        with memory.transaction() as several:
            for number in range(40):
                risk = "fast_decay" if number > 35 else "stable"
                several.remember(f"{number:02}", staleness_risk=risk)
        time.days(31)
        page = memory.entries(status="decayed", limit=2)
        last = memory.entries(status="decayed", limit=2, cursor=page.next)
        assert (len(page), len(last), last.next) == (2, 2, None)
        assert sorted(titles(page) + titles(last)) == ["36", "37", "38", "39"]


def test_what_was_filtered_by_type_and_tag_is_so_by_status_too(full: Damals):
    assert titles(full.entries(status="decayed", type="journal")) == []
    assert titles(full.entries(status="decayed", type="fact", certain=True)) == ["decayed"]


def test_verify_answers_with_the_status_that_it_led_to(memory: Damals, time: Time):
    memory.remember("a", staleness_risk="fast_decay", external_id="a")
    assert [memory.verify("a").status for _ in range(3)] == [
        "consolidated", "reinforced", "reinforced"
    ]  # fmt: skip
    time.days(61)
    assert memory.get("a").status == "decayed"
    assert memory.verify("a").status == "reinforced"
    with memory.transaction() as several:
        several.remember("b", external_id="b")
        assert several.verify("b").status == "consolidated"


def test_a_pin_keeps_an_entry_from_decaying(memory: Damals, time: Time):
    memory.remember("a", staleness_risk="fast_decay", external_id="a")
    time.days(31)
    assert memory.get("a").status == "decayed"
    assert memory.pin("a").status == "active"
    assert memory.unpin("a").status == "decayed"


def test_what_was_taken_back_counts_no_more(memory: Damals, time: Time):
    memory.remember("a", external_id="a")
    verified = memory.verify("a")
    time.days(1)
    memory.revert(verified.transaction, reason="wrong entry")
    assert memory.get("a").status == "active"
    assert memory.get("a", known_at="2024-01-01T12:00").status == "consolidated"


def test_an_answer_that_is_given_again_tells_the_status_of_then(memory: Damals, time: Time):
    memory.remember("a", "Stille", external_id="a", staleness_risk="fast_decay")
    time.days(40)
    for known_at in (None, "2024-01-10"):
        options = {} if known_at is None else {"known_at": known_at}
        told = memory.recall("Stille", **options)
        time.days(1)
        memory.verify("a")
        time.days(1)
        again = memory.replay(told.receipt, recompute=True)
        assert again.differences == ()
        [then], [now] = told.results, again.results
        assert now.entry == then.entry
        assert now.caveats == then.caveats


@pytest.mark.parametrize(("chosen", "expected"), [({}, 0.4), ({"superseded_share": 0.25}, 0.2)])
def test_the_share_of_superseded_entries_is_a_setting(
    time: Time, chosen: dict[str, float], expected: float
):
    with home(time, **chosen) as memory:
        old = memory.remember("old", "Stille", type="principle", valid_from="2020-01-01")
        memory.verify(old.id, score=0.8)
        time.days(1)
        new = memory.remember("new", "Stille", type="principle", valid_from="2024")
        memory.relate(new.id, "supersedes", old.id)
        time.days(150)
        grounded = {hit.entry.title: hit.grounding for hit in memory.recall("Stille")}
        assert grounded == {"old": pytest.approx(expected), "new": None}
        least = expected + 0.01
        assert titles(hit.entry for hit in memory.recall("Stille", min_grounding=least)) == []
