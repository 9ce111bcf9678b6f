"""One interface, four ways: a home of one's own, a server, an owner to attach to, and owning it.

Every method answers and refuses the same, down to the key and the values of an error.
"""

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from recalls import RECALLED, REFUSED_RECALLS
from reports import REFUSED_REPORTS, REPORTED

from damals import Damals
from damals.api import Damals as Interface
from damals.app.answer_results import Answer
from damals.app.change_results import ChangedEntries, ChangedEntry, ChangedRelation, Erased
from damals.app.results import Recall
from damals.errors import Conflict, DamalsError


def latest(memory: Damals) -> str:
    """When the last transaction was recorded: the index's answer is asked as of then."""
    return memory.log().transactions[-1].recorded_at


def asked(memory: Damals) -> Recall:
    """A ranking with a receipt."""
    return memory.recall("Hauptstraße", as_of="2021-06-01", known_at=latest(memory))


def answered(memory: Damals) -> Answer:
    """An answer with a receipt."""
    return memory.ask("Wo ist der Sitz?", as_of="2021-06-01", known_at=latest(memory))


ASKED = RECALLED | REPORTED | {
    "get": lambda memory: memory.get("Sitz"),
    "get at a pair": lambda memory: memory.get("Sitz", as_of="2021-06-01"),
    "get at instants": lambda memory: memory.get("Sitz", as_of=datetime(2021, 6, 1, tzinfo=UTC)),
    "get a name with everything in it": lambda memory: memory.get("a/b ü?&%.. #1"),
    "history": lambda memory: memory.history("Sitz"),
    "history of a key": lambda memory: memory.history(key="sitz"),
    "log": lambda memory: memory.log(),
    "log of an entry": lambda memory: memory.log(entry="Sitz"),
    "log of a key": lambda memory: memory.log(key="sitz"),
    "a page of the log": lambda memory: memory.log(limit=1),
    "the log behind a number": lambda memory: memory.log(after=1, limit=1),
    "the log behind its end": lambda memory: memory.log(key="sitz", after=10**20),
    "a page of a history": lambda memory: memory.history("Sitz", limit=1),
    "the history behind it": lambda memory: memory.history(
        key="sitz", limit=1, cursor=memory.history(key="sitz", limit=1).next
    ),
    "entries": lambda memory: memory.entries(),
    "all entries": lambda memory: memory.entries(limit=None),
    "entries that fit": lambda memory: memory.entries(
        as_of=date(2021, 6, 1), certain=True, type=["fact", "note"], tag="ort", status="active"
    ),
    "entries of no type": lambda memory: memory.entries(type=[]),
    "a page": lambda memory: memory.entries(limit=1),
    "the page behind": lambda memory: memory.entries(limit=1, cursor=memory.entries(limit=1).next),
    "recall": lambda memory: memory.recall(
        "Hauptstraße", explain=True, as_of="2021-06-01", known_at=latest(memory), receipt=False
    ),
    "ask": lambda memory: memory.ask(
        "Wo ist der Sitz?", as_of="2021-06-01", known_at=latest(memory), receipt=False
    ),
    "why": lambda memory: replace(
        memory.why(asked(memory).receipt), receipt="", created_at="", transaction=None
    ),
    "replay": lambda memory: replace(memory.replay(asked(memory).receipt), receipt=None),
    "replay of an answer": lambda memory: replace(
        memory.replay(answered(memory).receipt, recompute=True), receipt=None
    ),
    "recall of all": lambda memory: memory.recall(
        "Wo ist der Sitz?", limit=None, tag=["ort"], weights={"vec": 0.5}, half_life=float("inf"),
        as_of="2021-06-01", known_at=latest(memory), receipt=False,
    ),
    "diff": lambda memory: memory.diff(
        start="2020-06-01", end="2023-06-01", axis="valid"
    ).changes,
    "diff of a topic": lambda memory: memory.diff(
        "Sitz", start="2020-06-01", end=date(2023, 6, 1), tag="ort"
    ),
    "audit": lambda memory: memory.audit(),
    "sources": lambda memory: memory.sources(),
    "workspaces": lambda memory: memory.workspaces(),
    "keys": lambda memory: memory.keys(),
    "denials": lambda memory: memory.denials(),
    "config": lambda memory: memory.config(),
    "a graph of few neighbours": lambda memory: memory.graph("Sitz", degree=1).nodes,
}  # fmt: skip

