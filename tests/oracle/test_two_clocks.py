"""A brute-force oracle beside the ledgers: sets of instants instead of rectangles.

Time is the integers 0 to 8 (days of January 2000), one microsecond before and after each, so that
edges collide. After every transaction the whole grid of pairs must agree, and nothing that was
answered for an earlier recorded instant may ever change.
"""

import os
import shutil
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from damals.adapters.memory.ledger import MemoryLedger
from damals.adapters.sql.ledger import SqlLedger
from damals.adapters.vault.chunker import MarkdownChunker
from damals.app.ledger_model import At, EntryFilter
from damals.app.record import Request, Tools, record
from damals.domain.errors import Conflict, DamalsError, InvalidInput, NotFound
from damals.domain.instants import DAY, FOREVER, format_instant, from_datetime

EXAMPLES = 2_000 if os.environ.get("DAMALS_TEST_PROFILE") == "nightly" else 60
START = from_datetime(datetime(2000, 1, 1, tzinfo=UTC))
DAYS = range(9)
OPEN = len(DAYS)
GRID = sorted({START + day * DAY + shift for day in DAYS for shift in (-1, 0, 1)})


def at_day(day: int) -> int:
    return FOREVER if day == OPEN else START + day * DAY


def text_of(day: int) -> str | None:
    return None if day == OPEN else format_instant(at_day(day))


def instants(start: int, end: int) -> frozenset[int]:
    return frozenset(v for v in GRID if at_day(start) <= v < at_day(end))


class Refused(Exception):
    def __init__(self, kind: type[DamalsError]) -> None:
        super().__init__(kind.__name__)
        self.kind = kind


@dataclass
class Oracle:
    """What holds when, as sets of instants of the grid, by ref."""

    holds: dict[str, frozenset[int]] = field(default_factory=dict)
    says: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str | None] = field(default_factory=dict)
    cut_by: dict[str, set[str]] = field(default_factory=dict)

    def rivals(self, ref: str, key: str | None) -> list[str]:
        if key is None:
            return []
        return [r for r in self.holds if r != ref and self.keys[r] == key and self.holds[r]]

    def target(self, ref: str) -> frozenset[int]:
        if ref not in self.holds:
            raise Refused(NotFound)
        return self.holds[ref]

    def remember(self, ref: str, span: tuple[int, int], key: str | None, policy: str) -> None:
        start, end = span
        if start >= end:
            raise Refused(InvalidInput)
        period = instants(start, end)
        if ref in self.holds:
            if period <= self.holds[ref] and self.says[ref] == ref and self.keys[ref] == key:
                return
            raise Refused(Conflict)
        rivals = self.rivals(ref, key)
        taken = frozenset().union(*(self.holds[r] for r in rivals))
        if policy == "refuse" and period & taken:
            raise Refused(Conflict)
        if policy == "fill":
            if at_day(start) in taken:
                raise Refused(Conflict)
            later = [v for v in sorted(taken) if v > at_day(start)]
            period = frozenset(v for v in period if not later or v < later[0])
        if policy == "replace":
            for rival in rivals:
                if self.holds[rival] & period:
                    self.holds[rival] -= period
                    self.cut_by.setdefault(rival, set()).add(ref)
        self.holds[ref], self.says[ref], self.keys[ref] = period, ref, key

    def update(self, ref: str, target: str, span: tuple[int, int]) -> None:
        start, end = span
        if start >= end:
            raise Refused(InvalidInput)
        held = self.target(target)
        if not held or ref in self.holds:
            raise Refused(Conflict)
        portion = instants(start, end)
        if not portion <= held or (end == OPEN and GRID[-1] not in held):
            raise Refused(Conflict)
        self.holds[target] = held - portion
        self.cut_by.setdefault(target, set()).add(ref)
        self.holds[ref], self.says[ref], self.keys[ref] = portion, ref, self.keys[target]

    def correct(self, target: str, content: str, span: tuple[int, int] | None) -> None:
        held = self.target(target)
        if span is None:
            if not held:
                raise Refused(Conflict)
        else:
            start, end = span
            if start >= end:
                raise Refused(InvalidInput)
            period = instants(start, end)
            blockers = {*self.rivals(target, self.keys[target]), *self.cut_by.get(target, ())}
            if any(self.holds[b] & period for b in blockers):
                raise Refused(Conflict)
            self.holds[target] = period
        self.says[target] = content

    def end(self, target: str, day: int) -> None:
        held = self.target(target)
        if not held:
            raise Refused(Conflict)
        if at_day(day) < min(held):
            raise Refused(InvalidInput)
        if max(held) != GRID[-1] and at_day(day) > max(held) + 2:
            raise Refused(Conflict)
        self.holds[target] = frozenset(v for v in held if v < at_day(day))

    def retract(self, target: str) -> None:
        self.target(target)
        self.holds[target] = frozenset()

    def state_at(self, v: int) -> dict[str, str]:
        return {ref: self.says[ref] for ref, held in self.holds.items() if v in held}


refs = st.sampled_from("abcde")
days = st.integers(0, OPEN - 1)
ends = st.integers(1, OPEN)
spans = st.tuples(days, ends)
contents = st.sampled_from(["x", "y", "z"])


