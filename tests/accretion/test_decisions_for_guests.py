"""A decision that names something hidden: what a guest is told, and what their export brings back.

What waits no longer here waits no longer there, and of what it was related to there is no trace.
"""

from uuid import uuid4

import pytest
from accreting import KINDS, LONGER, SESSION, TIMEOUT

from damals.domain.access import Principal

READER = Principal("leser", visibility="public")
SECRET = {"visibility": "restricted"}
PUBLIC = {"visibility": "public"}
REASON = {"reason": "r"}


@pytest.fixture
def waits(memory):
    """What was filed beside something that it contradicts, and waits for a decision."""
    memory.remember(*TIMEOUT, **PUBLIC)
    filed = memory.remember(*LONGER, **SESSION, **PUBLIC)
    assert filed.status == "acquired"
    return filed.id


@pytest.fixture
def hidden(memory):
    return memory.remember("Geheim", "Was niemand sieht.", external_id="geheim", **SECRET).id


DECISIONS = {
    "from it": lambda home, one, hidden: home.relate(one, "extends", hidden),
    "to it": lambda home, one, hidden: home.relate(hidden, "extends", one),
    "contradiction": lambda home, one, hidden: home.contradict(one, hidden, **REASON),
    "hidden type": lambda home, one, _: home.relate(one, "about_person", other(home)),
    "and pinned": lambda home, one, hidden: home.transact([
        {"op": "relate", "src": one, "type": "extends", "dst": hidden},
        {"op": "pin", "target": one},
    ]),
    "stands": lambda home, one, _: home.transact([
        {"op": "remember", "title": "Auch geheim", **SECRET, "external_id": "gegen",
         "relations": [{"type": "contradicts", "dst": one}]},
        {"op": "resolve", "a": "gegen", "b": one, "keep": "both", **REASON},
    ]),
}  # fmt: skip


def other(home) -> str:
    return home.remember("Person", "Anna", **PUBLIC).id


@pytest.fixture
def elsewhere(clock, tmp_path):
    """What a home of what somebody exports says of an entry, to its owner and to them."""

    def told(memory, one: str) -> list[str]:
        file = tmp_path / f"{uuid4()}.jsonl"
        memory.under(READER).export(file)
        assert not any(word in file.read_text() for word in ("Geheim", "geheim", "about_person"))
        with KINDS["memory"](clock) as base:
            base.import_(file)
            return [base.get(one).status, base.under(READER).get(one).status]

    return told


@pytest.mark.parametrize("how", DECISIONS)
def test_an_export_brings_back_what_was_decided_by_naming_something_hidden(
    memory, waits, hidden, elsewhere, how, clock
):
    clock.days(1)
    assert elsewhere(memory, waits) == ["acquired", "acquired"]
    DECISIONS[how](memory, waits, hidden)
    clock.days(1)
    assert memory.under(READER).get(waits).status == "active"
    assert elsewhere(memory, waits) == ["active", "active"]


def test_a_hidden_decision_that_is_taken_back_is_open_there_as_well(
    memory, waits, hidden, elsewhere, clock
):
    number = memory.relate(waits, "extends", hidden).transaction
    clock.days(1)
    memory.revert(number, **REASON)
    clock.days(1)
    assert memory.under(READER).get(waits).status == "acquired"
    assert elsewhere(memory, waits) == ["acquired", "acquired"]


def test_of_a_relation_that_decides_nothing_an_export_has_no_trace(memory, hidden, tmp_path):
    one = memory.remember(*TIMEOUT, **PUBLIC).id
    files = [tmp_path / name for name in ("before", "after")]
    memory.under(READER).export(files[0])
    memory.relate(one, "extends", hidden)
    memory.contradict(one, hidden, **REASON)
    memory.under(READER).export(files[1])
    assert files[0].read_text() == files[1].read_text()