REFUSED = (
    REFUSED_RECALLS
    | REFUSED_REPORTS
    | {
        "an empty id": lambda memory: memory.get(""),
        "dots as an id": lambda memory: memory.get(".."),
        "no instant": lambda memory: memory.get("Sitz", as_of="gestern oder so"),
        "an instant without offset": lambda memory: memory.get("Sitz", as_of=datetime(2021, 6, 1)),  # noqa: DTZ001 -- that is the point
        "neither id nor key": lambda memory: memory.history(),
        "id and key": lambda memory: memory.history("Sitz", key="sitz"),
        "an unknown key": lambda memory: memory.history(key="nirgends"),
        "no page of a log": lambda memory: memory.log(limit=0),
        "a log behind nothing": lambda memory: memory.log(after=-1),
        "a log behind a text": lambda memory: memory.log(after="2"),
        "the log of an unknown key": lambda memory: memory.log(key="nirgends", after=1),
        "no page of a history": lambda memory: memory.history("Sitz", limit=0),
        "no cursor of a history": lambda memory: memory.history("Sitz", cursor="ä"),
        "no status": lambda memory: memory.entries(status="müde"),
        "no limit": lambda memory: memory.entries(limit=0),
        "no cursor": lambda memory: memory.entries(cursor="x"),
        "an unknown id": lambda memory: memory.get("nirgends"),
        "the graph of an unknown id": lambda memory: memory.graph("nirgends"),
        "the graph of an empty id": lambda memory: memory.graph(""),
        "no graph": lambda memory: memory.graph("Sitz", limit=0),
        "no depth of a graph": lambda memory: memory.graph("Sitz", depth=0),
        "too deep a graph": lambda memory: memory.graph("Sitz", depth=11),
        "no neighbour in a graph": lambda memory: memory.graph("Sitz", degree=0),
        "an empty question": lambda memory: memory.recall(" "),
        "no receipt": lambda memory: memory.why("nirgends"),
        "no receipt to replay": lambda memory: memory.replay("nirgends"),
        "an empty receipt": lambda memory: memory.why(""),
        "an empty question for an answer": lambda memory: memory.ask(" "),
        "a server without a model": lambda memory: memory.ask("x", llm="http://127.0.0.1:9"),
        "no weight": lambda memory: memory.recall("x", weights={"mut": 1}),
        "no axis": lambda memory: memory.diff(start="2020", end="2021", axis="quer"),
        "no title": lambda memory: memory.remember(""),
        "no text": lambda memory: memory.remember(3),
        "an unknown field": lambda memory: memory.remember("T", farbe="rot"),
        "no importance": lambda memory: memory.remember("T", importance=9),
        "a taken key": lambda memory: memory.remember("T", key="sitz"),
        "a taken name": lambda memory: memory.remember("T", external_id="Sitz"),
        "no reason": lambda memory: memory.correct("Sitz", title="x", reason=" "),
        "an end before the start": lambda memory: memory.end("Sitz", "2000", reason="r"),
        "a changed entry": lambda memory: memory.pin("Sitz", if_transaction=99),
        "an unknown relation": lambda memory: memory.relate("Sitz", "isst", "Tel"),
        "a relation to itself": lambda memory: memory.relate("Sitz", "extends", "Sitz"),
        "no contradiction": lambda memory: memory.resolve("Sitz", "Tel", keep="a", reason="r"),
        "no transaction": lambda memory: memory.revert(99, reason="r"),
        "no kind": lambda memory: memory.erase("dream", "Sitz"),
        "no operation": lambda memory: memory.transact([{"title": "x"}]),
        "an unknown operation": lambda memory: memory.transact([{"op": "dream"}]),
        "no path": lambda memory: memory.import_("nirgends.jsonl"),
        "no source": lambda memory: memory.import_(".", source="traum"),
        "no folder for an export": lambda memory: memory.export("nirgends/x.jsonl"),
        "a taken workspace": lambda memory: memory.create_workspace("default"),
        "no zone": lambda memory: memory.create_workspace("w", timezone="Mond"),
        "no name of a workspace": lambda memory: memory.create_workspace("a/b"),
        "no role": lambda memory: memory.create_key("k", roles=["a b"]),
        "a reserved key": lambda memory: memory.create_key("owner"),
        "an unknown workspace for a key": lambda memory: memory.create_key("k", workspaces=["w"]),
        "an unknown key to revoke": lambda memory: memory.revoke_key("k"),
    }
)

