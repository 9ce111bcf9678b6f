"""What a source was last read with, so that what is read otherwise now is read again.

An unchanged file is not read, whatever it says. But what is made of it depends on more than its
bytes: on which relations are declared, and on how a note is understood. Both together are the *key*
of a reading. It is kept beside the ledger, not in it: it tells nothing about the world, and may be
lost at any time, for reading a file again that says nothing new stores nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, Protocol
from uuid import UUID

from damals.app.ledger_model import Head
from damals.app.ledger_port import LedgerReader
from damals.domain.types import TypeCatalogue

VERSION: Final = 2
"""How relations and properties of a note are understood. A new number reads every note again."""


@dataclass(frozen=True, slots=True)
class SourceReading:
    """A source as it was read last.

    Attributes:
        key: of that reading, see :func:`reading_key`.
        head: the last transaction of the workspace by then. A ledger without it is another one,
            restored or made anew. When it was logged counts too: where the clock was set back, its
            recorded time follows from the transaction before, and comes twice.
        again: notes that were not read with this key, or of which something was refused.
    """

    key: str
    head: Head
    again: frozenset[UUID] = field(default_factory=frozenset[UUID])


@dataclass(frozen=True, slots=True)
class SettledFolder:
    """A folder of which all was told that there was to tell.

    Attributes:
        files: a digest of what it held, and of what that was read with.
        head: a transaction since which nothing has touched its source, or may have.
    """

    files: str
    head: Head


class Readings(Protocol):
    """Remembers readings and settled folders; may forget any at any time."""

    def get(self, source: bytes) -> SourceReading | None:
        """The last reading of a source, by a name that tells nothing; ``None`` for none."""
        ...

    def put(self, source: bytes, reading: SourceReading) -> None:
        """Remember a reading in place of the one before."""
        ...

    def settled(self, folder: bytes) -> SettledFolder | None:
        """How a folder was when it was settled, by a name that tells nothing."""
        ...

    def settle(self, folder: bytes, settled: SettledFolder) -> None:
        """Remember that in place of what was known before."""
        ...


def reading_key(types: TypeCatalogue) -> str:
    """What a note is read with: two equal keys make the same of the same file."""
    said = [f"{one.name} {one.symmetric:d}" for one in types.relations.values()]
    return sha256("\n".join((str(VERSION), *sorted(said))).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Due:
    """Which notes of a source are to be read although their files are unchanged."""

    key: str
    last: SourceReading | None

    def includes(self, entry_id: UUID) -> bool:
        """Whether this note is."""
        last = self.last
        return last is None or last.key != self.key or entry_id in last.again

    def after(self, again: Iterable[UUID], head: Head) -> SourceReading | None:
        """The reading to remember after a run; ``None`` when the last one says it already."""
        reading = SourceReading(self.key, head, frozenset(again))
        return None if reading == self.last else reading


def due(reader: LedgerReader, last: SourceReading | None, key: str) -> Due:
    """What is due in this ledger; everything, when the last reading was of another one."""
    if last is None:
        return Due(key, None)
    then = reader.head()
    if then.number > last.head.number > 0:
        # Something was stored since; the log may be long, but is read up to here once at most.
        stored = next(iter(reader.log(after=last.head.number - 1)))
        then = Head(stored.number, stored.recorded_at, stored.logged_at)
    same = then == last.head or last.head.number == 0
    return Due(key, last if same else None)
