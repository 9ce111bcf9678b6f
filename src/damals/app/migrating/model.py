"""What a migration says to its parts and to people."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from damals.app.result import Result
from damals.app.results import Progress, Recall
from damals.domain.entries import Json
from damals.domain.errors import DamalsError

Listener = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Survey:
    """What a migration would have to do.

    Attributes:
        location: of the target, without a password.
        rows: rows of the source by table.
        source_bytes: size of the source.
        copied: rows that an earlier attempt has copied already.
        free_bytes: free space of the target where it can be known.
        obstacles: what is in the way, in the order in which it should be mended.
    """

    location: str
    rows: Mapping[str, int]
    source_bytes: int
    copied: int = 0
    free_bytes: int | None = None
    obstacles: tuple[DamalsError, ...] = ()


@dataclass(frozen=True, slots=True)
class TableSum(Result):
    """All rows of a table in one figure.

    Attributes:
        digest: SHA-256 over the rows in the order of their keys, in hex.
    """

    name: str
    rows: int
    digest: str


@dataclass(frozen=True, slots=True)
class ChainSum(Result):
    """A workspace as its audit found it on the target.

    Attributes:
        head: hash of its last transaction, in hex.
    """

    workspace: str
    transactions: int
    head: str


@dataclass(frozen=True, slots=True)
class Question:
    """A recall of the sample; instants are texts that every recall understands."""

    workspace: str
    text: str
    as_of: str
    known_at: str


@dataclass(frozen=True, slots=True)
class RecallSum(Result):
    """How the sample of recalls came out.

    Attributes:
        equal: how many answers were the same.
        common: mean share of the results that both answers have.
    """

    asked: int
    equal: int
    common: float


@dataclass(frozen=True, slots=True)
class IndexSum(Result):
    """What became of the index.

    Attributes:
        kept: it was taken along as it is.
        exact: it finds what the old one finds; a large one on a server only nearly all of it.
        location: where it is now.
    """

    kept: bool
    exact: bool
    location: str
    points: int | None = None
    vectors: int | None = None


@dataclass(frozen=True, slots=True)
class Switched(Result):
    """What the home uses from now on.

    Attributes:
        config: the file of settings that says so.
        old_ledger: where the old ledger lies until somebody removes it; ``None`` when the ledger
            was not moved.
        password_in_config: a password stands in that file.
    """

    config: str
    old_ledger: str | None
    password_in_config: bool


@dataclass(frozen=True, slots=True)
class Migration(Result):
    """What a migration did, or would do.

    Attributes:
        state: ``planned`` (a dry run), ``done``, or ``finished``: an earlier one had done all but
            put the old ledger aside.
        ledger: where it is moved; empty when only the index is.
        rows, bytes: of the ledger that is moved.
        copied_before: rows that an earlier attempt has copied already.
        estimate_s: how long it will take, about; ``held_s`` of it with the home to itself.
        held_s: of a migration that is done, how long the home was held, in seconds.
        missing: what is in the way, one text each.
    """

    OPTIONAL = frozenset({"switched", "index", "recalls"})

    state: str
    ledger: str
    rows: int = 0
    bytes: int = 0
    copied_before: int = 0
    free_bytes: int | None = None
    estimate_s: float = 0.0
    held_s: float = 0.0
    missing: tuple[str, ...] = ()
    tables: tuple[TableSum, ...] = ()
    chains: tuple[ChainSum, ...] = ()
    recalls: RecallSum | None = None
    index: IndexSum | None = None
    switched: Switched | None = None

    @property
    def ready(self) -> bool:
        """Whether nothing is in the way."""
        return not self.missing

    def to_dict(self) -> dict[str, Json]:
        """Its JSON shape, with ``ready``."""
        # `super()` of a class with slots would name the class that the decorator has replaced.
        return {**Result.to_dict(self), "ready": self.ready}


class LedgerMove(Protocol):
    """Copies one ledger into another place, row for row. Each step may be killed and done again."""

    def survey(self) -> Survey:
        """Look at both sides; nothing is changed."""
        ...

    def alone(self) -> AbstractContextManager[None]:
        """Be the only one who copies into the target.

        Raises:
            Unavailable: ``migrate.busy``.
        """
        ...

    def copy(self, listen: Listener) -> None:
        """Copy what grows, while others go on writing to the source."""
        ...

    def finish(self, owner: str, listen: Listener) -> Sequence[TableSum]:
        """Make both sides equal and the target whole; nobody writes to the source meanwhile.

        Args:
            owner: name of the home, by which its index and jobs are known on a shared ledger.
            listen: hears of progress.

        Raises:
            Corrupt: ``migrate.differs``.
            Conflict: ``migrate.erasure_unfinished``.
        """
        ...

    def chains(self, listen: Listener) -> Sequence[ChainSum]:
        """Audit every workspace of the target.

        Raises:
            Corrupt: ``migrate.audit``, naming the first break.
        """
        ...

    def release(self) -> None:
        """From now on the target is a ledger like any other; both sides are let go of."""
        ...


class Asked(Protocol):
    """A home that can be asked."""

    def recall(self, question: Question) -> Recall:
        """What answers a question of the sample, without a trace."""
        ...


class MovedHome(Protocol):
    """The home whose ledger is moved."""

    def held(self) -> AbstractContextManager[str]:
        """The home's lock; gives the home's name.

        Raises:
            Unavailable: ``home.held`` when another process keeps it.
        """
        ...

    def questions(self, count: int) -> Sequence[Question]:
        """Questions about what the home holds: the same for the same ledger."""
        ...

    def old(self) -> AbstractContextManager[Asked]:
        """The home as it is."""
        ...

    def new(self) -> AbstractContextManager[Asked]:
        """The home as it is going to be."""
        ...

    def index_missing(self) -> Sequence[str]:
        """What is in the way of the index that the home is to have, one text each.

        Raises:
            Unavailable: its server does not answer.
        """
        ...

    def index(self, new: Asked, listen: Listener) -> IndexSum:
        """Fill the index that the home is to have, or keep the present one."""
        ...

    def begin(self) -> None:
        """Note where copies are about to be, so that erasures name that place.

        Raises:
            Unavailable: ``config.unwritable``.
        """
        ...

    def check_switch(self) -> None:
        """See that :meth:`switch` can be done.

        Raises:
            Conflict: ``migrate.setting_elsewhere``.
            InvalidInput: ``config.form``.
        """
        ...

    def switch(self) -> Switched:
        """Use the new places from now on: one step, then the old ledger is put aside."""
        ...
