"""What erasing needs of ledger and files, and what they tell each other."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol
from uuid import UUID

from damals.app.erasures_journal import ErasureRecord
from damals.domain.entries import Json

ENTRY: Final = "entry"
SOURCE: Final = "source"
PERSON: Final = "person"
WORKSPACE: Final = "workspace"
KINDS: Final = (ENTRY, SOURCE, PERSON, WORKSPACE)
"""What can be erased."""

RECORDED: Final = "recorded"
JOURNALLED: Final = "journalled"
PURGED: Final = "purged"
INDEXED: Final = "indexed"
FORGOTTEN: Final = "forgotten"
COMPACTED: Final = "compacted"
CERTIFIED: Final = "certified"
STAGES: Final = (RECORDED, JOURNALLED, PURGED, INDEXED, FORGOTTEN, COMPACTED, CERTIFIED)
"""What was finished last of an erasure, in order."""


@dataclass(frozen=True, slots=True)
class Erasure:
    """An erasure that has begun.

    Attributes:
        id: of its own.
        workspace: name; of a workspace that is gone, as it was.
        kind: one of :data:`KINDS`.
        stage: one of :data:`STAGES`, the last that was finished.
        number: of the transaction that recorded it; of a workspace, of its last one.
        first: number of the transaction that created the oldest of what is erased.
        noted: what the stages so far have left for the next ones.
    """

    id: UUID
    workspace: str
    kind: str
    stage: str
    number: int
    first: int
    noted: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Rewriting:
    """How a purge leaves what must stay of texts.

    Attributes:
        fingerprints: what some texts can be found by once they are gone, as one text.
        shape: of the parameters of an operation on an erased entry.
    """

    fingerprints: Callable[[Iterable[str]], str]
    shape: "Callable[[Mapping[str, Json], Names], dict[str, Json]]"


class Names(Protocol):
    """What is known of names in parameters while they are rewritten."""

    def key(self, key: str) -> str:
        """A key that somebody still has; another name for one that nobody has any more."""
        ...

    def keeps(self, text: str) -> bool:
        """Whether a text stays for others."""
        ...


class Erasures(Protocol):
    """The erasures of a ledger."""

    def unfinished(self) -> Sequence[Erasure]:
        """Those that have no certificate yet, oldest first.

        Of what was erased before texts were purged, one a workspace is begun by this.
        """
        ...

    def begin_workspace(self, workspace: str, actor: str, now: int) -> None:
        """Begin to erase a whole workspace.

        Raises:
            NotFound: ``workspace.unknown``.
        """
        ...

    def record(self, erasure: UUID) -> ErasureRecord:
        """What a journal keeps of it."""
        ...

    def keep_marks(self, record: ErasureRecord) -> None:
        """Know the files again that an erasure was of, in a ledger that may never have had them.

        Raises:
            NotFound: ``workspace.unknown``.
        """
        ...

    def reached(self, erasure: UUID, stage: str, noted: Mapping[str, Json]) -> None:
        """A stage is finished; what it noted is added to what is noted already."""
        ...

    def purge(self, erasure: UUID, rewriting: Rewriting) -> None:
        """Take every text out of the ledger that nothing needs any more; ends its stage.

        It notes ``texts``, ``rewritten``, ``shared`` (counts) and ``fingerprints``.
        """
        ...

    def compact(self) -> Sequence[str]:
        """Write the database anew, so that no former page of it is left.

        Returns:
            What of it was written anew.

        Raises:
            Unavailable: ``erase.reader`` when somebody reads an old state for too long.
        """
        ...

    def surviving(self) -> Iterator[str]:
        """Every text that is kept in the ledger, of all workspaces."""
        ...

    def indexed(self) -> bool:
        """Whether an index of this home has anything of the ledger."""
        ...

    def certify(self, erasure: UUID, certificate: Mapping[str, Json], now: int) -> None:
        """Keep the certificate; nothing else stays noted."""
        ...

    def certificate(self, workspace: str, number: int) -> Mapping[str, Json] | None:
        """That of the erasure which a transaction recorded, if it is finished."""
        ...


class ErasureKeeper(Protocol):
    """The part of a writer that says what an erasure is of."""

    def erased_as(self, kind: str, name: str) -> None:
        """What the last transaction erased is a whole source or person, not some entries.

        Args:
            kind: ``source`` or ``person``.
            name: of the source; of a person its id. A salted digest of it is kept.
        """
        ...

    def entries_of_source(self, name: str) -> Sequence[UUID]:
        """The entries that ever belonged to a source and are not erased, by id."""
        ...

    def erased_source(self, name: str) -> int | None:
        """When a source was erased, unless it was readmitted since."""
        ...

    def readmit_source(self, name: str, now: int, actor: str) -> bool:
        """Let an erased source be imported again, what it says included; whether it was erased."""
        ...


class ErasingLedger(Protocol):
    """The part of a ledger that erases."""

    @property
    def erasures(self) -> Erasures:
        """What is being erased, and how far that has come."""
        ...


class Sought(Protocol):
    """What is searched for in files."""

    @property
    def longest(self) -> int:
        """The length of the longest piece, bytes."""
        ...

    def places(self, data: bytes) -> Sequence[int]:
        """Where pieces begin in some bytes, ascending."""
        ...


@dataclass(frozen=True, slots=True)
class SearchedFile:
    """A file that was searched.

    Attributes:
        name: path below the home.
        size: bytes.
        places: where something was found, the first ones.
        compressed: what it holds is compressed, so that bytes prove nothing.
    """

    name: str
    size: int
    places: tuple[int, ...] = ()
    compressed: bool = False


class HomeFiles(Protocol):
    """The files of a home, beside what its ledger and index do themselves."""

    def remove_copies(self) -> Sequence[str]:
        """Remove old copies of the ledger, and what caches know of sources.

        Returns:
            The names of the copies.
        """
        ...

    def search(self, sought: Sought) -> Sequence[SearchedFile]:
        """Search every file below the home, by name."""
        ...

    def close(self) -> None:
        """Let go of files, once nobody has them open as databases. Twice is harmless."""
        ...


class Replaceable(Protocol):
    """An index and its cache of vectors."""

    def replace(self) -> int:
        """Fill a new index from the ledger, without computing anything; the old one goes.

        Returns:
            How many points it has.
        """
        ...

    def forget(self, workspace: str, lookups: Collection[bytes]) -> int:
        """Remove vectors of these texts from the cache; how many."""
        ...
