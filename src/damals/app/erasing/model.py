"""What erasing needs of ledger and files, and what they tell each other."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
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
class StoredErasure:
    """What is kept of an erasure.

    Attributes:
        id: of its own.
        workspace: name; ``None`` when it is gone.
        kind: one of :data:`KINDS`.
        number: of the transaction that recorded it; of a workspace, of its last one.
        begun_at: when, UTC microseconds.
        actor: who erased; ``None`` when its tombstone is not there.
        finished_at: when its certificate was made, UTC microseconds; ``None``: not yet.
        certificate: as :meth:`Erasures.certificate`; ``None`` as long as there is none.
    """

    id: UUID
    workspace: str | None
    kind: str
    number: int
    begun_at: int
    actor: str | None
    finished_at: int | None
    certificate: Mapping[str, Json] | None


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
    """The erasures of a ledger, which several homes may stand on."""

    @property
    def home(self) -> str:
        """By which this home is known among those on one ledger; empty where there is but one."""
        ...

    @property
    def afar(self) -> bool:
        """Whether the ledger is on a server, whose files nobody searches."""
        ...

    def alone(self, wait_s: float) -> AbstractContextManager[bool]:
        """The only one, of all homes on the ledger, who brings erasures to their end.

        Args:
            wait_s: how long others are waited for, seconds.

        Returns:
            Gives whether that came true.
        """
        ...

    def introduce(self) -> None:
        """From now on, what is erased waits for this home as well: it keeps something of it."""
        ...

    def behind(self) -> Sequence[Erasure]:
        """Those that another home has finished, and of which this one may still keep something."""
        ...

    def followed(self, erasure: UUID) -> None:
        """This home keeps nothing of it any more."""
        ...

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

    def keep_marks(self, record: ErasureRecord, number: int | None) -> None:
        """Know again what an erasure was of, in a ledger that may never have had it.

        Files that say it, ids of entries and names of sources are refused as they were before.

        Args:
            record: of the erasure.
            number: of the transaction that has erased it once more, if there was anything.

        Raises:
            NotFound: ``workspace.unknown``.
        """
        ...

    def forget_homes(self) -> None:
        """What homes keep of this ledger is of another state of it: their indexes begin anew."""
        ...

    def reached(self, erasure: UUID, stage: str, noted: Mapping[str, Json]) -> None:
        """A stage is finished; what it noted is added to what is noted already.

        A later stage that was finished before stays, and so does a certificate.
        """
        ...

    def purge(self, erasure: UUID, rewriting: Rewriting) -> Mapping[str, Json]:
        """Take every text out of the ledger that nothing needs any more; ends its stage.

        It notes ``texts``, ``rewritten``, ``shared`` (counts) and ``fingerprints``. Done before,
        it is not done again: what was noted then is the proof of it.

        Returns:
            All that is noted by now.
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

    def certify(
        self, erasure: UUID, certificate: Mapping[str, Json], now: int
    ) -> Mapping[str, Json]:
        """Keep the certificate; nothing else stays noted but what other homes have yet to do.

        Returns:
            As :meth:`certificate`.
        """
        ...

    def certificate(self, workspace: str, number: int) -> Mapping[str, Json] | None:
        """That of the erasure which a transaction recorded, if it is finished.

        Its ``unsearched.homes`` are those that have something yet to do for it.
        """
        ...

    def stored(self) -> Sequence[StoredErasure]:
        """All erasures, newest first; those of workspaces that are gone, too."""
        ...

    def erased_entries(self, erasure: UUID) -> Sequence[UUID]:
        """The entries that one was of, as far as their tombstones tell; of a workspace none."""
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
        unread: why it was not searched, for people.
        link: it leads elsewhere, which was not searched.
    """

    name: str
    size: int
    places: tuple[int, ...] = ()
    compressed: bool = False
    unread: str | None = None
    link: bool = False


class HomeFiles(Protocol):
    """The files of a home, beside what its ledger and index do themselves."""

    def projected(self) -> bool:
        """Whether there may be an index or a cache of vectors."""
        ...

    def targets(self) -> Sequence[str]:
        """Addresses that the home is being moved to, where a copy of its texts may be by now."""
        ...

    def former(self) -> Sequence[str]:
        """Paths of homes that were put aside when a backup took their place."""
        ...

    def remove_copies(self) -> Sequence[str]:
        """Remove old copies of the ledger, and what caches know of sources.

        Returns:
            The names of the copies.
        """
        ...

    def search(self, sought: Sought) -> Sequence[SearchedFile]:
        """Search every file below the home, by name; what cannot be read is named as well."""
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
