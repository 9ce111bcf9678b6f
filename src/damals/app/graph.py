"""The graph around an entry at a pair of instants.

An edge is there where it holds and the entry that says it holds. The other end may be gone there
(superseded, say): then it is shown, and the walk ends at it, as it does at what is archived and at
a name that nothing is known of.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from damals.app import looking
from damals.app.ages import Ages, Events, clock_of, life_of
from damals.app.graph_results import Graph, GraphEdge, GraphNode
from damals.app.ledger_model import At, Found, RelationView
from damals.app.ledger_port import LedgerReader
from damals.app.looking import Asked
from damals.app.ports import Clock
from damals.app.results import Entry
from damals.domain.ageing import Status, half_lives, status
from damals.domain.errors import InvalidInput
from damals.domain.fields import whole_number
from damals.domain.types import TypeCatalogue, relation_name

DEPTHS: Final = range(1, 11)
DEGREES: Final = range(1, 10_001)
_LOOK_UP: Final = 200
"""Neighbours that are looked up at once: a node may have more than are ever shown."""


@dataclass(frozen=True, slots=True)
class Around:
    """How much of a graph is asked for.

    Attributes:
        depth: edges from the asked entry, at most.
        types: of relations; all when there are none.
        limit: nodes, the asked one included; ``None`` for all.
        degree: neighbours that are shown of each entry, at most; ``None`` for all.
    """

    depth: object = 1
    types: tuple[str, ...] = ()
    limit: object = 100
    degree: object = None


def graph(
    reader: LedgerReader, clock: Clock, name: str, asked: Asked, around: Around, ages: Ages
) -> Graph:
    """What lies around an entry.

    Raises:
        NotFound: ``entry.unknown``, ``entry.erased`` or, at that pair, ``entry.not_then``.
        InvalidInput: ``field.range`` for depth and degree, ``limit.invalid``.
    """
    depth = whole_number("depth", around.depth)
    if depth not in DEPTHS:
        low, high = DEPTHS[0], DEPTHS[-1]
        raise InvalidInput("field.range", name="depth", value=depth, low=low, high=high)
    now = looking.present(reader, clock)
    at = looking.pair(reader, now, asked)
    root = looking.get(reader, clock, name, asked, ages)
    walk = _Walk(reader, at, ages.types(reader), around)
    walk.begin(root)
    for hops in range(1, depth + 1):
        walk.step(hops)
    walk.finish()
    return Graph(
        id=root.id,
        understood=looking.understood(reader, at, now),
        depth=depth,
        nodes=tuple(walk.nodes.values()),
        edges=tuple(walk.edges.values()),
        truncated=walk.truncated,
    )


class _Walk:
    """A walk from an entry outwards, hop by hop, in a fixed order."""

    def __init__(
        self, reader: LedgerReader, at: At, ages_by: TypeCatalogue, around: Around
    ) -> None:
        limit = looking.checked_limit(around.limit)
        self._reader = reader
        self._at = at
        self._ages_by = ages_by
        self._types = frozenset(relation_name(one) for one in around.types)
        self._limit = looking.ALL if limit is None else limit
        self._degree = looking.ALL if around.degree is None else _degree(around.degree)
        self._frontier: list[UUID] = []
        self._known: dict[UUID, GraphNode] = {}
        """Neighbours that were looked up, as they would be shown."""
        self._shown: Counter[UUID] = Counter()
        """How many neighbours came in by way of a node."""
        self._dropped: dict[UUID, list[RelationView]] = {}
        """By node that was followed: the edges whose other end did not come in by way of it."""
        self._full, self._hops = False, 0
        self.nodes: dict[UUID, GraphNode] = {}
        self.edges: dict[UUID, GraphEdge] = {}
        self.truncated = False

    def begin(self, root: Entry) -> None:
        """Start at an entry."""
        node = GraphNode(
            root.id, root.title, root.type, 0, root.status, root.certainty, unresolved=False
        )
        self._admit(UUID(root.id), node)

    def step(self, hops: int) -> None:
        """Follow the edges of what was reached last."""
        rows = self._rows()
        self._hops = hops
        self._dropped |= {entry_id: [] for entry_id in self._frontier}
        self._frontier = []
        for start in range(0, len(rows), _LOOK_UP):
            batch = rows[start : start + _LOOK_UP]
            if not self._full:
                wanted = [row for row in batch if self._shown[row.entry_id] < self._degree]
                self._look_up(wanted)
            for row in batch:
                self._follow(row)

    def finish(self) -> None:
        """Add what lies between shown nodes after all, and count what is left out of each."""
        for entry_id, rows in self._dropped.items():
            left_out = {row.other_id for row in rows} - self.nodes.keys()
            for row in rows:
                if row.other_id not in left_out:
                    self._follow(row)
            self.nodes[entry_id] = replace(self.nodes[entry_id], left_out=len(left_out))
            self.truncated |= bool(left_out)

    def _rows(self) -> list[RelationView]:
        """The edges of the frontier, by its order, then as an entry shows them."""
        place = {entry_id: number for number, entry_id in enumerate(self._frontier)}
        found = self._reader.relations_at(self._frontier, self._at) if place else ()
        wanted = (one for one in found if not self._types or one.relation in self._types)
        return sorted(wanted, key=lambda one: place[one.entry_id])

    def _look_up(self, rows: Sequence[RelationView]) -> None:
        new = {one.other_id: one for one in rows if one.other_id not in self._known}
        ids = [entry_id for entry_id, one in new.items() if not one.unresolved]
        held = self._reader.versions_at(ids, self._at)
        archived = self._reader.archived_at(ids, self._at)
        absent = [entry_id for entry_id in ids if entry_id not in held]
        superseded = self._reader.superseded_at(absent, self._at) if absent else frozenset[UUID]()
        checks = self._reader.verifications_at(ids, self._at)
        for entry_id, one in new.items():
            found = held.get(entry_id)
            gone = entry_id in superseded, entry_id in archived
            events = Events(checks.get(entry_id, ()), None, None, *gone)
            said = None if one.unresolved else self._status(entry_id, found, events)
            shown = replace(_named(one), status=said)
            self._known[entry_id] = _filled(shown, found, self._at)

    def _status(self, entry_id: UUID, found: Found | None, events: Events) -> str:
        """The status of a neighbour, also of one that does not hold at the pair."""
        if found is None and not (events.superseded or events.archived):
            found = self._reader.latest_version(entry_id, self._at)
        if found is None:  # of what is gone or retracted nothing else counts
            gone = Status.SUPERSEDED if events.superseded else Status.ACTIVE
            return (Status.ARCHIVED if events.archived else gone).value
        life = life_of(found, events)
        return status(life, half_lives(self._ages_by, life.has), clock_of(self._at)).value

    def _follow(self, row: RelationView) -> None:
        other = self.nodes.get(row.other_id) or self._known.get(row.other_id)
        if other is None:  # it was not looked up, since there are too many already
            self._dropped[row.entry_id].append(row)
            return
        said_by = self.nodes[row.entry_id] if row.direction == "out" else other
        if not _walkable(said_by):
            return
        if row.other_id not in self.nodes:
            self._full |= len(self.nodes) >= self._limit
            if self._full or self._shown[row.entry_id] >= self._degree:
                self._dropped[row.entry_id].append(row)
                return
            self._shown[row.entry_id] += 1
            self._admit(row.other_id, replace(other, hops=self._hops))
        self.edges.setdefault(row.id, _edge(row))

    def _admit(self, entry_id: UUID, node: GraphNode) -> None:
        self.nodes[entry_id] = node
        self._known[entry_id] = node
        if _walkable(node) or node.hops == 0:
            self._frontier.append(entry_id)


def _degree(given: object) -> int:
    degree = whole_number("degree", given)
    if degree not in DEGREES:
        low, high = DEGREES[0], DEGREES[-1]
        raise InvalidInput("field.range", name="degree", value=degree, low=low, high=high)
    return degree


def _walkable(node: GraphNode) -> bool:
    """Whether what an entry says counts at the pair."""
    return node.certainty is not None and node.status != "archived"


def _named(row: RelationView) -> GraphNode:
    """The other end of a relation, of which no more than its name is known."""
    return GraphNode(
        id=str(row.other_id),
        title=row.other_title or "",
        type=None,
        hops=0,  # counted when it comes in
        status=None,
        certainty=None,
        unresolved=row.unresolved,
    )


def _filled(node: GraphNode, found: Found | None, at: At) -> GraphNode:
    """A node with what it says at the pair, if it says anything there."""
    if found is None:
        return node
    has, certainty = found.version.attributes, found.version.period.certainty_at(at.as_of)
    return replace(node, title=has.title, type=has.type, certainty=certainty)


def _edge(row: RelationView) -> GraphEdge:
    src, dst = row.entry_id, row.other_id
    if row.direction == "in":
        src, dst = dst, src
    return GraphEdge(
        id=str(row.id),
        src_id=str(src),
        type=row.relation,
        dst_id=str(dst),
        confidence=row.confidence,
        symmetric=row.symmetric,
        derived=row.derived,
        rule=row.rule,
    )
