"""Why a result is one: words, path, provenance, layer, and what to mind before using it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from damals.app.finding.context import Contexts
from damals.app.ledger_model import At
from damals.app.ledger_port import LedgerReader
from damals.app.ports import LexicalEncoder
from damals.app.results import AnchorView, Explanation, Hit
from damals.domain.entries import Json
from damals.domain.nearness import Near
from damals.domain.ranking import Candidate, Weights
from damals.domain.types import TypeCatalogue

Chain = tuple[Mapping[str, Json], ...]


@dataclass(frozen=True, slots=True)
class Reasons:
    """What an explanation is made of; everything here was part of the ranking.

    Attributes:
        stems: of the words of the question.
        titles: of the entries on the paths.
    """

    at: At
    types: TypeCatalogue
    weights: Weights
    contexts: Contexts
    stems: frozenset[str]
    titles: Mapping[UUID, str] = field(default_factory=dict[UUID, str])


def titled(reader: LedgerReader, hits: Sequence[Hit], base: Reasons) -> Reasons:
    """The same with the titles of everything on the paths of some results."""
    ids = {UUID(hit.entry.id) for hit in hits}
    paths = [
        paths[one].path
        for paths in (base.contexts.graph, base.contexts.persona)
        for one in ids & paths.keys()
    ]
    ends = sorted({end for path in paths for edge in path for end in (edge.src, edge.dst)})
    titles = reader.titles_at(ends, base.at) if ends else dict[UUID, str]()
    return replace(base, titles=titles)


def explanation(
    hit: Hit, lexical: LexicalEncoder, because: Reasons, candidate: Candidate
) -> Explanation:
    """Why an entry is a result."""
    text = "\n".join((hit.entry.title, *hit.chunk.heading, hit.chunk.text))
    entry_id = UUID(hit.entry.id)
    near = because.contexts.graph.get(entry_id)
    own = candidate.half_life_days
    half_life = because.weights.half_life_days if own is None else own
    return Explanation(
        matched=tuple(lexical.matched(text, because.stems)),
        chain=_chain(near, because.titles),
        provenance=hit.entry.source,
        layer=because.types.type(hit.entry.type).layer,
        caveats=hit.caveats,
        anchor=_anchor(near),
        persona_chain=_chain(because.contexts.persona.get(entry_id), because.titles),
        age_days=candidate.age_days,
        half_life_days=None if half_life == float("inf") else half_life,
        grounding=hit.grounding,
    )


def _anchor(near: Near | None) -> AnchorView | None:
    if near is None:
        return None
    anchor = near.anchor
    return AnchorView(str(anchor.entry), anchor.kind, anchor.strength, near.value)


def _chain(near: Near | None, titles: Mapping[UUID, str]) -> Chain:
    """The edges of a path in the order of the walk, each between the ends that it has."""
    if near is None:
        return ()
    return tuple(
        {
            "from": {"id": str(edge.src), "title": titles.get(edge.src)},
            "relation": edge.relation,
            "confidence": edge.confidence,
            "to": {"id": str(edge.dst), "title": titles.get(edge.dst)},
        }
        for edge in near.path
    )


def layers_of(hits: Sequence[Hit], order: Sequence[str]) -> Mapping[str, Json]:
    """The results by layer, in the order of the layers; those of none are left out."""
    found: dict[str, list[Json]] = {layer: [] for layer in order}
    for hit in hits:
        layer = hit.explanation.layer if hit.explanation else None
        if layer is not None:
            found.setdefault(layer, []).append(hit.entry.id)
    return {layer: ids for layer, ids in found.items() if ids}
