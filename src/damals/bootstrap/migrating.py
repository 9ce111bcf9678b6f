"""The wiring of a migration: a home that is locked once, and looked at as it is and will be."""

import os
import sqlite3
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from damals import messages
from damals.adapters.files import moving
from damals.adapters.files.config import check_config, write_config
from damals.adapters.files.home import Home
from damals.adapters.files.lock import HomeLock
from damals.adapters.sql.copying import SqlMove
from damals.adapters.sql.copying_sample import questions
from damals.adapters.sql.copying_survey import home_of
from damals.adapters.sql.engine import Database
from damals.adapters.sql.sqlite import SqliteDatabase
from damals.addresses import secrets_in, without_secrets
from damals.app.migrating.index import move_index
from damals.app.migrating.model import (
    Asked,
    IndexSum,
    Listener,
    Migration,
    Question,
    Switched,
)
from damals.app.migrating.run import Wanted, migrate
from damals.app.ports import Embedder
from damals.app.results import Progress, Recall
from damals.app.search import Search
from damals.bootstrap import OwnHome, own_home, system_clock, wiring_for
from damals.bootstrap.homes import LedgerFile, LedgerPlace, LedgerServer, LockedHome
from damals.bootstrap.index import missing_for_index
from damals.domain.errors import Conflict, InvalidInput, NotFound
from damals.domain.names import DEFAULT_WORKSPACE
from damals.folders import sync_folder
from damals.local import LocalDamals
from damals.settings import CONFIG_FILE, PREFIX, SQLITE, Loaded, Settings

SHOWN: Final = 10
"""How many results of each answer are compared."""

EXACT_POINTS: Final = 100_000
"""Up to so many chunks a Qdrant server looks at all of them; beyond, its graph may miss some."""


def migrate_home(
    home: str | Path | None = None,
    *,
    ledger: str | None = None,
    qdrant: str | None = None,
    wanted: Wanted | None = None,
    listen: Listener | None = None,
    embedding: Embedder | None = None,
) -> Migration:
    """Move a home's ledger, its index or both to servers; see :mod:`damals.app.migrating.run`.

    Args:
        home: the folder.
        ledger: address of a PostgreSQL database.
        qdrant: address of a Qdrant server.
        wanted: how many recalls are compared, and whether to look only.
        listen: hears of progress.
        embedding: instead of the model that the settings name.

    Raises:
        NotFound: ``home.missing``.
        Conflict: ``migrate.already``, ``migrate.setting_elsewhere``.
        InvalidInput: ``migrate.address``, ``migrate.nothing``.
    """
    messages.install()
    loaded = Loaded.load(home=home)
    places = _places(ledger, qdrant)
    moved = _Moved(Home.at(loaded.settings.home), loaded, places, embedding)
    if "ledger" in places and loaded.settings.ledger != SQLITE:
        return moved.finished()
    moved.require()
    told = wanted or Wanted(), listen or _silent
    if "ledger" not in places:
        return migrate(None, moved, *told)
    with closing(moved.move()) as move:
        return migrate(move, moved, *told)


def _places(ledger: str | None, qdrant: str | None) -> dict[str, str]:
    """Where to move: the settings that the home is to have.

    Raises:
        InvalidInput: ``migrate.nothing``, ``migrate.address``, ``migrate.index_address``.
    """
    given = {"ledger": ledger, "qdrant": qdrant}
    places = {name: value for name, value in given.items() if value is not None}
    if not places:
        raise InvalidInput("migrate.nothing")
    if not places.get("ledger", "postgresql://").startswith(("postgresql://", "postgres://")):
        raise InvalidInput("migrate.address")
    if not places.get("qdrant", "https://").startswith(("http://", "https://")):
        raise InvalidInput("migrate.index_address")
    return places


def _silent(progress: Progress) -> None:
    """Nobody listens."""
    del progress


class _HeldLock(HomeLock):
    """The lock of a home that somebody else holds, and gives back, in this process."""

    @property
    def held(self) -> bool:
        """It is, all the time."""
        return True

    def release(self) -> None:
        """Whoever took it gives it back."""


@dataclass(frozen=True, slots=True)
class _Memory:
    """A home that is asked without a trace (port ``Asked``)."""

    own: OwnHome

    def search(self) -> Search:
        """The home's index."""
        return self.own.home.search(DEFAULT_WORKSPACE)

    def recall(self, question: Question) -> Recall:
        """What answers a question of the sample."""
        return LocalDamals(self.own.home, question.workspace, guest=True).recall(
            question.text,
            limit=SHOWN,
            as_of=question.as_of,
            known_at=question.known_at,
            literal=True,
            times="off",
            receipt=False,
        )


