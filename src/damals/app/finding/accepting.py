"""What the index cannot decide alone: what an entry says letter by letter, how well it is grounded.

The index narrows down to a superset where it can; the ledger has the last word.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from damals.app.ages import Events, life_of
from damals.app.finding.candidates import MAX_CANDIDATES, Accept
from damals.app.index_model import IndexFilter
from damals.app.ledger_model import At, Found
from damals.app.ledger_port import LedgerReader
from damals.app.ports import ChunkIndex
from damals.domain.ageing import effective_grounding, half_lives
from damals.domain.operators import Operators
from damals.domain.phrases import folded_text, halves, says, says_all
from damals.domain.types import TypeCatalogue

AT_ONCE: Final = 200
"""Contents of so many entries are held at once."""

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


def widened(where: IndexFilter) -> IndexFilter | None:
    """The filter with a phrase that reaches over the border between two chunks, if it may.

    One of them has the first half of its words or the other one the second. That is said by more
    chunks than say the phrase, so it is asked for when these were not enough.
    """
    parts = halves(where.phrases[0]) if where.phrases else None
    return None if parts is None else replace(where, phrases=(), either=parts)


def saying(reader: LedgerReader, at: At, operators: Operators) -> Accept | None:
    """Accepts the entries that say all wanted and no unwanted phrases; ``None`` without any."""
    wanted, unwanted = operators.phrases, operators.no_phrases
    if not wanted and not unwanted:
        return None

    def accept(entry_ids: Collection[UUID]) -> Collection[UUID]:
        return [
            one
            for some in _batches(entry_ids)
            for one, version in reader.versions_at(some, at).items()
            if says_all(text := _text(version), wanted)
            and not any(says(text, phrase) for phrase in unwanted)
        ]

    return accept


def _batches(entry_ids: Collection[UUID]) -> Iterator[Sequence[UUID]]:
    """Some at a time: the contents of all of them are not held at once."""
    ids = list(entry_ids)
    return (ids[first : first + AT_ONCE] for first in range(0, len(ids), AT_ONCE))


def _text(found: Found) -> str:
    has = found.version.attributes
    return f"{folded_text(has.title)}\n{folded_text(has.content)}"


@dataclass(frozen=True, slots=True)
class Grounded:
    """The entries that are grounded well enough.

    Attributes:
        among: entries that were last verified well enough; time may have taken of it since.
        accept: those of some that still are.
    """

    among: Collection[UUID]
    accept: Accept


def grounded(
    reader: LedgerReader, at: At, types: TypeCatalogue, least: float | None, share: float
) -> Grounded | None:
    """The entries that are grounded at least so well at a pair; ``None`` when it does not matter.

    What was never verified is grounded in nothing. How much is left of a verification depends on
    what an entry is, which is read of the candidates alone.
    """
    if not least:
        return None
    among = reader.grounded_entries(at, least)

    def left(found: Mapping[UUID, Found]) -> Iterator[tuple[UUID, float]]:
        gone = superseded(reader, found, at)
        verified = reader.verifications_at(list(found), at)
        for entry_id, one in found.items():
            life = life_of(one, Events(verified[entry_id], superseded=entry_id in gone))
            ages = half_lives(types, life.has)
            yield entry_id, effective_grounding(life, ages, at.as_of, share) or 0.0

    def accept(entry_ids: Collection[UUID]) -> Collection[UUID]:
        return [
            entry_id
            for some in _batches([one for one in entry_ids if one in among])
            for entry_id, grounding in left(reader.versions_at(some, at))
            if grounding >= least
        ]

    return Grounded(among, accept)


def superseded(reader: LedgerReader, found: Mapping[UUID, Found], at: At) -> frozenset[UUID]:
    """Those that another may have superseded by the asked instant: none that surely holds there.

    Where a cut has no exact date, both its ends may hold for a while.
    """
    doubtful = [i for i, one in found.items() if not one.version.period.certain_at(at.as_of)]
    return reader.superseded_at(doubtful, at) if doubtful else frozenset()


def both(one: Accept | None, other: Accept | None) -> Accept | None:
    """Accepts what both accept."""
    if one is None or other is None:
        return one or other
    return lambda entry_ids: other(one(entry_ids))
