"""What an operation said, and a later one of its transaction said anew: no row tells of it.

Under access it counts all the same, where something of it is hidden: the log tells it, and a home
made of what somebody may export says the same as the one that they see.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from access_home import HIDDEN_WORD, Time, in_memory

from damals.local import LocalDamals

HIDDEN = {"visibility": "restricted"}
Said = dict[str, object]


def extends(*others: str) -> list[Said]:
    return [{"type": "extends", "dst": one} for one in others]


@pytest.fixture
def hidden(home: LocalDamals) -> str:
    return home.remember(HIDDEN_WORD, "y", **HIDDEN).id


@pytest.fixture
def seen(home: LocalDamals) -> str:
    return home.remember("Da", "x").id


@pytest.fixture
def other(home: LocalDamals) -> str:
    return home.remember("Dort", "z").id


@pytest.fixture
def there(guest: LocalDamals, clock: Time, tmp_path: Path) -> Callable[[], LocalDamals]:
    """Another home, of what the guest may export."""

    def make() -> LocalDamals:
        clock.days(1)
        guest.export(tmp_path / "e.jsonl")
        made = in_memory(clock)
        made.import_(tmp_path / "e.jsonl")
        return made

    return make


def correct(target: str, **said: object) -> Said:
    return {"op": "correct", "target": target, "reason": "r", **said}


def history(home: LocalDamals, entry_id: str) -> list[tuple[object, ...]]:
    """What an entry says and said: title, generation and relations."""
    return [
        (one.title, one.generation, tuple(r.type for r in one.relations))
        for one in home.history(entry_id).versions
    ]


def told(home: LocalDamals) -> list[str]:
    """The operations of the last transaction, as they are told."""
    return [str(one["op"]) for one in home.log().transactions[-1].ops]


def test_relations_are_withdrawn_that_hidden_ones_replaced_at_once(
    home, guest, there, seen, other, hidden
):
    home.transact([
        correct(seen, title="Hier", relations=extends(other)),
        correct(seen, relations=extends(hidden)),
    ])  # fmt: skip
    assert history(guest, seen)[-1] == ("Hier", 2, ())
    assert history(there(), seen) == history(guest, seen)
    assert told(guest) == ["correct", "correct"]
    assert [one.get("relations") for one in guest.log().transactions[-1].ops][1] == []


def test_so_they_are_where_nothing_visible_is_left_of_the_transaction(
    home, guest, there, seen, other, hidden
):
    home.transact([
        correct(seen, relations=extends(other)),
        correct(seen, relations=extends(hidden)),
    ])  # fmt: skip
    assert history(guest, seen) == [("Da", 1, ())]
    assert history(there(), seen) == history(guest, seen)
    assert [one.number for one in guest.log(entry=seen).transactions] == [
        guest.get(seen).transaction
    ]


@pytest.mark.parametrize(
    "behind",
    [
        lambda seen: correct(seen, title="Zuletzt"),
        lambda seen: {"op": "pin", "target": seen},
        lambda seen: {"op": "end", "target": seen, "at": "2024-05-01", "reason": "r"},
        lambda seen: {
            "op": "update", "target": seen, "title": HIDDEN_WORD, "content": "y",
            "valid_from": "2024-05-01", "reason": "r", **HIDDEN,
        },
    ],
    ids=["corrected", "pinned", "ended", "cut"],
)  # fmt: skip
def test_what_is_said_beside_a_hidden_relation_counts_though_more_is_said_behind_it(
    home, guest, there, seen, hidden, behind
):
    home.transact([correct(seen, title="Hier", relations=extends(hidden)), behind(seen)])
    assert [one.title for one in guest.history(seen).versions][1] in {"Hier", "Zuletzt"}
    assert history(there(), seen) == history(guest, seen)
    assert told(guest)[0] == "correct"


def test_a_contradiction_that_is_declared_beside_a_hidden_relation_may_be_decided_at_once(
    home, guest, there, seen, other, hidden
):
    said = [{"type": "contradicts", "dst": other}, *extends(hidden)]
    home.transact([
        correct(seen, relations=said),
        {"op": "resolve", "a": seen, "b": other, "keep": "both", "reason": "r"},
    ])  # fmt: skip
    assert history(guest, seen) == [("Da", 1, ("contradicts",))]
    assert history(there(), seen) == history(guest, seen)


def test_only_hidden_relations_that_others_replace_at_once_leave_no_trace(
    home, guest, seen, other, hidden
):
    home.transact([
        correct(seen, relations=extends(hidden)),
        correct(seen, relations=extends(other)),
    ])  # fmt: skip
    assert told(guest) == ["correct"]


def unrelate(src: str, dst: str) -> Said:
    return {"op": "unrelate", "src": src, "type": "extends", "dst": dst, "reason": "r"}


def test_a_relation_may_be_withdrawn_that_the_same_transaction_gave_back(
    home, guest, there, seen, other, hidden
):
    home.relate(seen, "extends", other)
    verify = {"op": "verify", "target": hidden, "score": 0.5}
    back = {"op": "revert", "reason": "r"}
    back["transaction"] = home.transact([verify, unrelate(seen, other)]).transaction
    home.transact([back, unrelate(seen, other), correct(seen, title="Da")])
    assert guest.get(seen).relations == ()
    assert there().get(seen).relations == ()


def test_what_is_told_in_part_may_be_taken_back_twice(home, guest, there, seen, other, hidden):
    home.relate(seen, "extends", other)
    home.relate(seen, "extends", hidden)
    both = [unrelate(seen, other), unrelate(seen, hidden)]
    number = home.transact(both).transaction
    home.revert(number, reason="r")
    home.transact(both)
    home.revert(number, reason="r")
    assert [one.entry_id for one in guest.get(seen).relations] == [other]
    assert [one.entry_id for one in there().get(seen).relations] == [other]


def test_a_hidden_correction_that_said_nothing_new_changes_nothing_elsewhere(
    home, guest, there, seen
):
    old = home.remember(HIDDEN_WORD, "z", valid_from="2023-01-01", **HIDDEN).id
    same = correct(old, **HIDDEN)
    number = home.transact([same, correct(seen, title="Hier")]).transaction
    home.update(old, "Neu", "z", valid_from="2023-06-01", visibility="internal", reason="r")
    home.revert(number, reason="r")
    assert guest.get(seen).title == "Da"
    assert there().get(seen).title == "Da"
