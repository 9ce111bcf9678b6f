"""A transaction on trial: the state that operations change, and what may be refused."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from oracle_readings import (
    Bound,
    Readings,
    Rect,
    by_the_letter,
    common,
    earlier,
    earliest,
    later,
    latest,
    meet,
    take,
    union,
)
from oracle_state import Entry, Link, Logged, Name, Refused, State, Undecided

from damals.domain.errors import Conflict, InvalidInput, NotFound
from damals.domain.instants import format_instant

CUTTING = ("supersedes", "revises")
IMPRECISE = "cut.imprecise"


@dataclass(frozen=True)
class Date:
    """A date as it is given.

    Attributes:
        instant: of an exact one.
        place: of an imprecise one among the readings' ranges.
        text: how it is written; ``None`` for null.
    """

    text: str | None
    instant: int | None = None
    place: int | None = None

    @property
    def unknown(self) -> bool:
        return self.instant is None and self.place is None and self.text != "open"


def exactly(instant: int) -> Date:
    return Date(format_instant(instant), instant)


UNKNOWN = Date("unknown")
OPEN = Date("open")
Params = Mapping[str, object]


@dataclass
class Attempt:
    """One transaction.

    Attributes:
        past: the state after each transaction, the first being number 1.
        may: keys of the refusals that are right where dates are imprecise, or which the rules
            leave open.
        numbers: of the relations to come.
        unchanged: of each operation so far.
    """

    state: State
    past: Sequence[State]
    readings: Readings
    now: int
    number: int
    numbers: Iterator[int]
    place: int = 0
    may: set[str] = field(default_factory=set)
    unchanged: list[bool] = field(default_factory=list)
    begun: Mapping[str, Name] = field(init=False)

    def __post_init__(self) -> None:
        self.begun = dict(self.state.names)

    # Entries.

    def find(self, ref: object) -> Entry:
        name = self.state.names.get(str(ref))
        if name is None:
            raise Refused(NotFound)
        return self.state.entries[name]

    def target(self, params: Params, *, current: bool = False, archived: bool = False) -> Entry:
        """The entry that an operation is about, with what must be true of it."""
        entry = self.find(params.get("target"))
        self.expect(params)
        if entry.archived is not None and not archived:
            raise Refused(Conflict)
        if current and not entry.rects:
            raise Refused(Conflict)
        return entry

    def end_of_relation(self, ref: object, params: Params | None = None) -> Entry:
        """What never held anything is unknown to others."""
        entry = self.find(ref)
        self.expect(params or {})
        if not (entry.stored or entry.rects):
            raise Refused(NotFound)
        return entry

    def expect(self, params: Params) -> None:
        """A wrong number of the last transaction is a conflict; the machine says if it is.

        It asks before the transaction. What bears the name since then is another entry.
        """
        about = next((str(params[at]) for at in ("target", "src", "a") if at in params), None)
        another = about is not None and self.state.names.get(about) != self.begun.get(about)
        if params.get("outdated") or (another and params.get("if_transaction")):
            raise Refused(Conflict)

    def put(self, entry: Entry, **changes: object) -> Entry:
        made = replace(entry, **changes)
        self.state.entries[made.name] = made
        return made

    def create(self, ref: str) -> Name:
        name = f"{ref}{sum(e.ref == ref for e in self.state.entries.values())}"
        self.state.names[ref] = name
        return name

    def log(self, about: Name | None, **said: object) -> None:
        done = Logged(self.number, self.place, about, **said)
        self.state.log = (*self.state.log, done)

    # Dates.

    def start(self, date: Date | None) -> Bound:
        if date is None:
            return self.readings.exact(self.now)
        return self._bound(date, "start")

    def end(self, date: Date | None) -> Bound:
        return self.readings.open if date in (None, OPEN) else self._bound(date, "end")

    def _bound(self, date: Date, kind: str) -> Bound:
        if date.instant is not None:
            return self.readings.exact(date.instant)
        if date.place is not None:
            return self.readings.within(date.place)
        return self.readings.unknown(self.now, kind)

    def unknown(self, bound: Bound) -> bool:
        return self.readings.is_unknown(bound)

    # Overlaps and cuts.

    def refuse_overlap(self, name: Name, key: str | None, rect: Rect) -> None:
        for rival in self.state.rivals(name, key):
            self.refuse_meeting(rival, rect, "key.overlap")

    def refuse_meeting(self, other: Entry, rect: Rect, may: str) -> None:
        if any(meet(one, rect) for one in other.rects):
            raise Refused(Conflict)
        if any(by_the_letter(one, rect) for one in other.rects):
            self.may.add(may)

    def refuse_superseded(self, name: Name, rect: Rect, may: str) -> None:
        """Nothing is held where what superseded it holds; of a decision, from then on only."""
        for cutter in self.state.cutters(name):
            links = self.state.links.values()
            cuts = [k for k in links if k.cuts and (k.src, k.dst) == (cutter.name, name)]
            held = cutter
            if all(k.decides for k in cuts):
                both = [(t, r) for k in cuts for t in k.taken for r in cutter.rects if meet(t, r)]
                held = replace(cutter, rects=tuple(common(t, r) for t, r in both))
            self.refuse_meeting(held, rect, may)

    def cut(self, said: Link, portion: Rect) -> bool:
        """Take a portion from the entry at the end of a relation. Whether anything was taken."""
        loser = self.state.entries[said.dst]
        taken: list[Rect] = []
        left: list[Rect] = []
        for rect in loser.rects:
            if meet(rect, portion):
                taken.append(common(rect, portion))
                left.extend(take([rect], self._as_one(rect, portion)))
                if look_alike(rect, portion):
                    raise Undecided
                if beyond_bounds(rect, portion):
                    self.may.add(IMPRECISE)
            else:
                left.append(rect)
                if by_the_letter(rect, portion):
                    self.may.add(IMPRECISE)
                    self.state.vague.add(frozenset({said.src, said.dst}))
        if not taken:
            return False
        self.put(loser, rects=union(left))
        self.add(replace(said, taken=tuple(taken)))
        return True

    def _as_one(self, rect: Rect, portion: Rect) -> Rect:
        """Of two bounds that nobody knows neither is earlier: nothing is left between them."""
        start, end = portion.start, portion.end
        if self.unknown(rect.start) and self.unknown(start):
            start = earlier(start, rect.start)
        if self.unknown(rect.end) and self.unknown(end):
            end = later(end, rect.end)
        return Rect(start, end)

    # Relations.

    def add(self, link: Link) -> None:
        self.state.links[next(self.numbers)] = link

    def link(self, src: Name, dst: Name, relation: str, **said: object) -> Link:
        return Link(src, dst, relation, self.number, self.place, **said)

    def refuse_cycle(self, src: Name, dst: Name) -> None:
        waiting, seen = [dst], set()
        while waiting:
            one = waiting.pop()
            if one == src:
                raise Refused(Conflict)
            if one not in seen:
                seen.add(one)
                waiting += [
                    k.dst
                    for k in self.state.links.values()
                    if k.src == one and k.relation in CUTTING
                ]

    def successors(self, name: Name) -> list[Entry]:
        """Those that took over from an entry, or from one that did."""
        seen, waiting = [name], [name]
        while waiting:
            for cutter in self.state.cutters(waiting.pop()):
                if cutter.name not in seen:
                    seen.append(cutter.name)
                    waiting.append(cutter.name)
        return [self.state.entries[one] for one in seen[1:]]

    def forget(self, gone: Sequence[int], standing: Sequence[Rect] = ()) -> None:
        """Take relations back, and give back what they cut, but for where something stands."""
        links = [self.state.links.pop(one) for one in gone]
        for dst in sorted({k.dst for k in links if k.cuts}):
            self._give_back(dst, [k for k in links if k.cuts and k.dst == dst], standing)

    def _give_back(self, name: Name, links: Sequence[Link], standing: Sequence[Rect]) -> None:
        loser = self.state.entries[name]
        if loser.erased:
            return
        back: list[Rect] = []
        for link in links:
            parts = self.still_said(link.taken, self.said_since(name, link.number, link.place))
            stand = [r for k in self.state.links.values() if k.dst == name for r in k.taken]
            held = [r for rival in self.state.rivals(name, loser.key) for r in rival.rects]
            away = [*standing, *stand, *held, *back, *loser.rects]
            if any(one.imprecise for one in (*link.taken, *away)):
                self.may.add(IMPRECISE)
            for taken in away:
                parts = take(parts, taken)
            back.extend(parts)
        self.put(loser, rects=union((*loser.rects, *back)))

    def said_since(self, name: Name, number: int, place: int) -> list[Logged]:
        """What was said of an entry after an operation and was not taken back since."""
        since = [one for one in self.state.log if (one.number, one.place) > (number, place)]
        reverted: set[int] = set()
        for one in reversed(since):
            if one.reverted is not None and one.number not in reverted:
                reverted.add(one.reverted)
        return [one for one in since if one.about == name and one.number not in reverted]

    def still_said(self, parts: Sequence[Rect], said: Sequence[Logged]) -> list[Rect]:
        left = list(parts)
        for one in said:
            if one.whole:
                return []
            if one.end is not None:
                left = [Rect(r.start, earlier(r.end, one.end)) for r in left]
        return [one for one in left if one.somewhere()]


def period(start: Bound, end: Bound) -> Rect:
    if earliest(start) >= latest(end):
        raise Refused(InvalidInput)
    if start == end:
        raise Undecided  # from September to September: two bounds of one name
    return Rect(start, end)


def beyond_bounds(whole: Rect, portion: Rect) -> bool:
    """Whether no pair of bounds says what a cut leaves: a cut may be refused for that alone.

    What is left ends at the earlier and begins at the later of both edges; where that range still
    overlaps with the portion, or both parts with each other, it cannot be written down.
    """
    left, right = earlier(whole.end, portion.start), later(whole.start, portion.end)
    has_left = whole.start != portion.start and earliest(whole.start) < latest(left)
    has_right = whole.end != portion.end and earliest(right) < latest(whole.end)
    return (
        (has_left and _runs_into(left, portion.start))
        or (has_right and _runs_into(portion.end, right))
        or (has_left and has_right and _runs_into(left, right))
    )


def look_alike(whole: Rect, portion: Rect) -> bool:
    """Whether what is left lies between two unlike bounds of the same range.

    As a pair of instants both are one bound, between which there is nothing.
    """
    left, right = earlier(whole.end, portion.start), later(whole.start, portion.end)
    return _alike(whole.start, left) or _alike(right, whole.end)


def _alike(a: Bound, b: Bound) -> bool:
    return a != b and (earliest(a), latest(a)) == (earliest(b), latest(b))


def _runs_into(end: Bound, start: Bound) -> bool:
    same = (earliest(end), latest(end)) == (earliest(start), latest(start))
    return latest(end) > earliest(start) and not same
