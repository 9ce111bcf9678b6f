"""What asking for a graph, for people and for derived edges answers."""

from dataclasses import dataclass

from damals.app.results import Result, Understood


@dataclass(frozen=True, slots=True)
class GraphNode(Result):
    """An entry of a graph, or the name of one that is not known yet.

    Attributes:
        title: of an unresolved link: what was written.
        type: of the entry; null for an unresolved link.
        hops: how many edges away from the asked entry, at least.
        status: at the pair; null for an unresolved link.
        certainty: null when it does not hold at the pair: the walk ends there.
        unresolved: nothing is known under that name yet.
        left_out: so many of its neighbours are not shown, at most; null when nobody looked, since
            the walk ends at it.
    """

    id: str
    title: str
    type: str | None
    hops: int
    status: str | None
    certainty: str | None
    unresolved: bool
    left_out: int | None = None


@dataclass(frozen=True, slots=True)
class GraphEdge(Result):
    """A relation between two nodes of a graph.

    Attributes:
        symmetric: it says the same of both ends.
        derived: nobody said it; ``rule`` gave it.
    """

    id: str
    src_id: str
    type: str
    dst_id: str
    confidence: float
    symmetric: bool
    derived: bool
    rule: str | None


@dataclass(frozen=True, slots=True)
class Graph(Result):
    """What lies around an entry at a pair of instants.

    Attributes:
        nodes: the asked entry first, then by hops.
        truncated: there are more nodes than ``limit`` and ``degree`` let in; the edges of the
            others are left out.
    """

    id: str
    understood: Understood
    depth: int
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class PersonView(Result):
    """A person.

    Attributes:
        relation_to_owner: ``self``, ``other`` or null when nothing is said.
        persona: answers are seen from there.
        relations: how many it stands in.
    """

    id: str
    title: str
    type: str
    path: str | None
    relation_to_owner: str | None
    persona: bool
    relations: int


@dataclass(frozen=True, slots=True)
class People(Result):
    """The persons that hold now, by title.

    Attributes:
        persona: id of the default persona; null when there is none.
        caveats: what is not clear about them.
    """

    people: tuple[PersonView, ...]
    persona: str | None
    caveats: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RuleCount(Result):
    """What a rule did: edges that it gives by now, that are new, and that are no more."""

    rule: str
    given: int
    added: int
    ended: int


@dataclass(frozen=True, slots=True)
class DeriveReport(Result):
    """What deriving did.

    Attributes:
        transaction: the last that was recorded; null when nothing changed.
        transactions: all that were, since each holds so many edges.
        seconds: that it took.
    """

    rules: tuple[RuleCount, ...]
    added: int
    ended: int
    unchanged: int
    transaction: int | None
    transactions: tuple[int, ...]
    dry_run: bool
    seconds: float
