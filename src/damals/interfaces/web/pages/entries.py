"""The page of one entry: what it says at two clocks, all it ever said, and what was said of it."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from fastapi import Depends, Query
from pydantic import BaseModel
from starlette.responses import Response

from damals import messages
from damals.app.errors import DamalsError, InvalidInput, NotFound
from damals.app.results import Entry, RelationItem
from damals.domain.access import Right
from damals.interfaces.rest.problems import Problem, problem_of
from damals.interfaces.web.area import Pages
from damals.interfaces.web.clocks import AskedPair, Pair, span_of
from damals.interfaces.web.drawing.plane import BOLD, NARROW, WIDE, Asked, Plane, Size, plane
from damals.interfaces.web.drawing.wrapping import wrapped
from damals.interfaces.web.reading import blocks, lines, quote_of
from damals.interfaces.web.rendering import short
from damals.interfaces.web.versions import (
    Moment,
    Numbered,
    beside,
    changed_fields,
    drawn,
    inside,
    moment,
    of_name,
    plain_text,
    texts_apart,
    versions,
)
from damals.interfaces.web.visitor import Visitor, WorkspaceVisitor

pages = Pages("/w/{workspace}/entries/{id}")

OPEN: Final = "required"
"""Resolution of a contradiction that nobody has decided."""

RETRACTED: Final = "retracted"
"""Shown as the status of what is not known any more."""

HISTORY: Final = 50
"""Versions on one page of a history."""

MOST_RELATIONS: Final = 40
"""Relations of one kind that are listed; the graph shows all."""

LOGGED: Final = 50
"""Transactions on one page of a log."""

FACT_LINES: Final = (2, 3, 2)
"""Of the facts of a version on a narrow plane, how many lines each may take."""

DONE: Final = frozenset(
    ("remember", "update", "correct", "end", "retract", "revert", "verify", "pin", "unpin",
     "archive", "relate", "unrelate", "contradict", "resolve", "unchanged")
)  # fmt: skip
"""What an address may say that was done just now."""

Text = Annotated[str | None, Query(max_length=200)]
Number = Annotated[int | None, Query(ge=0, le=2**53)]


class Shown(BaseModel):
    """What a page about an entry shows of it.

    Attributes:
        quote: characters of its text that are marked: ``12-80``.
        view: ``lines`` for the text as it stands in its source.
        before: versions of the history before this number.
        done: what was done just now.
    """

    quote: Text = None
    view: Text = None
    before: Number = None
    done: Text = None


@pages.page("GET ")
def entry(
    visitor: WorkspaceVisitor, id: str, pair: AskedPair, show: Annotated[Shown, Depends()]
) -> Response:
    """What an entry says at a pair of instants, and all that it ever said."""
    at, problem = _moment(visitor, pair)
    own = versions(visitor.memory, id, at)
    found = None
    if problem is None:
        found, problem = _found(visitor, id, pair)
    said = found or max(own, key=lambda one: (one.extent.current, one.number)).view
    first, marked = said.source.line or 1, quote_of(show.quote, said.content)
    by_lines = show.view == "lines" or marked is not None
    return visitor.page(
        "entry.html",
        200 if problem is None else problem.status,
        block="state",
        entry=said,
        standing=_standing(own, said, at),
        caveats=getattr(said, "caveats", None) or (),
        holds=found is not None and found.certainty is not None,
        pair=pair.told,
        at=at,
        span=span_of(visitor),
        problem=problem.document if problem else None,
        done=show.done if show.done in DONE else None,
        pictures=_pictures(visitor, own, at),
        lines=lines(said.content, first, marked) if by_lines else None,
        blocks=() if by_lines else blocks(said.content, first, _links(visitor, said, pair)),
        quoted=marked is not None,
        related=_related(said),
        most=MOST_RELATIONS,
        changes=changes_of(visitor, said),
        contested=[one for one in said.relations if one.resolution == OPEN],
        **_history(own, at, show.before),
    )


def _moment(visitor: Visitor, pair: Pair) -> tuple[Moment, Problem | None]:
    """What the clocks mean; the present and what is wrong when they cannot be read."""
    span = visitor.memory.span()
    try:
        return moment(span, pair), None
    except InvalidInput as error:
        return moment(span, Pair()), problem_of(error)


def _found(visitor: Visitor, id: str, pair: Pair) -> tuple[Entry | None, Problem | None]:
    """What holds at the pair, or what is to be told instead."""
    try:
        return visitor.memory.get(id, **pair.told), None
    except DamalsError as error:
        return None, problem_of(error)


def _standing(own: Sequence[Numbered], said: Entry, at: Moment) -> str:
    """The status that is shown: nothing is left of what was retracted, whatever it said."""
    since = [one for one in own if one.extent.known[0] <= at.known_at]
    left = any(at.known_at < one.extent.known[1] for one in since)
    return said.status if left or not since else RETRACTED


# --- the plane


def _pictures(visitor: Visitor, own: Sequence[Numbered], at: Moment) -> Mapping[str, Any]:
    """The plane, for wide pages and for narrow ones, and what is told of its rectangles."""
    others = beside(visitor.memory, own, at)
    shown, left_out = drawn((*others, *own))
    names = {at.now: messages.text("web.entry.now")}
    asked = Asked(at.as_of, at.known_at, at.now, at.zone, names)
    sizes = {"wide": WIDE, "narrow": NARROW}
    return {
        "planes": {name: _plane(shown, asked, size) for name, size in sizes.items()},
        "facts": {name: [_facts(one, at, size) for one in shown] for name, size in sizes.items()},
        "shown": shown,
        "usual": {name: _usual(own, at, size) for name, size in sizes.items()},
        "links": [visitor.path("entries", one.view.id, **inside(one, at)) for one in shown],
        "left_out": left_out,
        "others": sum(1 for one in shown if not one.own),
    }


def _plane(shown: Sequence[Numbered], asked: Asked, size: Size) -> Plane:
    return plane([one.extent for one in shown], asked, size)


def _usual(own: Sequence[Numbered], at: Moment, size: Size) -> Sequence[str]:
    """What is told while nobody points at a rectangle: of what holds at the pair."""
    asked = next((one for one in own if one.extent.asked), None)
    if asked is not None:
        return _facts(asked, at, size)
    return wrapped(messages.text("web.entry.nothing_there"), _chars(size), sum(FACT_LINES))


def _chars(size: Size) -> int:
    return int((size.width - 16) / (size.char * BOLD))


def _facts(one: Numbered, at: Moment, size: Size) -> Sequence[str]:
    """What is told of a version: what it says, when it holds and was known, who said it."""
    view, say = one.view, messages.text
    holds = say(
        "web.entry.fact.times",
        start=view.valid_from or say("web.period.unknown"),
        end=view.valid_to or say("web.period.open"),
        since=at.local(view.recorded_from),
        until=at.local(view.recorded_to) or say("web.entry.today"),
    )
    said = say(
        "web.entry.fact.said",
        operation=operation_name(view.operation),
        actor=view.actor,
        number=view.transaction,
    )
    title = f"{one.number if one.own else say('web.entry.fact.other')} · {view.title}"
    if text := plain_text(view):
        title += f" – {text}"
    texts = (title, holds, f"{said}: {view.reason}" if view.reason else said)
    chars = _chars(size)
    if size is WIDE:
        return [short(text, chars) for text in texts]
    told = zip(texts, FACT_LINES, strict=True)
    return [line for text, most in told for line in wrapped(text, chars, most)]


def operation_name(kind: str) -> str:
    """What people call an operation; the name that logs use for one that has no other."""
    key = f"web.entry.op.{kind}"
    return messages.text(key) if messages.has(key, messages.spoken()) else kind


# --- around the text


def _links(visitor: Visitor, said: Entry, pair: Pair) -> Mapping[str, str]:
    """Where the names in a text lead to: the entries that it is related to."""
    return {
        one.title.casefold(): visitor.path("entries", one.entry_id, **pair.told)
        for one in said.relations
        if one.title and one.direction == "out" and not one.unresolved
    }


def _related(said: Entry) -> Sequence[tuple[str, str, Sequence[RelationItem]]]:
    """Relations by type and direction; those with an effect on what holds come first."""
    groups: dict[tuple[str, str], dict[str, RelationItem]] = {}
    for one in said.relations:
        groups.setdefault((one.type, one.direction), {})[one.entry_id] = one
    first = {"contradicts": 0, "supersedes": 1, "revises": 2, "extends": 3}
    order = sorted(groups, key=lambda pair: (first.get(pair[0], 9), *pair))
    return [(*kind, list(groups[kind].values())) for kind in order]


def changes_of(visitor: Visitor, said: Entry) -> Sequence[str]:
    """What the visitor may do with an entry."""
    names = ["update", "correct", "end", "retract", "verify"]
    names.append("unpin" if said.pinned else "pin")
    names += ["archive", "relate", "contradict"]
    return [*names, "erase"] if visitor.may(Right.ADMINISTER) else names


def _history(own: Sequence[Numbered], at: Moment, before: int | None) -> Mapping[str, Any]:
    """The newest versions, or those before a number."""
    last = len(own) if before is None else min(max(before - 1, 0), len(own))
    first = max(last - HISTORY, 0)
    rows = [
        (one, changed_fields(own[place - 1].view, one.view) if place else (), inside(one, at))
        for place, one in enumerate(own[first:last], first)
    ]
    return {
        "rows": rows[::-1],
        "versions": len(own),
        "earlier": first + 1 if first else None,
        "operation_name": operation_name,
    }


# --- two versions


@pages.page("GET /compare")
def compare(
    visitor: WorkspaceVisitor, id: str, pair: AskedPair, a: Text = None, b: Text = None
) -> Response:
    """How the texts of two versions differ, word by word, and what else does."""
    at, _ = _moment(visitor, Pair())
    own = versions(visitor.memory, id, at)
    every = (*own, *beside(visitor.memory, own, at))
    last = own[-1].number
    old, new = of_name(every, a or str(max(last - 1, 1))), of_name(every, b or str(last))
    return visitor.page(
        "compare.html",
        block="compared",
        entry=own[-1].view,
        pair=pair.told,
        at=at,
        every=every,
        old=old,
        new=new,
        changed=changed_fields(old.view, new.view),
        texts=texts_apart(old.view, new.view),
        operation_name=operation_name,
    )


# --- all that was said of it


@pages.page("GET /log")
def log(visitor: WorkspaceVisitor, id: str, pair: AskedPair, after: Number = None) -> Response:
    """The transactions about an entry, in order, with what each said."""
    at, _ = _moment(visitor, Pair())
    told = visitor.memory.log(entry=id, after=after or 0, limit=LOGGED)
    if not told.transactions and not after:
        raise NotFound("entry.unknown", id=id)
    last = versions(visitor.memory, id, at)[-1].view
    return visitor.page(
        "entry-log.html",
        entry=last,
        pair=pair.told,
        at=at,
        transactions=told.transactions,
        next=visitor.path("entries", id, "log", after=told.next) if told.next else None,
        operation_name=operation_name,
    )
