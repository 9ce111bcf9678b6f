"""All that was known of a workspace by some recorded instant, whatever it is valid for."""

from collections.abc import Iterator, Sequence
from uuid import UUID

from damals.app.diff_facts import batches
from damals.app.ledger_model import At
from damals.app.ledger_port import LedgerReader
from damals.domain.entries import Version
from damals.domain.instants import BEGINNING


def versions_at(
    reader: LedgerReader, known_at: int, *, of_type: str | None = None
) -> Iterator[Version]:
    """Every version that is known at an instant; only those of a type, if one is named."""
    for batch in batches(_entries_by(reader, known_at)):
        some = reader.versions_between(batch, known_at, known_at, of_type=of_type)
        yield from (one for one in some if one.known_at(known_at))


def versions_by(reader: LedgerReader, known_at: int) -> Iterator[Sequence[Version]]:
    """Every version that was recorded by an instant, all those of some entries at a time."""
    for batch in batches(_entries_by(reader, known_at)):
        yield reader.versions_between(batch, BEGINNING, known_at)


def _entries_by(reader: LedgerReader, known_at: int) -> Sequence[UUID]:
    """The entries of which something was recorded by an instant, by id."""
    return reader.moved(At(BEGINNING, BEGINNING), At(BEGINNING, known_at))
