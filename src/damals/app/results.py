"""What every interface returns: frozen values with the JSON shapes of the documentation.

Instants are texts, UTC with ``Z`` and microseconds; ``valid_from`` and ``valid_to`` read as they
were given. ``to_dict()`` gives plain JSON values, fields in the documented order.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from damals.app.recall_results import AnchorView, ChunkView, Parts, PassageView
from damals.app.result import Result
from damals.domain.entries import Json


@dataclass(frozen=True, slots=True)
class BoundRange(Result):
    """Between which instants a bound lies; both null when it is open or unknown."""

    earliest: str | None
    latest: str | None


@dataclass(frozen=True, slots=True)
class Bounds(Result):
    """Both ends of a period and the zone they were read in."""

    from_: BoundRange
    to: BoundRange
    zone: str


@dataclass(frozen=True, slots=True)
class SourceView(Result):
    """Where an entry came from."""

    kind: str
    name: str | None
    path: str | None
    uri: str | None
    heading: str | None
    line: int | None
    digest: str | None
    imported_at: str | None
    session: str | None
    commit: str | None = None
    committed_at: str | None = None


@dataclass(frozen=True, slots=True)
class RelationItem(Result):
    """A relation, seen from the entry that carries it.

    Attributes:
        resolution: of a contradiction: ``required`` (it is open), ``kept``, ``ended`` or ``both``.
        flags: how the link was read: ``alias``, ``ambiguous``, ``drawn``, ``embed``, ``hidden``.
        unresolved: nothing is known under that name yet; null when something is.
    """

    OPTIONAL = frozenset({"unresolved"})

    id: str
    type: str
    direction: str
    entry_id: str
    title: str | None
    confidence: float
    derived: bool
    resolution: str | None = None
    flags: tuple[str, ...] = ()
    unresolved: bool | None = None


@dataclass(frozen=True, slots=True)
class Entry(Result):
    """An entry at a pair of instants. Fields as in the reference."""

    id: str
    external_id: str | None
    workspace: str
    type: str
    title: str
    content: str
    tags: tuple[str, ...]
    properties: Mapping[str, Json]
    key: str | None
    status: str
    generation: int
    valid_from: str | None
    valid_to: str | None
    bounds: Bounds
    uncertain: bool
    certainty: str | None
    recorded_from: str
    recorded_to: str | None
    created_at: str
    updated_at: str
    created: str | None
    updated: str | None
    importance: int
    pinned: bool
    domain: str | None
    staleness_risk: str | None
    grounding_score: float | None
    last_verified: str | None
    retrieved_at: str | None
    last_reviewed: str | None
    persona_weight: float | None
    lang: str
    lang_original: str | None
    source_id: str | None
    visibility: str
    sensitivity: int
    acl: tuple[str, ...]
    source: SourceView
    relations: tuple[RelationItem, ...]
    transaction: int


@dataclass(frozen=True, slots=True)
class VersionView(Entry):
    """One rectangle of an entry, with how it came to be known."""

    operation: str
    actor: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class History(Result):
    """Rectangles by recorded start, then valid start; ``next`` is the cursor of the next page."""

    OPTIONAL = frozenset({"next"})

    id: str
    versions: tuple[VersionView, ...]
    next: str | None = None


@dataclass(frozen=True, slots=True)
class LogTransaction(Result):
    """A transaction with all its operations, as they were given."""

    number: int
    recorded_at: str
    logged_at: str
    actor: str
    reason: str | None
    ops: tuple[Mapping[str, Json], ...]


@dataclass(frozen=True, slots=True)
class Log(Result):
    """Transactions in order; ``next`` is the number behind which there are more, if there are."""

    OPTIONAL = frozenset({"next"})

    transactions: tuple[LogTransaction, ...]
    next: int | None = None


@dataclass(frozen=True, slots=True)
class Page(Result):
    """A page of entries; iterates over them. ``next`` is the cursor of the page behind it."""

    entries: tuple[Entry, ...]
    next: str | None

    def __iter__(self) -> Iterator[Entry]:
        """The entries of this page."""
        return iter(self.entries)

    def __len__(self) -> int:
        """How many entries this page has."""
        return len(self.entries)


@dataclass(frozen=True, slots=True)
class Understood(Result):
    """How the asked instants were read.

    Attributes:
        from_text: the words of the question that instants were read from.
        as_of_text, known_at_text: those of each clock.
        notes: what is to be minded about how the question was read.
    """

    OPTIONAL = frozenset({"as_of_text", "known_at_text"})

    as_of: str
    known_at: str
    zone: str
    from_text: str | None = None
    as_of_text: str | None = None
    known_at_text: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation(Result):
    """Why something was found.

    Attributes:
        chain: the path in the graph that counted, from the entry on: relations, each with the ends
            that it has (``from`` and ``to``: ``id`` and ``title``) and its confidence.
        anchor: where the path leads to; null without one.
        persona_chain: the path to the person that the question is seen from.
        age_days: at the asked instant.
        half_life_days: that counted: of its type, else of the question; null for no decay.
        grounding: effective grounding at the asked pair; null when it was never verified.
    """

    matched: tuple[str, ...]
    chain: tuple[Mapping[str, Json], ...]
    provenance: SourceView
    layer: str | None
    caveats: tuple[str, ...]
    anchor: AnchorView | None = None
    persona_chain: tuple[Mapping[str, Json], ...] = ()
    age_days: float = 0.0
    half_life_days: float | None = None
    grounding: float | None = None


@dataclass(frozen=True, slots=True)
class Hit(Result):
    """One result of a recall: an entry, once, with its best chunk.

    Attributes:
        grounding: effective grounding at the asked pair; null when it was never verified.
        context: the chunk with its neighbours, when they were asked for.
    """

    OPTIONAL = frozenset({"explanation", "context"})

    entry: Entry
    chunk: ChunkView
    score: float
    parts: Parts
    contradicts: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()
    explanation: Explanation | None = None
    grounding: float | None = None
    context: PassageView | None = None


@dataclass(frozen=True, slots=True)
class Recall(Result):
    """A ranked answer at a pair of instants.

    Attributes:
        index_lag: chunks that are not fully searchable yet (0 when the index is up to date).
        caveats: what limits this answer, for example an index that is behind.
        persona: id of the person that it is seen from; null for none.
        operators: the operators that were read in the question.
        layers: when reasons were asked for: ids of the results by layer.
        differences: what is not as it was, when a kept answer was computed again.
    """

    OPTIONAL = frozenset({"layers", "differences"})

    query: str
    understood: Understood
    as_of: str
    known_at: str
    results: tuple[Hit, ...]
    weights: Mapping[str, float | None]
    index_lag: int
    withheld: int
    receipt: str | None
    caveats: tuple[str, ...] = ()
    persona: str | None = None
    operators: tuple[str, ...] = ()
    layers: Mapping[str, Json] | None = None
    differences: tuple[Mapping[str, Json], ...] | None = None

    def __iter__(self) -> Iterator[Hit]:
        """The results, best first."""
        return iter(self.results)


@dataclass(frozen=True, slots=True)
class Failure(Result):
    """A file or commit that could not be read."""

    path: str
    line: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class ImportReport(Result):
    """What an import did."""

    source: str
    added: int
    changed: int
    moved: int
    removed: int
    unchanged: int
    failed: tuple[Failure, ...]
    late: tuple[Mapping[str, str], ...]
    chunks: int
    edges: int
    pending_vectors: int
    seconds: float
    warnings: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True)
class ReindexReport(Result):
    """What a rebuild of the index wrote."""

    points: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Check(Result):
    """One thing that was looked at, and the command that mends it."""

    name: str
    ok: bool
    message: str
    repair: str | None = None


@dataclass(frozen=True, slots=True)
class Health(Result):
    """What ``doctor`` found."""

    ok: bool
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class Setting(Result):
    """A setting, its value and where it comes from."""

    name: str
    value: Json
    origin: str


@dataclass(frozen=True, slots=True)
class Settings(Result):
    """All settings."""

    settings: tuple[Setting, ...]


@dataclass(frozen=True, slots=True)
class VersionInfo(Result):
    """Versions of the program and of what it stands on."""

    version: str
    python: str
    engines: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class WorkspaceView(Result):
    """A workspace."""

    name: str
    timezone: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Initialized(Result):
    """A home and the workspace that was made in it."""

    home: str
    workspace: WorkspaceView
    created: bool


@dataclass(frozen=True, slots=True)
class Progress:
    """How far long work is.

    Attributes:
        stage: ``scan``, ``read``, ``index``, ``embed``.
        done, total: in ``unit``; ``total`` is ``None`` while unknown.
    """

    stage: str
    done: int
    total: int | None
    unit: str
