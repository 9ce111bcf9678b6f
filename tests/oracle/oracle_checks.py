"""Whether a ledger and the oracle say the same."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from uuid import UUID

from oracle_clocks import Oracle
from oracle_readings import certain, possible
from oracle_state import Blurred, Name, State

from damals.app.ledger_model import At, EntryFilter
from damals.app.ledger_port import LedgerReader
from damals.domain.entries import Version
from damals.domain.instants import FOREVER
from damals.domain.periods import Period

CERTAIN = EntryFilter(certain=True, limit=None)
SUPERSEDED = EntryFilter(superseded=True, limit=None)
ARCHIVED = EntryFilter(archived=True, limit=None)
ALL = EntryFilter(limit=None)


def pairs_agree(reader: LedgerReader, oracle: Oracle, pairs: Iterable[tuple[int, int]]) -> None:
    """Lists and states at pairs of a valid and a recorded instant."""
    hidden = oracle.hidden()
    names = {i: name for name, i in oracle.state.ids.items()}
    for v, t in pairs:
        at, state = At(v, t), oracle.at(t)
        found = reader.list_at(at, ALL)
        told = {
            names[f.info.id]: (
                f.version.attributes.content,
                f.version.attributes.pinned,
                f.version.period.certain_at(v),
            )
            for f in found
        }
        listed = {
            name: said
            for name, said in state.list_at(v, hidden).items()
            if not state.archived(state.entries[name], v)
        }
        for f in found:
            if names[f.info.id] not in listed and _perhaps_never(f.version):
                raise Blurred
        assert told == listed, (v, t)
        sure = {names[f.info.id] for f in reader.list_at(at, CERTAIN)}
        assert sure == {name for name, said in listed.items() if said[2]}, (v, t)


def states_agree(reader: LedgerReader, oracle: Oracle, pairs: Iterable[tuple[int, int]]) -> None:
    """Relations, contradictions, what is superseded, archived and verified."""
    hidden = oracle.hidden()
    ids = {name: i for name, i in oracle.state.ids.items() if name not in hidden}
    names = {i: name for name, i in ids.items()}
    vague = oracle.state.vague
    unsure = {name for pair in vague for name in pair}
    for v, t in pairs:
        at, state = At(v, t), oracle.at(t)
        taken = {names[i] for i in reader.superseded_at(list(names), at)}
        assert taken - unsure == state.superseded(v) - hidden - unsure, (v, t)
        archived = {names[i]: since for i, since in reader.archived_at(list(names), at).items()}
        out = {e.name: e.archived for e in state.entries.values() if state.archived(e, v)}
        assert archived == {name: out[name] for name in out if name not in hidden}, (v, t)
        verified = reader.verifications_at(list(names), at).items()
        scores = {names[i]: them[-1].score for i, them in verified}
        assert scores == _verified(state, v, hidden), (v, t)
        assert _told(reader, names, at, vague) == _related(state, v, hidden, vague), (v, t)
        listed = {names[f.info.id] for f in reader.list_at(at, SUPERSEDED)}
        away = {n for n in taken - out.keys() if not possible(state.entries[n].rects, v)}
        assert listed == away, (v, t)
        assert {names[f.info.id] for f in reader.list_at(at, ARCHIVED)} == {
            name for name in out if name not in hidden and state.entries[name].stored
        }, (v, t)


def _verified(state: State, v: int, hidden: set[Name]) -> dict[Name, float]:
    scores: dict[Name, float] = {}
    for entry in state.entries.values():
        seen = [one for one in entry.verified if one.at <= min(v, state.recorded_at)]
        if seen and entry.name not in hidden:
            scores[entry.name] = max(seen, key=lambda one: one.at).score
    return scores


Related = dict[tuple[Name, Name, str], str | None]
_SEEN = {"kept": "src", "ended": "dst", None: None, "required": "required", "both": "both"}


def _told(
    reader: LedgerReader, names: dict[UUID, Name], at: At, vague: set[frozenset[Name]]
) -> Related:
    told: Related = {}
    back: Related = {}
    for view in reader.relations_at(list(names), at):
        near, far = names[view.entry_id], names[view.other_id]
        if frozenset({near, far}) in vague:
            continue
        if view.direction == "out":
            told[near, far, view.relation] = _SEEN[view.resolution]
        else:
            swapped = {"kept": "ended", "ended": "kept"}
            resolution = swapped.get(str(view.resolution), view.resolution)
            back[far, near, view.relation] = _SEEN[resolution]
    assert told == back, "both ends tell the same"
    return told


def _related(state: State, v: int, hidden: set[Name], vague: set[frozenset[Name]]) -> Related:
    found: Related = {}
    for link in state.links.values():
        if link.cuts and not possible(link.taken, v):
            continue
        if frozenset({link.src, link.dst}) in vague or {link.src, link.dst} & hidden:
            continue
        where = (link.src, link.dst, link.relation)
        if found.get(where) != "required":
            found[where] = link.resolution
    return found


def rows_agree(reader: LedgerReader, oracle: Oracle) -> None:
    """Every rectangle there is, at every recorded instant and every edge."""
    hidden = oracle.hidden()
    instants = sorted({i + shift for i in oracle.edges() for shift in (-1, 0) if i < FOREVER})
    for name, entry_id in oracle.state.ids.items():
        rows = [found.version for found, _ in reader.history(entry_id, At(0, FOREVER - 1))]
        assert not (name in hidden and rows)
        for state in oracle.past if name not in hidden else ():
            known = [row for row in rows if row.known_at(state.recorded_at)]
            entry = state.entries.get(name)
            rects = entry.rects if entry else ()
            for v in instants:
                held, wanted = _holds(known, v), (possible(rects, v), certain(rects, v))
                if held == (True, False) and not wanted[0] and any(map(_perhaps_never, known)):
                    raise Blurred
                assert held == wanted, (name, v, state.recorded_at)
            for row in known:
                said = (row.attributes.content, row.attributes.key, row.attributes.pinned)
                assert said == entry.statement[1:], (name, state.recorded_at)


def _perhaps_never(version: Version) -> bool:
    return version.period.start.latest >= version.period.end.earliest


def _holds(rows: Sequence[Version], v: int) -> tuple[bool, bool]:
    held = [r.period for r in rows if r.period.start.earliest <= v < r.period.end.latest]
    return bool(held), any(p.start.latest <= v < p.end.earliest for p in held)


def nothing_overlaps(reader: LedgerReader, oracle: Oracle) -> None:
    """No two current rectangles of an entry, or of a key, hold at one instant."""
    current: list[tuple[Name, Version]] = []
    for name in oracle.state.ids.keys() - oracle.hidden():
        rows = reader.history(oracle.state.ids[name], At(0, FOREVER - 1))
        current += [(name, f.version) for f, _ in rows if f.version.recorded_to == FOREVER]
    for (one, a), (other, b) in combinations(current, 2):
        keys = {a.attributes.key, b.attributes.key}
        if one == other or (len(keys) == 1 and None not in keys):
            assert not _excludes(a.period, b.period), (one, other, a.period, b.period)
            assert not _excludes(b.period, a.period), (one, other, a.period, b.period)


def _excludes(sure: Period, other: Period) -> bool:
    """Whether one certainly holds at an instant at which the other may."""
    start = max(sure.start.latest, other.start.earliest)
    return start < min(sure.end.earliest, other.end.latest)
