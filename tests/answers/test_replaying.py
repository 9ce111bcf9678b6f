"""Receipts: the same answer again, byte for byte, and who may have it."""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from damals import Damals, messages
from damals.bootstrap import open_home
from damals.domain.access import Principal
from damals.errors import DamalsError, NotFound
from damals.local import LocalDamals

TOWNS = ("Kiel", "Köln", "Ulm", "Bad Salzuflen", "Detmold", "Gießen", "Hof")
QUESTIONS = (
    "Wo sitzt die Firma {n}?", "Wer leitet Firma {n}?", "Umzug nach {town}", "Firma in {town}",
    "Where is company {n}?", "Vertrag mit Firma {n}", "Was wurde zu {town} entschieden?",
)  # fmt: skip
CHANGES = 1_000


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[LocalDamals]:
    memory = open_home(tmp_path / "home", embedder="none", timezone="Europe/Berlin", brief=True)
    assert isinstance(memory, LocalDamals)
    yield memory
    memory.close()


def filled(memory: Damals, count: int = 40) -> list[str]:
    """Entries that relate to and contradict each other; their ids."""
    ids: list[str] = []
    with memory.transaction("Bestand"):
        for n in range(count):
            town = TOWNS[n % len(TOWNS)]
            entry = memory.remember(
                f"Firma {n}",
                f"# Sitz\n\nDie Firma {n} sitzt in {town}.\n\n## Umzug\n\nDer Umzug war {2000 + n}."
                f"\n\n- Vertrag mit Firma {n} läuft\n- Leitung: Anna {n}",
                tags=["firma", town], valid_from=f"{2001 + n % 20}", importance=1 + n % 5,
                external_id=f"firma-{n}",
            )  # fmt: skip
            ids.append(entry.id)
    for n in range(0, count - 2, 3):
        memory.relate(ids[n], "extends", ids[n + 1])
        memory.contradict(ids[n + 1], ids[n + 2], reason="zwei Quellen")
    return ids


def changed(memory: Damals, ids: list[str], count: int) -> None:
    """So many changes of every kind."""
    drawn = random.Random(7)
    for start in range(0, count, 250):
        with memory.transaction("später"):
            for n in range(start, start + 250):
                _change(memory, drawn.choice(ids), n, drawn)


def _change(memory: Damals, id: str, n: int, drawn: random.Random) -> None:
    kind = n % 6
    if kind == 0:
        memory.correct(id, title=f"Anders {n}", content=f"Ganz anders {n} in Kiel.", reason="r")
    elif kind == 1:
        memory.remember(f"Firma neu {n}", f"Die Firma {n} sitzt in {drawn.choice(TOWNS)}.")
    elif kind == 2:
        memory.verify(id, score=drawn.random())
    elif kind == 3:
        memory.pin(id)
    elif kind == 4:
        memory.correct(id, tags=["neu", f"t{n}"], valid_from="1999", reason="r")
    else:
        memory.unpin(id)


def as_json(result: object) -> str:
    return json.dumps(result.to_dict(), ensure_ascii=False)


def refused(act: Callable[[], object]) -> str:
    with pytest.raises(DamalsError) as caught:
        act()
    return caught.value.key


def test_fifty_answers_are_the_same_after_a_thousand_changes_a_rebuild_and_other_weights(
    memory: LocalDamals, tmp_path: Path
):
    ids = filled(memory)
    told: list[str] = []
    for n in range(50):
        words = QUESTIONS[n % len(QUESTIONS)].format(n=n % 40, town=TOWNS[n % len(TOWNS)])
        options = {"explain": n % 2 == 0}
        if n % 3 == 0:
            options |= {"as_of": f"{2005 + n % 20}"}
        if n % 5 == 0:
            options |= {"known_at": "now", "limit": None, "tag": ["firma"]}
        result = memory.ask(words) if n % 4 == 3 else memory.recall(words, **options)
        assert result.receipt
        told.append(as_json(result))
    changed(memory, ids, CHANGES)
    memory.end(ids[3], "2020-01-01", reason="Schluss")
    memory.archive(ids[4], reason="weg")
    memory.resolve(ids[1], ids[2], keep="a", reason="geprüft")
    memory.retract(ids[5], reason="nie wahr")
    memory.reindex()
    memory.close()
    other = {"weight_vec": 0.1, "weight_time": 0.9, "text_share": 0.9, "half_life_days": 3}
    with open_home(tmp_path / "home", embedder="none", brief=True, **other) as again:
        for before in told:
            receipt = json.loads(before)["receipt"]
            assert as_json(again.replay(receipt)) == before


