"""Under access control: what the asker may not see is in no finding, and no echo."""

import pytest
from accreting import LONGER, SESSION, TIMEOUT

from damals.app.accretion.neighbours import MOST
from damals.app.errors import Conflict, Denied, NotFound
from damals.domain.access import Principal

GUEST = Principal("gast", roles=("writer",), visibility="internal")
SECRET = {"visibility": "restricted"}


@pytest.fixture
def guest(memory):
    """Somebody who may write and does not see everything."""
    return memory.under(GUEST)


@pytest.mark.parametrize("filed", [TIMEOUT, LONGER, ("Notiz", TIMEOUT[1])])
def test_what_is_hidden_changes_nothing_that_a_guest_is_told(memory, guest, filed):
    hidden = memory.remember(*TIMEOUT, **SECRET)
    memory.recall("Timeout")
    told = guest.remember(*filed, **SESSION)
    assert (told.unchanged, told.status, told.integration.status) == (False, "active", "active")
    assert told.integration.findings == ()
    assert hidden.id not in str(told)


@pytest.mark.parametrize("filed", [TIMEOUT, ("Notiz", TIMEOUT[1])])
def test_an_echo_of_what_a_guest_sees_is_told(memory, guest, filed):
    known = memory.remember(*TIMEOUT)
    told = guest.remember(*filed, **SESSION)
    assert (told.id, told.unchanged) == (known.id, True)


def test_a_candidate_that_a_guest_sees_is_told(memory, guest):
    memory.remember("Timeout von Dienst A", "Der Timeout von Dienst A beträgt 45 s.", **SECRET)
    known = memory.remember(*TIMEOUT)
    told = guest.remember(*LONGER, **SESSION)
    found = [one for one in told.integration.findings if one.kind == "contradiction"]
    assert [one.entries for one in found] == [(known.id,)]


def test_a_text_of_seen_and_hidden_pieces_is_no_echo(memory, guest):
    memory.remember("Frist", "Die Frist beträgt drei Monate.", **SECRET)
    memory.remember(*TIMEOUT)
    told = guest.remember("Notiz", f"Die Frist beträgt drei Monate. {TIMEOUT[1]}", **SESSION)
    assert not told.unchanged
    assert "Frist" not in " ".join(told.integration.caveats)


def test_who_may_only_read_files_nothing(memory):
    reader = memory.under(Principal("leser", roles=("reader",)))
    with pytest.raises(Denied) as refused:
        reader.remember(*TIMEOUT, **SESSION)
    assert refused.value.key == "access.right"


def test_what_was_told_of_hidden_things_changes_no_echo(memory, guest, clock):
    known = memory.remember(*TIMEOUT)
    clock.days(1)
    memory.end(known.id, "2026-01-02", reason="abgeschaltet")
    guest.get(known.id)
    with memory.transaction() as several:
        hidden = [several.remember(f"Akte {n}", f"Band {n}", **SECRET).id for n in range(MOST + 5)]
    clock.days(1)
    for one in hidden:
        memory.get(one)
    told = guest.remember("Notiz", TIMEOUT[1], **SESSION)
    assert (told.id, told.unchanged) == (known.id, True)


def _refusal(asker, target: str) -> tuple[type, str]:
    with pytest.raises((NotFound, Conflict)) as refused:
        asker.update(target, *TIMEOUT, reason="neu", **SESSION)
    return type(refused.value), refused.value.key


def test_an_update_of_something_hidden_is_refused_as_one_of_nothing(memory, guest):
    memory.remember(*TIMEOUT)
    hidden = memory.remember("Sitz", "Detmold", **SECRET)
    assert _refusal(guest, hidden.id) == _refusal(guest, "no-such-id")
    assert _refusal(guest, hidden.id) == (NotFound, "entry.unknown")
