"""What a recall is asked, and how the question is read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from unicodedata import normalize
from uuid import UUID

from damals.app.ages import Ages, no_types
from damals.app.finding.passages import Split
from damals.app.index_model import IndexFilter
from damals.app.ledger_model import At
from damals.app.ledger_port import LedgerReader
from damals.app.looking import Asked, checked_limit
from damals.app.ports import ChunkIndex, Embedder, LexicalEncoder
from damals.app.question_times import FROM_TEXT
from damals.domain.ageing import SUPERSEDED_SHARE
from damals.domain.chunks import Chunk
from damals.domain.errors import InvalidInput
from damals.domain.fields import nullable_text
from damals.domain.names import folded_tag
from damals.domain.operators import Operators, read_operators
from damals.domain.parsing import parse_instant
from damals.domain.ranking import Weights
from damals.domain.types import TypeCatalogue
from damals.domain.zones import load_zone

MAX_QUERY: Final = 10_000
"""Longest question, in characters."""

MAX_NEIGHBOURS: Final = 10
"""Most chunks on each side that a result is shown with."""

PERSONA_WEIGHT: Final = 0.1
"""Weight of a person that a question names, when no weight is given."""


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """From where an answer was seen that is asked for again; ``None`` for no person."""

    person: UUID | None


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and what may answer.

    Attributes:
        weights: as given, else as set; not normalised yet.
        one_half_life: the half-life was given with the question: types have none of their own.
        persona: id or external id of the person that it is seen from; ``None`` for the default.
        viewpoint: from where it is seen for sure, whoever the persona is; it gives no weight.
        min_grounding: least effective grounding, 0 to 1.
        diversity: 0 for the best results, 1 for those that are least alike.
        neighbours: how many chunks on each side are shown with a result.
        literal: nothing in the question is an operator.
        times: ``text`` when instants that are not given are read from the question, else ``off``.
        admits_withheld: the asker may know how many entries the owner would have been shown
            instead.
        aged_at: where lives are read, as of :class:`~damals.app.ledger_model.At`.
    """

    query: str
    asked: Asked = field(default_factory=Asked)
    certain: bool = False
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    path: str | None = None
    since: object = None
    until: object = None
    limit: int | None = 10
    weights: Weights = field(default_factory=Weights)
    one_half_life: bool = False
    persona: str | None = None
    viewpoint: Viewpoint | None = None
    min_grounding: float | None = None
    diversity: float = 0.0
    neighbours: int = 0
    literal: bool = False
    times: str = FROM_TEXT
    explain: bool = False
    admits_withheld: bool = False
    aged_at: int | None = None

    def without_age(self) -> "Question":
        """The same with nothing counting against what is old, unless a half-life was given.

        Who says when does not want the newest of what held then: a state that has lasted for
        long is as good an answer as one that had just begun.
        """
        if self.one_half_life:
            return self
        ageless = replace(self.weights, half_life_days=float("inf"))
        return replace(self, weights=ageless, one_half_life=True)

    def in_force(self) -> Weights:
        """Its weights, normalised; naming a person gives the person a weight."""
        weights = self.weights
        if self.persona is not None and not weights.persona:
            weights = replace(weights, persona=PERSONA_WEIGHT)
        return weights.normalised()


def nobody(reader: LedgerReader, at: At) -> UUID | None:
    """Of a base without a person."""
    del reader, at
    return None


def whole(text: str) -> Sequence[Chunk]:
    """The text as one chunk."""
    return [Chunk((), 0, 0, 0, len(text), 1, text)]


@dataclass(frozen=True, slots=True)
class Base:
    """What is known of a base beside its ledger.

    Attributes:
        types: gives the types in force in the workspace that is read.
        persona: gives the default persona of the workspace that is read, at a pair.
        split: cuts a text into chunks, as when it was stored.
        share: of the grounding of a superseded entry that is left.
    """

    types: Callable[[LedgerReader], TypeCatalogue] = no_types
    persona: Callable[[LedgerReader, At], UUID | None] = nobody
    split: Split = whole
    share: float = SUPERSEDED_SHARE

    @property
    def ages(self) -> Ages:
        """By what its entries age."""
        return Ages(self.types, self.share)


@dataclass(frozen=True, slots=True)
class Engines:
    """What recall stands on.

    Attributes:
        embedder: ``None`` where no model is configured.
        words_only: too many vectors are still missing for meaning to be compared.
    """

    index: ChunkIndex
    lexical: LexicalEncoder
    embedder: Embedder | None
    words_only: bool = False
    base: Base = field(default_factory=Base)


def operators_of(question: Question) -> Operators:
    """The question taken apart.

    Raises:
        InvalidInput: ``query.*``, ``limit.invalid``, ``field.range``.
    """
    checked_limit(question.limit)
    for name in ("min_grounding", "diversity"):
        value = getattr(question, name)
        if value is not None and not 0.0 <= value <= 1.0:
            raise InvalidInput("field.range", name=name, value=value, low=0, high=1)
    if not 0 <= question.neighbours <= MAX_NEIGHBOURS:
        most = MAX_NEIGHBOURS
        raise InvalidInput(
            "field.range", name="neighbours", value=question.neighbours, low=0, high=most
        )
    text = nullable_text("query", question.query, 10 * MAX_QUERY)
    if text is None or not text.strip():
        raise InvalidInput("query.empty")
    if len(question.query) > MAX_QUERY:
        raise InvalidInput("query.too_long", length=len(question.query), limit=MAX_QUERY)
    return Operators(question.query) if question.literal else read_operators(question.query)


def filter_of(
    reader: LedgerReader, at: At, question: Question, operators: Operators
) -> IndexFilter:
    """Which chunks may answer: what the options say and what the operators say.

    Raises:
        InvalidInput: ``time.*`` for an instant that cannot be read; ``query.operator_instant`` for
            one of an operator.
    """
    workspace = reader.workspace()
    zone = load_zone(workspace.zone)

    def instant(value: object) -> int | None:
        return None if value is None else parse_instant(value, zone=zone, now=at.as_of)

    def bound(name: str, typed: tuple[str, ...]) -> list[int]:
        try:
            return [parse_instant(one, zone=zone, now=at.as_of) for one in typed]
        except InvalidInput as error:
            written = ", ".join(f"{name}:{one}" for one in typed)
            raise InvalidInput("query.operator_instant", operator=written) from error

    since = [one for one in (instant(question.since),) if one is not None]
    until = [one for one in (instant(question.until),) if one is not None]
    return IndexFilter(
        workspace=workspace.name,
        as_of=at.as_of,
        known_at=at.known_at,
        access=reader.access,
        certain=question.certain,
        types=_types(question.types, operators.types),
        tags=tuple(folded_tag(tag) for tag in (*question.tags, *operators.tags)),
        path=_folded_path(question.path) if question.path else None,
        paths=tuple(_folded_path(path) for path in operators.paths),
        since=max([*since, *bound("after", operators.after)], default=None),
        until=min([*until, *bound("before", operators.before)], default=None),
        no_types=operators.no_types,
        no_tags=tuple(folded_tag(tag) for tag in operators.no_tags),
        no_paths=tuple(_folded_path(path) for path in operators.no_paths),
    )


def _types(given: tuple[str, ...], typed: tuple[str, ...]) -> tuple[str, ...]:
    """Any of the types that both the options and the operators allow."""
    if not given or not typed:
        return given or typed
    return tuple(one for one in given if one in typed) or ("",)


def _folded_path(path: str) -> str:
    """A path as sources keep it: NFC, relative, without ``./``."""
    return normalize("NFC", path).removeprefix("./").strip("/")