def test_an_answer_is_the_same_from_afar_of_its_transaction_and_before_it(memory: LocalDamals):
    ids = filled(memory, 8)
    first = memory.log().transactions[0].recorded_at
    memory.correct(ids[0], content="Die Firma 0 sitzt in Hof.", reason="r")
    then = memory.recall("Wo sitzt Firma 0?", known_at=first)
    before = as_json(then)
    memory.correct(ids[0], content="Die Firma 0 sitzt in Ulm.", reason="r")
    assert as_json(memory.replay(then.receipt)) == before


def test_reasons_are_kept_though_nobody_asked_for_them_and_add_up(memory: LocalDamals):
    filled(memory, 8)
    found = memory.recall("Wo sitzt Firma 3?")
    assert all(hit.explanation is None for hit in found)
    why = memory.why(found.receipt)
    assert [one.entry_id for one in why.reasons] == [hit.entry.id for hit in found]
    assert "Firma" in why.reasons[0].matched
    for reason, hit in zip(why.reasons, found, strict=True):
        parts = reason.parts.to_dict()
        assert sum(parts.values()) == reason.score == hit.score
    assert why.question == "Wo sitzt Firma 3?"
    assert why.weights == found.weights
    assert why.transaction == memory.log().transactions[-1].number
    assert sorted(one for ids in why.layers.values() for one in ids) == sorted(
        hit.entry.id for hit in found
    )


def test_a_receipt_can_be_left_out_by_call_and_by_setting(memory: LocalDamals, tmp_path: Path):
    filled(memory, 3)
    left_out = memory.recall("Firma", receipt=False)
    assert (left_out.receipt, left_out.caveats) == (None, memory.recall("Firma").caveats)
    assert memory.ask("Wo sitzt Firma 1?", receipt=False).receipt is None
    memory.close()
    with open_home(tmp_path / "home", embedder="none", receipts="false") as again:
        assert again.recall("Firma").receipt is None
        assert again.recall("Firma", receipt=True).receipt


def test_who_cannot_write_gets_the_answer_and_a_caveat(memory: LocalDamals):
    filled(memory, 3)
    whole = memory.recall("Wo sitzt Firma 1?")
    with memory.transaction("offen"):
        memory.remember("Noch eine", "x")
        inside = memory.recall("Wo sitzt Firma 1?", as_of=whole.as_of, known_at=whole.known_at)
    assert inside.receipt is None
    assert "receipt" in inside.caveats[-1]
    memory.recall("Firma")  # the index is caught up, which needs the ledger too
    with memory.opened.ledger("default").write("default"):
        busy = memory.recall("Wo sitzt Firma 1?")
    assert busy.receipt is None
    assert [hit.entry.id for hit in busy] == [hit.entry.id for hit in whole]
    assert len(busy.caveats) == len(whole.caveats) + 1


