"""The parameters of the interface: what changes may say, and what questions may ask."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Literal, TypedDict

from damals.app.results import Progress
from damals.domain.entries import Json

Instant = str | datetime | date
"""An instant as on the command line, or an aware ``datetime``."""

ProgressListener = Callable[[Progress], None]


class EntryFields(TypedDict, total=False):
    """Fields of an entry that an operation may set. A field left out is not the same as null."""

    type: str
    tags: Sequence[str]
    properties: Mapping[str, Json]
    key: str | None
    domain: str | None
    staleness_risk: str | None
    importance: int
    pinned: bool
    created: Instant | None
    updated: Instant | None
    retrieved_at: Instant | None
    last_reviewed: Instant | None
    persona_weight: float | None
    lang: str
    lang_original: str | None
    source_id: str | None
    visibility: str
    sensitivity: int
    acl: Sequence[str]
    source: Mapping[str, Json]
    relations: Sequence[Mapping[str, Json]]
    valid_from: Instant | None
    valid_to: Instant | None


class CorrectFields(EntryFields, total=False):
    """Fields of a correction: also title and content."""

    title: str
    content: str
    if_transaction: int | None


class RememberFields(EntryFields, total=False):
    """Fields of a new entry: also its names, and what to do when its key is taken.

    ``if_transaction`` is that of the entry which has the name already; 0 when there must be none.
    ``insist`` stores what an assistant files (``source.session``) even when it is known already.
    """

    id: str
    external_id: str
    on_overlap: str
    if_transaction: int | None
    insist: bool


class UpdateFields(EntryFields, total=False):
    """Fields of an update: also how the new entry relates to the old."""

    relation: str
    external_id: str
    if_transaction: int | None
    insist: bool


class RelateFields(TypedDict, total=False):
    """What may be said of a relation.

    Attributes:
        confidence: 0 to 1.
        evidence: ids of chunks that show it.
        valid_from, valid_to: when it holds; wherever both entries do, when neither is given.
        if_transaction: number that the last transaction of the first entry must have.
    """

    confidence: float
    evidence: Sequence[str]
    valid_from: Instant | None
    valid_to: Instant | None
    reason: str | None
    if_transaction: int | None


class RecallOptions(TypedDict, total=False):
    """What a recall may be asked.

    Attributes:
        type, tag: any of the types; each of the tags (parents match their children).
        path: only what lies at or below this path of its source.
        since, until: bounds of the instant an entry's age counts from.
        weights: ``{"vec": 0.7, "time": 0.2, "graph": 0.1}``; those left out keep their setting.
        half_life: days, or ``inf``; for every type then, whatever half-life of its own it has.
        min_grounding: least effective grounding, 0 to 1; what was never verified has none.
        persona: id or external id of the person that it is seen from.
        diversity: 0 (the best results) to 1 (the least alike).
        neighbours: how many chunks on each side are shown with a result, up to 10.
        literal: nothing in the question is an operator.
        times: ``text`` (default) to read instants that are not given from the question; ``off``.
        receipt: whether a receipt of the answer is kept; by default as the settings say.
    """

    as_of: Instant | None
    known_at: Instant | None
    certain: bool
    type: Sequence[str] | str
    tag: Sequence[str] | str
    path: str | None
    since: Instant | None
    until: Instant | None
    weights: Mapping[str, float] | str
    half_life: float | str
    min_grounding: float | None
    persona: str | None
    diversity: float
    neighbours: int
    literal: bool
    explain: bool
    times: Literal["text", "off"]
    receipt: bool


class AskOptions(RecallOptions, total=False):
    """What a question for an answer may say.

    Attributes:
        llm: address of the server of a model that writes the answer; an empty one for none.
        model: its name there.
    """

    llm: str | None
    model: str | None


class DiffSelection(TypedDict, total=False):
    """Which changes are wanted: one side of each fulfils all conditions.

    Attributes:
        known_from, known_to: recorded instants of the two pairs, where they are not those of
            ``start`` and ``end``; without an axis only.
        entry: id or external id of the entry that a change is about, or leads to or from.
        tag, type: each of the tags (parents match their children); any of the types.
    """

    known_from: Instant | None
    known_to: Instant | None
    entry: str | None
    tag: Sequence[str] | str | None
    type: Sequence[str] | str | None


Keep = Literal["a", "b", "both"]
"""Which side of a contradiction stands."""
