"""The state machine: every operation, on a ledger and on the oracle at once.

Time is the first instants of nine months, one microsecond before and after each, the months
themselves as imprecise dates, and unknown bounds; transactions happen at the same instants, so that
edges of both clocks collide.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from oracle_attempt import Attempt, Params
from oracle_checks import nothing_overlaps, pairs_agree, rows_agree, states_agree
from oracle_clocks import Oracle
from oracle_drawing import LAST, MONTHS, Drawing, Operation, params_of, spans, written
from oracle_readings import Readings, edges
from oracle_state import Blurred, Refused, Undecided

from damals.adapters.memory.ledger import MemoryLedger
from damals.adapters.vault.chunker import MarkdownChunker
from damals.app.events import import_events
from damals.app.export import write_events
from damals.app.indexing import silent
from damals.app.ledger_port import Ledger
from damals.app.record import Recorded, Request, Tools, record
from damals.domain.access import OWNER
from damals.domain.errors import Conflict, DamalsError, InvalidInput, NotFound
from damals.domain.instants import BEGINNING, DAY, FOREVER, format_instant

clocks = st.sampled_from([m + shift for m in MONTHS[: LAST + 1] for shift in (0, -1, 1)])


class TwoClocks(RuleBasedStateMachine):
    """All operations, against a ledger and the oracle at once."""

    ASKED: int | None = None
    """How many pairs are asked after a transaction, and how often that at the end; all and 400
    when ``None``. All rows are compared at the end in any case."""

    @initialize(clock=clocks, ranges=spans, slots=st.integers(0, 2), data=st.data())
    def begin(
        self,
        clock: int,
        ranges: list[tuple[int, int]],
        slots: int,
        data: st.DataObject,
    ) -> None:
        self.open()
        self.ledger.create_workspace(self.workspace, "UTC", MONTHS[0] - 400 * DAY)
        self.clock = clock
        self.blurred = False
        self.texts = [written(first, size) for first, size in ranges]
        self.oracle = Oracle(Readings([MONTHS[a : a + size + 1] for a, size in ranges], slots))
        self.logged: list[list[str]] = []
        for _ in range(2):
            self.transact([{"op": "remember", **self.drawing(data).remember()}])

    def open(self) -> None:
        self.ledger: Ledger = MemoryLedger()
        self.workspace = "w"

    # One transaction on both sides.

    @property
    def now(self) -> int:
        last = self.oracle.state.recorded_at if self.oracle.past else BEGINNING
        return max(self.clock, last + 1)

    def transact(self, operations: Sequence[Operation], recorded_at: int | None = None) -> None:
        if not self.blurred:
            with self.blurring():
                self._transact(operations, recorded_at)

    @contextmanager
    def blurring(self) -> Iterator[None]:
        try:
            yield
        except Blurred:
            self.blurred = True

    def _transact(self, operations: Sequence[Operation], recorded_at: int | None = None) -> None:
        now = self.now if recorded_at is None else recorded_at
        note(f"{format_instant(now)}: {operations}")
        trial, refusal = self.oracle.trial(now), None
        try:
            self.oracle.run(trial, operations)
        except Undecided:
            return
        except Refused as refused:
            refusal = refused
        try:
            done = self.write(operations, recorded_at)
        except DamalsError as error:
            if error.key not in trial.may:
                assert refusal is not None, (error.key, error)
                # What a workspace does not know by this name, another one may.
                elsewhere = error.key == "relation.elsewhere" and NotFound in refusal.kinds
                assert elsewhere or isinstance(error, refusal.kinds), (error.key, error)
            return
        assert refusal is None, refusal
        self.compare(operations, trial, done)

    def write(self, operations: Sequence[Params], recorded_at: int | None = None) -> Recorded:
        tools = Tools(MarkdownChunker(), lambda: self.clock)
        params = [params_of(one) for one in operations]
        with self.ledger.write(self.workspace) as writer:
            return record(writer, tools, Request(params, "test", recorded_at=recorded_at))

    def compare(self, operations: Sequence[Params], trial: Attempt, done: Recorded) -> None:
        assert [one.unchanged for one in done.outcomes] == trial.unchanged
        same = trial.state.knows(self.oracle.state)
        if done.number is None:
            assert same
            assert all(trial.unchanged)
            return
        assert not (same and all(trial.unchanged)), "what changes nothing stores nothing"
        assert (done.number, done.recorded_at) == (trial.number, trial.now)
        for params, outcome in zip(operations, done.outcomes, strict=True):
            if params["op"] in {"remember", "update"}:
                for name in [n for n in trial.state.entries if n not in trial.state.ids]:
                    if trial.state.entries[name].ref == params["ref"]:
                        trial.state.ids[name] = outcome.entry_id
                        break
        self.oracle.commit(trial)
        self.logged.append([str(one["op"]) for one in operations])
        self.check_latest()

    def drawing(self, data: st.DataObject, now: int | None = None) -> Drawing:
        now = self.now if now is None else now

        def choose(options: Sequence[object]) -> object:
            return options[data.draw(st.sampled_from(range(len(options))))]

        return Drawing(choose, self.oracle, self.texts, now, self.last_transaction)

    def last_transaction(self, ref: str | None) -> int:
        with self.ledger.read(self.workspace) as reader:
            if ref is None:
                return reader.head().number
            info = reader.find_entry(ref)
            return 0 if info is None else info.last_transaction

    # The rules: operations, and what else happens to a ledger.

    @rule(data=st.data())
    def one(self, data: st.DataObject) -> None:
        self.transact([self.drawing(data).operation()])

    @rule(data=st.data())
    def another(self, data: st.DataObject) -> None:
        self.transact([self.drawing(data).operation()])

    @rule(data=st.data())
    def one_more(self, data: st.DataObject) -> None:
        self.transact([self.drawing(data).operation()])

    @rule(data=st.data(), count=st.integers(2, 4))
    def several_at_once(self, data: st.DataObject, count: int) -> None:
        drawing = self.drawing(data)
        self.transact([drawing.operation() for _ in range(count)])

    @rule(data=st.data())
    def gone_at_once(self, data: st.DataObject) -> None:
        self.transact(self.drawing(data).gone_at_once())

    @rule(data=st.data(), reverted=st.integers(0, 2))
    def given_back(self, data: st.DataObject, reverted: int) -> None:
        """A cut is taken back after more was said of what it cut, or unsaid, or said again."""
        found = self.drawing(data).cut()
        if found is None:
            return
        winner, loser = found
        self.transact([self.drawing(data).said_of(loser)])
        for _ in range(reverted):
            self.transact([{"op": "revert", "transaction": len(self.oracle.past)}])
        self.transact([{"op": "retract", "target": winner, "restore": True}])

    @rule(jump=clocks | st.sampled_from([-DAY, -1, 1, DAY]))
    def clock_jumps(self, jump: int) -> None:
        """To an instant, or by a step; back or forward."""
        self.clock = jump if jump > DAY else self.clock + jump

    @precondition(lambda self: self.clock > self.oracle.state.recorded_at)
    @rule(data=st.data(), wait=st.sampled_from([1, 2, DAY]))
    def replayed(self, data: st.DataObject, wait: int) -> None:
        recorded_at = min(max(self.oracle.state.recorded_at, MONTHS[0]) + wait, self.clock)
        if recorded_at > self.oracle.state.recorded_at:
            self.transact([self.drawing(data, recorded_at).operation()], recorded_at)

    @rule(back=st.sampled_from([0, 1, DAY]), ahead=st.booleans())
    def replayed_at_the_wrong_time(self, back: int, *, ahead: bool) -> None:
        last = self.oracle.state.recorded_at
        recorded_at = self.clock + 1 + back if ahead else max(last, MONTHS[0]) - back
        if ahead or recorded_at <= min(last, self.clock):
            kind = InvalidInput if ahead else Conflict
            with pytest.raises(kind):
                self.write([{"op": "remember", "ref": "lost", "content": ""}], recorded_at)

    @rule(data=st.data())
    def crash_before_commit(self, data: st.DataObject) -> None:
        """What was not committed never was."""
        tools = Tools(MarkdownChunker(), lambda: self.clock)
        request = Request([params_of(self.drawing(data).operation())], "test")
        with suppress(KeyboardInterrupt, DamalsError), self.ledger.write(self.workspace) as writer:
            record(writer, tools, request)
            raise KeyboardInterrupt
        self.check_latest()

    # What must hold.

    def check_latest(self) -> None:
        """What the last transaction changed, and one thing that was asked before."""
        if not self.oracle.past or self.blurred:
            return
        pairs = self.latest_pairs()
        with self.ledger.read(self.workspace) as reader:
            pairs_agree(reader, self.oracle, pairs)
            states_agree(reader, self.oracle, pairs[-self.ASKED :] if self.ASKED else pairs)

    def latest_pairs(self) -> list[tuple[int, int]]:
        states = self.oracle.past
        then, now = (states[-2] if len(states) > 1 else None), states[-1]
        changed = {now.recorded_at}
        for name, entry in now.entries.items():
            before = then.entries.get(name) if then else None
            if entry != before:
                changed |= edges(entry.rects) | edges(before.rects if before else ())
        points = _points(changed)
        earlier = states[len(points) % len(states)]
        every = max(1, len(points) // self.ASKED) if self.ASKED else 1
        return [(v, now.recorded_at) for v in points[::every]] + [(points[0], earlier.recorded_at)]

    @precondition(lambda self: len(getattr(self, "oracle", Oracle(Readings())).past) > 1)
    @invariant()
    def recorded_time_strictly_increases(self) -> None:
        assert all(a.recorded_at < b.recorded_at for a, b in pairwise(self.oracle.past))

    def check_everything(self, ledger: Ledger, workspace: str) -> None:
        """Every pair of instants, and the log."""
        times = [state.recorded_at for state in self.oracle.past]
        with ledger.read(workspace) as reader:
            log = [[one.kind for one in stored.operations] for stored in reader.log()]
            assert log == self.logged
            assert [stored.recorded_at for stored in reader.log()] == times
            rows_agree(reader, self.oracle)
            nothing_overlaps(reader, self.oracle)
            grid = self.grid()
            grid = grid[:: max(1, len(grid) // (4 * self.ASKED if self.ASKED else 400))]
            pairs_agree(reader, self.oracle, grid)
            states_agree(reader, self.oracle, grid[::3])

    def grid(self) -> list[tuple[int, int]]:
        """Every pair of instants at which an answer may change."""
        instants = _points(self.oracle.edges())
        return [(v, state.recorded_at) for state in self.oracle.past for v in instants]

    def exported_and_imported(self) -> None:
        """Another ledger that replays the export gives the same answers."""
        with TemporaryDirectory(prefix="damals-oracle-") as folder:
            path = Path(folder) / "events.jsonl"
            with self.ledger.read(self.workspace) as reader:
                write_events(reader, path)
            other = MemoryLedger()
            other.create_workspace("other", "UTC", MONTHS[0])
            tools = Tools(MarkdownChunker(), lambda: MONTHS[-1] + 4_000 * DAY)
            with other.write("other") as writer:
                import_events(writer, tools, path, silent, OWNER)
            self.check_everything(other, "other")
            assert all(json.loads(line) for line in path.read_text("utf-8").splitlines())

    def teardown(self) -> None:
        if hasattr(self, "oracle"):
            if self.oracle.past and not self.blurred:
                with self.blurring():
                    self.check_everything(self.ledger, self.workspace)
                    self.exported_and_imported()
            self.close()

    def close(self) -> None:
        self.ledger.close()


def _points(edges_: Iterable[int]) -> list[int]:
    """Both sides of every edge, in the years that can be asked for."""
    sides = {edge + shift for edge in edges_ for shift in (-1, 0)}
    return sorted(v for v in sides if BEGINNING < v < FOREVER)