def test_a_receipt_belongs_to_who_asked_and_to_who_administers(memory: LocalDamals):
    filled(memory, 3)
    anna, bert = (memory.under(Principal(name, ("reader",))) for name in ("anna", "bert"))
    boss = memory.under(Principal("boss", ("admin",)))
    asked = anna.recall("Wo sitzt Firma 1?").receipt
    own = memory.recall("Wo sitzt Firma 1?").receipt
    assert anna.replay(asked).receipt == asked
    assert anna.why(asked).transaction is None
    for stranger, name in ((bert, asked), (anna, own), (bert, "nirgends"), (bert, own)):
        assert refused(lambda who=stranger, what=name: who.replay(what)) == "receipt.unknown"
        assert refused(lambda who=stranger, what=name: who.why(what)) == "receipt.unknown"
    for who in (memory, boss):
        assert who.replay(asked).receipt == asked
        assert who.why(own).receipt == own


def test_what_its_reader_may_not_see_any_more_is_not_told_by_a_receipt(memory: LocalDamals):
    ids = filled(memory, 3)
    anna = memory.under(Principal("anna", ("reader",)))
    asked = anna.recall("Wo sitzt Firma 1?").receipt
    answered = anna.ask("Wo sitzt die Firma 1?").receipt
    memory.correct(ids[1], visibility="restricted", reason="vertraulich")
    for receipt in (asked, answered):
        assert refused(lambda what=receipt: anna.replay(what)) == "receipt.hidden"
        assert refused(lambda what=receipt: anna.why(what)) == "receipt.hidden"
        assert memory.replay(receipt).receipt == receipt


def test_what_was_erased_reads_as_erased(memory: LocalDamals):
    ids = filled(memory, 6)
    named = [memory.recall("Wo sitzt Firma 1?"), memory.ask("Wo sitzt die Firma 1?")]
    other = memory.recall("Firma", tag=["Detmold"])
    before = as_json(other)
    assert ids[1] not in before
    memory.erase("entry", ids[1], reason="Antrag")
    for one in named:
        assert refused(lambda what=one: memory.replay(what.receipt)) == "receipt.erased"
        assert refused(lambda what=one: memory.why(what.receipt)) == "receipt.erased"
    assert memory.replay(other.receipt).receipt == other.receipt
    assert memory.audit().ok


def test_computed_again_from_the_same_knowledge_nothing_differs(memory: LocalDamals):
    filled(memory, 12)
    found = [memory.recall("Wo sitzt Firma 3?"), memory.ask("Wo sitzt die Firma 3?")]
    for one in found:
        again = memory.replay(one.receipt, recompute=True)
        assert again.differences == ()


def test_computed_again_for_who_speaks_another_language_nothing_differs(memory: LocalDamals):
    filled(memory, 3)
    with messages.speaking("de"):
        asked = [memory.ask("Was kostet ein Fahrrad?"), memory.recall("Wo saß sie 2024 im Mai?")]
    for one in asked:
        assert memory.replay(one.receipt, recompute=True).differences == ()


def test_computed_again_every_difference_is_told(memory: LocalDamals):
    filled(memory, 12)
    found = memory.recall("Wo sitzt Firma 3?", limit=3)
    memory.remember("Firma 3", "Die Firma 3 sitzt wo? Firma 3 sitzt hier.", valid_from="2002")
    again = memory.replay(found.receipt, recompute=True)
    assert [hit.entry.id for hit in again] == [hit.entry.id for hit in found]
    # What was learned since is not among them, whatever it says.
    assert {one["what"] for one in again.differences} <= {"score", "rank"}
    assert "differences" not in memory.replay(found.receipt).to_dict()


def test_a_question_about_no_time_is_answered_again_as_of_then(memory: LocalDamals):
    filled(memory, 4)
    found = memory.recall("Wo sitzt Firma 1?", since="2000-01-01")
    again = memory.replay(found.receipt, recompute=True)
    assert again.as_of == found.as_of
    assert again.differences == ()


def test_no_receipt_is_kept_of_questions_that_nobody_asked(memory: LocalDamals):
    filled(memory, 3)
    memory.doctor()
    memory.audit()
    assert refused(lambda: memory.replay("01a22c22-d524-74e9-91e0-e6936e16b830")) == (
        "receipt.unknown"
    )
    with pytest.raises(NotFound):
        memory.why("x")
