"""What changed between two pairs of instants: a list of changes that leads from one to the other.

The way from ``(v1, t1)`` to ``(v2, t2)`` has two phases. First the world moves from ``v1`` to
``v2`` under what was known at ``t1``: entries begin and end. Then, at ``v2``, knowledge moves from
``t1`` to ``t2``: entries are learned, corrected, superseded and so on. Each change is a *net*
change of its phase: what came and went in between is none, and an entry that merely stands in
another of its rectangles has not changed.

Both ways may lead backwards. The kinds are named by the same rules, as if the way were the one of
time: what is held at the first pair and not at the second one ``ended`` in the first phase, and
in the second one it was ``retracted`` (nothing of it is known there), ``closed`` or ``corrected``;
what is held at the second pair only ``began`` or was ``learned``. Nothing is ``verified`` or
``erased`` backwards.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, Literal
from uuid import UUID

from damals.domain.diff_rows import Edge, Pair, Rows, Story, closed, opened
from damals.domain.entries import Archiving, Relation, Verification, Version
from damals.domain.periods import Bound, BoundKind

State = Mapping[UUID, Version]
"""What is listed at a pair of instants: of each entry the best version, nothing archived."""


class Kind(StrEnum):
    """What a change is, in the order in which changes of one instant and entry stand."""

    BEGAN = "began"
    ENDED = "ended"
    LEARNED = "learned"
    CORRECTED = "corrected"
    SUPERSEDED = "superseded"
    REVISED = "revised"
    EXTENDED = "extended"
    CONTRADICTED = "contradicted"
    RESOLVED = "resolved"
    RETRACTED = "retracted"
    CLOSED = "closed"
    VERIFIED = "verified"
    ARCHIVED = "archived"
    ERASED = "erased"


_PLACES: Final = {kind: place for place, kind in enumerate(Kind)}
_STANDS_IN: Final = frozenset({Kind.SUPERSEDED, Kind.REVISED, Kind.EXTENDED})
"""Kinds that already say of the entry behind them that it is there now."""

_ENDING: Final = frozenset({"end", "resolve"})
"""Operations whose trace is an end, also where nothing was left."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change.

    Attributes:
        phase: 1 when the world moved, 2 when knowledge did.
        entry_id: the entry it is about.
        before, after: what it was and what it is; for ``superseded`` and ``revised`` the old entry
            and the one in its place, for ``extended`` the extended and the extending entry, for
            ``contradicted`` and ``resolved`` the two that contradict each other.
        edge: when, and by which transaction.
        relation: type of the relation that is behind it.
    """

    kind: Kind
    phase: Literal[1, 2]
    entry_id: UUID
    before: Version | None
    after: Version | None
    edge: Edge
    relation: str | None = None

    def done_by(self, operation: str | None) -> "Change":
        """The same change once the kind of its operation is known.

        An end that left nothing looks like a retraction from outside, and so does one that took
        all that stood behind an earlier cut.
        """
        vague = self.kind in (Kind.RETRACTED, Kind.CORRECTED) and self.after is None
        return replace(self, kind=Kind.CLOSED) if vague and operation in _ENDING else self


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that the changes follow from.

    Attributes:
        start, end: the pairs.
        first, between, last: the best version of entries at ``(v1, t1)``, ``(v2, t1)`` and
            ``(v2, t2)``, also where they are archived.
        rows: what was known of them at any instant from ``t1`` to ``t2``.
        erased: entries that were erased behind ``t1``, up to ``t2``.
    """

    start: Pair
    end: Pair
    first: State
    between: State
    last: State
    rows: Rows
    erased: Mapping[UUID, Edge] = field(default_factory=dict[UUID, Edge])


def changes(facts: Facts) -> list[Change]:
    """All changes, by phase, instant and entry."""
    story = Story(facts.rows, facts.start, facts.end)
    first = _listed(facts.first, story, facts.start)
    between = _listed(facts.between, story, story.between)
    last = _listed(facts.last, story, facts.end)
    knowledge = _Knowledge(story, facts, between, last)
    found = [*_world(story, facts, first, between), *knowledge.changes()]
    return sorted(found, key=_place)


def apply(state: State, made: Iterable[Change]) -> dict[UUID, Version]:
    """The state that changes lead to; the inverse of :func:`changes`.

    An entry that stands in another of its rectangles at the end, and says the same there, keeps
    the one it had.
    """
    result = dict(state)
    for change in made:
        if change.kind in (Kind.CONTRADICTED, Kind.RESOLVED, Kind.VERIFIED, Kind.ERASED):
            continue
        if change.kind is not Kind.EXTENDED:
            result.pop(change.entry_id, None)
        if change.after is not None:
            result[change.after.entry_id] = change.after
    return result