CHANGES: dict[str, tuple[type, Callable[[Damals], object]]] = {
    "remember": (ChangedEntry, lambda memory: memory.remember(
        "Neu", "x", tags=("a", "b"), properties={"n": [1, {"m": None}]}, valid_from="2024-09",
        created=datetime(2020, 1, 1, 12, tzinfo=UTC), relations=[{"type": "extends", "dst": "Tel"}],
    )),
    "remember what is known": (ChangedEntry, lambda memory: memory.remember(
        "Tel", "tel", external_id="Tel", valid_from="2020-01-01",
    )),
    "update": (ChangedEntry, lambda memory: memory.update(
        "a/b ü?&%.. #1", "Name neu", "t", reason="r", valid_from=date(2025, 1, 1), valid_to=None,
    )),
    "correct": (ChangedEntry, lambda memory: memory.correct(
        "a/b ü?&%.. #1", content="anders", key=None, reason="r",
    )),
    "end": (ChangedEntry, lambda memory: memory.end("Tel", "2030-01-01", reason="r")),
    "retract": (ChangedEntry, lambda memory: memory.retract("Sitz neu", reason="r", restore=True)),
    "verify": (ChangedEntry, lambda memory: memory.verify("Tel", score=0.5, evidence="Akte")),
    "pin": (ChangedEntry, lambda memory: memory.pin("Tel")),
    "unpin": (ChangedEntry, lambda memory: memory.unpin("Tel")),
    "archive": (ChangedEntry, lambda memory: memory.archive("Tel", reason="r")),
    "relate": (ChangedRelation, lambda memory: memory.relate("Tel", "extends", "Sitz")),
    "unrelate": (ChangedRelation, lambda memory: memory.unrelate("Tel", "related_to", "Sitz")),
    "contradict": (ChangedRelation, lambda memory: memory.contradict("Tel", "Sitz", reason="r")),
    "resolve": (ChangedEntries, lambda memory: memory.resolve("X", "Y", keep="a", reason="r")),
    "revert": (ChangedEntries, lambda memory: memory.revert(
        memory.log().transactions[-1].number, reason="r",
    )),
    "erase": (Erased, lambda memory: memory.erase("entry", "Tel", reason="r")),
}  # fmt: skip


def key_of(act: Callable[[], object]) -> str:
    with pytest.raises(DamalsError) as refused:
        act()
    return refused.value.key


def refusal(act: Callable[[Damals], object], memory: Damals) -> tuple[type, str, dict[str, object]]:
    with pytest.raises(DamalsError) as refused:
        act(memory)
    values = {name: str(value) for name, value in refused.value.values.items()}
    return type(refused.value), refused.value.key, values


@pytest.mark.parametrize("question", ASKED)
def test_every_question_has_the_same_answer(stocked, question):
    ask = ASKED[question]
    assert ask(stocked.memory) == ask(stocked.own)


@pytest.mark.parametrize("call", REFUSED)
def test_every_refusal_is_the_same_error(stocked, call):
    before = stocked.own.log()
    assert refusal(REFUSED[call], stocked.memory) == refusal(REFUSED[call], stocked.own)
    assert stocked.own.log() == before


def test_every_change_is_done_and_told(filled):
    for name, (kind, act) in CHANGES.items():
        before = len(filled.own.log().transactions)
        told = act(filled.memory)
        assert type(told) is kind, name
        stored = len(filled.own.log().transactions) - before
        assert stored == (0 if getattr(told, "unchanged", None) else 1), name
        if kind is ChangedEntry:
            assert filled.own.get(told.id).to_dict() == told.to_dict(), name
        else:
            assert told.transaction == before + 1, name


