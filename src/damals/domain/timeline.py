"""The timeline of some entries: what happened to them, one event after the other, on both clocks.

On valid time entries begin and end, as far as that is known. On recorded time knowledge of them
moves: each transaction that changed what was known of an entry is one event. Kinds are those of
:mod:`damals.domain.diff`; unlike there nothing is net, so what was taken back later is told too.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal
from uuid import UUID

from damals.domain.diff import Kind
from damals.domain.diff_rows import Edge, Pair, Rows, closed, known, opened
from damals.domain.entries import Relation, Version
from damals.domain.operations import CONTRADICTS
from damals.domain.periods import BoundKind, Period

Clock = Literal["valid", "known"]

_PLACES: Final = {kind: place for place, kind in enumerate(Kind)}
_LEADS_TO: Final = frozenset({Kind.SUPERSEDED, Kind.REVISED, Kind.EXTENDED})
"""Kinds that already say of the other entry that it is there now."""

_ENDING: Final = frozenset({"end", "resolve"})


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened.

    Attributes:
        clock: on which it happened.
        at: when, on that clock.
        version: what it is about, as it was behind the event, else as it was before.
        edge: the transaction that told it.
        pair: where what it led to can be seen.
        relation: type of the relation behind it.
        other_id: the entry at the other end of that relation.
    """

    kind: Kind
    clock: Clock
    at: int
    version: Version
    edge: Edge
    pair: Pair
    relation: str | None = None
    other_id: UUID | None = None

    @property
    def entry_id(self) -> UUID:
        """The entry it is about."""
        return self.version.entry_id

    def done_by(self, operation: str | None) -> "Event":
        """The same once the kind of its operation is known: an end that left nothing."""
        vague = self.kind is Kind.RETRACTED and operation in _ENDING
        return replace(self, kind=Kind.CLOSED) if vague else self


def events(rows: Rows, members: Collection[UUID], known_at: int) -> list[Event]:
    """All events of some entries that were known by an instant, in order.

    Args:
        rows: all that was known of them at any instant up to that one.
        members: the entries.
        known_at: recorded instant.
    """
    telling = _Telling(rows, frozenset(members), known_at)
    found = [*telling.world(), *telling.knowledge()]
    return sorted(found, key=_place)


def _place(event: Event) -> tuple[object, ...]:
    """At one instant the world comes first, and in it what ended."""
    if event.clock == "valid":
        return (event.at, 0, event.kind is Kind.BEGAN, event.entry_id, event.edge.number)
    return (event.at, 1, event.edge.number, event.entry_id, _PLACES[event.kind])


