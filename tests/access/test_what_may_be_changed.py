"""Who does not see everything changes what they see, and meets what is hidden without a name."""

import json

import pytest
from access_home import HIDDEN_WORD

from damals.domain.access import Principal
from damals.domain.errors import Conflict, DamalsError, Denied, NotFound
from damals.local import LocalDamals

HIDDEN = {"visibility": "restricted"}


def told(refusal: pytest.ExceptionInfo[DamalsError], *hidden: str) -> str:
    """Key of a refusal, which must not tell of what is hidden."""
    values = str(refusal.value.values)
    assert not [text for text in (HIDDEN_WORD, *hidden) if text in values]
    return refusal.value.key


@pytest.fixture
def hidden(home: LocalDamals) -> str:
    return home.remember(
        HIDDEN_WORD, "y", key="ort", external_id="name", valid_from="2023-01-01", **HIDDEN
    ).id


@pytest.mark.parametrize("overlap", ["refuse", "replace", "fill"])
def test_a_key_that_a_hidden_entry_holds_is_taken(guest, hidden, overlap):
    with pytest.raises(Conflict) as refusal:
        guest.remember("Neu", "z", key="ort", valid_from="2022-01-01", on_overlap=overlap)
    assert told(refusal, hidden) == "access.key_taken"


def test_a_correction_cannot_take_the_key_of_a_hidden_entry(guest, hidden):
    mine = guest.remember("Neu", "z").id
    with pytest.raises(Conflict) as refusal:
        guest.correct(mine, key="ort", reason="r")
    assert told(refusal, hidden) == "access.key_taken"


def test_the_name_of_a_hidden_entry_is_taken_whatever_it_says(guest, hidden):
    for given in ({"external_id": "name"}, {"id": hidden}):
        with pytest.raises(Conflict) as refusal:
            guest.remember(HIDDEN_WORD, "y", key="ort", valid_from="2023-01-01", **given)
        assert refusal.value.key == "entry.exists"
        assert refusal.value.values == {"id": next(iter(given.values()))}


def test_what_a_hidden_entry_says_already_is_new_to_who_does_not_see_it(home, guest):
    there = home.remember("Fakt", "y", valid_from="2023-01-01", **HIDDEN).id
    made = guest.remember("Fakt", "y", valid_from="2023-01-01")
    assert made.id != there
    assert made.unchanged is False


@pytest.mark.parametrize("above", [HIDDEN, {"sensitivity": 1}, {"acl": ["carl"]}])
def test_nobody_hides_a_thing_from_themselves(guest, above):
    with pytest.raises(Denied, match=r"access\.ceiling"):
        guest.remember("Neu", "z", **above)
    mine = guest.remember("Neu", "z").id
    with pytest.raises(Denied, match=r"access\.ceiling"):
        guest.correct(mine, reason="r", **above)
    assert guest.correct(mine, acl=["anna"], reason="r").acl == ("anna",)


def test_what_a_cut_would_give_back_to_a_hidden_entry_is_not_given_back(home, guest, hidden):
    mine = home.update(
        hidden, "Neu", "z", valid_from="2024-01-01", visibility="internal", reason="r"
    ).id
    with pytest.raises(Conflict) as refusal:
        guest.retract(mine, reason="r", restore=True)
    assert told(refusal, hidden) == "access.taken"
    assert guest.retract(mine, reason="r").restored == ()


def test_a_transaction_that_touched_something_hidden_is_unknown(home, guest, clock):
    with home.transaction():
        home.remember(HIDDEN_WORD, "y", **HIDDEN)
        home.remember("Da", "x")
    clock.days(1)
    for number in (1, 99):
        with pytest.raises(NotFound) as refusal:
            guest.revert(number, reason="r")
        assert (refusal.value.key, refusal.value.values) == (
            "transaction.unknown",
            {"transaction": number},
        )


def test_an_entry_of_another_workspace_is_as_unknown_as_any(home, guest):
    mine = guest.remember("Neu", "z").id
    home.create_workspace("zweiter")
    there = home.under(Principal("owner", owns=True), workspace="zweiter").remember("Dort", "x").id
    with pytest.raises(NotFound, match=r"entry\.unknown"):
        guest.relate(mine, "extends", there)


def test_nobody_states_or_takes_back_a_relation_they_cannot_see(home):
    asker = home.under(Principal("bob", ("writer",), visibility="public"))
    a, b = (asker.remember(name, "x", visibility="public").id for name in ("A", "B"))
    with pytest.raises(Denied, match=r"access\.ceiling"):
        asker.relate(a, "about_person", b)
    home.relate(a, "about_person", b)
    with pytest.raises(NotFound, match=r"relation\.unknown"):
        asker.unrelate(a, "about_person", b)


def test_answers_and_previews_leave_hidden_ends_out(home, guest, hidden):
    mine = guest.remember("Neu", "z").id
    home.relate(mine, "extends", hidden)
    assert guest.pin(mine).relations == ()
    preview = guest.transact([{"op": "unpin", "target": mine}], preview=True)
    assert preview.results[0]["entry"]["relations"] == []


def test_events_of_who_does_not_see_everything_are_held_to_the_same(guest, hidden, tmp_path):
    file = tmp_path / "e.jsonl"
    file.write_text(
        json.dumps({"recorded_at": "2024-01-01T00:00:00Z", "op": "pin", "target": hidden}),
        encoding="utf-8",
    )
    with pytest.raises(DamalsError, match=r"entry\.unknown|transaction\.too_early"):
        guest.import_(file)
