"""Taking back, checking, pinning, archiving, erasing: through the interface of programs."""

import json
from dataclasses import fields, replace

import pytest
from asked_memory import listed, refused, said, transactions

from damals.app.results import Entry

MOMENTS = (
    "recorded_from", "created_at", "updated_at", "last_verified", "valid_to", "bounds",
)  # fmt: skip

# --- restore


def test_case_12_a_retraction_keeps_the_cut_and_gives_it_back_when_asked(memory):
    for restore in (False, True):
        x, y = f"X{restore}", f"Y{restore}"
        key = {"key": f"k{restore}", "on_overlap": "replace"}
        said(memory, x, "2020-01-01", **key)
        said(memory, y, "2027-01-01", **key)
        told = memory.retract(y, reason="r", restore=restore)
        assert [entry.external_id for entry in told.restored] == ([x] if restore else [])
    assert listed(memory, "2027-06-01") == ["XTrue"]
    assert listed(memory, "2026-12-31") == ["XFalse", "XTrue"]


def test_what_was_said_later_is_not_given_back(memory):
    said(memory, "Old")
    new = memory.update("Old", "New", "n", valid_from="2027-01-01", reason="r").id
    memory.end("Old", "2026-06-01", reason="gekündigt")
    told = memory.retract(new, reason="r", restore=True)
    assert told.restored[0].valid_to == "2026-06-01"
    assert listed(memory, "2027-06-01") == []


def test_a_cut_can_be_given_back_after_a_plain_retraction(memory):
    said(memory, "Old")
    new = memory.update("Old", "New", "n", valid_from="2027-01-01", reason="r").id
    memory.retract(new, reason="r")
    later = memory.retract(new, reason="r", restore=True)
    assert (later.unchanged, later.restored[0].valid_to) == (False, None)
    assert memory.retract(new, reason="r", restore=True).unchanged


# --- revert