class _Moved:
    """The home that is moved (port ``MovedHome``).

    Args:
        home: the folder.
        loaded: its settings.
        places: those that it is going to have.
        embedding: instead of the model that the settings name.
    """

    def __init__(
        self, home: Home, loaded: Loaded, places: Mapping[str, str], embedding: Embedder | None
    ) -> None:
        self._home = home
        self._loaded = loaded
        self._places = places
        self._embedding = embedding
        self._now = system_clock()

    @property
    def _settings(self) -> Settings:
        return self._loaded.settings

    @property
    def _new_settings(self) -> Settings:
        return self._settings.model_copy(update=dict(self._places))

    def move(self) -> SqlMove:
        """What copies the ledger."""
        path = self._home.ledger
        return SqlMove(path, SqliteDatabase(path), _server(self._places["ledger"]))

    def require(self) -> None:
        """Refuse to go on without a ledger, or where there is nothing to move.

        Raises:
            NotFound: ``home.missing``.
            Conflict: ``migrate.index_already``.
        """
        if not self._place(self._settings).exists():
            raise NotFound("home.missing", path=str(self._home.path))
        if self._settings.qdrant and self._settings.qdrant == self._places.get("qdrant"):
            raise Conflict("migrate.index_already", url=without_secrets(self._settings.qdrant))

    @contextmanager
    def held(self) -> Generator[str]:
        """The home's lock; gives the home's name."""
        with HomeLock(self._home.path, timeout_s=self._settings.lock_timeout_s):
            yield self._home.identity()

    def questions(self, count: int) -> Sequence[Question]:
        """Questions about what the home holds."""
        url = self._settings.ledger
        database = SqliteDatabase(self._home.ledger) if url == SQLITE else _server(url)
        try:
            with database.reading() as connection:
                return questions(connection, count)
        finally:
            database.engine.dispose()

    @contextmanager
    def old(self) -> Generator[Asked]:
        """The home as it is; where the index moves, with all its vectors, as the new one has."""
        with self._opened(self._settings) as memory:
            if "qdrant" in self._places:
                memory.search().catch_up(None, wait=True)
            yield memory

    @contextmanager
    def new(self) -> Generator[Asked]:
        """The home as it is going to be."""
        with self._opened(self._new_settings) as memory:
            yield memory

    def _place(self, settings: Settings) -> LedgerPlace:
        if settings.ledger == SQLITE:
            return LedgerFile(self._home)
        # Only the target of this migration may be unfinished.
        unfinished = "ledger" in self._places
        return LedgerServer(self._home, settings.ledger, unfinished=unfinished)

    @contextmanager
    def _opened(self, settings: Settings) -> Generator[_Memory]:
        quiet = settings.model_copy(update={"receipts": False, "accesses": False})
        held = LockedHome(self._home, _HeldLock(self._home.path), self._place(settings))
        wiring = wiring_for(quiet, self._embedding, brief=True)
        own = own_home(quiet, lambda: self._now, wiring, held)
        try:
            yield _Memory(own)
        finally:
            own.memory.close()

    def index_missing(self) -> Sequence[str]:
        """What is in the way of the index that the home is to have."""
        if "qdrant" not in self._places:
            return ()
        return missing_for_index(self._new_settings, self._home)

    def index(self, new: Asked, listen: Listener) -> IndexSum:
        """Fill the index on its server; the one in the home is kept: its cursors were copied."""
        if "qdrant" not in self._places:
            return IndexSum(kept=True, exact=True, location=str(self._home.index))
        assert isinstance(new, _Memory)  # noqa: S101 -- what `new` has given
        moved = move_index(new.search(), listen)
        exact = moved.points <= EXACT_POINTS and self._new_settings.qdrant_shards == 1
        location = f"{without_secrets(self._places['qdrant'])} {moved.location}"
        return IndexSum(False, exact, location, moved.points, moved.vectors)

    def begin(self) -> None:
        """Note where copies are about to be."""
        moving.begin(self._home.path, self._shown)

    @property
    def _shown(self) -> Sequence[str]:
        """Where the home moves to, without what opens it."""
        return tuple(map(without_secrets, self._places.values()))

    def check_switch(self) -> None:
        """See that the file of settings decides, and can be changed."""
        for name in self._places:
            origin = self._loaded.origins[name]
            if origin not in {"default", CONFIG_FILE}:
                variable = f"{PREFIX}{name.upper()}"
                raise Conflict("migrate.setting_elsewhere", name=variable, origin=origin)
        check_config(self._home.config, self._places)

    def switch(self) -> Switched:
        """Use the servers from now on, then put the old ledger aside."""
        ledger = self._places.get("ledger")
        secret = ledger is not None and _has_password(ledger)
        secret = secret or bool(secrets_in(self._places.get("qdrant", "")))
        write_config(self._home.config, self._places, private=secret)
        aside = None if ledger is None else str(self._put_aside())
        moving.end(self._home.path, self._shown)
        return Switched(str(self._home.config), aside, secret)

    def finished(self) -> Migration:
        """Put aside the ledger that an earlier migration has moved, when that was killed there.

        Raises:
            Conflict: ``migrate.already``.
        """
        ledger = self._places["ledger"]
        target = _server(ledger)
        already = Conflict("migrate.already", path=target.location)
        if self._settings.ledger != ledger or not self._home.exists():
            raise already
        with self.held():
            if _home_in(SqliteDatabase(self._home.ledger)) != _home_in(target):
                raise already
            aside = self._put_aside()
            moving.end(self._home.path, self._shown)
        switched = Switched(str(self._home.config), str(aside), _has_password(ledger))
        return Migration("finished", target.location, switched=switched)

    def _put_aside(self) -> Path:
        """Give the old ledger a name of its own, with all that was written to it."""
        path = self._home.ledger
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").close()
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        aside = path.with_name(f"{path.name}.migrated-{stamp}")
        os.replace(path, aside)  # noqa: PTH105 -- as below
        for ending in ("-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.replace(f"{path}{ending}", f"{aside}{ending}")  # noqa: PTH105 -- one after the other
        sync_folder(path.parent)
        return aside


def _server(url: str) -> Database:
    from damals.adapters.sql.postgres import PostgresDatabase  # noqa: PLC0415 -- an extra

    return PostgresDatabase(url)


def _home_in(database: Database) -> str | None:
    """The id of a ledger; ``None`` when it cannot be told."""
    try:
        with database.reading() as connection:
            return home_of(connection)
    finally:
        database.engine.dispose()


def _has_password(url: str) -> bool:
    from psycopg.conninfo import conninfo_to_dict  # noqa: PLC0415 -- an extra

    return "password" in conninfo_to_dict(url)
