"""What an answer has told and an assistant files again is recognised, and not stored twice."""

import pytest
from accreting import LONGER, SESSION, TIMEOUT

from damals.app.errors import Conflict, DamalsError, NotFound

ADDRESS = (
    "Anschrift der Müller GmbH",
    "Die Müller GmbH sitzt in der Hauptstraße 1. Die Kündigungsfrist beträgt drei Monate.",
)


@pytest.fixture
def told(memory):
    """A memory that knows two things."""
    memory.remember(*TIMEOUT)
    memory.remember(*ADDRESS)
    return memory


def count(memory) -> int:
    return len(list(memory.entries(limit=None)))


@pytest.mark.parametrize(
    ("title", "content"),
    [
        TIMEOUT,
        ("Notiz", TIMEOUT[1]),
        ("Zusammenfassung", f"{ADDRESS[1]} {TIMEOUT[1]}"),
        ("Kündigungsfrist", "die kündigungsfrist beträgt  drei Monate"),
        ("Timeout Dienst A", "Der Timeout von Dienst A: 30 Sekunden"),
    ],
    ids=["exact", "other title", "together", "excerpt", "reworded"],
)
def test_an_echo_is_answered_with_what_is_known(told, title, content):
    before = count(told)
    filed = told.remember(title, content, **SESSION)
    assert (filed.unchanged, filed.integration.status) == (True, "echo")
    assert filed.title in (TIMEOUT[0], ADDRESS[0])
    [caveat] = filed.integration.caveats
    assert filed.id in caveat
    assert count(told) == before


def test_what_was_recalled_and_asked_does_not_come_back(told):
    before = count(told)
    for _ in range(3):
        for hit in told.recall("Welcher Timeout gilt für Dienst A?").results:
            filed = told.remember(f"Notiz: {hit.entry.title}", hit.chunk.text, **SESSION)
            assert filed.unchanged
    assert count(told) == before


def test_what_was_recalled_does_not_come_back_under_another_title(told):
    assert not told.remember("Anderer Titel", TIMEOUT[1], **SESSION).unchanged, "told to nobody"
    rabatt = "Ilse Brandt erhält 5 Prozent Rabatt auf alle Bestellungen."
    known = told.remember("Rabatt Ilse", rabatt)
    assert not told.remember("Kunde B", rabatt, **SESSION).unchanged, "a code names another thing"
    told.recall("Rabatt Ilse Brandt")
    before = count(told)
    filed = told.remember("Irgendein Titel", rabatt, **SESSION)
    assert (filed.unchanged, filed.integration.status) == (True, "echo")
    assert known.id in str(filed.integration) or filed.id == known.id
    assert not told.remember("Kunde C", rabatt, **SESSION).unchanged
    assert not told.remember("Irgendein Titel", rabatt.replace("5", "7"), **SESSION).unchanged
    assert count(told) == before + 2


def test_a_person_may_store_an_echo(told):
    assert not told.remember("Notiz", TIMEOUT[1]).unchanged
    assert count(told) == 3


def test_who_insists_stores_an_echo(told):
    assert not told.remember("Notiz", TIMEOUT[1], insist=True, **SESSION).unchanged
    assert count(told) == 3


@pytest.mark.parametrize(
    "own",
    [
        {"external_id": "neu"},
        {"key": "dienst-a/timeout"},
        {"valid_from": "2020-01-01", "valid_to": "2021-01-01"},
    ],
    ids=["name", "key", "period"],
)
def test_what_brings_something_of_its_own_is_stored(told, own):
    assert not told.remember(*TIMEOUT, **own, **SESSION).unchanged
    assert count(told) >= 2


def test_what_held_once_does_not_come_back_as_what_holds(told):
    old = next(one for one in told.entries(limit=None) if one.title == TIMEOUT[0])
    told.update(old.id, *LONGER, reason="umgestellt")
    told.get(old.id)
    told.recall("Timeout", as_of="2026-01-01T00:00:00Z", known_at="2026-01-01T00:00:00.000001Z")
    filed = told.remember("Notiz", TIMEOUT[1], **SESSION)
    assert (filed.id, filed.unchanged) == (old.id, True)
    assert "no longer" in filed.integration.caveats[0]


def test_another_number_is_never_taken_for_an_echo(told):
    filed = told.remember("Notiz", LONGER[1], **SESSION)
    assert not filed.unchanged


def test_an_erased_text_is_no_echo(told):
    old = next(one for one in told.entries(limit=None) if one.title == TIMEOUT[0])
    told.erase("entry", old.id)
    filed = told.remember("Notiz", TIMEOUT[1], **SESSION)
    assert not filed.unchanged
    assert old.id not in str(filed.integration)


def _refused(memory, target: str, **given) -> DamalsError:
    with pytest.raises(DamalsError) as refused:
        memory.update(target, *TIMEOUT, reason="noch einmal", **given, **SESSION)
    return refused.value


def test_an_update_of_nothing_is_no_echo(told):
    error = _refused(told, "no-such-id")
    assert (type(error), error.key) == (NotFound, "entry.unknown")


@pytest.mark.parametrize("gone", ["archive", "retract"])
def test_an_update_of_what_is_out_of_use_is_no_echo(told, gone):
    [known] = [one.id for one in told.entries(limit=None) if one.title == TIMEOUT[0]]
    getattr(told, gone)(known, reason="abgeschaltet")
    error = _refused(told, known)
    keys = {"archive": "entry.archived", "retract": "entry.nothing_current"}
    assert (type(error), error.key) == (Conflict, keys[gone])


def test_what_is_expected_of_a_target_counts_for_an_echo_as_well(told):
    [known] = [one.id for one in told.entries(limit=None) if one.title == TIMEOUT[0]]
    number = told.get(known).transaction
    error = _refused(told, known, if_transaction=number + 1)
    assert (type(error), error.key) == (Conflict, "entry.changed")
    same = told.update(known, *TIMEOUT, reason="r", if_transaction=number, **SESSION)
    assert (same.id, same.unchanged) == (known, True)


def test_what_is_expected_of_a_new_entry_counts_for_an_echo_as_well(told):
    with pytest.raises(Conflict) as refused:
        told.remember(*TIMEOUT, if_transaction=7, **SESSION)
    assert refused.value.key == "entry.changed"
    assert told.remember(*TIMEOUT, if_transaction=0, **SESSION).unchanged
