"""What speaks for an entry beside what it says: the graph around it, a person, its importance.

Computed for those candidates only that it can bring among the results. Two statements read the
graph: the edges of candidates and anchors, and those among their neighbours. Paths of up to three
edges between a candidate and an anchor are all made of these.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final
from uuid import UUID

from damals.app.ledger_model import At
from damals.app.ledger_port import LedgerReader
from damals.app.looking import entry_named
from damals.domain.errors import NotFound
from damals.domain.instants import format_instant
from damals.domain.nearness import Anchor, Near, Web, graph_context, strengths
from damals.domain.phrases import folded_text, says
from damals.domain.ranking import (
    Context,
    Scored,
    Weights,
    importance_share,
    personal,
)
from damals.domain.types import TypeCatalogue

TOP_ANCHORS: Final = 5
"""How many of the best candidates the others are near to."""

MOST_CONTENDERS: Final = 200
"""For so many candidates, the best, a context is computed."""

MOST_EDGES: Final = 5_000
"""So many edges are read at once, in the order in which entries and edges came to be."""

MOST_NEIGHBOURS: Final = 300
"""Among so many neighbours, the nearest, edges are looked for."""

SHORTEST_NAME: Final = 3
"""Characters that a title has at least to be recognised in a question."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the context depends on beside the candidates.

    Attributes:
        persona: the person that the question is seen from.
        text: the question in words; entries that it names are anchors.
        titles: of candidates.
    """

    at: At
    weights: Weights
    types: TypeCatalogue
    persona: UUID | None
    text: str
    titles: Mapping[UUID, str]


@dataclass(frozen=True, slots=True)
class Contexts:
    """The contexts of candidates, and the paths that they come from.

    Attributes:
        graph: the path to the anchor that decided.
        persona: the path to the person.
    """

    of: Mapping[UUID, Context] = field(default_factory=dict[UUID, Context])
    graph: Mapping[UUID, Near] = field(default_factory=dict[UUID, Near])
    persona: Mapping[UUID, Near] = field(default_factory=dict[UUID, Near])


def persona_named(reader: LedgerReader, at: At, name: str, now: int) -> UUID:
    """The person that a question names to be seen from; an open ``known_at`` reads as ``now``.

    Raises:
        NotFound: ``entry.unknown``, ``entry.erased`` or, at that pair, ``entry.not_then``.
    """
    entry_id = entry_named(reader, name)
    if not reader.versions_at([entry_id], at) or reader.archived_at([entry_id], at):
        as_of, known_at = format_instant(at.as_of), format_instant(min(at.known_at, now))
        raise NotFound("entry.not_then", id=name, as_of=as_of, known_at=known_at)
    return entry_id


def contexts(reader: LedgerReader, ranked: Sequence[Scored], asked: Asked) -> Contexts:
    """The contexts of some candidates.

    Args:
        reader: of the asker: what they may not see brings nothing near.
        ranked: without a context, best first.
        asked: the rest.
    """
    weights, ids = asked.weights, [one.candidate.group for one in ranked]
    graph, persona, degrees = _paths(reader, ranked, ids, asked)
    importance: dict[UUID, float] = {}
    weight_of: dict[UUID, float | None] = {}
    if weights.importance or weights.persona:
        for entry_id, found in reader.versions_at(ids, asked.at).items():
            importance[entry_id] = importance_share(found.version.attributes.importance)
            weight_of[entry_id] = found.version.attributes.persona_weight
    of: dict[UUID, Context] = {}
    for one in ids if importance else degrees:
        near, degree = graph.get(one), degrees.get(one, 0)
        linked = graph_context(near.value if near else 0.0, degree) if near or degree else 0.0
        own = personal(_nearness(one, persona, asked.persona), weight_of.get(one))
        weighty = importance.get(one, 0.0)
        if linked or own or weighty:
            of[one] = Context(linked, own, weighty)
    return Contexts(of, graph, persona)


def _nearness(entry_id: UUID, paths: Mapping[UUID, Near], persona: UUID | None) -> float:
    if entry_id == persona:
        return 1.0
    near = paths.get(entry_id)
    return near.value if near else 0.0


def _paths(
    reader: LedgerReader, ranked: Sequence[Scored], ids: Sequence[UUID], asked: Asked
) -> tuple[Mapping[UUID, Near], Mapping[UUID, Near], Mapping[UUID, int]]:
    """The best paths to anchors and to the persona, and how many neighbours entries have."""
    weights = asked.weights
    if not ids or not (weights.graph or weights.persona):
        return {}, {}, {}
    anchors = _anchors(ranked, asked)
    sources = list(dict.fromkeys([*ids, *(anchor.entry for anchor in anchors)]))
    direct = reader.edges_at(sources, asked.at, MOST_EDGES)
    if not direct:
        return {}, {}, {}
    strength = strengths(asked.types)
    around = Web(direct, strength)
    known = frozenset(sources)
    near = [one for one in around.neighbours(sources, MOST_NEIGHBOURS) if one not in known]
    further = reader.edges_among(near, asked.at, MOST_EDGES) if len(near) > 1 else ()
    web = Web([*direct, *further], strength)
    persona: dict[UUID, Near] = {}
    if asked.persona is not None and weights.persona:
        persona = dict(web.reached(Anchor(asked.persona, "persona")))
    degrees = {one: degree for one in ids if (degree := around.degree(one))}
    return web.nearest(ids, anchors), persona, degrees


def _anchors(ranked: Sequence[Scored], asked: Asked) -> list[Anchor]:
    """The persona, what the question names, and the best candidates; each entry once."""
    anchors: dict[UUID, Anchor] = {}
    if asked.persona is not None:
        anchors[asked.persona] = Anchor(asked.persona, "persona")
    text = folded_text(asked.text)
    for one in ranked:
        entry_id = one.candidate.group
        title = _folded(asked.titles.get(entry_id, ""))
        if title in text and len(title) >= SHORTEST_NAME and says(text, title):
            anchors.setdefault(entry_id, Anchor(entry_id, "named"))
    for one in ranked[:TOP_ANCHORS]:
        entry_id = one.candidate.group
        likeness = one.similarity(asked.weights)
        if likeness > 0.0:
            anchors.setdefault(entry_id, Anchor(entry_id, "candidate", min(likeness, 1.0)))
    return list(anchors.values())


_folded = lru_cache(maxsize=4_096)(folded_text)
"""The same titles are among the candidates of question after question."""
