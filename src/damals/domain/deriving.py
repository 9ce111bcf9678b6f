"""Edges that follow from others, by the rules of ``types.yaml``.

A derived edge holds where all of its premises hold: its periods are what their periods have in
common. Its confidence is the product of those of its premises and of the rule. It names every entry
that it follows from beside its ends, so that whoever asks for it later is shown it only if they may
see those as well. A rule looks at what is said and at what the rules before it gave. What is said
is never given again: where an edge stands that somebody said, none of its type is derived between
the same ends.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Final, assert_never
from uuid import UUID

from damals.domain.derived_parts import Part
from damals.domain.errors import Conflict, InvalidInput
from damals.domain.mentions import Link, Mention, pairs, telling, together
from damals.domain.overlapping import at_least
from damals.domain.periods import Period
from damals.domain.reserve import OPEN, Reserve
from damals.domain.types import DeriveRule, TypeCatalogue

MAX_MENTIONS: Final = 50
"""What links to more entries than this is a list, and tells nothing of what it lists."""

MAX_EVIDENCE: Final = 5
"""So many chunks are named as evidence, at most."""

MAX_EDGES: Final = 250_000
"""So many edges a rule may give."""

_STEPS: Final = 8
"""So many steps a rule may take for each edge that it may give: it is carried out in one piece."""

Key = tuple[UUID, str, UUID, str]
"""Source, relation, destination and rule of a derived edge."""


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge that is said, or was derived by an earlier rule.

    Attributes:
        periods: where it holds, disjoint; its source holds there.
        evidence: chunks that show it.
        quoted: its link stands in a quote, as the source of it.
        premises: of one that was derived, the entries that it follows from beside its ends.
    """

    src: UUID
    relation: str
    dst: UUID
    periods: tuple[Period, ...]
    confidence: float = 1.0
    evidence: tuple[UUID, ...] = ()
    quoted: bool = False
    premises: tuple[UUID, ...] = ()


Derived = Mapping[Key, tuple[Part, ...]]
"""Parts of each derived edge: disjoint where bounds are precise; none is empty."""


def derived(
    said: Sequence[Edge],
    types: TypeCatalogue,
    reserves: Mapping[UUID, Reserve] | None = None,
    limit: int = MAX_EDGES,
) -> Derived:
    """Everything that the rules give, in a fixed order.

    Args:
        said: edges between entries; none of them is derived.
        types: rules and relations.
        reserves: how reserved entries are; one that is not named is open to everybody. Nobody
            learns by a derived edge of an entry that not everybody may see who sees its ends.
        limit: of the edges that one rule may give.

    Raises:
        InvalidInput: ``derive.too_many``, naming the rule.
    """
    known = _Known(types, reserves or {}, limit)
    for edge in said:
        known.add(edge)
    found: dict[Key, tuple[Part, ...]] = {}
    for name, rules in _by_name(types.derive):
        given: dict[Key, list[Part]] = defaultdict(list)
        for rule in rules:
            for (src, relation, dst), part in _given(known, rule):
                if src == dst:
                    continue
                ends = known.ends(src, relation, dst)
                given[ends[0], relation, ends[1], name].append(part)
                if len(given) > limit:
                    raise InvalidInput("derive.too_many", rule=name, limit=limit)
        made = {key: parts for key in sorted(given) if (parts := known.settled(key, given[key]))}
        for (src, relation, dst, _), parts in made.items():
            for one in parts:
                known.add(_as_premise((src, relation, dst), one))
        found |= made
    return found


def _as_premise(edge: tuple[UUID, str, UUID], part: Part) -> Edge:
    """What a rule gave, as another one looks at it."""
    periods, premises = (part.period,), part.premises or ()
    return Edge(*edge, periods, part.confidence, part.evidence, premises=premises)


def _by_name(rules: Iterable[DeriveRule]) -> Iterator[tuple[str, list[DeriveRule]]]:
    """Rules of one name together, where the first of them stands."""
    found: dict[str, list[DeriveRule]] = {}
    for rule in rules:
        found.setdefault(rule.rule, []).append(rule)
    yield from found.items()


