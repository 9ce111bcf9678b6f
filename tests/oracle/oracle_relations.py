"""Relations: four types that change what holds or what is asked, and one that does neither."""

from collections.abc import Sequence
from dataclasses import replace

from oracle_attempt import CUTTING, Attempt, Params
from oracle_readings import Rect, latest
from oracle_state import Entry, Link, Name, Refused

from damals.domain.errors import Conflict, InvalidInput, NotFound


def declare(on: Attempt, src: Name, said: object) -> None:
    """Make these the declared relations of an entry."""
    wanted: dict[tuple[str, Name], None] = {}
    for one in said if isinstance(said, Sequence) else ():
        dst = on.end_of_relation(one["dst"]).name
        if dst == src:
            raise Refused(InvalidInput)
        wanted[one["type"], dst] = None
    declared = {i: k for i, k in on.state.links.items() if k.src == src and k.declared}
    standing = {(k.relation, k.dst) for k in declared.values()}
    on.forget([i for i, k in declared.items() if (k.relation, k.dst) not in wanted])
    for relation, dst in wanted:
        if (relation, dst) not in standing:
            _record(on, src, dst, relation, declared=True)


def _record(on: Attempt, src: Name, dst: Name, relation: str, *, declared: bool = False) -> None:
    resolution = "required" if relation == "contradicts" else None
    link = on.link(src, dst, relation, declared=declared, resolution=resolution)
    if relation not in CUTTING:
        on.add(link)
        return
    on.refuse_cycle(src, dst)
    portions = [_claimed(on, rect) for rect in on.state.entries[src].rects]
    taken = [on.cut(link, portion) for portion in portions if portion is not None]
    if not any(taken):
        on.add(link)


def _claimed(on: Attempt, rect: Rect) -> Rect | None:
    """Where an entry takes over: where it holds, from now on when its start is unknown."""
    if not on.unknown(rect.start):
        return rect
    return Rect(on.readings.exact(on.now), rect.end) if on.now < latest(rect.end) else None


def relate(on: Attempt, p: Params) -> bool:
    src = on.end_of_relation(p["src"], p)
    dst = on.end_of_relation(p["dst"])
    if src == dst:
        raise Refused(InvalidInput)
    relation = str(p["type"])
    if relation == "contradicts":
        return _contradict(on, src, dst)
    on.log(src.name)
    if _standing(on, src.name, relation, dst.name):
        return True
    _record(on, src.name, dst.name, relation)
    return False


def _standing(on: Attempt, src: Name, relation: str, dst: Name) -> list[int]:
    wanted = (src, relation, dst)
    return [i for i, k in on.state.links.items() if (k.src, k.relation, k.dst) == wanted]


def unrelate(on: Attempt, p: Params) -> bool:
    src = on.find(p["src"])
    on.expect(p)
    dst, relation = on.find(p["dst"]), str(p["type"])
    found = _standing(on, src.name, relation, dst.name)
    if not found and relation == "contradicts":
        src, dst = dst, src
        found = _standing(on, src.name, relation, dst.name)
    if not found:
        raise Refused(NotFound)
    on.forget(found)
    on.log(src.name)
    return False


def contradict(on: Attempt, p: Params) -> bool:
    a = on.end_of_relation(p["a"], p)
    b = on.end_of_relation(p["b"])
    if a == b:
        raise Refused(InvalidInput)
    return _contradict(on, a, b)


def _contradict(on: Attempt, a: Entry, b: Entry) -> bool:
    on.log(a.name)
    if any(on.state.links[i].resolution == "required" for i in _contradictions(on, a, b)):
        return True
    on.add(on.link(a.name, b.name, "contradicts", resolution="required"))
    return False


def _contradictions(on: Attempt, a: Entry, b: Entry) -> list[int]:
    pair = {a.name, b.name}
    links = on.state.links.items()
    return [i for i, k in links if k.relation == "contradicts" and {k.src, k.dst} == pair]


def resolve(on: Attempt, p: Params) -> bool:
    a = on.end_of_relation(p["a"], p)
    b = on.end_of_relation(p["b"])
    found = {i: on.state.links[i] for i in _contradictions(on, a, b)}
    if not found:
        raise Refused(NotFound)
    on.log(a.name)
    keep = p["keep"]
    standing = {i: k for i, k in found.items() if k.resolution == "required"}
    if not standing:
        if any(k.resolution == _kept(k, a, keep) for k in found.values()):
            return True
        raise Refused(Conflict)
    for i, link in standing.items():
        del on.state.links[i]
        made = on.link(link.src, link.dst, "contradicts", resolution=_kept(link, a, keep))
        on.add(replace(made, declared=link.declared))
    if keep != "both":
        _end_now(on, *((a, b) if keep == "a" else (b, a)))
    return False


def _kept(link: Link, a: Entry, keep: object) -> str:
    if keep == "both":
        return "both"
    return "src" if (link.src == a.name) == (keep == "a") else "dst"


def _end_now(on: Attempt, winner: Entry, loser: Entry) -> None:
    """The loser ends now, and the winner supersedes it from there on."""
    if loser.archived is not None:
        raise Refused(Conflict)
    on.refuse_cycle(winner.name, loser.name)
    link = on.link(winner.name, loser.name, "supersedes", decides=True)
    if not on.cut(link, Rect(on.readings.exact(on.now), on.readings.open)):
        on.add(link)
