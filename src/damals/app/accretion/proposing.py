"""Relations that something filed may have: proposed with a confidence, and made by nobody here."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from damals.app.accretion.filing import Filing
from damals.domain.candidates import Evidence
from damals.domain.claims import Claim, Profile
from damals.domain.phrases import folded_text
from damals.domain.types import TypeCatalogue

NAMED: Final = 0.8
"""Confidence of a relation that the text names with its other end."""
MENTIONED: Final = 0.5
"""Confidence that an entry which is only mentioned has to do with it."""
MENTION: Final = "related_to"
MOST: Final = 5
_SHORTEST_TITLE: Final = 5
_BEFORE: Final = 40

_SAID: Final[Sequence[tuple[str, re.Pattern[str]]]] = tuple(
    (relation, re.compile(rf"(?:{words})\s*(?:der|die|das|den|dem|the|von|of)?\s*[„“\"'«»]?\s*$"))
    for relation, words in (
        ("supersedes", r"ersetzt|löst ab|replaces|supersedes|statt"),
        ("revises", r"berichtigt|korrigiert|revises|corrects"),
        ("extends", r"ergänzt|erweitert|extends|adds to"),
        ("contradicts", r"widerspricht|contradicts"),
        ("depends_on", r"hängt ab von|abhängig von|braucht|depends on|requires"),
        ("part_of", r"teil von|gehört zu|teil des|part of|belongs to"),
        ("based_on", r"beruht auf|basiert auf|based on|builds on"),
    )
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A relation from what is filed to something that is known."""

    relation: str
    other: UUID
    confidence: float


def proposals(
    filing: Filing,
    mine: Profile,
    known: Sequence[tuple[Profile, Evidence | None]],
    types: TypeCatalogue,
) -> Sequence[Proposal]:
    """Relations of declared types that may be meant, the surest first; one for each other end.

    Args:
        filing: what is filed.
        mine: it, taken apart.
        known: what is known, with what it is to what is filed.
        types: in force.
    """
    text = folded_text(f"{filing.has.title}\n{filing.has.content}")
    best: dict[UUID, Proposal] = {}
    for other, evidence in known:
        for one in _of(text, mine, other, evidence):
            before = best.get(one.other)
            declared = types.find_relation(one.relation) is not None
            if declared and (before is None or one.confidence > before.confidence):
                best[one.other] = one
    found = sorted(best.values(), key=lambda one: (-one.confidence, one.other))
    return found[:MOST]


def _of(text: str, mine: Profile, other: Profile, evidence: Evidence | None) -> Iterator[Proposal]:
    claim = other.claim
    named = _named(text, claim)
    # Of what says nearly the same, the title is no mention.
    yield from (one for one in named if evidence is None or one.relation != MENTION)
    if evidence is not None and evidence.kind == "contradiction":
        later = mine.claim.period.start.earliest >= claim.period.start.latest
        relation = "supersedes" if later else "contradicts"
        yield Proposal(relation, claim.id, round(evidence.likeness * MENTIONED, 2))
    elif evidence is None and mine.adds and mine.about & other.about:
        common = len(mine.about & other.about) / len(mine.about | other.about)
        yield Proposal("extends", claim.id, round(NAMED * common, 2))


def _named(text: str, claim: Claim) -> Iterator[Proposal]:
    """What a text says of an entry that it mentions by its title."""
    title = folded_text(claim.title)
    if len(title) < _SHORTEST_TITLE:
        return
    for found in re.finditer(rf"(?<!\w){re.escape(title)}(?!\w)", text):
        before = text[max(found.start() - _BEFORE, 0) : found.start()]
        said = next((name for name, words in _SAID if words.search(before)), None)
        if said is not None:
            yield Proposal(said, claim.id, NAMED)
        elif found.start() > 0:  # a title of its own is no mention
            yield Proposal(MENTION, claim.id, MENTIONED)
