"""Drawing operations that mostly make sense where a history has got to.

Time is the first instants of months, one microsecond before and after each, the months themselves
as imprecise dates, and unknown bounds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVar, cast

from hypothesis import strategies as st
from oracle_attempt import OPEN, UNKNOWN, Date, Params, exactly
from oracle_clocks import Oracle
from oracle_readings import Bound, earliest, latest
from oracle_state import Entry

from damals.domain.instants import BEGINNING, FOREVER, from_datetime

MONTHS = [from_datetime(datetime(2000, month, 1, tzinfo=UTC)) for month in range(1, 12)]
LAST = 8
"""The last month that is used; two more are there for what ends behind it."""
REFS = "abcdefgh"
NOBODY = "nobody"
TYPES = ("supersedes", "revises", "extends", "contradicts")
OFTEN = ("remember",) * 5 + ("update",) * 5 + ("correct",) * 3 + ("revert",) * 4 + (
    "end", "end", "retract", "retract", "retract", "relate", "relate", "relate", "resolve",
    "contradict",
)  # fmt: skip

Operation = dict[str, object]
Pick = TypeVar("Pick")

spans = st.lists(
    st.tuples(st.sampled_from(range(LAST + 1)), st.sampled_from([1, 1, 2])),
    max_size=3,
    unique=True,
)
"""First month and length of the imprecise dates of a history."""


def written(first: int, size: int) -> str:
    """One month, or from one to another."""
    last = first + size - 1
    return f"2000-{first + 1:02}" if size == 1 else f"2000-{first + 1:02}/2000-{last + 1:02}"


@dataclass
class Drawing:
    """Draws the operations of one transaction.

    Attributes:
        choose: draws one of several.
        texts: the imprecise dates.
        now: the transaction's instant.
        last_transaction: of an entry, or of the workspace for ``None``.
        made: refs of the entries that this transaction makes.
    """

    choose: Callable[[Sequence[object]], object]
    oracle: Oracle
    texts: Sequence[str]
    now: int
    last_transaction: Callable[[str | None], int]
    made: list[str] = field(default_factory=list)

    def operation(self) -> Operation:
        kind = self.pick(*OFTEN, *DRAWN)
        made = {"op": kind, **DRAWN[kind](self)}
        if kind != "remember" and self.sometimes(6):
            self._expect(made)
        return made

    def _expect(self, made: Operation) -> None:
        about = next((made[name] for name in ("target", "src", "a") if name in made), None)
        outdated = self.sometimes(3)
        number = self.last_transaction(None if about is None else str(about))
        made["if_transaction"] = number + 100 * outdated
        made["outdated"] = outdated

    def pick(self, *options: Pick) -> Pick:
        return cast("Pick", self.choose(options))

    def sometimes(self, one_in: int) -> bool:
        return self.pick(*range(one_in)) == one_in - 1

    # Entries.

    def fresh(self) -> str:
        known = self.refs()
        free = [ref for ref in REFS if ref not in known]
        ref = self.pick(*known) if known and (not free or self.sometimes(6)) else free[0]
        self.made.append(ref)
        return ref

    def refs(self) -> list[str]:
        return sorted({*self.oracle.state.names, *self.made})

    def known(self) -> str:
        known = self.refs()
        return NOBODY if not known or self.sometimes(20) else self.pick(*known)

    def two(self) -> tuple[str, str]:
        a = self.known()
        others = [ref for ref in self.refs() if ref != a]
        return a, self.known() if not others or self.sometimes(12) else self.pick(*others)

    def entry(self, ref: str) -> Entry | None:
        name = self.oracle.state.names.get(ref)
        return None if name is None else self.oracle.state.entries[name]

    # Dates.

    def moment(self) -> Date:
        return exactly(self.pick(*MONTHS[: LAST + 1]) + self.pick(0, 0, 0, -1, 1))

    def start(self) -> Date:
        kind = self.pick("exact", "exact", "exact", "range", "range", "unknown")
        return self._imprecise(kind, "start") or self.moment()

    def end(self, start: Date | None) -> Date:
        """An end that mostly lies behind the start."""
        kind = self.pick("exact", "exact", "exact", "open", "open", "range", "unknown", "any")
        if kind == "open":
            return OPEN
        drawn = self._imprecise(kind, "end")
        if drawn is not None:
            same = start is not None and start.place is not None and drawn.place == start.place
            return OPEN if same else drawn  # a month in which it began and ended: two bounds
        behind = MONTHS[0] if start is None or start.instant is None else start.instant
        fitting = [m for m in MONTHS if m > behind]
        if kind == "any" or not fitting:
            return self.moment()
        return exactly(self.pick(*fitting) + self.pick(0, 0, -1, 1))

    def _imprecise(self, kind: str, which: str) -> Date | None:
        if kind == "range" and self.texts:
            place = self.pick(*range(len(self.texts)))
            return Date(self.texts[place], place=place)
        if kind == "unknown" and self.oracle.readings.room(self.now, which):
            self.oracle.readings.unknown(self.now, which)
            return UNKNOWN
        return None

    def inside(self, entry: Entry | None) -> Date:
        """Mostly an instant at which an entry holds."""
        rects = entry.rects if entry else ()
        if not rects or self.sometimes(6):
            return self._imprecise(self.pick("range", "exact"), "end") or self.moment()
        rect = self.pick(*rects)
        points = {*MONTHS, *_exact(rect.start), *(i - 1 for i in _exact(rect.end))}
        fitting = [p for p in points if earliest(rect.start) <= p < latest(rect.end)]
        return exactly(self.pick(*sorted(fitting))) if fitting else self.moment()

    def bounds(self, start: Date | None) -> Operation:
        made = {"valid_from": start, "valid_to": None if self.sometimes(4) else self.end(start)}
        return {name: date for name, date in made.items() if date is not None}

    def relations(self, one_in: int) -> Operation:
        if not self.sometimes(one_in):
            return {}
        count = self.pick(0, 1, 1, 1, 2)
        said = [{"type": self.pick(*TYPES), "dst": self.known()} for _ in range(count)]
        return {"relations": said}

    # Operations.

    def remember(self) -> Operation:
        ref, key = self.fresh(), self.pick("k", "k", "m", None)
        says = {"ref": ref, "content": self.pick("x", "y"), **({"key": key} if key else {})}
        policy = self.pick("replace", "replace", "replace", "fill", "fill", "refuse")
        start = None if self.sometimes(5) else self.start()
        known = self.entry(ref)
        if known is not None and not self.sometimes(3):
            says |= {"content": known.content, **({"key": known.key} if known.key else {})}
            start = self.inside(known)
        return {**says, "on_overlap": policy, **self.bounds(start), **self.relations(4)}

    def update(self) -> Operation:
        ref, target = self.fresh(), self.known()
        start = None if self.sometimes(5) else self.inside(self.entry(target))
        relation = {"relation": self.pick(*TYPES[:2])} if self.sometimes(2) else {}
        bounds = {} if start is None else {"valid_from": start}
        if self.sometimes(2):
            bounds |= self.bounds(start)
        says = {"ref": ref, "target": target, "content": self.pick("x", "y")}
        return {**says, **relation, **bounds, **self.relations(8)}

    def correct(self) -> Operation:
        made: Operation = {"target": self.known()}
        if self.sometimes(2):
            made["content"] = self.pick("x", "y")
        if self.sometimes(6):
            made["key"] = self.pick("k", "m", None)
        if self.sometimes(2):
            bounds = self.bounds(self.start())
            made |= bounds if self.sometimes(2) or len(bounds) < 2 else dict([bounds.popitem()])
        made |= self._still_unknown(self.entry(str(made["target"])))
        return {**made, **self.relations(5)}

    def _still_unknown(self, entry: Entry | None) -> Operation:
        """What nobody knows may be said again of what nobody knew."""
        rects, unknown = (entry.rects if entry else ()), self.oracle.readings.is_unknown
        if rects and unknown(rects[0].start) and self.sometimes(3):
            return {"valid_from": UNKNOWN}
        if rects and unknown(rects[-1].end) and self.sometimes(3):
            return {"valid_to": UNKNOWN}
        return {}

    def end_operation(self) -> Operation:
        target = self.known()
        return {"target": target, "at": self.inside(self.entry(target))}

    def retract(self) -> Operation:
        return {"target": self.known(), "restore": self.pick(True, True, False)}

    def revert(self) -> Operation:
        last = len(self.oracle.past)
        return {"transaction": self.pick(*range(last, 0, -1), *range(last, max(0, last - 3), -1),
                                         last + 1)}  # fmt: skip

    def relate(self) -> Operation:
        src, dst = self.two()
        return {"src": src, "dst": dst, "type": self.pick(*TYPES)}

    def unrelate(self) -> Operation:
        src, dst, relation = self._related(TYPES)
        return {"src": src, "dst": dst, "type": relation}

    def contradict(self) -> Operation:
        a, b = self.two()
        return {"a": a, "b": b}

    def resolve(self) -> Operation:
        a, b, _ = self._related(("contradicts",))
        if self.sometimes(2):
            a, b = b, a
        return {"a": a, "b": b, "keep": self.pick("a", "b", "both")}

    def _related(self, types: Sequence[str]) -> tuple[str, str, str]:
        """Mostly two entries between which there is such a relation."""
        state, hidden = self.oracle.state, self.oracle.hidden()
        found = [
            (state.entries[k.src].ref, state.entries[k.dst].ref, k.relation)
            for k in state.links.values()
            if k.relation in types and hidden.isdisjoint({k.src, k.dst})
        ]
        if found and not self.sometimes(8):
            return self.pick(*found)
        return (*self.two(), self.pick(*types))

    # Several transactions, or operations of one, that belong together.

    def gone_at_once(self) -> list[Operation]:
        """An entry that others speak of, and that is gone before anybody knew it."""
        said = {"op": "remember", **self.remember()}
        other = self.known()
        relation = {"op": "relate", "src": other, "dst": said["ref"], "type": self.pick(*TYPES)}
        return [said, relation, {"op": "retract", "target": said["ref"]}]

    def cut(self) -> tuple[str, str] | None:
        """Two entries of which the first took something from the second, if there are any."""
        state, hidden = self.oracle.state, self.oracle.hidden()
        found = [
            (state.entries[k.src].ref, state.entries[k.dst].ref)
            for k in state.links.values()
            if k.cuts and hidden.isdisjoint({k.src, k.dst})
        ]
        return self.pick(*found) if found else None

    def said_of(self, ref: str) -> Operation:
        """Something that ends, moves or takes back an entry."""
        kind = self.pick("end", "retract", "correct")
        if kind == "end":
            return {"op": kind, "target": ref, "at": self.inside(self.entry(ref))}
        bounds = self.bounds(self.start()) if kind == "correct" else {}
        return {"op": kind, "target": ref, **bounds}

    def about(self) -> Operation:
        return {"target": self.known()}

    def verify(self) -> Operation:
        return {"target": self.known(), "score": self.pick(0.25, 1.0)}


DRAWN: dict[str, Callable[[Drawing], Operation]] = {
    "remember": Drawing.remember,
    "update": Drawing.update,
    "correct": Drawing.correct,
    "end": Drawing.end_operation,
    "retract": Drawing.retract,
    "revert": Drawing.revert,
    "relate": Drawing.relate,
    "unrelate": Drawing.unrelate,
    "contradict": Drawing.contradict,
    "resolve": Drawing.resolve,
    "verify": Drawing.verify,
    "pin": Drawing.about,
    "unpin": Drawing.about,
    "archive": Drawing.about,
    "erase": Drawing.about,
}


def _exact(bound: Bound) -> set[int]:
    return {i for i in bound if BEGINNING < i < FOREVER}


def params_of(drawn: Params) -> Operation:
    """Parameters as a caller gives them."""
    given = {name: value for name, value in drawn.items() if name != "outdated"}
    for name, value in given.items():
        if isinstance(value, Date):
            given[name] = value.text
    if given["op"] in {"remember", "update"}:
        given["title"] = given["ref"]
    return given