CHANGES = {
    "update": lambda memory: memory.update("X", "T", "c", reason="r"),
    "correct": lambda memory: memory.correct("X", content="c", reason="r"),
    "correct with bounds": lambda memory: memory.correct("X", valid_to="2021-01-01", reason="r"),
    "end": lambda memory: memory.end("X", "2021-01-01", reason="r"),
    "retract": lambda memory: memory.retract("X", reason="r"),
    "verify": lambda memory: memory.verify("X"),
    "pin": lambda memory: memory.pin("X"),
    "archive": lambda memory: memory.archive("X", reason="r"),
    "relate": lambda memory: memory.relate("X", "supersedes", "Other"),
    "unrelate": lambda memory: memory.unrelate("X", "extends", "Old"),
    "contradict": lambda memory: memory.contradict("X", "Other", reason="r"),
    "resolve": lambda memory: memory.resolve("X", "Rival", keep="a", reason="r"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_revert_leaves_every_entry_as_it_was(memory, change):
    for name in ("Other", "Old", "Rival", "X"):
        said(memory, name)
    memory.relate("X", "extends", "Old")
    memory.contradict("X", "Rival", reason="r")

    def answers() -> list[object]:
        shown = [memory.get(name) for name in ("Other", "Old", "Rival", "X")]
        return [
            (e.title, e.content, e.valid_from, e.valid_to, e.status, e.pinned, e.generation,
             e.grounding_score, [(r.type, r.entry_id, r.resolution) for r in e.relations])
            for e in shown
        ]  # fmt: skip

    before = answers()
    CHANGES[change](memory)
    number = transactions(memory)
    after = answers()
    back = memory.revert(number, reason="r")
    assert back.reverted == number
    assert back.transaction == number + 1
    assert answers() == before
    memory.revert(number + 1, reason="doch")
    assert answers() == after


def test_a_reverted_remember_is_no_longer_known(memory):
    entry = said(memory, "X")
    [gone] = memory.revert(1, reason="r").entries
    assert (gone.id, gone.recorded_to is not None) == (entry, True)
    assert listed(memory) == []


def test_a_transaction_may_be_named_by_its_recorded_instant(memory):
    said(memory, "X")
    memory.pin("X")
    instant = memory.log().transactions[1].recorded_at
    assert memory.revert(instant, reason="r").reverted == 2
    assert not memory.get("X").pinned


def test_later_changes_and_erasures_stand_in_the_way_of_a_revert(memory):
    said(memory, "X")
    said(memory, "Y")
    memory.correct("X", content="anders", reason="r")
    memory.correct("X", content="noch anders", reason="r")
    assert refused(lambda: memory.revert(3, reason="r")) == (4, "revert.later")
    assert refused(lambda: memory.revert(99, reason="r")) == (3, "transaction.unknown")
    memory.revert(4, reason="r")
    assert refused(lambda: memory.revert(4, reason="r")) == (4, "revert.later")
    memory.erase("entry", "Y")
    assert refused(lambda: memory.revert(2, reason="r")) == (4, "revert.later")
    assert refused(lambda: memory.revert(6, reason="r")) == (4, "revert.erased")


# --- verify, pin, archive


def test_each_verification_counts_from_its_own_instant_on(memory):
    said(memory, "X")
    unchecked = memory.get("X")
    first = memory.verify("X", score=0.5, evidence="Akte")
    second = memory.verify("X", score=0.5, evidence="Akte")
    assert (unchecked.grounding_score, unchecked.last_verified) == (None, None)
    assert not second.unchanged
    assert first.last_verified < second.last_verified
    then = memory.get("X", known_at=first.last_verified)
    assert (then.grounding_score, then.last_verified) == (0.5, first.last_verified)
    assert memory.get("X", known_at=unchecked.recorded_from).grounding_score is None


def test_pinning_changes_no_generation_and_is_in_the_history(memory):
    said(memory, "X")
    assert memory.pin("X", reason="wichtig").generation == 1
    assert memory.pin("X").unchanged
    assert memory.unpin("X").pinned is False
    assert memory.unpin("X").unchanged
    versions = memory.history("X").versions
    assert [version.operation for version in versions] == ["remember", "pin", "unpin"]
    assert versions[1].reason == "wichtig"


def test_an_archived_entry_is_in_no_answer_from_then_on(memory):
    said(memory, "X")
    said(memory, "Y")
    known = memory.get("Y").updated_at
    archived = memory.archive("X", reason="vorbei")
    assert archived.status == "archived"
    assert listed(memory) == ["Y"]
    assert listed(memory, "2021-01-01") == ["X", "Y"]
    assert listed(memory, None, known) == ["X", "Y"]
    assert [e.external_id for e in memory.entries(status="archived")] == ["X"]
    assert [hit.entry.external_id for hit in memory.recall("x")] == []
    assert [hit.entry.external_id for hit in memory.recall("x", as_of="2021-01-01")] == ["X"]


# --- erase


def test_case_15_an_erased_entry_is_in_no_answer_at_any_pair(memory, tmp_path):
    entry = memory.remember(
        "Geheimnis", "Klaus wohnt in Bonn", external_id="A", valid_from="2024-01-01", key="klaus"
    )
    memory.end("A", "2024-07-01", reason="Umzug von Klaus")
    memory.retract("A", reason="Irrtum über Klaus")
    instants = [stored.recorded_at for stored in memory.log().transactions]
    told = memory.erase("entry", "A", reason="Verlangen")
    assert told.erased == (entry.id,)
    assert [(t.id, t.actor) for t in told.tombstones] == [(entry.id, "owner")]
    assert told.certificate.removed["versions"] == 2
    for known_at in (None, *instants):
        for as_of in (None, "2024-03-01", "2024-07-15"):
            pair = {"as_of": as_of, "known_at": known_at}
            assert listed(memory, **pair) == []
            assert refused(lambda pair=pair: memory.get(entry.id, **pair))[0] == 3
            assert memory.recall("Klaus wohnt in Bonn", **pair).results == ()
    assert refused(lambda: memory.history(entry.id)) == (3, "entry.erased")
    assert refused(lambda: memory.erase("entry", entry.id)) == (3, "entry.erased")
    memory.export(tmp_path / "all.jsonl")
    exported = (tmp_path / "all.jsonl").read_text(encoding="utf-8")
    log = json.dumps(memory.log().to_dict(), ensure_ascii=False)
    assert not any(word in text for text in (exported, log) for word in ("Klaus", "klaus", "Geh"))


def test_the_name_of_an_erased_entry_is_free_and_its_id_is_not(memory):
    entry = said(memory, "A")
    memory.erase("entry", "A")
    anew = memory.remember("A", "a", external_id="A", valid_from="2020-01-01")
    assert anew.id != entry
    assert not anew.unchanged
    assert refused(lambda: memory.remember("B", id=entry)) == (4, "entry.erased_before")


def test_what_an_erased_entry_had_cut_stays_cut(memory):
    said(memory, "Old")
    new = memory.update("Old", "New", "n", valid_from="2021-01-01", reason="r").id
    memory.erase("entry", new)
    assert listed(memory, "2020-06-01") == ["Old"]
    assert listed(memory, "2021-06-01") == []


# --- in a transaction


def test_inside_a_transaction_changes_return_the_entries_as_they_will_be(memory, where):
    said(memory, "Stored")
    said(memory, "Cut", "2019-01-01")
    with memory.transaction("zusammen") as together:
        said(together, "A")
        said(together, "B", "2021-01-01")
        together.relate("A", "supersedes", "Cut")
        together.relate("Stored", "extends", "A")
        together.contradict("A", "B", reason="r")
        together.resolve("A", "B", keep="a", reason="r")
        together.archive("B", reason="r")
        shown = {
            "A": together.verify("A", score=0.5),
            "Stored": together.pin("Stored"),
            "Cut": together.correct("Cut", content="neu", reason="r"),
            "B": together.archive("B", reason="r"),
        }
        assert listed(memory) == ["Cut", "Stored"]
    assert transactions(memory) == 3
    for name, expected in shown.items():
        found = memory.get(name)
        # From afar each was a preview, and has its instant.
        instants = MOMENTS if where == "afar" else ()
        then = {moment: getattr(found, moment) for moment in instants if getattr(expected, moment)}
        assert replace(plain(expected), **then) == plain(found), name


def plain(entry: Entry) -> Entry:
    return Entry(**{field.name: getattr(entry, field.name) for field in fields(Entry)})


def test_inside_a_transaction_what_is_taken_back_is_taken_back(memory):
    said(memory, "A")
    memory.pin("A")
    with memory.transaction() as together:
        [entry] = together.revert(2, reason="r").entries
        assert (entry.pinned, entry.transaction) == (False, 3)
        said(together, "B")
        told = together.erase("entry", "B")
        assert told.transaction == 3
        said(together, "B")
    assert listed(memory) == ["A", "B"]
    assert not memory.get("A").pinned


def test_what_a_later_operation_erases_is_not_told_of_the_earlier_ones(memory):
    operations = [
        {"op": "remember", "title": "Geheim", "external_id": "X"},
        {"op": "erase", "target": "X"},
    ]
    told = memory.transact(operations, preview=True)
    assert told.results[0]["entry"]["title"] == "Geheim"
    told = memory.transact(operations)
    assert (told.results[0], told.transaction) == ({"entry": None}, 1)
    assert listed(memory) == []


def test_a_transaction_with_a_refused_change_stores_nothing(memory):
    said(memory, "A")

    def both() -> None:
        with memory.transaction() as together:
            together.pin("A")
            together.archive("nobody", reason="r")

    assert refused(both) == (3, "entry.unknown")
    assert transactions(memory) == 1
    assert not memory.get("A").pinned