class TwoClocks(RuleBasedStateMachine):
    """All operations, against a ledger and the oracle at once."""

    open_ledger = staticmethod(MemoryLedger)

    @initialize()
    def begin(self) -> None:
        self.ledger = self.open_ledger()
        self.ledger.create_workspace("w", "UTC", START)
        self.clock = START + 100 * DAY
        self.oracle = Oracle()
        self.past: list[tuple[int, dict[int, dict[str, str]]]] = []

    def attempt(self, params: dict[str, object], told: object) -> None:
        """Do it on both sides: both do it, or both refuse it in the same way."""
        before = {name: dict(getattr(self.oracle, name)) for name in ("holds", "says", "keys")}
        cuts = {ref: set(by) for ref, by in self.oracle.cut_by.items()}
        refused = None
        try:
            told()
        except Refused as refusal:
            refused = refusal.kind
            for name, value in before.items():
                setattr(self.oracle, name, value)
            self.oracle.cut_by = cuts
        tools = Tools(MarkdownChunker(), lambda: self.clock)
        if refused is not None:
            with pytest.raises(refused), self.ledger.write("w") as writer:
                record(writer, tools, Request([params], "test"))
            return
        with self.ledger.write("w") as writer:
            done = record(writer, tools, Request([params], "test"))
        if done.number is not None:
            grid = {v: self.oracle.state_at(v) for v in GRID}
            self.past.append((done.recorded_at, grid))

    @rule(ref=refs, span=spans, key=st.sampled_from([None, "k", "m"]),
          policy=st.sampled_from(["refuse", "replace", "fill"]))  # fmt: skip
    def remember(self, ref, span, key, policy) -> None:
        params = {"op": "remember", "ref": ref, "title": ref, "content": ref, "on_overlap": policy,
                  "valid_from": text_of(span[0]), "valid_to": text_of(span[1])}  # fmt: skip
        if key is not None:
            params["key"] = key
        self.attempt(params, lambda: self.oracle.remember(ref, span, key, policy))

    @rule(ref=refs, old=refs, span=spans)
    def update(self, ref, old, span) -> None:
        params = {"op": "update", "ref": ref, "target": old, "title": ref, "content": ref,
                  "valid_from": text_of(span[0]), "valid_to": text_of(span[1])}  # fmt: skip
        self.attempt(params, lambda: self.oracle.update(ref, old, span))

    @rule(ref=refs, content=contents, span=st.none() | spans)
    def correct(self, ref, content, span) -> None:
        params: dict[str, object] = {"op": "correct", "target": ref, "content": content}
        if span is not None:
            params |= {"valid_from": text_of(span[0]), "valid_to": text_of(span[1])}
        self.attempt(params, lambda: self.oracle.correct(ref, content, span))

    @rule(ref=refs, day=days)
    def end(self, ref, day) -> None:
        params = {"op": "end", "target": ref, "at": text_of(day)}
        self.attempt(params, lambda: self.oracle.end(ref, day))

    @rule(ref=refs)
    def retract(self, ref) -> None:
        self.attempt({"op": "retract", "target": ref}, lambda: self.oracle.retract(ref))

    @rule(step=st.sampled_from([-5 * DAY, -1, 0, 1, DAY]))
    def clock_jumps(self, step) -> None:
        self.clock += step

    @precondition(lambda self: getattr(self, "past", None))
    @invariant()
    def every_pair_answers_as_it_always_did(self) -> None:
        with self.ledger.read("w") as reader:
            for recorded_at, grid in self.past[-3:] + self.past[:1]:
                for v in GRID[::2] if len(self.past) > 3 else GRID:
                    found = reader.list_at(At(v, recorded_at), EntryFilter(limit=None))
                    told = {f.info.external_id: f.version.attributes.content for f in found}
                    assert told == grid[v], (format_instant(v), format_instant(recorded_at))

    @precondition(lambda self: getattr(self, "past", None))
    @invariant()
    def recorded_time_strictly_increases(self) -> None:
        instants_ = [recorded_at for recorded_at, _ in self.past]
        assert all(a < b for a, b in pairwise(instants_))

    def teardown(self) -> None:
        if hasattr(self, "ledger"):
            self.ledger.close()


class TwoClocksOnSqlite(TwoClocks):
    """The same on a file, which is closed and opened again on the way."""

    def open_ledger(self):
        self.path = Path(mkdtemp(prefix="damals-oracle-")) / "ledger.db"
        return SqlLedger(self.path)

    @rule()
    def reopen(self) -> None:
        self.ledger.close()
        self.ledger = SqlLedger(self.path)

    @rule(ref=refs)
    def crash_before_commit(self, ref) -> None:
        """What was not committed never was."""
        tools = Tools(MarkdownChunker(), lambda: self.clock)
        params = {"op": "remember", "ref": f"lost {ref}", "title": ref, "valid_from": None}
        with pytest.raises(KeyboardInterrupt), self.ledger.write("w") as writer:
            record(writer, tools, Request([params], "test"))
            raise KeyboardInterrupt

    def teardown(self) -> None:
        super().teardown()
        if hasattr(self, "path"):
            shutil.rmtree(self.path.parent, ignore_errors=True)


_SETTINGS = settings(
    max_examples=EXAMPLES,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


class TestTwoClocks(TwoClocks.TestCase):
    """In memory."""

    settings = _SETTINGS


class TestTwoClocksOnSqlite(TwoClocksOnSqlite.TestCase):
    """On a file."""

    settings = settings(_SETTINGS, max_examples=max(EXAMPLES // 4, 10))
