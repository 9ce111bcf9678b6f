"""The operations on entries, by the rules of the time page, as sets of instants in readings."""

from oracle_attempt import OPEN, Attempt, Date, Params, period
from oracle_readings import (
    Bound,
    Rect,
    by_the_letter,
    earlier,
    earliest,
    latest,
    meet,
    union,
)
from oracle_relations import declare
from oracle_state import Entry, Refused, Undecided, Verified

from damals.domain.errors import Conflict, InvalidInput


def remember(on: Attempt, p: Params) -> bool:
    ref, content, key = str(p["ref"]), str(p["content"]), p.get("key")
    rect = period(on.start(p.get("valid_from")), on.end(p.get("valid_to")))
    if ref in on.state.names:
        return _known(on, p, rect)
    name = on.create(ref)
    match p.get("on_overlap", "refuse"):
        case "refuse":
            on.refuse_overlap(name, key, rect)
        case "fill":
            rect = _free(on, name, key, rect)
        case "replace":
            for rival in on.state.rivals(name, key):
                on.cut(on.link(name, rival.name, "supersedes"), rect)
    on.put(Entry(name, ref, ref, content, key, (rect,)))
    declare(on, name, p.get("relations", ()))
    on.log(name)
    return False


def _known(on: Attempt, p: Params, rect: Rect) -> bool:
    entry = on.find(p["ref"])
    says = (entry.content, entry.key) == (p["content"], p.get("key"))
    dates = (p.get("valid_from"), p.get("valid_to"))
    if says and entry.rects and any(isinstance(d, Date) and d.unknown for d in dates):
        on.may.add("entry.exists")  # two unknown bounds may be taken for one
    elif not says or not any(_covers(one, rect) for one in entry.rects):
        raise Refused(Conflict)
    elif rect.imprecise or any(one.imprecise for one in entry.rects):
        on.may.add("entry.exists")
    on.log(entry.name)
    return True


def _covers(whole: Rect, part: Rect) -> bool:
    readings = zip(whole.start, whole.end, part.start, part.end, strict=True)
    return all(s >= e or (a <= s and e <= b) for a, b, s, e in readings)


def _free(on: Attempt, name: str, key: str | None, rect: Rect) -> Rect:
    end = rect.end
    for rival in on.state.rivals(name, key):
        for taken in rival.rects:
            if not meet(taken, rect):
                if by_the_letter(taken, rect):
                    on.may |= {"key.taken", "cut.imprecise"}
                continue
            readings = zip(taken.start, taken.end, rect.start, rect.end, strict=True)
            if taken.start == rect.start or any(a < s < min(b, e) for a, b, s, e in readings):
                raise Refused(Conflict)
            if taken.imprecise or rect.imprecise:
                on.may |= {"key.taken", "cut.imprecise"}
            end = earlier(end, taken.start)
    return Rect(rect.start, end)


def update(on: Attempt, p: Params) -> bool:
    asked = None if p.get("valid_from") is None else on.start(p["valid_from"])
    until = None if p.get("valid_to") is None else on.end(p["valid_to"])
    if asked is not None and until is not None:
        period(asked, until)
    old = on.target(p, current=True)
    ref = str(p["ref"])
    if ref in on.state.names:
        raise Refused(Conflict)
    whole, start = _containing(on, old, asked)
    portion = period(start, until or whole.end)
    if earliest(start) < earliest(whole.start) or latest(portion.end) > latest(whole.end):
        raise Refused(Conflict)
    name = on.create(ref)
    on.cut(on.link(name, old.name, str(p.get("relation", "supersedes"))), portion)
    on.refuse_overlap(name, old.key, portion)
    made = Entry(name, ref, ref, str(p["content"]), old.key, (portion,), pinned=old.pinned)
    on.put(made)
    declare(on, name, p.get("relations", ()))
    on.log(name)
    return False


def _containing(on: Attempt, old: Entry, asked: Bound | None) -> tuple[Rect, Bound]:
    first = asked or on.readings.exact(on.now)
    for rect in old.rects:
        if earliest(rect.start) <= earliest(first) and latest(first) < latest(rect.end):
            return rect, first
        if asked is None and earliest(rect.start) > on.now:
            return rect, rect.start
    raise Refused(Conflict)