def test_every_method_of_the_interface_is_asked_here():
    named = {
        name
        for name, member in vars(Interface).items()
        if getattr(member, "__isabstractmethod__", False)
    }
    source = " ".join((*ASKED, *REFUSED, *CHANGES))
    others = {"close", "transaction", "transact", "import_", "export", "reindex", "doctor"}
    assert {name for name in named - others if name not in source} == set()


# --- several at once


def test_operations_together_are_one_transaction(filled):
    operations = [
        {"op": "remember", "title": "Eins", "external_id": "1", "valid_from": "2024"},
        {"op": "end", "target": "1", "at": date(2025, 1, 1), "reason": "eigener"},
    ]
    told = filled.memory.transact(operations, reason="gemeinsam", preview=True)
    assert (told.transaction, told.preview, len(told.results)) == (None, True, 2)
    told = filled.memory.transact(operations, reason="gemeinsam")
    last = filled.own.log().transactions[-1]
    assert (told.transaction, last.reason, len(last.ops)) == (last.number, "gemeinsam", 2)
    assert filled.own.get("1").valid_to == "2025-01-01"


def test_a_transaction_is_all_or_nothing_and_its_new_entries_have_names(filled):
    memory, own = filled.memory, filled.own
    before = len(own.log().transactions)
    with memory.transaction("zusammen") as together:
        one = together.remember("Eins", "e")
        two = together.update(one.id, "Zwei", "z", reason="r")
        assert [entry.id for entry in two.replaced] == [one.id]
        together.relate(two.id, "extends", "Tel")
        together.pin(two.id)
        assert len(own.log().transactions) == before
    assert own.get(two.id).pinned
    assert own.get(two.id).transaction == before + 1
    [last] = own.log().transactions[before:]
    assert (last.reason, len(last.ops)) == ("zusammen", 4)


def test_an_exception_inside_of_a_transaction_stores_nothing(filled):
    before = filled.own.log()
    with pytest.raises(ZeroDivisionError), filled.memory.transaction("r") as together:
        together.remember("Eins")
        1 / 0  # noqa: B018 -- raises
    assert filled.own.log() == before
    assert filled.memory.remember("danach").transaction == len(before.transactions) + 1


def test_a_refused_operation_breaks_its_transaction(filled):
    before = filled.own.log()

    def together() -> None:
        with filled.memory.transaction() as open_one:
            open_one.remember("Eins")
            assert key_of(lambda: open_one.pin("nirgends")) == "entry.unknown"
            assert key_of(lambda: open_one.remember("Zwei")) == "transaction.failed"

    assert key_of(together) == "transaction.failed"
    assert filled.own.log() == before


def test_an_empty_transaction_stores_nothing(filled):
    before = filled.own.log()
    with filled.memory.transaction("r"):
        pass
    assert filled.own.log() == before


def test_inside_of_a_transaction_there_is_no_other_and_no_long_work(filled):
    memory = filled.memory
    with memory.transaction() as together:
        for act in (
            lambda: together.transact([]),
            lambda: together.transaction().__enter__(),
            lambda: together.import_("."),
            together.reindex,
            together.doctor,
        ):
            assert key_of(act) in {"transaction.nested", "transaction.open"}
        together.remember("geht noch")
    assert memory.entries(limit=None, status="active").entries[-1].title == "geht noch"


def test_what_another_thread_does_meanwhile_is_no_part_of_the_transaction(filled):
    memory = filled.memory
    entered, left = threading.Event(), threading.Event()

    def other() -> None:
        entered.wait()
        memory.remember("von nebenan")
        left.set()

    thread = threading.Thread(target=other)
    thread.start()
    with memory.transaction("zusammen") as together:
        together.remember("Eins")
        entered.set()
        assert not left.wait(0.1)
        together.remember("Zwei")
    thread.join()
    ops = [len(one.ops) for one in filled.own.log().transactions[-2:]]
    assert ops == [2, 1]


# --- files


