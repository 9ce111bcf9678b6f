"""What checks look at, and what they need of the files around a ledger."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from damals import messages
from damals.app.backups.keeping import Keeping
from damals.app.ledger_port import Ledger
from damals.app.ports import Clock
from damals.app.results import Check
from damals.app.search import Search
from damals.domain.errors import DamalsError

MEND: Final = "damals doctor --repair"
"""Mends whatever can be computed again, and never touches knowledge."""


@dataclass(frozen=True, slots=True)
class Room:
    """Space on the disk of a home.

    Attributes:
        free: bytes that are left for this user.
        needed: bytes that building the index anew and upgrading the ledger may take at once.
    """

    free: int
    needed: int


class Surroundings(Protocol):
    """The files of a home beside what ledger and index know of."""

    @property
    def settings_file(self) -> Path | None:
        """The file with settings of this home, where there is one."""
        ...

    def unwritable(self) -> str | None:
        """Why nothing can be written into the home, or ``None``."""
        ...

    def exposed(self) -> Sequence[Path]:
        """What of the home others than its user can read or change."""
        ...

    def close_off(self) -> None:
        """Take others' rights to it away."""
        ...

    def leftovers(self) -> Sequence[Path]:
        """Files and folders that a broken off work has left and nobody reads."""
        ...

    def clear(self) -> None:
        """Remove the leftovers."""
        ...

    def copies(self) -> Sequence[Path]:
        """Copies of the ledger from before it was upgraded."""
        ...

    def room(self) -> Room:
        """Space there is, and space that is needed."""
        ...


class NothingAround:
    """The surroundings of a home that is nowhere."""

    settings_file: Path | None = None

    def unwritable(self) -> str | None:
        """Nothing is in the way."""
        return None

    def exposed(self) -> Sequence[Path]:
        """Nothing is exposed."""
        return ()

    def close_off(self) -> None:
        """There is nothing to close off."""

    def leftovers(self) -> Sequence[Path]:
        """Nothing is left over."""
        return ()

    def clear(self) -> None:
        """There is nothing to remove."""

    def copies(self) -> Sequence[Path]:
        """There are no copies."""
        return ()

    def room(self) -> Room:
        """It takes none."""
        return Room(0, 0)


class LedgerClosedError(Exception):
    """The ledger cannot be opened; a check of its own says why."""


@dataclass(slots=True)
class Scene:
    """A home that is examined. What cannot be opened is tried once.

    Attributes:
        repair: whether to mend what can be computed again.
        open_ledger, open_search: give what is looked at, or say why they cannot.
        settings_file: of the home; it may not be there.
    """

    home: Path
    clock: Clock
    repair: bool
    open_ledger: Callable[[], Ledger]
    open_search: Callable[[], Search]
    around: Surroundings
    keeping: Callable[[], Keeping]
    failed: DamalsError | None = None
    _ledger: Ledger | None = field(default=None)

    def ledger(self) -> Ledger:
        """The ledger.

        Raises:
            LedgerClosedError: it did not open; :attr:`failed` says why.
        """
        if self.failed is not None:
            raise LedgerClosedError
        if self._ledger is None:
            try:
                self._ledger = self.open_ledger()
            except DamalsError as error:
                if not may_be_told(error):
                    raise
                self.failed = error
                raise LedgerClosedError from error
        return self._ledger

    def search(self) -> Search:
        """The index; otherwise as :meth:`ledger`."""
        self.ledger()
        return self.open_search()


Checker = Callable[[Scene], Iterator[Check]]
"""Looks at one part. What it raises becomes a check that is not well."""


def may_be_told(error: DamalsError) -> bool:
    """Whether a home that does not open is one that is damaged, rather than missing or owned."""
    return error.key.partition(".")[0] in {"ledger", "postgres"} or error.key == "home.unusable"


def well(name: str, key: str, **values: object) -> Check:
    """A part that is well."""
    return Check(name, True, messages.render(key, values))


def unwell(name: str, key: str, repair: str | None, **values: object) -> Check:
    """A part that is not, with the command that mends it."""
    return Check(name, False, messages.render(key, values), repair)
