"""What is built on what, and which of it on research that was stale when somebody accepted it.

Built on another is what extends it, rests on it, follows from it or says the same in another
language. Being related, being a part, naming or replacing it is not: what revises or supersedes
another was found out anew.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from damals import messages
from damals.app.ages import Events, clock_of, life_of, worded
from damals.app.ledger_model import At, Found, RelationView
from damals.app.ledger_port import LedgerReader
from damals.domain.ageing import Life, stands_accepted
from damals.domain.instants import BEGINNING
from damals.domain.nearness import EdgeKinds
from damals.domain.research import researched
from damals.domain.types import TypeCatalogue
from damals.domain.zones import load_zone, to_local

RESTS_ON: Final = frozenset(
    {"extends", "based_on", "supported_by", "follows_from", "depends_on", "translation_of"}
)
"""Relations from what is built to what it is built on."""

CARRIES: Final = frozenset({"basis_of", "evidence_for", "leads_to", "required_by", "translated_as"})
"""The same from the other end."""

MAX_STEPS: Final = 5
"""So long a chain of things built on each other is followed."""

MOST_EDGES: Final = 10_000
"""So many edges to what something is built on are read of each group of entries."""

_BASES: Final = EdgeKinds(leading=RESTS_ON, coming=CARRIES)


@dataclass(frozen=True, slots=True)
class Known:
    """An entry with its life, at a pair."""

    found: Found
    life: Life


@dataclass(slots=True)
class _Structure:
    """What lies under some entries, as far as it was followed.

    Attributes:
        bases: of each entry, what it is directly built on.
        known: entries with their lives.
    """

    bases: dict[UUID, set[UUID]] = field(default_factory=dict[UUID, set[UUID]])
    known: dict[UUID, Known] = field(default_factory=dict[UUID, Known])


def caveats(
    reader: LedgerReader,
    known: Mapping[UUID, Known],
    relations: Iterable[RelationView],
    at: At,
    types: TypeCatalogue,
) -> dict[UUID, tuple[str, ...]]:
    """What is to be said of entries that are, or are built on, accepted stale research.

    A verification since then lifts it: of what was researched, or of what is built on it.

    Args:
        reader: of who asks: what they may not see says nothing.
        known: the entries, by id.
        relations: theirs at the pair.
        at: the pair.
        types: by which they age.
    """
    under = _followed(reader, known, relations, at)
    instant = clock_of(at)
    bases: dict[UUID, dict[UUID, Life]] = {
        entry_id: {
            one.found.version.entry_id: one.life
            for one in _reached(under, entry_id)
            if stands_accepted(one.life, instant)
        }
        for entry_id in known
    }
    read = worded(reader, {one: life for each in bases.values() for one, life in each.items()})
    zone = reader.workspace().zone
    dates = {one: _date(life, at, types, zone) for one, life in read.items()}
    return {
        entry_id: tuple(
            messages.text("caveat.accepted", None, date=date)
            for date in sorted({dates[one] for one in accepted})
        )
        for entry_id, accepted in bases.items()
        if accepted
    }


def _followed(
    reader: LedgerReader,
    known: Mapping[UUID, Known],
    relations: Iterable[RelationView],
    at: At,
) -> _Structure:
    """What lies under some entries."""
    under = _Structure(known=dict(known))
    frontier: set[UUID] = set()
    for one in relations:
        if not one.unresolved:
            ends = one.entry_id, one.other_id
            pair = ends if one.direction == "out" else (ends[1], ends[0])
            _note(under, one.relation, pair, known, frontier)
    for _ in range(MAX_STEPS):
        new = frontier - under.known.keys()
        if not new:
            break
        under.known |= _looked_up(reader, sorted(new), at)
        frontier = set()
        for edge in reader.edges_at(sorted(new), at, MOST_EDGES, _BASES):
            _note(under, edge.relation, (edge.src, edge.dst), new, frontier)
    return under


def _note(
    under: _Structure,
    relation: str,
    ends: tuple[UUID, UUID],
    builders: Iterable[UUID],
    frontier: set[UUID],
) -> None:
    """Note what an edge says of one of the builders, if it says so."""
    src, dst = ends
    if relation in CARRIES:
        src, dst = dst, src
    elif relation not in RESTS_ON:
        return
    if src in builders:
        under.bases.setdefault(src, set()).add(dst)
        frontier.add(dst)


def _looked_up(reader: LedgerReader, ids: Sequence[UUID], at: At) -> dict[UUID, Known]:
    """Entries at a pair; of one that does not hold there what was last known."""
    found = dict(reader.versions_at(ids, at))
    found |= reader.latest_versions([one for one in ids if one not in found], at)
    checks = reader.verifications_at(list(found), at)
    return {
        one: Known(each, life_of(each, Events(checks.get(one, ())))) for one, each in found.items()
    }


def _reached(under: _Structure, start: UUID) -> list[Known]:
    """An entry and what it is built on, each with the last check on the way as its own."""
    best: dict[UUID, int] = {}
    waiting = [(start, BEGINNING)]
    while waiting:
        entry_id, floor = waiting.pop()
        one = under.known.get(entry_id)
        if one is None:
            continue
        checked = max(floor, one.life.checks[-1].at if one.life.checks else BEGINNING)
        if checked < best.get(entry_id, checked + 1):
            best[entry_id] = checked
            waiting += [(base, checked) for base in under.bases.get(entry_id, ())]
    accepted = ((under.known[one], checked) for one, checked in best.items())
    return [one for one, checked in accepted if (one.life.has.accepted or BEGINNING) > checked]


def _date(life: Life, at: At, types: TypeCatalogue, zone: str) -> str:
    """The day of what was researched, in the zone of the workspace."""
    since = researched(life, types, at.as_of, zone).age.since
    return to_local(since, load_zone(zone)).date().isoformat()