@dataclass(slots=True)
class _Known:
    """The edges so far, by relation, and by their ends where they hold."""

    types: TypeCatalogue
    reserves: Mapping[UUID, Reserve]
    limit: int
    edges: dict[str, list[Edge]] = field(default_factory=lambda: defaultdict(list))
    stands: dict[tuple[UUID, str, UUID], list[Period]] = field(
        default_factory=lambda: defaultdict(list)
    )
    _steps: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def work(self, rule: str, steps: int) -> None:
        """Count the steps of a rule.

        Raises:
            InvalidInput: ``derive.too_many``.
        """
        self._steps[rule] += steps
        if self._steps[rule] > _STEPS * self.limit:
            raise InvalidInput("derive.too_many", rule=rule, limit=self.limit)

    def add(self, edge: Edge) -> None:
        """An edge that rules may look at."""
        self.edges[edge.relation].append(edge)
        src, dst = self.ends(edge.src, edge.relation, edge.dst)
        self.stands[src, edge.relation, dst].extend(edge.periods)

    def symmetric(self, relation: str) -> bool:
        """Whether a relation says the same of both ends."""
        found = self.types.relations.get(relation)
        return found is not None and found.symmetric

    def ends(self, src: UUID, relation: str, dst: UUID) -> tuple[UUID, UUID]:
        """Both ends as an edge is known by; of a symmetric one the smaller comes first."""
        return (dst, src) if self.symmetric(relation) and dst < src else (src, dst)

    def reserve(self, entry_id: UUID) -> Reserve:
        """How reserved an entry is."""
        return self.reserves.get(entry_id, OPEN)

    def settled(self, key: Key, candidates: Iterable[Part]) -> tuple[Part, ...]:
        """What is left of the parts of an edge where it is said already, the surest first."""
        src, relation, dst, rule = key
        taken = list(self.stands.get((src, relation, dst), ()))
        kept: list[Part] = []
        for one in sorted(set(candidates), key=lambda part: part.place):
            left = [one.period]
            self.work(rule, len(taken))
            for period in taken:
                left = [piece for whole in left for piece in _without(whole, period)]
            kept += [replace(one, period=piece) for piece in left]
            taken += left
        return _joined(kept)


def _without(whole: Period, taken: Period) -> tuple[Period, ...]:
    """What is left of a period; all of it where bounds are too imprecise to tell."""
    if not whole.overlaps(taken):
        return (whole,)
    if taken.covers(whole) or taken.admits(whole):
        return ()
    try:
        return whole.without(taken)
    except Conflict:
        return (whole,)


