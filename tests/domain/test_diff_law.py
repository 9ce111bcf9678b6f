"""Whatever happened: applying a diff to the first state gives the second, and nothing else."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID, uuid5

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from damals.adapters.memory.ledger import MemoryLedger
from damals.adapters.vault.chunker import MarkdownChunker
from damals.app.diff_facts import Collected
from damals.app.ledger_model import At, EntryFilter
from damals.app.ledger_port import LedgerReader
from damals.app.record import Request, Tools, record
from damals.domain.diff import Change, Kind, apply, changes
from damals.domain.entries import Version
from damals.domain.errors import DamalsError
from damals.domain.ids import WORKSPACES
from damals.domain.instants import DAY, format_instant, from_datetime

START = from_datetime(datetime(2024, 1, 1, tzinfo=UTC))
REFS = "abcdefgh"
TEXTS = ("eins", "zwei", "eins und zwei")
TYPES = ("extends", "supersedes", "revises")
OPERATIONS = (
    *("correct", "correct", "correct", "end", "end", "retract", "relate", "relate", "unrelate"),
    *("contradict", "contradict", "resolve", "resolve", "resolve", "revert", "verify", "verify"),
    *("archive", "archive", "erase"),
)
STATELESS = {Kind.CONTRADICTED, Kind.RESOLVED, Kind.VERIFIED, Kind.ERASED}

State = Mapping[UUID, Version]


def day(number: int) -> str:
    return format_instant(START + number * DAY)


def id_of(ref: str) -> str:
    return str(uuid5(WORKSPACES, ref))


def span(rng: random.Random) -> dict[str, object]:
    """A period that is not empty, with bounds of every kind."""
    first = rng.randrange(7)
    start = rng.choice([day(first), day(first), day(first), "2024-01", "unknown"])
    end = rng.choice([day(rng.randint(first + 1, 8)), None, None, "2024-02", "unknown"])
    return {"valid_from": start, "valid_to": end}


def addition(rng: random.Random, known: Sequence[str]) -> dict[str, object]:
    """Something new, alone or in the place of something known."""
    ref = rng.choice([ref for ref in REFS if ref not in known] or REFS)
    said = {"ref": ref, "id": id_of(ref), "title": rng.choice(TEXTS), "content": rng.choice(TEXTS)}
    if len(known) < 2 or rng.random() < 0.5:
        key = rng.choice([None, None, "k"])
        return {"op": "remember", "key": key, "on_overlap": "replace", **said, **span(rng)}
    relation = rng.choice(["supersedes", "revises"])
    portion = span(rng) if rng.random() < 0.7 else {}
    return {"op": "update", "target": rng.choice(known), "relation": relation, **said, **portion}


def operation(rng: random.Random, known: Sequence[str]) -> dict[str, object]:
    """Something that may be said of what is known."""
    if len(known) < 2 or rng.random() < 0.35:
        return addition(rng, known)
    one, other = rng.sample(known, 2)
    op = rng.choice(OPERATIONS)
    given: dict[str, dict[str, object]] = {
        "correct": {"target": one, "content": rng.choice(TEXTS)},
        "end": {"target": one, "at": day(rng.randrange(8))},
        "retract": {"target": one, "restore": rng.random() < 0.5},
        "relate": {"src": one, "type": rng.choice(TYPES), "dst": other},
        "unrelate": {"src": one, "type": rng.choice(TYPES), "dst": other},
        "contradict": {"a": one, "b": other},
        "resolve": {"a": one, "b": other, "keep": rng.choice(["a", "b", "both"])},
        "revert": {"transaction": rng.randint(1, 9)},
    }
    bounds = span(rng) if op == "correct" and rng.random() < 0.6 else {}
    return {"op": op, **given.get(op, {"target": one}), **bounds}


def lived(life: tuple[int, int]) -> MemoryLedger:
    """A ledger with up to ``length`` transactions, half a day apart; the refused are left out."""
    seed, length = life
    rng = random.Random(seed)
    ledger = MemoryLedger()
    ledger.create_workspace("w", "UTC", START)
    for place in range(length):
        with ledger.read("w") as reader:
            known = [ref for ref in REFS if reader.find_entry(ref) is not None]
        tools = Tools(MarkdownChunker(), lambda now=START + (place + 1) * DAY // 2: now)
        said = [operation(rng, known) for _ in range(rng.choice([1, 1, 2]))]
        try:
            with ledger.write("w") as writer:
                record(writer, tools, Request([one | {"reason": "weil"} for one in said], "test"))
        except DamalsError:
            continue
    return ledger


lives = st.tuples(st.integers(0, 2**32), st.integers(1, 16))
instants = st.integers(-1, 17).map(lambda half: START + half * DAY // 2)
pairs = st.tuples(instants, instants)


@dataclass
class Told:
    """A diff and the three states that it is about, as a listing shows them."""

    first: State
    between: State
    last: State
    made: list[Change]


def told(reader: LedgerReader, start: At, end: At) -> Told:
    story = Collected(reader, start, end)
    story.add(reader.moved(start, end), both_ways=False)
    made = changes(story.facts())
    return Told(*(listed(reader, at) for at in story.pairs), made)


def listed(reader: LedgerReader, at: At) -> State:
    found = reader.list_at(at, EntryFilter(limit=None))
    return {one.version.entry_id: one.version for one in found}


def statement(version: Version) -> tuple[object, ...]:
    start, end = version.period.start, version.period.end
    return (version.attributes, start, end)


QUICK = settings(
    max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)


@QUICK
@given(life=lives, ways=st.lists(st.tuples(pairs, pairs), min_size=3, max_size=6))
def test_applying_a_diff_to_the_first_state_gives_the_second(life, ways):
    with lived(life).read("w") as reader:
        for start, end in ways:
            found = told(reader, At(*start), At(*end))
            result = apply(found.first, found.made)
            assert result.keys() == found.last.keys()
            for entry_id, version in result.items():
                assert version.attributes == found.last[entry_id].attributes
                moved = entry_id in found.between and found.between[entry_id].row != version.row
                if not moved or start[0] == end[0]:
                    assert statement(version) == statement(found.last[entry_id])


@QUICK
@given(life=lives, start=pairs, end=pairs)
def test_a_diff_holds_nothing_but_real_differences(life, start, end):
    with lived(life).read("w") as reader:
        found = told(reader, At(*start), At(*end))
    for change in found.made:
        before, after = (found.first, found.between) if change.phase == 1 else (
            found.between, found.last)  # fmt: skip
        assert change.kind in STATELESS or _differs(change, before, after), change


def _differs(change: Change, before: State, after: State) -> bool:
    """Whether a change says what is so: it left, it came, or it says something else."""
    if change.kind is Kind.EXTENDED:
        return change.after is not None and change.after.entry_id in after
    old, new = before.get(change.entry_id), after.get(change.entry_id)
    if change.kind in (Kind.BEGAN, Kind.LEARNED):
        came = new == change.after and change.before is None
        return came and (old is None or old.attributes != new.attributes)
    if change.kind in (Kind.CORRECTED, Kind.CLOSED) and change.after is not None:
        return statement(old) != statement(new) and new == change.after and old == change.before
    left = old == change.before
    return left and (new is None or old.attributes != new.attributes)


@QUICK
@given(life=lives, start=pairs, end=pairs)
def test_a_diff_has_one_order_and_says_each_thing_once(life, start, end):
    with lived(life).read("w") as reader:
        found = told(reader, At(*start), At(*end)).made
        assert told(reader, At(*start), At(*end)).made == found
    places = [(one.phase, one.edge.at, one.entry_id) for one in found]
    assert places == sorted(places)
    lines = [(one.phase, one.kind, one.entry_id, one.before, one.after) for one in found
             if one.kind not in STATELESS | {Kind.EXTENDED}]  # fmt: skip
    assert len(lines) == len({line[:3] for line in lines})


@QUICK
@given(life=lives, start=pairs, end=pairs)
def test_only_what_may_have_moved_is_looked_at_and_it_is_enough(life, start, end):
    with lived(life).read("w") as reader:
        everything = Collected(reader, At(*start), At(*end))
        everything.add([UUID(id_of(ref)) for ref in REFS], both_ways=True)
        assert changes(everything.facts()) == told(reader, At(*start), At(*end)).made


def test_such_lives_show_every_kind_of_change():
    """The properties above would hold of nothing if nothing ever happened."""
    rng = random.Random(7)
    seen: set[Kind] = set()
    for seed in range(400):
        with lived((seed, 16)).read("w") as reader:
            start, end = (At(*(START + rng.randrange(17) * DAY // 2 for _ in "vt")) for _ in "se")
            seen.update(one.kind for one in told(reader, start, end).made)
    assert seen == set(Kind)