def _place(change: Change) -> tuple[object, ...]:
    after = change.after.entry_id.int if change.after else -1
    return (change.phase, change.edge.at, change.entry_id, _PLACES[change.kind], after)


def _listed(held: State, story: Story, pair: Pair) -> State:
    return {i: version for i, version in held.items() if story.archiving(i, pair) is None}


def _world(story: Story, facts: Facts, first: State, between: State) -> Iterator[Change]:
    """What began and what ended under the old knowledge."""
    forward = facts.start.as_of <= facts.end.as_of
    for entry_id in first.keys() | between.keys():
        old, new = first.get(entry_id), between.get(entry_id)
        if old is not None and new is not None and old.attributes == new.attributes:
            continue
        if old is not None:
            yield _ended(story, old, facts.between, forward=forward)
        if new is not None:
            yield _began(story, new, first, facts.first, forward=forward)


def _ended(story: Story, old: Version, held: State, *, forward: bool) -> Change:
    archiving = story.archiving(old.entry_id, story.between)
    if archiving is not None and old.entry_id in held:
        return Change(Kind.ARCHIVED, 1, old.entry_id, old, None, opened(archiving))
    edge = replace(opened(old), at=_instant(old.period.end if forward else old.period.start))
    cut = next(iter(story.cuts_of(old.entry_id, story.between)), None)
    relation = cut.relation if cut else None
    return Change(Kind.ENDED, 1, old.entry_id, old, None, edge, relation)


def _began(story: Story, new: Version, first: State, held: State, *, forward: bool) -> Change:
    archiving = story.archiving(new.entry_id, story.start)
    if archiving is not None and new.entry_id in held:
        return Change(Kind.BEGAN, 1, new.entry_id, None, new, opened(archiving))
    edge = replace(opened(new), at=_instant(new.period.start if forward else new.period.end))
    cuts = (cut for cut in story.cuts_by(new.entry_id, story.between) if cut.dst_id in first)
    relation = next((cut.relation for cut in cuts), None)
    return Change(Kind.BEGAN, 1, new.entry_id, None, new, edge, relation)


def _instant(bound: Bound) -> int:
    """The first instant a bound may be; of one that nobody knows, the last."""
    return bound.latest if bound.kind is BoundKind.UNKNOWN else bound.earliest


