"""What is told of hidden entries to those who may not see them: nothing but their cuts."""

import json

import pytest
from access_home import HIDDEN_WORD, Time

from damals.domain.access import OWNER, Principal
from damals.domain.errors import NotFound
from damals.local import LocalDamals

HIDDEN = {"visibility": "restricted"}


def ops(log) -> list[list[dict[str, object]]]:
    return [list(one.ops) for one in log.transactions]


@pytest.fixture
def moved(home: LocalDamals, clock: Time) -> dict[str, str]:
    """An address that a hidden one took over in March."""
    old = home.remember("Adresse", "Weg 1", key="ort", valid_from="2023-01-01").id
    clock.days(80)
    new = home.update(
        old, f"{HIDDEN_WORD} Adresse", f"{HIDDEN_WORD} 2", valid_from="2024-03-01",
        reason=f"{HIDDEN_WORD} zog um", **HIDDEN,
    ).id  # fmt: skip
    clock.days(1)
    return {"old": old, "new": new}


def test_what_a_hidden_entry_cut_stays_cut_without_a_trace_of_it(guest, moved):
    old = guest.get(moved["old"])
    assert (old.status, old.valid_to, old.relations) == ("superseded", "2024-03-01", ())
    assert [e.id for e in guest.entries(status="superseded")] == [moved["old"]]
    assert list(guest.entries()) == []


def test_a_hidden_operation_is_told_as_its_kind_and_whom_it_touched(guest, moved):
    assert ops(guest.log())[1] == [{"op": "update", "entries": [moved["old"]], "hidden": True}]
    last = guest.log().transactions[-1]
    assert (last.actor, last.reason) == ("-", None)
    rectangle = guest.history(moved["old"]).versions[-1]
    assert (rectangle.operation, rectangle.actor, rectangle.reason) == ("update", "-", None)


def test_a_diff_tells_a_hidden_change_as_a_cut(guest, moved):
    (change,) = guest.diff(start="2024-02-01", end="2024-04-01", axis="known")
    assert (change.kind, change.entry_id, change.after) == ("superseded", moved["old"], None)
    assert (change.actor, change.reason) == ("-", None)


def test_the_transactions_of_what_is_hidden_are_not_in_the_log(home, guest):
    home.remember("Da", "x")
    home.remember(HIDDEN_WORD, "y", **HIDDEN)
    home.remember("Auch da", "z")
    assert [op["title"] for (op,) in ops(guest.log())] == ["Da", "Auch da"]
    assert [op["title"] for (op,) in ops(guest.log())] != [op["title"] for (op,) in ops(home.log())]


def test_of_a_transaction_only_the_operations_on_what_is_visible_are_told(home, guest):
    with home.transaction(f"{HIDDEN_WORD} und anderes") as together:
        together.remember(HIDDEN_WORD, "y", reason=HIDDEN_WORD, **HIDDEN)
        together.remember("Da", "x", reason="darum")
    (told,) = guest.log().transactions
    assert (told.actor, told.reason) == ("owner", None)
    assert [op["title"] for op in told.ops] == ["Da"]
    (rectangle,) = guest.history(str(told.ops[0]["id"])).versions
    assert (rectangle.operation, rectangle.reason) == ("remember", "darum")


def test_relations_need_both_ends_visible_and_links_to_nothing_are_their_source_s_text(home, guest):
    hidden = home.remember(HIDDEN_WORD, "y", **HIDDEN).id
    seen = home.remember("Da", "x").id
    nobody = "00000000-0000-4000-8000-000000000001"
    said = [
        {"type": "extends", "dst": hidden},
        {"type": "extends", "dst": seen},
        {"type": "links_to", "dst": nobody, "target": "Nirgends", "unresolved": True},
    ]
    near = home.remember("Hier", "z", relations=said).id
    assert {r.title for r in home.get(near).relations} == {HIDDEN_WORD, "Da", "Nirgends"}
    assert {r.title for r in guest.get(near).relations} == {"Da", "Nirgends"}
    told = ops(guest.log(entry=near))[0][0]["relations"]
    assert [one["dst"] for one in told] == [seen, nobody]


