"""Reverting, by sets: what a transaction gained goes, what it took comes back.

Between what must be done and what must be refused lies what rows decide (an entry that was changed
and changed back): there the ledger may refuse.
"""

from dataclasses import replace

from oracle_attempt import IMPRECISE, Attempt, Params
from oracle_readings import meet, take_all, union
from oracle_state import Entry, Link, Name, Rects, Refused, State, Verified

from damals.domain.errors import Conflict, NotFound

LATER = "revert.later"


def revert(on: Attempt, p: Params) -> bool:
    on.expect(p)
    number = int(str(p["transaction"]))
    if not 1 <= number <= len(on.past):
        raise Refused(NotFound)
    before = on.past[number - 2] if number > 1 else State()
    after = on.past[number - 1]
    changed = _changed(before, after)
    if any(after.entries[one].erased for one in changed if one in after.entries):
        raise Refused(Conflict)
    since = [*on.past[number:], on.state]
    for name in changed:
        if on.state.entries[name].erased:
            raise Refused(Conflict)
        changed_since = any(_all_of(state, name) != _all_of(after, name) for state in since)
        if changed_since or on.said_since(name, number, len(on.state.log)):
            on.may.add(LATER)
    held = {name: on.state.entries[name].rects for name in changed}
    for name in changed:
        _undo(on, number, before.entries.get(name), after.entries[name])
    _undo_links(on, before, after)
    for name in changed:
        _check(on, held[name], on.state.entries[name])
    on.log(None, reverted=number)
    return not changed


def _changed(before: State, after: State) -> list[Name]:
    """The entries of which a transaction changed anything."""
    blank = Entry("", "", "", "")
    entries = [
        name
        for name, entry in after.entries.items()
        if _said(entry) != _said(before.entries.get(name, blank))
    ]
    links = [after.links[i].src for i in after.links.keys() - before.links.keys()]
    gone = [before.links[i].src for i in before.links.keys() - after.links.keys()]
    return sorted({*entries, *links, *gone})


def _said(entry: Entry) -> tuple[object, ...]:
    statement = entry.statement if entry.rects else ()
    return (statement, entry.rects, entry.archived, entry.verified, entry.erased)


def _all_of(state: State, name: Name) -> tuple[object, ...]:
    return (state.entries[name], {i: k for i, k in state.links.items() if k.src == name})


def _undo(on: Attempt, number: int, before: Entry | None, after: Entry) -> None:
    then = before or Entry(after.name, after.ref, after.title, after.content)
    now = on.state.entries[after.name]
    if _said(then)[:2] != _said(after)[:2]:
        now = _undo_rects(on, number, then, after)
    if then.archived != after.archived:
        if now.archived != after.archived:
            raise Refused(Conflict)
        now = replace(now, archived=None if then.archived is None else on.now)
    on.put(now, verified=_undo_verified(on, then, after, now))


def _undo_rects(on: Attempt, number: int, then: Entry, after: Entry) -> Entry:
    now = on.state.entries[after.name]
    if any(one.imprecise for one in (*then.rects, *after.rects, *now.rects)):
        on.may.add(IMPRECISE)
    otherwise = bool(then.rects and after.rects) and then.statement != after.statement
    if (now.rects, now.statement) == (after.rects, after.statement):
        if not then.rects:
            return replace(now, rects=())
        _, content, key, pinned = then.statement
        return replace(now, rects=then.rects, content=content, key=key, pinned=pinned)
    gained = take_all(after.rects, then.rects)
    lost = take_all(then.rects, after.rects)
    since = on.said_since(now.name, number, len(on.state.log))
    if otherwise or gained or on.still_said(lost, since) != lost:
        raise Refused(Conflict)
    if any(meet(a, b) for a in lost for b in now.rects):
        raise Refused(Conflict)
    return replace(now, rects=union((*now.rects, *lost)))


def _undo_verified(on: Attempt, then: Entry, after: Entry, now: Entry) -> tuple[Verified, ...]:
    opened = [one for one in after.verified if one not in then.verified]
    closed = [one for one in then.verified if one not in after.verified]
    if any(one not in now.verified for one in opened):
        raise Refused(Conflict)
    kept = [one for one in now.verified if one not in opened]
    back = [replace(one, at=on.now, number=on.number) for one in closed]
    return (*kept, *back)


def _undo_links(on: Attempt, before: State, after: State) -> None:
    for i in after.links.keys() - before.links.keys():
        if i not in on.state.links:
            raise Refused(Conflict)
        del on.state.links[i]
    for i in sorted(before.links.keys() - after.links.keys()):
        link = before.links[i]
        if any(_same(link, k) for k in on.state.links.values()):
            on.may.add(LATER)
        on.add(link)  # as old as it was


def _same(a: Link, b: Link) -> bool:
    return (a.src, a.dst, a.relation) == (b.src, b.dst, b.relation)


def _check(on: Attempt, before: Rects, entry: Entry) -> None:
    """What has come back must not meet its rivals, nor what superseded it."""
    for rect in entry.rects:
        for other in on.state.rivals(entry.name, entry.key):
            on.refuse_meeting(other, rect, LATER)
        if rect not in before:
            on.refuse_superseded(entry.name, rect, LATER)
