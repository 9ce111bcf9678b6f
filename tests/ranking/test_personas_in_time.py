"""The default persona is that of the asked pair, and a receipt ranks again as it was seen then."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from ranked_memory import Time, memory_at

from damals import Damals
from damals.domain.instants import DAY


@pytest.fixture
def dated(tmp_path: Path, time: Time) -> Iterator[Damals]:
    with memory_at(tmp_path / "home", clock=time, receipts=True) as memory:
        yield memory


OWN = {"type": "person", "properties": {"relation_to_owner": "self"}}


def two_selves(memory: Damals) -> tuple[str, str]:
    """A person until the middle of 2024, and another one from then on."""
    memory.remember("A", "Stille", external_id="A", valid_from="2010-01-01")
    memory.remember("B", "Stille", external_id="B", valid_from="2010-01-01")
    old = memory.remember("Alt", "x", valid_from="2015-01-01", valid_to="2024-07-01", **OWN).id
    new = memory.remember("Neu", "y", valid_from="2024-07-01", **OWN).id
    memory.relate(old, "has_value", "A", valid_from="2015-01-01")
    memory.relate(new, "has_value", "B", valid_from="2015-01-01")
    return old, new


def test_the_default_persona_is_that_of_the_asked_instants(dated: Damals, time: Time):
    time.now += DAY
    old, new = two_selves(dated)
    assert dated.recall("Stille").persona == old
    assert dated.recall("Stille", as_of="2024-08-01").persona == new
    assert dated.recall("Stille", as_of="2014-08-01").persona is None
    assert dated.recall("Stille", known_at="2024-01-01").persona is None
    assert dated.recall("Stille").persona == old, "whatever was asked between"


def test_a_persona_ends_while_nothing_is_recorded(dated: Damals, time: Time, tmp_path: Path):
    old, new = two_selves(dated)
    assert dated.recall("Stille", receipt=False).persona == old
    time.now += 200 * DAY
    warm = dated.recall("Stille", receipt=False)
    assert warm.persona == new
    dated.close()
    with memory_at(tmp_path / "home", clock=time) as cold:
        again = cold.recall("Stille")
    assert (again.persona, [h.score for h in again]) == (warm.persona, [h.score for h in warm])


def test_a_person_that_becomes_the_owner_later_is_found(dated: Damals, time: Time):
    dated.remember("A", "Stille")
    assert dated.recall("Stille").persona is None
    person = dated.remember("Ich", "x", type="person")
    assert dated.recall("Stille").persona is None
    time.now += DAY
    dated.correct(person.id, properties={"relation_to_owner": "self"}, reason="nachgetragen")
    assert dated.recall("Stille").persona == person.id
    dated.archive(person.id, reason="weg")
    assert dated.recall("Stille").persona is None


def test_who_says_to_be_the_owner_and_is_no_person_is_no_persona(dated: Damals):
    dated.remember("A", "Stille", properties={"relation_to_owner": "self"})
    assert dated.recall("Stille").persona is None


def test_a_person_whose_transaction_was_undone_leaves_no_gap(dated: Damals):
    dated.remember("A", "Stille")
    assert dated.recall("Stille").persona is None
    with pytest.raises(ZeroDivisionError), dated.transaction():
        dated.remember("B", "Stille")
        dated.recall("Stille")
        raise ZeroDivisionError
    person = dated.remember("Ich", "x", **OWN)
    assert dated.recall("Stille").persona == person.id


@pytest.mark.parametrize("kind", ["recall", "ask"])
@pytest.mark.parametrize("first", ["nobody", "old"])
def test_computed_again_a_receipt_is_seen_from_whom_it_was_seen_then(
    dated: Damals, tmp_path: Path, time: Time, kind: str, first: str
):
    old, _ = two_selves(dated)
    then, now = ("gone", old) if first == "nobody" else (old, "gone")
    dated.close()
    with memory_at(tmp_path / "home", clock=time, receipts=True, persona=then) as memory:
        told = getattr(memory, kind)("Stille")
        if kind == "recall":
            assert told.persona == (old if first == "old" else None)
    with memory_at(tmp_path / "home", clock=time, persona=now) as memory:
        assert memory.replay(told.receipt, recompute=True).differences == ()


def test_computed_again_a_named_persona_keeps_its_weight(dated: Damals):
    old, _ = two_selves(dated)
    told = dated.recall("Stille", persona=old)
    assert told.weights["persona"] > 0
    assert dated.replay(told.receipt, recompute=True).differences == ()