def _joined(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Parts that say the same and follow on each other as one, by their place."""
    found: list[Part] = []
    for one in sorted(parts, key=lambda part: (part.period.start.earliest, part.place)):
        before = next((n for n, old in enumerate(found) if _follows(old, one)), None)
        if before is None:
            found.append(one)
        else:
            whole = Period(found[before].period.start, one.period.end)
            found[before] = replace(one, period=whole)
    return tuple(sorted(found, key=lambda part: part.place))


def _follows(before: Part, one: Part) -> bool:
    alike = before.confidence == one.confidence and before.evidence == one.evidence
    alike = alike and before.premises == one.premises
    return alike and before.period.end.same_as(one.period.start)


Given = Iterator[tuple[tuple[UUID, str, UUID], Part]]


def _given(known: _Known, rule: DeriveRule) -> Given:
    match rule.rule:
        case "inverse":
            return _turned(known, rule, lambda name: known.types.relations[name].inverse)
        case "backlink":
            return _turned(known, rule, lambda _: rule.gives)
        case "quote":
            return _quoted(known, rule)
        case "co_mention":
            return _mentioned(known, rule)
        case "closure":
            return (one for name in rule.of for one in _Closure(known, rule, name).given())
        case _:
            assert_never(rule.rule)


def _premises(known: _Known, rule: DeriveRule) -> Iterator[Edge]:
    for name in rule.of:
        yield from known.edges.get(name, ())


def _turned(known: _Known, rule: DeriveRule, gives: Callable[[str], str | None]) -> Given:
    """Each edge from its other end."""
    for edge in _premises(known, rule):
        relation = gives(edge.relation)
        for period in edge.periods if relation else ():
            yield (edge.dst, relation or "", edge.src), _part(edge, period, rule)


def _quoted(known: _Known, rule: DeriveRule) -> Given:
    """A note that quotes another one is tied to it."""
    for edge in _premises(known, rule):
        for period in edge.periods if edge.quoted else ():
            yield (edge.src, rule.gives or "", edge.dst), _part(edge, period, rule)


def _part(edge: Edge, period: Period, rule: DeriveRule) -> Part:
    """What follows from one edge alone."""
    confidence = edge.confidence * rule.confidence
    return Part(period, confidence, edge.evidence[:MAX_EVIDENCE], edge.premises)


# --- entries that are mentioned together


def _mentioned(known: _Known, rule: DeriveRule) -> Given:
    """Two entries that several chunks link to, both in each of them."""
    places: dict[UUID, dict[UUID, list[Link]]] = defaultdict(dict)
    by: dict[UUID, UUID] = {}
    for edge in _premises(known, rule):
        links = [Link(period, edge.premises) for period in edge.periods]
        for chunk in edge.evidence:
            by[chunk] = edge.src
            places[chunk].setdefault(edge.dst, []).extend(links)
    places = {chunk: ends for chunk, ends in places.items() if len(ends) <= MAX_MENTIONS}
    known.work(rule.rule, sum(map(pairs, places.values())))
    found: dict[tuple[UUID, UUID], list[Mention]] = defaultdict(list)
    for chunk in sorted(places):
        mentioned, reserve = places[chunk], known.reserve(by[chunk])
        for one, other in combinations(sorted(mentioned), 2):
            if not reserve.within(known.reserve(one).beside(known.reserve(other))):
                continue
            found[one, other] += together(chunk, by[chunk], mentioned[one], mentioned[other])
    for ends, mentions in found.items():
        few = telling(mentions, rule.min_count, lambda size: known.work(rule.rule, size))
        for period in at_least([one.period for one in few], rule.min_count):
            here = [one for one in few if one.period.overlaps(period)]
            chunks = tuple(sorted({one.chunk for one in here})[:MAX_EVIDENCE])
            needs = tuple(sorted({need for one in here for need in one.needs} - {*ends}))
            yield (ends[0], rule.gives or "", ends[1]), Part(period, rule.confidence, chunks, needs)


# --- closure


@dataclass(frozen=True, slots=True)
class _Reached:
    """An entry that a chain leads to.

    Attributes:
        over: how reserved the entries are that it leads over.
    """

    part: Part
    over: Reserve

    def outdoes(self, other: "_Reached") -> bool:
        """Whether nothing can come of the other that does not come of this one."""
        one, two = self.part, other.part
        inside = one.period.same_as(two.period) or one.period.covers(two.period)
        return inside and one.confidence >= two.confidence and self.over.within(other.over)


@dataclass(slots=True)
class _Closure:
    """The chains of one relation, from each entry as far as the rule goes."""

    known: _Known
    rule: DeriveRule
    relation: str

    def given(self) -> Given:
        """An edge for each chain of two edges or more."""
        onward = self._onward()
        for start in sorted(onward):
            yield from self._from(start, onward)

    def _onward(self) -> dict[UUID, list[tuple[UUID, Part]]]:
        found: dict[UUID, list[tuple[UUID, Part]]] = defaultdict(list)
        both = self.known.symmetric(self.relation)
        for edge in self.known.edges.get(self.relation, ()):
            for period in edge.periods:
                part = Part(period, edge.confidence, edge.evidence, edge.premises)
                found[edge.src].append((edge.dst, part))
                if both:
                    found[edge.dst].append((edge.src, part))
        for ways in found.values():
            ways.sort(key=lambda way: (way[0], way[1].place))
        return found

    def _from(self, start: UUID, onward: Mapping[UUID, Sequence[tuple[UUID, Part]]]) -> Given:
        best: dict[UUID, list[_Reached]] = defaultdict(list)
        frontier: list[tuple[UUID, _Reached]] = []
        for dst, part in onward[start]:
            self._reach(dst, _Reached(part, OPEN), best, frontier)
        for _ in range(self.rule.max_hops - 1):
            reached, frontier = frontier, []
            for middle, so_far in reached:
                over = so_far.over.beside(self.known.reserve(middle))
                for dst, part in onward.get(middle, ()):
                    self._count(1)
                    if dst == start or not so_far.part.period.overlaps(part.period):
                        continue
                    one = _Reached(_chained(so_far.part, middle, part), over)
                    if self._reach(dst, one, best, frontier):
                        yield from self._edge(start, dst, one)

    def _count(self, steps: int) -> None:
        self.known.work(self.rule.rule, steps)

    def _edge(self, start: UUID, dst: UUID, one: _Reached) -> Given:
        ends = self.known.reserve(start).beside(self.known.reserve(dst))
        if one.over.within(ends):
            confidence = one.part.confidence * self.rule.confidence
            over = tuple(sorted({*(one.part.premises or ())} - {start, dst}))
            part = replace(one.part, confidence=confidence, premises=over)
            yield (start, self.relation, dst), part

    def _reach(
        self,
        dst: UUID,
        one: _Reached,
        best: dict[UUID, list[_Reached]],
        frontier: list[tuple[UUID, _Reached]],
    ) -> bool:
        """Take over where a chain leads, unless an earlier one leads there as well or better."""
        self._count(len(best[dst]))
        if any(other.outdoes(one) for other in best[dst]):
            return False
        best[dst].append(one)
        frontier.append((dst, one))
        return True


def _chained(first: Part, middle: UUID, second: Part) -> Part:
    evidence = tuple(dict.fromkeys((*first.evidence, *second.evidence)))[:MAX_EVIDENCE]
    period = first.period.common(second.period)
    premises = (*(first.premises or ()), middle, *(second.premises or ()))
    return Part(period, first.confidence * second.confidence, evidence, premises)