def test_events_are_taken_in_and_given_out_the_same(filled, tmp_path):
    events = tmp_path / "events.jsonl"
    line = {"op": "remember", "title": "E", "recorded_at": "2026-01-01"}
    events.write_text(json.dumps(line), encoding="utf-8")
    first = filled.memory.export(tmp_path / "a.jsonl")
    second = filled.own.export(tmp_path / "b.jsonl")
    assert first.transactions == second.transactions == len(filled.own.log().transactions)
    assert first.path == str(tmp_path / "a.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    with pytest.raises(Conflict) as refused:
        filled.memory.import_(events)
    assert (refused.value.key, refused.value.values["line"]) == ("events.line", 1)
    assert refused.value.values["cause"].key == "transaction.order"
    assert sorted(path.suffix for path in tmp_path.iterdir() if path.is_file()) == [".jsonl"] * 3


def test_a_vault_is_taken_in_and_its_progress_is_told(asked):
    vault = asked.folder / "Vault"
    vault.mkdir()
    for number in range(5):
        (vault / f"{number}.md").write_text(f"# Notiz\n\nwort{number} [[{number + 1}]]\n", "utf-8")
    heard = []
    report = asked.memory.import_(vault, name="notizen", wait=True, progress=heard.append)
    assert (report.added, report.failed, report.pending_vectors) == (5, (), 0)
    assert heard
    again = asked.memory.import_(str(vault), name="notizen")
    assert (again.added, again.unchanged) == (0, 5)
    dry = asked.memory.import_(vault, name="anders", dry_run=True)
    assert dry.added == 5
    assert len(asked.own.entries(limit=None)) == 5
    [hit] = asked.memory.recall("wort3", limit=1)
    assert hit.entry.source.path == "3.md"


def test_the_index_is_built_anew_and_every_part_is_well(filled):
    heard = []
    report = filled.memory.reindex(progress=heard.append)
    assert report.points == 7
    assert heard or filled.how == "own"
    assert filled.memory.doctor().ok
    assert filled.memory.doctor(repair=True).ok
    assert filled.memory.audit().ok


def test_backups_are_made_listed_and_checked(filled):
    made = filled.memory.backup(with_index=True)
    assert tuple(filled.memory.backups()) == (made,)
    assert filled.memory.verify_backup(made.id).verified is True
    assert filled.memory.backups()[0].verified is True
    assert key_of(lambda: filled.memory.verify_backup("nowhere")) == "backup.unknown"


def test_erasures_are_listed_and_their_certificates_told_again(filled):
    filled.own.create_workspace("zwei")
    erased = filled.memory.erase("entry", "Tel", reason="r")
    gone = filled.memory.erase("workspace", "zwei")
    listed = filled.memory.erasures()
    assert [(one.kind, one.workspace, one.actor, one.residue) for one in listed] == [
        ("workspace", None, erased.tombstones[0].actor, 0),
        ("entry", "default", erased.tombstones[0].actor, 0),
    ]
    assert [one.id for one in listed] == [gone.certificate.id, erased.certificate.id]
    assert listed == filled.own.erasures()
    assert filled.memory.certificate(listed[1].id) == erased
    again = filled.memory.certificate(listed[0].id)
    assert (again.certificate, again.erased) == (gone.certificate, ())
    assert key_of(lambda: filled.memory.certificate("nirgends")) == "erase.unknown"


# --- who may use it


def test_workspaces_and_keys_are_made_and_revoked(asked):
    made = asked.memory.create_workspace("zwei", timezone="America/New_York")
    assert made in asked.memory.workspaces()
    new = asked.memory.create_key("kim", roles=("reader", "team"), workspaces=("zwei",))
    assert new.secret.startswith("damals_")
    assert list(asked.memory.keys()) == [new.key]
    assert key_of(lambda: asked.memory.create_key("kim")) == "key.exists"
    assert asked.memory.revoke_key("kim").revoked_at is not None
    assert key_of(lambda: asked.memory.revoke_key("kim")) == "key.missing"


def test_a_closed_memory_says_so(asked):
    asked.memory.remember("X")
    asked.memory.close()
    asked.memory.close()
    assert key_of(lambda: asked.memory.get("X")) in {"home.closed", "remote.closed"}
