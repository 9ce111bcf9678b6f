"""Carrying out the rules of ``types.yaml`` that add edges to those that are said.

What the rules give now is compared with what they gave before; only the difference is recorded.
The whole workspace is looked at, whoever asks: what somebody does not see is as true as the rest.
What nobody may conclude from what they see is left out by the rules themselves.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final
from uuid import UUID

from damals.app.floors_model import DERIVED, stricter
from damals.app.graph_results import DeriveReport, RuleCount
from damals.app.ledger_port import LedgerReader, LedgerWriter
from damals.app.record import Request, Tools, record
from damals.app.standing_model import StandingEntry
from damals.domain.derived_parts import Part, written
from damals.domain.deriving import Derived, Edge, Key, derived
from damals.domain.entries import Relation
from damals.domain.params import Params
from damals.domain.periods import Period
from damals.domain.types import TypeCatalogue

REASON: Final = "derive"
QUOTED: Final = "quoted"
_BATCH: Final = 1_000
"""Edges a transaction: others who want to write wait for no more than one."""

Standing = Mapping[Key, tuple[Part, ...]]


@dataclass(frozen=True)
class Outlook:
    """What the rules give, and what they gave before.

    Attributes:
        given: by now.
        standing: as it is recorded.
        turned: what was recorded of a relation that has become symmetric since, or is so no longer.
    """

    given: Derived
    standing: Standing
    turned: frozenset[Key] = frozenset()

    @cached_property
    def changed(self) -> list[Key]:
        """The edges that are to be recorded otherwise."""
        keys = sorted({*self.given, *self.standing})
        return [key for key in keys if key in self.turned or self._differs(key)]

    def ended(self, key: Key) -> list[list[str] | None]:
        """What the parts of an edge follow from that end, each once."""
        stays = frozenset[object]() if key in self.turned else _said(self.given, key)
        gone = {one.premises for one in self.standing.get(key, ()) if one.said not in stays}
        known = sorted(one for one in gone if one is not None)
        return [[str(i) for i in one] for one in known] + [None] * (None in gone)

    def _differs(self, key: Key) -> bool:
        return _said(self.given, key) != _said(self.standing, key)


def _said(edges: Standing, key: Key) -> frozenset[tuple[object, ...]]:
    return frozenset(part.said for part in edges.get(key, ()))


def outlook(reader: LedgerReader, types: TypeCatalogue) -> Outlook:
    """What the rules give in a workspace by now.

    Raises:
        InvalidInput: ``derive.too_many``.
    """
    entries = reader.standing_entries()
    telling = _telling(types)
    edges: list[Edge] = []
    standing: dict[Key, list[Part]] = {}
    turned: set[Key] = set()
    for row in reader.standing_relations():
        if row.derived and row.rule is not None:
            key = (row.src_id, row.relation, row.dst_id, row.rule)
            part = Part(row.period, row.confidence, row.evidence, row.premises)
            standing.setdefault(key, []).append(part)
            known = types.relations.get(row.relation)
            if known and known.symmetric is not row.symmetric:
                turned.add(key)
        elif not row.derived and row.relation in telling:
            edges += _edge(row, entries)
    edges.sort(key=lambda one: (one.src, one.relation, one.dst, one.evidence))
    reserves = {entry_id: one.reserve for entry_id, one in entries.items()}
    given = derived(edges, types, reserves)
    recorded = {key: tuple(parts) for key, parts in standing.items()}
    return Outlook(given, recorded, frozenset(turned))


def _telling(types: TypeCatalogue) -> frozenset[str]:
    """The relations that rules look at, and those that they give."""
    found: set[str] = set()
    for rule in types.derive:
        for name in rule.of:
            known = types.relations.get(name)
            given = known.inverse if known and rule.rule == "inverse" else rule.gives
            found |= {name, given} if given else {name}
    return frozenset(found)


def _edge(row: Relation, entries: Mapping[UUID, StandingEntry]) -> Iterator[Edge]:
    """A relation where its source holds; nothing of what is archived, erased or taken back."""
    src = entries.get(row.src_id)
    if src is None or row.dst_id not in entries or row.src_id == row.dst_id:
        return
    periods = tuple(_both(row.period, src.periods))
    if periods:
        yield Edge(
            row.src_id,
            row.relation,
            row.dst_id,
            periods,
            row.confidence,
            row.evidence,
            QUOTED in row.flags,
        )


def _both(period: Period, held: Iterable[Period]) -> Iterator[Period]:
    return (period.common(one) for one in held if period.overlaps(one))


@dataclass(frozen=True, slots=True)
class Wanted:
    """Deriving as it was asked for.

    Attributes:
        types: in force in the workspace.
        actor: who asked.
    """

    types: TypeCatalogue
    actor: str


def would(reader: LedgerReader, types: TypeCatalogue) -> DeriveReport:
    """What deriving would do."""
    found = outlook(reader, types)
    return _report(found, found.changed, (), dry_run=True)


class Course:
    """Deriving in steps: what follows is worked out while others may write, and recorded in turns.

    A step that finds the ledger as it was looked at records some edges; each of them stands for
    itself, so whatever comes between two steps leaves nothing half done.
    """

    def __init__(self, tools: Tools, wanted: Wanted) -> None:
        """Nothing is looked at yet.

        Args:
            tools: of the home, whose types they know.
            wanted: how.
        """
        self._tools = tools
        self._wanted = wanted
        self._found = Outlook({}, {})
        self._left: list[Key] = []
        self._number = -1
        self._done: list[Key] = []
        self._numbers: list[int] = []

    def look(self, reader: LedgerReader) -> None:
        """Work out what follows by now.

        Args:
            reader: of the owner: what is derived follows from everything.

        Raises:
            InvalidInput: ``derive.too_many``.
        """
        self._number = reader.head().number
        self._found = outlook(reader, self._wanted.types)
        self._left = self._found.changed

    def fits(self, writer: LedgerWriter) -> bool:
        """Whether nothing was recorded since it was looked at."""
        return writer.head().number == self._number

    def step(self, writer: LedgerWriter) -> bool:
        """Record a part of what is new, and of what is no more; whether anything is left."""
        types = self._wanted.types
        # Rules of one vault may look at relations of another one, which asks more of readers.
        home = self._tools.types() if self._tools.types else types
        writer.put_floors(DERIVED, stricter(types, home))
        keys, self._left = self._left[:_BATCH], self._left[_BATCH:]
        if keys:
            operations = [_operation(key, self._found) for key in keys]
            request = Request(operations, self._wanted.actor, REASON)
            recorded = record(writer, replace(self._tools, types=lambda: types), request)
            self._done += keys
            self._numbers += [] if recorded.number is None else [recorded.number]
            self._number = writer.head().number
        return bool(self._left)

    def report(self) -> DeriveReport:
        """What was done in all."""
        return _report(self._found, self._done, self._numbers, dry_run=False)


def derive(writer: LedgerWriter, tools: Tools, wanted: Wanted) -> DeriveReport:
    """Record, in one write, what the rules give by now, and end what they give no longer.

    When nothing is to be recorded, nothing is.
    """
    course = Course(tools, wanted)
    course.look(writer)
    while course.step(writer):
        pass
    return course.report()


def _operation(key: Key, found: Outlook) -> Params:
    src, relation, dst, rule = key
    # Of parts that may hold at the same instant the surest is seen, which is recorded last.
    parts = [written(part) for part in reversed(found.given.get(key, ()))]
    return {
        "op": "derive",
        "src": str(src),
        "type": relation,
        "dst": str(dst),
        "rule": rule,
        "parts": parts,
        "ended": found.ended(key),
    }


def _report(
    found: Outlook, changed: Sequence[Key], numbers: Sequence[int], *, dry_run: bool
) -> DeriveReport:
    added = [key for key in changed if key in found.given]
    ended = [key for key in changed if key not in found.given]
    counts = [Counter(rule for *_, rule in keys) for keys in (found.given, added, ended)]
    names = dict.fromkeys(rule for one in counts for rule in one)
    rules = tuple(RuleCount(name, *(one[name] for one in counts)) for name in sorted(names))
    return DeriveReport(
        rules=rules,
        added=len(added),
        ended=len(ended),
        unchanged=len(found.given.keys() - {*added}),
        transaction=numbers[-1] if numbers else None,
        transactions=tuple(numbers),
        dry_run=dry_run,
        seconds=0.0,
    )