def correct(on: Attempt, p: Params) -> bool:
    entry = on.target(p, archived=True)
    bounded = "valid_from" in p or "valid_to" in p
    if not entry.rects and not (bounded and entry.stored):
        raise Refused(Conflict)
    rects = entry.rects
    if bounded:
        rects = (_corrected(on, p, entry),)
    key = p.get("key", entry.key)
    if bounded or key != entry.key:
        for rect in rects:
            on.refuse_overlap(entry.name, key, rect)
    if bounded:
        for rect in rects:
            on.refuse_superseded(entry.name, rect, "correct.superseded")
    content = str(p.get("content", entry.content))
    made = on.put(entry, rects=rects, content=content, key=key)
    links = on.state.links.copy()
    if "relations" in p:
        declare(on, entry.name, p["relations"])
    on.log(entry.name, whole=bounded)
    return made == entry and links == on.state.links


def _corrected(on: Attempt, p: Params, entry: Entry) -> Rect:
    """Where it holds by its correction."""
    start = end = None
    if entry.rects:
        start = min((r.start for r in entry.rects), key=lambda b: (earliest(b), latest(b)))
        end = max((r.end for r in entry.rects), key=lambda b: (latest(b), earliest(b)))
    elif any(name not in p or p[name].unknown for name in ("valid_from", "valid_to")):
        raise Undecided  # what it keeps of what it held last
    if "valid_from" in p and not _both_unknown(on, start, p["valid_from"]):
        start = on.start(p["valid_from"])
    if "valid_to" in p and not _both_unknown(on, end, p["valid_to"]):
        end = on.end(p["valid_to"])
    return period(start or on.start(None), end or on.readings.open)


def _both_unknown(on: Attempt, old: Bound | None, date: Date) -> bool:
    return old is not None and on.unknown(old) and date.unknown


def end(on: Attempt, p: Params) -> bool:
    entry = on.target(p, current=True)
    at = on.end(p["at"])
    if p["at"] == OPEN:
        raise Refused(InvalidInput)
    first, last = entry.rects[0].start, entry.rects[-1].end
    if latest(at) <= earliest(first) and at != first:
        raise Refused(InvalidInput)
    on.log(entry.name, end=at)
    if at == last or (on.unknown(at) and on.unknown(last)):
        return True
    if latest(at) > latest(last):
        raise Refused(Conflict)
    left = [Rect(r.start, earlier(r.end, at)) for r in entry.rects]
    made = on.put(entry, rects=union(one for one in left if one.somewhere()))
    return made == entry


def retract(on: Attempt, p: Params) -> bool:
    entry = on.target(p)
    cuts = []
    if p.get("restore"):
        cuts = [i for i, k in on.state.links.items() if k.src == entry.name and k.cuts]
    on.log(entry.name, whole=True)
    if not entry.rects and not cuts:
        return True
    on.put(entry, rects=())
    on.forget(cuts, [r for one in on.successors(entry.name) for r in one.rects])
    return False


def verify(on: Attempt, p: Params) -> bool:
    entry = on.target(p, current=True)
    made = Verified(on.now, float(str(p.get("score", 1.0))), on.number)
    stored = tuple(one for one in entry.verified if one.number != on.number)
    on.put(entry, verified=(*stored, made))
    on.log(entry.name)
    return False


def pin(on: Attempt, p: Params) -> bool:
    entry = on.target(p, current=True)
    on.log(entry.name)
    pinned = p["op"] == "pin"
    on.put(entry, pinned=pinned)
    return entry.pinned == pinned


def archive(on: Attempt, p: Params) -> bool:
    entry = on.target(p, archived=True)
    on.log(entry.name)
    if entry.archived is not None:
        return True
    on.put(entry, archived=on.now)
    return False


def erase(on: Attempt, p: Params) -> bool:
    entry = on.target(p, archived=True)
    on.log(entry.name)
    on.put(entry, rects=(), erased=True)
    del on.state.names[entry.ref]
    return False
