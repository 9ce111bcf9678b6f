"""What the index cannot decide alone: what an entry says letter by letter, how well it is grounded.

The index narrows down to a superset where it can; the ledger has the last word.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from damals.app.finding.candidates import MAX_CANDIDATES, Accept
from damals.app.index_model import IndexFilter
from damals.app.ledger_model import At, Found
from damals.app.ledger_port import LedgerReader
from damals.app.ports import ChunkIndex
from damals.domain.entries import Verification
from damals.domain.operators import Operators
from damals.domain.phrases import folded_text, says, says_all
from damals.domain.staleness import Checked, ageing, effective_grounding
from damals.domain.types import TypeCatalogue

MAX_PINNED_DOWN: Final = MAX_CANDIDATES
"""So many entries are named to the index one by one; where there are more, pages fill anyway."""


def narrowed(index: ChunkIndex, where: IndexFilter, operators: Operators) -> IndexFilter:
    """The filter with the phrases that the index can look for.

    Of several phrases an entry may say each in another chunk, so only the rarest is asked for: a
    chunk of each entry that answers says it. Chunks that say an unwanted word are left out; whether
    another chunk of their entry says it, the ledger knows. Of an unwanted phrase it knows all: the
    index finds more than says one, and would leave out what does not.
    """
    where = replace(where, no_phrases=tuple(one for one in operators.no_phrases if one.isalnum()))
    if not operators.phrases:
        return where
    if len(operators.phrases) == 1:
        return replace(where, phrases=operators.phrases)
    narrow = (replace(where, phrases=(phrase,)) for phrase in operators.phrases)
    return min(narrow, key=lambda one: (index.count(one), one.phrases))


def saying(reader: LedgerReader, at: At, operators: Operators) -> Accept | None:
    """Accepts the entries that say all wanted and no unwanted phrases; ``None`` without any."""
    wanted, unwanted = operators.phrases, operators.no_phrases
    if not wanted and not unwanted:
        return None

    def accept(entry_ids: Collection[UUID]) -> Collection[UUID]:
        found = reader.versions_at(list(entry_ids), at)
        texts = {one: _text(version) for one, version in found.items()}
        return [
            one
            for one, text in texts.items()
            if says_all(text, wanted) and not any(says(text, phrase) for phrase in unwanted)
        ]

    return accept


def _text(found: Found) -> str:
    has = found.version.attributes
    return f"{folded_text(has.title)}\n{folded_text(has.content)}"


def grounded(
    reader: LedgerReader, at: At, types: TypeCatalogue, least: float | None
) -> frozenset[UUID] | None:
    """The entries that are grounded at least so well at a pair; ``None`` when it does not matter.

    What was never verified is grounded in nothing.
    """
    if not least:
        return None
    verified = {
        entry_id: one for entry_id, one in reader.verified_entries(at).items() if one.score >= least
    }
    found = reader.versions_at(list(verified), at)
    gone = superseded(reader, found, at)
    return frozenset(
        entry_id
        for entry_id, one in found.items()
        if (grounding_of(one, Standing(verified[entry_id], entry_id in gone), at, types) or 0.0)
        >= least
    )


@dataclass(frozen=True, slots=True)
class Standing:
    """What an entry's grounding depends on beside the entry, at a pair."""

    last: Verification | None
    superseded: bool = False


def superseded(reader: LedgerReader, found: Mapping[UUID, Found], at: At) -> frozenset[UUID]:
    """Those that another may have superseded by the asked instant: none that surely holds there.

    Where a cut has no exact date, both its ends may hold for a while.
    """
    doubtful = [i for i, one in found.items() if not one.version.period.certain_at(at.as_of)]
    return reader.superseded_at(doubtful, at) if doubtful else frozenset()


def grounding_of(found: Found, standing: Standing, at: At, types: TypeCatalogue) -> float | None:
    """How well an entry is grounded at the asked pair; ``None`` when it was never verified."""
    return effective_grounding(
        checked(found, standing.last),
        ageing(types, found.version.attributes),
        at.as_of,
        superseded=standing.superseded,
    )


def checked(found: Found, last: Verification | None) -> Checked:
    """When an entry was verified last."""
    return Checked(
        verified_at=last.recorded_from if last else None,
        score=last.score if last else None,
        since=found.info.created_at,
        pinned=found.version.attributes.pinned,
    )


def both(one: Accept | None, other: Accept | None) -> Accept | None:
    """Accepts what both accept."""
    if one is None or other is None:
        return one or other
    return lambda entry_ids: other(one(entry_ids))


def among(entries: frozenset[UUID]) -> Accept:
    """Accepts these entries."""
    return lambda entry_ids: [one for one in entry_ids if one in entries]