def test_a_relation_may_be_hidden_though_both_of_its_ends_are_visible(home, guest, reader):
    a = home.remember("Notiz", "x", visibility="public").id
    b = home.remember("Person", "y", visibility="public").id
    home.relate(a, "about_person", b)
    assert [r.type for r in guest.get(a).relations] == ["about_person"]
    assert reader.get(a).relations == reader.get(b).relations == ()
    assert [op["op"] for (op,) in ops(reader.log())] == ["remember", "remember"]
    assert [reader.get(one).transaction for one in (a, b)] == [1, 2]
    assert home.get(a).transaction == 3


def test_only_the_owner_sees_tombstones(home, guest):
    erased = home.remember(HIDDEN_WORD, "y").id
    home.erase("entry", erased)
    with pytest.raises(NotFound, match=r"entry\.erased"):
        home.get(erased)
    with pytest.raises(NotFound, match=r"entry\.unknown"):
        guest.get(erased)
    assert guest.log().transactions == ()
    assert [c.kind for c in home.diff(start="2023-12-01", end="now", axis="known")] == ["erased"]
    assert list(guest.diff(start="2023-12-01", end="now", axis="known")) == []


def test_what_became_restricted_is_hidden_in_the_past_too(home, guest, clock):
    one = home.remember("Da", "x", key="k").id
    clock.days(5)
    home.correct(one, visibility="restricted", reason="r")
    with pytest.raises(NotFound, match=r"entry\.unknown"):
        guest.get(one, as_of="2024-01-02", known_at="2024-01-02")
    with pytest.raises(NotFound, match=r"key\.unknown"):
        guest.history(key="k")
    with pytest.raises(NotFound, match=r"key\.unknown"):
        guest.log(key="k")


def test_a_hidden_hit_changes_no_rank_no_score_and_no_count(home, guest):
    for number in range(4):
        home.remember(f"Garten {number}", "Garten und Miete", valid_from="2024-01-01")
    before = guest.recall("Garten Miete", limit=3, as_of="2024-01-02")
    for number in range(6):
        home.remember(
            f"Garten {number}", f"Garten Miete {HIDDEN_WORD}", valid_from="2024-01-01", **HIDDEN
        )
    after = guest.recall("Garten Miete", limit=3, as_of="2024-01-02")
    assert [(h.entry.id, h.score) for h in after.results] == [
        (h.entry.id, h.score) for h in before.results
    ]
    assert (after.index_lag, after.caveats, after.withheld) == (0, before.caveats, 0)


def test_only_who_administers_is_told_how_much_is_withheld(home):
    home.remember("Garten", "Garten", valid_from="2023-01-01")
    home.remember(HIDDEN_WORD, "Garten", valid_from="2023-01-01", **HIDDEN)
    askers = [OWNER, Principal("anna", ("writer",)), Principal("eva", ("admin",))]
    found = [home.under(asker).recall("Garten") for asker in askers]
    assert [(len(one.results), one.withheld) for one in found] == [(2, 0), (1, 0), (1, 1)]


def test_missing_vectors_of_hidden_entries_do_not_show(home, guest):
    home.remember("Garten", "Garten", valid_from="2023-01-01")
    guest.recall("Garten")
    with home.transaction():
        for number in range(70):
            home.remember(f"{HIDDEN_WORD} {number}", f"Garten {number}", **HIDDEN)
    whole, part = home.recall("Garten"), guest.recall("Garten")
    assert (whole.index_lag, part.index_lag) == (70, 0)
    assert whole.weights["text_share"] == 1.0
    assert part.weights["text_share"] < 1.0
    assert part.caveats == ()


def test_an_export_holds_what_a_replay_needs_and_nothing_else(home, guest, moved, tmp_path):
    home.remember(f"{HIDDEN_WORD} allein", "z", key="anderer", **HIDDEN)
    guest.export(tmp_path / "all.jsonl")
    text = (tmp_path / "all.jsonl").read_text(encoding="utf-8")
    events = [json.loads(line) for line in text.splitlines()]
    assert [[op["op"] for op in event["ops"]] for event in events] == [
        ["remember"], ["update"], ["erase"],
    ]  # fmt: skip
    shape, erased = events[1]["ops"][0], events[2]["ops"][0]
    assert shape["id"] == erased["target"] != moved["new"]
    assert shape["target"] == moved["old"]
    assert (events[1]["actor"], events[1].get("reason")) == ("-", None)
    assert HIDDEN_WORD not in text
    assert "anderer" not in text
