"""All that was known of a workspace by some recorded instant, whatever it is valid for."""

from collections.abc import Iterator, Sequence
from uuid import UUID

from damals.app.diff_facts import batches
from damals.app.ledger_model import At
from damals.app.ledger_port import LedgerReader
from damals.domain.entries import Version
from damals.domain.instants import BEGINNING


def versions_at(reader: LedgerReader, known_at: int) -> Iterator[Version]:
    """Every version that is known at an instant."""
    for some in _versions(reader, known_at, known_at):
        yield from (one for one in some if one.known_at(known_at))


def versions_by(reader: LedgerReader, known_at: int) -> Iterator[Sequence[Version]]:
    """Every version that was recorded by an instant, all those of some entries at a time."""
    return _versions(reader, BEGINNING, known_at)


def _versions(reader: LedgerReader, since: int, until: int) -> Iterator[Sequence[Version]]:
    for batch in batches(_entries_by(reader, until)):
        yield reader.versions_between(batch, since, until)


def _entries_by(reader: LedgerReader, known_at: int) -> Sequence[UUID]:
    """The entries of which something was recorded by an instant, by id."""
    return reader.moved(At(BEGINNING, BEGINNING), At(BEGINNING, known_at))
