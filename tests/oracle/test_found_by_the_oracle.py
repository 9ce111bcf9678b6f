"""What the oracle has found, each as its shortest history."""

from itertools import count

import pytest
from oracle_drawing import MONTHS

from damals.adapters.memory.ledger import MemoryLedger
from damals.adapters.vault.chunker import MarkdownChunker
from damals.app.events import import_events
from damals.app.export import write_events
from damals.app.indexing import silent
from damals.app.ledger_model import At, EntryFilter
from damals.app.record import Recorded, Request, Tools, record
from damals.domain.access import OWNER
from damals.domain.errors import Conflict, NotFound
from damals.domain.instants import DAY, FOREVER

FACT = {"op": "remember", "title": "t", "content": "", "key": "k"}


@pytest.fixture
def ledger() -> MemoryLedger:
    made = MemoryLedger()
    made.create_workspace("w", "UTC", MONTHS[0])
    return made


@pytest.fixture
def do(ledger):
    instants = count(MONTHS[-1] + DAY)

    def transaction(*operations: dict[str, object]) -> Recorded:
        with ledger.write("w") as writer:
            tools = Tools(MarkdownChunker(), lambda: next(instants))
            return record(writer, tools, Request(operations, "test"))

    return transaction


def held(ledger: MemoryLedger, v: int) -> dict[str, bool]:
    with ledger.read("w") as reader:
        found = reader.list_at(At(v, FOREVER - 1), EntryFilter(limit=None))
    return {str(f.info.external_id): f.version.period.certain_at(v) for f in found}


def test_what_fills_ends_where_the_next_begins_though_its_own_end_is_imprecise(ledger, do):
    do({**FACT, "ref": "next", "valid_from": "2000-06-02"})
    do({**FACT, "ref": "free", "on_overlap": "fill", "valid_from": "2000-04-01",
        "valid_to": "2000-05/2000-06"})  # fmt: skip
    assert held(ledger, MONTHS[5]) == {"free": False}
    assert held(ledger, MONTHS[5] + DAY) == {"next": True}


def test_what_fills_up_to_an_imprecise_start_never_outlives_its_own_end(ledger, do):
    do({**FACT, "ref": "next", "valid_from": "2000-08"})
    fill = {**FACT, "ref": "free", "on_overlap": "fill", "valid_from": "2000-03-01"}
    with pytest.raises(Conflict, match=r"cut\.imprecise"):
        do({**fill, "valid_to": "2000-08-20"})
    do(fill)
    assert held(ledger, MONTHS[7] + 20 * DAY) == {"free": False, "next": False}


def test_an_end_behind_which_nothing_can_hold_changes_and_stores_nothing(do):
    do({**FACT, "ref": "a", "valid_from": "2000-01-01", "valid_to": "2000-06/2000-07"})
    done = do({"op": "end", "target": "a", "at": "2000-08-01"})
    assert done.number is None
    assert done.outcomes[0].unchanged


def test_a_correction_revives_what_was_said_last_though_it_was_in_the_same_transaction(ledger, do):
    do({**FACT, "ref": "a", "valid_from": "2000-01-01"})
    bounds = {"valid_from": "2000-02-01", "valid_to": "2000-03-01"}
    do({"op": "pin", "target": "a"}, {"op": "retract", "target": "a"},
       {"op": "correct", "target": "a", **bounds})  # fmt: skip
    with ledger.read("w") as reader:
        (found,) = reader.list_at(At(MONTHS[1], FOREVER - 1), EntryFilter())
    assert found.version.attributes.pinned


@pytest.mark.parametrize(
    "history",
    [
        [
            {**FACT, "ref": "a", "valid_from": "2000-01-01"},
            {"op": "update", "ref": "b", "target": "a", "title": "t", "content": "",
             "valid_from": "2000-05-01"},
            {"op": "correct", "target": "b", "key": None},
            {"op": "correct", "target": "b", "valid_from": "2000-02-01"},
            {"op": "erase", "target": "b"},
        ],
        [
            {**FACT, "ref": "a", "key": None, "valid_from": "2000-01-01"},
            {**FACT, "ref": "b", "key": None, "valid_from": "2000-02-01"},
            {"op": "correct", "target": "b", "relations": [{"type": "revises", "dst": "a"}]},
            {"op": "end", "target": "b", "at": "2000-09-01"},
            {"op": "revert", "transaction": 3},
            {"op": "erase", "target": "b"},
        ],
    ],
    ids=["a key that was taken off", "relations alone, reverted"],
)  # fmt: skip
def test_what_was_erased_can_be_replayed(history, ledger, do, tmp_path):
    for operation in history:
        do(operation)
    with ledger.read("w") as reader:
        write_events(reader, tmp_path / "events.jsonl")
    other = MemoryLedger()
    other.create_workspace("w", "UTC", MONTHS[0])
    tools = Tools(MarkdownChunker(), lambda: MONTHS[-1] + 100 * DAY)
    with other.write("w") as writer:
        import_events(writer, tools, tmp_path / "events.jsonl", silent, OWNER)
    assert [held(other, v) for v in MONTHS] == [held(ledger, v) for v in MONTHS]


def test_a_cut_that_a_revert_brought_back_is_as_old_as_it_was(ledger, do):
    do({**FACT, "ref": "a", "valid_from": "2000-01-01"})
    do({"op": "update", "ref": "b", "target": "a", "title": "t", "content": "",
        "valid_from": "2000-03-01"})  # fmt: skip
    do({"op": "retract", "target": "a"})
    restored = do({"op": "retract", "target": "b", "restore": True})
    do({"op": "revert", "transaction": restored.number})
    do({"op": "retract", "target": "b", "restore": True})
    assert held(ledger, MONTHS[4]) == {}


def test_what_is_given_back_is_no_more_certain_than_it_was(ledger, do):
    free = {**FACT, "key": None}
    with ledger.write("w") as writer:
        tools = Tools(MarkdownChunker(), lambda: MONTHS[4])
        unknown = {**free, "ref": "a", "valid_from": None}
        record(writer, tools, Request([unknown], "test"))
    cuts = {"relations": [{"type": "supersedes", "dst": "a"}]}
    do({**free, "ref": "b", "valid_from": "2000-02-01", **cuts})
    do({**free, "ref": "c", "valid_from": "2000-01-01", "valid_to": "2000-02-01", **cuts})
    do({"op": "retract", "target": "b", "restore": True})
    assert held(ledger, MONTHS[2]) == {"a": False}
    assert held(ledger, MONTHS[4]) == {"a": True}


def test_nothing_stands_in_a_relation_to_what_was_gone_before_it_was_known(do):
    do({**FACT, "ref": "a", "valid_from": "2000-01-01"})
    do({**FACT, "ref": "gone", "key": None}, {"op": "retract", "target": "gone"})
    with pytest.raises(NotFound, match=r"entry\.unknown"):
        do({"op": "relate", "src": "a", "type": "extends", "dst": "gone"})


def test_a_number_of_an_erased_entry_is_not_that_of_the_one_that_has_its_name_now(ledger, do):
    do({**FACT, "ref": "a"})
    again = ({"op": "erase", "target": "a"}, {**FACT, "ref": "a"})
    with pytest.raises(Conflict, match=r"entry\.changed"):
        do(*again, {"op": "pin", "target": "a", "if_transaction": 1})
    do(*again, {"op": "pin", "target": "a", "if_transaction": 0})
    assert held(ledger, MONTHS[-1] + 10 * DAY) == {"a": True}
