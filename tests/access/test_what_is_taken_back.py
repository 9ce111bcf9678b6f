"""What is told, under access, of relations that begin or end beside something hidden."""

from collections.abc import Iterator

import pytest
from access_home import HIDDEN_WORD, Time, in_memory, on_disk

from damals.domain.access import Principal
from damals.domain.errors import NotFound
from damals.local import LocalDamals

HIDDEN = {"visibility": "restricted"}
WHY = {"reason": HIDDEN_WORD}


@pytest.fixture(params=["memory", "database"])
def home(request: pytest.FixtureRequest, clock: Time) -> Iterator[LocalDamals]:
    if request.param == "memory":
        yield in_memory(clock)
        return
    with on_disk(clock) as opened:
        yield opened


@pytest.fixture
def hidden(home: LocalDamals) -> str:
    return home.remember(HIDDEN_WORD, "y", **HIDDEN).id


@pytest.fixture
def seen(home: LocalDamals) -> str:
    return home.remember("Da", "x").id


def changing(home: LocalDamals) -> LocalDamals:
    return home.under(Principal("eva", ("admin",)))


def reverts(told: LocalDamals) -> list[object]:
    return [one for stored in told.log().transactions for one in stored.ops if "hidden" in one]


def test_what_took_back_a_relation_to_something_hidden_is_unknown(home, hidden, seen):
    related = home.relate(seen, "extends", hidden).transaction
    back = home.revert(related, reason="r").transaction
    with pytest.raises(NotFound) as refused:
        changing(home).revert(back, reason="r")
    assert refused.value.key == "transaction.unknown"


def test_so_it_is_when_it_took_back_something_visible_as_well(home, hidden, seen):
    said = [
        {"op": "relate", "src": seen, "type": "extends", "dst": hidden},
        {"op": "correct", "target": seen, "title": "Hier", "reason": "r"},
    ]
    back = home.revert(home.transact(said).transaction, reason="r").transaction
    told = {"op": "revert", "entries": [seen], "hidden": True}
    assert reverts(changing(home)) == [told]
    with pytest.raises(NotFound) as refused:
        changing(home).revert(back, reason="r")
    assert refused.value.key == "transaction.unknown"


def test_who_takes_back_a_cut_touched_what_cut_and_not_what_was_cut(home, guest, hidden, seen):
    winner = home.remember("Dort", "z").id
    home.relate(seen, "extends", hidden)
    home.retract(seen, reason="nichts mehr, was ein Schnitt nimmt")
    related = home.relate(winner, "supersedes", seen).transaction
    said = [
        {"op": "unrelate", "src": seen, "type": "extends", "dst": hidden, "reason": "r"},
        {"op": "revert", "transaction": related, "reason": "r"},
    ]
    home.revert(home.transact(said).transaction, reason="r")
    (told,) = reverts(guest)
    assert told["entries"] == [winner]


def test_a_relation_that_another_declares_does_not_touch_an_entry(home, guest, hidden, seen, clock):
    clock.days(1)
    home.transact([
        {"op": "remember", "title": "Dort", "relations": [{"type": "extends", "dst": seen}]},
        {"op": "contradict", "a": seen, "b": hidden, **WHY},
    ])  # fmt: skip
    got = guest.get(seen)
    assert [one.type for one in got.relations] == ["extends"]
    assert (got.transaction, got.updated_at) == (2, got.created_at)
    assert [one.number for one in guest.log(entry=seen).transactions] == [2]


def test_nor_does_its_end(home, guest, hidden, seen, clock):
    other = home.remember("Dort", "z", relations=[{"type": "extends", "dst": seen}]).id
    home.contradict(seen, hidden, **WHY)
    clock.days(1)
    home.transact([
        {"op": "correct", "target": other, "relations": [], "reason": "r"},
        {"op": "resolve", "a": seen, "b": hidden, "keep": "both", **WHY},
    ])  # fmt: skip
    assert reverts(guest) == []
    assert guest.get(seen).updated_at == guest.get(seen).created_at