class _Telling:
    """Rows by entry, and the events that they tell of."""

    def __init__(self, rows: Rows, members: frozenset[UUID], known_at: int) -> None:
        self._rows = rows
        self._members = members
        self._known_at = known_at
        self._versions: dict[UUID, list[Version]] = {}
        for one in sorted(rows.versions, key=lambda one: (one.recorded_from, one.row)):
            if one.entry_id in members and one.recorded_from <= known_at:
                self._versions.setdefault(one.entry_id, []).append(one)
        self._cuts = [one for one in rows.relations if one.cuts and self._told(one)]

    def _told(self, row: Relation) -> bool:
        return row.recorded_from <= self._known_at and not row.unresolved

    # --- what happened in the world

    def world(self) -> Iterator[Event]:
        """What began and what ended, as it is known in the end."""
        for versions in self._versions.values():
            now = [one for one in versions if known(one, self._known_at)]
            now.sort(key=lambda one: (one.period.start.earliest, one.row))
            for place, one in enumerate(now):
                before = now[place - 1] if place else None
                after = now[place + 1] if place + 1 < len(now) else None
                if before is None or not _goes_on(before, one):
                    yield from self._began(one)
                if after is None or not _goes_on(one, after):
                    yield from self._ended(one)

    def _began(self, one: Version) -> Iterator[Event]:
        if one.period.start.kind is BoundKind.UNKNOWN:
            return
        at = one.period.start.earliest
        cut = self._cut(at, lambda row: row.src_id == one.entry_id)
        yield self._happened(Kind.BEGAN, at, one, cut, cut.dst_id if cut else None)

    def _ended(self, one: Version) -> Iterator[Event]:
        end = one.period.end
        if end.kind is BoundKind.OPEN:
            return
        # Of an end that nobody knows the last instant it may be is all that there is to tell.
        at = end.latest if end.kind is BoundKind.UNKNOWN else end.earliest
        cut = self._cut(at, lambda row: row.dst_id == one.entry_id)
        yield self._happened(Kind.ENDED, at, one, cut, cut.src_id if cut else None)

    def _cut(self, at: int, side: Callable[[Relation], bool]) -> Relation | None:
        cuts = (one for one in self._cuts if side(one) and known(one, self._known_at))
        return next((one for one in cuts if one.period.possible_at(at)), None)

    def _happened(
        self, kind: Kind, at: int, one: Version, cut: Relation | None, other: UUID | None
    ) -> Event:
        relation = cut.relation if cut else None
        pair = Pair(at, self._known_at)
        return Event(kind, "valid", at, one, opened(one), pair, relation, other)

    # --- what became known of it

    def knowledge(self) -> Iterator[Event]:
        """Each change of what was known, unless another event of it says the same."""
        found = [*self._moved(), *self._marked(), *self._related()]
        told = {(one.edge.number, one.other_id) for one in found if one.kind in _LEADS_TO}
        told |= {(one.edge.number, one.entry_id) for one in found if one.kind is Kind.EXTENDED}
        for one in found:
            if one.kind is not Kind.LEARNED or (one.edge.number, one.entry_id) not in told:
                yield one

    def _moved(self) -> Iterator[Event]:
        """How the versions of each entry moved, from transaction to transaction."""
        for versions in self._versions.values():
            standing: dict[int, Version] = {}
            for edge, gone, come in self._edges(versions):
                before = list(standing.values())
                for one in gone:
                    standing.pop(one.row, None)
                standing |= {one.row: one for one in come}
                after = list(standing.values())
                if _same(before, after):
                    continue
                yield self._turn(edge, before, after)

    def _edges(
        self, versions: Sequence[Version]
    ) -> Iterator[tuple[Edge, list[Version], list[Version]]]:
        """The transactions that ended or opened versions of an entry, in order."""
        edges: dict[int, tuple[Edge, list[Version], list[Version]]] = {}
        for one in versions:
            edge = opened(one)
            edges.setdefault(edge.number, (edge, [], []))[2].append(one)
            if one.recorded_to <= self._known_at:
                end = closed(one)
                edges.setdefault(end.number, (end, [], []))[1].append(one)
        for number in sorted(edges):
            yield edges[number]

    def _turn(self, edge: Edge, before: list[Version], after: list[Version]) -> Event:
        held = _last(after or before)
        if not before:
            return self._learned(Kind.LEARNED, edge, held)
        cuts = (c for c in self._cuts if c.dst_id == held.entry_id and c.opened_by == edge.number)
        cut = next(cuts, None)
        if cut is not None:
            kind = Kind.REVISED if cut.relation == "revises" else Kind.SUPERSEDED
            found = self._learned(kind, edge, held, nearest(cut.period, edge.at))
            return replace(found, relation=cut.relation, other_id=cut.src_id)
        if not after:
            return self._learned(Kind.RETRACTED, edge, held)
        was = _last(before)
        if _only_ended(was, held):
            gone_at = max(edge.at, held.period.end.latest)
            seen_at = min(gone_at, was.period.end.latest - 1)
            return self._learned(Kind.CLOSED, edge, held, seen_at)
        return self._learned(Kind.CORRECTED, edge, held)

    def _marked(self) -> Iterator[Event]:
        """What was verified and archived."""
        for kind, rows in (
            (Kind.VERIFIED, self._rows.verifications),
            (Kind.ARCHIVED, self._rows.archivings),
        ):
            for row in rows:
                held = self._held(row.entry_id, row.recorded_from)
                if held is not None and row.recorded_from <= self._known_at:
                    yield self._learned(kind, opened(row), held)

    def _related(self) -> Iterator[Event]:
        """What was extended, contradicted and decided."""
        before: dict[UUID, Relation] = {}
        for row in sorted(self._rows.relations, key=lambda row: (row.recorded_from, row.row)):
            if not self._told(row) or row.relation not in ("extends", CONTRADICTS):
                continue
            kind = _stated(row, before.get(row.id))
            before[row.id] = row
            for entry_id, other in ((row.src_id, row.dst_id), (row.dst_id, row.src_id)):
                held = self._held(entry_id, row.recorded_from)
                if kind is not None and held is not None:
                    found = self._learned(kind, opened(row), held)
                    yield replace(found, relation=row.relation, other_id=other)
                    break

    def _held(self, entry_id: UUID, at: int) -> Version | None:
        """The version of an entry that was known then, else the last one before."""
        versions = [v for v in self._versions.get(entry_id, ()) if v.recorded_from <= at]
        current = [one for one in versions if known(one, at)]
        return _last(current or versions) if versions else None

    def _learned(self, kind: Kind, edge: Edge, held: Version, seen_at: int | None = None) -> Event:
        if seen_at is None:
            seen_at = nearest(held.period, edge.at)
        return Event(kind, "known", edge.at, held, edge, Pair(seen_at, edge.at))


def nearest(period: Period, at: int) -> int:
    """The instant of a period that is nearest to another."""
    if period.possible_at(at):
        return at
    if at < period.start.earliest:
        return period.start.latest if period.possible_at(period.start.latest) else period.inside
    return period.end.latest - 1


def _goes_on(before: Version, after: Version) -> bool:
    return before.attributes == after.attributes and after.period.continues(before.period)


def _last(versions: Iterable[Version]) -> Version:
    return max(versions, key=lambda one: (one.period.end.latest, one.row))


def _same(before: Sequence[Version], after: Sequence[Version]) -> bool:
    """Whether the same is said of the same periods."""
    return _said(before) == _said(after)


def _said(versions: Sequence[Version]) -> Mapping[object, object]:
    return {(one.period.identity, one.period.marks): one.attributes for one in versions}


def _only_ended(was: Version, held: Version) -> bool:
    """Whether nothing but an earlier end became known."""
    if was.attributes != held.attributes or held.period.end.kind is BoundKind.OPEN:
        return False
    return held.period.end.latest < was.period.end.latest


def _stated(row: Relation, before: Relation | None) -> Kind | None:
    """What a row of a relation says that the one before it did not."""
    if row.relation == "extends":
        return Kind.EXTENDED if before is None else None
    was_open = before is not None and _is_open(before)
    if _is_open(row):
        return None if was_open else Kind.CONTRADICTED
    return Kind.RESOLVED if before is None or was_open else None


def _is_open(relation: Relation) -> bool:
    return relation.resolution in (None, "required")