@dataclass(frozen=True, slots=True)
class _Knowledge:
    """The second phase: what became known of the world at its end."""

    story: Story
    facts: Facts
    between: State
    last: State

    def changes(self) -> list[Change]:
        found = [
            change
            for entry_id in self.between.keys() | self.last.keys()
            for change in self._of(entry_id)
        ]
        found.extend(self._extended())
        found.extend(self._contradictions())
        found.extend(self._erased())
        told = {c.after.entry_id for c in found if c.kind in _STANDS_IN and c.after}
        return [c for c in found if c.kind is not Kind.LEARNED or c.entry_id not in told]

    def _of(self, entry_id: UUID) -> Iterator[Change]:
        old, new = self.between.get(entry_id), self.last.get(entry_id)
        if old is None and new is not None:
            yield Change(Kind.LEARNED, 2, entry_id, None, new, self._appearance(new))
        if old is not None and new is None:
            yield self._gone(old)
        if old is None or new is None:
            return
        if not _same(old, new):
            yield self._corrected(old, new)
        verification = self._verification(entry_id)
        if verification is not None:
            yield Change(Kind.VERIFIED, 2, entry_id, old, new, opened(verification))

    def _appearance(self, new: Version) -> Edge:
        """Since when an entry that was not there is there."""
        archiving = self.story.archiving(new.entry_id, self.story.between)
        if archiving is not None and new.entry_id in self.facts.between:
            return self._unarchived(archiving)
        return self.story.appearance(new.entry_id)

    def _unarchived(self, archiving: Archiving) -> Edge:
        return closed(archiving) if self.story.forward else opened(archiving)

    def _gone(self, old: Version) -> Change:
        """Why an entry that was there is not there any more."""
        entry_id = old.entry_id
        archiving = self.story.archiving(entry_id, self.facts.end)
        if archiving is not None and entry_id in self.facts.last:
            return Change(Kind.ARCHIVED, 2, entry_id, old, None, opened(archiving))
        cut = self.story.new_cut(entry_id)
        if cut is not None:
            after = self._successor(entry_id, {entry_id})
            kind = Kind.REVISED if cut.relation == "revises" else Kind.SUPERSEDED
            return Change(kind, 2, entry_id, old, after, opened(cut), cut.relation)
        left = self.story.known(entry_id)
        kind = Kind.RETRACTED
        if left:
            shortened = any(v.period.start.same_as(old.period.start) for v in left)
            kind = Kind.CLOSED if shortened else Kind.CORRECTED
        edge = self.story.disappearance(entry_id)
        return Change(kind, 2, entry_id, old, None, edge, self.story.cut_in(entry_id, edge))

    def _successor(self, entry_id: UUID, seen: set[UUID]) -> Version | None:
        """What holds in the place of an entry, following the cuts that took it."""
        for cut in self.story.cuts_of(entry_id, self.facts.end):
            if cut.src_id in seen:
                continue
            seen.add(cut.src_id)
            found = self.last.get(cut.src_id) or self._successor(cut.src_id, seen)
            if found is not None:
                return found
        return None

    def _corrected(self, old: Version, new: Version) -> Change:
        said_otherwise = old.attributes != new.attributes
        only_end = old.period.start.same_as(new.period.start) and not said_otherwise
        learned = only_end and not old.period.end.same_as(new.period.end)
        learned = learned and new.period.end.kind is not BoundKind.OPEN
        kind = Kind.CLOSED if learned else Kind.CORRECTED
        edge = self.story.turn(old, new, _said if said_otherwise else _bounds)
        relation = self.story.cut_in(old.entry_id, edge)
        return Change(kind, 2, old.entry_id, old, new, edge, relation)

    def _verification(self, entry_id: UUID) -> Verification | None:
        """The last verification, when it was done on the way."""
        then = self.story.verification(entry_id, self.story.between)
        now = self.story.verification(entry_id, self.facts.end)
        if now is None or (then is not None and now.recorded_from <= then.recorded_from):
            return None
        return now

    def _extended(self) -> Iterator[Change]:
        for then, now in self.story.relations("extends"):
            if now is None or then is not None:
                continue
            extending = self.last.get(now.src_id)
            extended = self.between.get(now.dst_id) or self.last.get(now.dst_id)
            if extending is not None and extended is not None:
                edge = opened(now)
                entry_id = extending.entry_id
                yield Change(Kind.EXTENDED, 2, entry_id, extended, extending, edge, "extends")

    def _contradictions(self) -> Iterator[Change]:
        for then, now in self.story.relations("contradicts"):
            was_open, is_open = _is_open(then), _is_open(now)
            kind = Kind.CONTRADICTED if is_open else Kind.RESOLVED
            decided = now is not None and then is None
            if is_open != was_open or (decided and not is_open):
                yield from self._contradiction(kind, then, now)

    def _contradiction(
        self, kind: Kind, then: Relation | None, now: Relation | None
    ) -> Iterator[Change]:
        row = now or then
        if row is None:
            return
        away = now is None and self.story.forward
        ends = [self._either(row.src_id), self._either(row.dst_id)]
        shown = [one for one in ends if one is not None]
        if len(shown) < len(ends):
            return
        before, after = sorted(shown, key=self._knowing)
        edge = closed(row) if away else opened(row)
        yield Change(kind, 2, after.entry_id, before, after, edge, row.relation)

    def _knowing(self, version: Version) -> tuple[bool, int]:
        """What was known first comes first."""
        return (version.entry_id not in self.between, version.row)

    def _either(self, entry_id: UUID) -> Version | None:
        return self.between.get(entry_id) or self.last.get(entry_id)

    def _erased(self) -> Iterator[Change]:
        for entry_id, edge in self.facts.erased.items():
            yield Change(Kind.ERASED, 2, entry_id, None, None, edge)


def _is_open(relation: Relation | None) -> bool:
    """Whether a contradiction waits for a decision."""
    return relation is not None and relation.resolution in (None, "required")


def _said(version: Version) -> object:
    return version.attributes


def _bounds(version: Version) -> object:
    start, end = version.period.start, version.period.end
    return (start.earliest, start.latest, start.kind, end.earliest, end.latest, end.kind)


def _same(old: Version, new: Version) -> bool:
    """Whether two versions say the same of the same period."""
    marks = old.period.marks == new.period.marks
    return marks and old.attributes == new.attributes and old.period.same_as(new.period)
