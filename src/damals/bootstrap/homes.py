"""A home folder with its ledger and its lock: what the wiring opens a home with."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from damals.adapters.files.home import Home
from damals.adapters.files.lock import HomeLock
from damals.app.ledger_port import Ledger
from damals.domain.errors import Unavailable


class LedgerPlace(Protocol):
    """Where the ledger of a home is."""

    def exists(self) -> bool:
        """Whether there is one."""
        ...

    def open(self) -> Ledger:
        """Open it; it is made where there is none. The home is locked by now."""
        ...


@dataclass(frozen=True, slots=True)
class LedgerFile:
    """The ledger in the home's folder."""

    home: Home

    def exists(self) -> bool:
        """Whether the file is there."""
        return self.home.exists()

    def open(self) -> Ledger:
        """Open the file."""
        from damals.adapters.sql.ledger import SqlLedger  # noqa: PLC0415 -- a command pays for what it uses

        return SqlLedger(self.home.ledger)


@dataclass(slots=True)
class LedgerServer:
    """The ledger on a PostgreSQL server, where the home keeps no more than its index."""

    home: Home
    url: str
    unfinished: bool = False  # it may be the target of a migration or a restore
    _found: bool = False

    def exists(self) -> bool:
        """Whether the server has a ledger with a workspace. One that it had is not gone later."""
        from damals.adapters.sql.ledger import holds_workspace  # noqa: PLC0415 -- a command pays for what it uses
        from damals.adapters.sql.postgres import PostgresDatabase  # noqa: PLC0415 -- an extra

        self.home.check_folder()
        if not self._found:
            database = PostgresDatabase(self.url)
            try:
                self._found = holds_workspace(database)
            finally:
                database.engine.dispose()
        return self._found

    def open(self) -> Ledger:
        """Open the ledger on the server."""
        from damals.adapters.sql.ledger import SqlLedger  # noqa: PLC0415 -- a command pays for what it uses
        from damals.adapters.sql.postgres import PostgresDatabase  # noqa: PLC0415 -- an extra

        database, owner = PostgresDatabase(self.url), self.home.identity()
        return SqlLedger(database, index_owner=owner, unfinished=self.unfinished)


@dataclass(slots=True)
class LockedHome:
    """A home folder, its lock and its ledger (port ``HeldHome``)."""

    home: Home
    lock: HomeLock
    ledger: LedgerPlace
    on_hold: Callable[[], None] | None = None

    @property
    def path(self) -> Path:
        """The folder."""
        return self.home.path

    def exists(self) -> bool:
        """Whether there is a ledger, in it or on the server."""
        self._settle()
        return self.ledger.exists()

    def hold(self, *, create: bool) -> None:
        """Lock it, made first when it may be: where the ledger is elsewhere, it always may.

        Raises:
            Unavailable: ``backup.just_restored``, and those of the lock.
        """
        self._settle()
        if create or isinstance(self.ledger, LedgerServer):
            self.home.create()
        if not self.lock.held:
            self.lock.acquire()
            self.home.discard_copies()
            if self.on_hold is not None:
                self.on_hold()

    def _settle(self) -> None:
        """Where there is no home: end a restore that was killed as it put one there.

        Raises:
            Unavailable: ``backup.just_restored``: it has settings of its own, which are read when
                it is opened.
        """
        if os.path.exists(self.home.path):  # noqa: PTH110 -- what cannot be looked at is told elsewhere
            return
        from damals.adapters.backups import staging  # noqa: PLC0415 -- hardly ever

        if staging.settle(self.home.path):
            raise Unavailable("backup.just_restored", path=str(self.home.path))

    def release(self) -> None:
        """Give the lock back."""
        self.lock.release()
