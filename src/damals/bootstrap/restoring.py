"""The wiring of a restore: where it goes, on which ledger the home stands, who works there."""

import shutil
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from damals.adapters.backups import staging
from damals.adapters.backups.journal import JournalFile
from damals.adapters.backups.postgres_restore import RestoredDatabase
from damals.adapters.backups.shelf import BackupFolder
from damals.adapters.backups.tombstones import erased_in, erased_on
from damals.adapters.files.config import value_in, write_config
from damals.adapters.files.home import Home
from damals.adapters.files.lock import HomeLock
from damals.addresses import without_secrets
from damals.app.backups.creating import Listener
from damals.app.backups.model import LEDGER, POSTGRES, SQLITE, Manifest
from damals.app.backups.restoring import Means, restore
from damals.app.backups.results import Restored
from damals.app.erasures_journal import ErasureJournal, ErasureRecord
from damals.app.ownership import Owned
from damals.bootstrap import own_home, system_clock, wiring_for
from damals.bootstrap.backups import (
    Keys,
    backup_named,
    opening_of,
    secrets_for,
    settings_of,
    shelf_of,
)
from damals.bootstrap.homes import LedgerFile, LedgerServer, LockedHome
from damals.domain.errors import Conflict, DamalsError, InvalidInput
from damals.settings import CONFIG_FILE, PREFIX, Loaded, Settings
from damals.settings import SQLITE as IN_A_FILE

_SETTING = "ledger"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a backup is restored to.

    Attributes:
        home: the folder.
        taken: there is a home that would have to go.
    """

    home: Path
    taken: bool


def place_of(home: str | Path | None, to: str | None) -> Place:
    """Where a restore goes.

    Raises:
        Conflict: ``backup.target_taken`` when something else is there.
    """
    folder = Home.at(to or settings_of(home).home).path
    staging.settle(folder)
    staging.refuse_taken(folder)
    return Place(folder, folder.exists())


def restore_backup(
    place: Place,
    named: tuple[str | Path | None, str],
    keys: Keys,
    listen: Listener,
    *,
    discard: bool = False,
) -> Restored:
    """Restore a backup; see :func:`damals.app.backups.restoring.restore`.

    Args:
        place: of :func:`place_of`.
        named: the home whose backups are meant, and which one of them: an id or a path.
        keys: what opens it.
        listen: is told how many bytes are unpacked.
        discard: the home that was there is removed.

    Raises:
        Conflict: ``backup.home_in_use``: somebody works in that home; ``backup.ledger_elsewhere``.
        InvalidInput: ``backup.no_server``.
    """
    backup = backup_named(*named)
    loaded = Loaded.load(home=named[0])
    settings = loaded.settings
    there = {"home": place.home, "backups": str(_backups_at(settings, place))}
    at_place = settings.model_copy(update=there)
    with _held(place, at_place), shelf_of(at_place).opened(backup.path) as archive:
        its = at_place.model_copy(update={_SETTING: _ledger_for(archive.manifest, loaded)})
        given = loaded.origins[_SETTING] != CONFIG_FILE
        target = _Target(its, place, shelf_of(settings), given=given, discard=discard)
        means = Means(
            opening=opening_of(),
            secret_of=secrets_for(settings, keys),
            journals=_journals(at_place, settings, backup.path),
            known=_known_to(place),
            reapply=target.erase_again,
            clock=system_clock,
        )
        return restore(archive, target, means, listen)


def _ledger_for(manifest: Manifest, loaded: Loaded) -> str:
    """Where the ledger of a backup goes, as the setting of that name says it.

    Raises:
        Conflict: ``backup.ledger_elsewhere``: it goes into a file, and whoever opens the restored
            home here would be led to a server.
        InvalidInput: ``backup.no_server``: it goes to a server, and none is named.
    """
    named, origin = loaded.settings.ledger, loaded.origins[_SETTING]
    if manifest.ledger == POSTGRES:
        if named == IN_A_FILE:
            raise InvalidInput("backup.no_server")
        return named
    if named != IN_A_FILE and origin != CONFIG_FILE:
        name = f"{PREFIX}{_SETTING.upper()}"
        raise Conflict("backup.ledger_elsewhere", name=name, origin=origin)
    return IN_A_FILE


def _known_to(place: Place) -> Sequence[ErasureRecord]:
    """The erasures that the home knows that is replaced."""
    if not place.taken:
        return ()
    home, url = Home.at(place.home), None
    with suppress(DamalsError):  # a home that is replaced may be damaged
        url = value_in(home.config, _SETTING)
    on_server = () if url in {None, IN_A_FILE} else erased_on(str(url))
    return (*erased_in(home.ledger), *on_server)


def _backups_at(settings: Settings, place: Place) -> Path:
    """The folder of backups of the home that is restored."""
    if settings.backups or place.home == Home.at(settings.home).path:
        return settings.backups_folder
    return place.home.with_name(f"{place.home.name}.backups")


def _journals(at_place: Settings, settings: Settings, backup: Path) -> Sequence[ErasureJournal]:
    """Those that may know of erasures: of the restored home, of the asked one, beside the file."""
    folders = (at_place.backups_folder, settings.backups_folder, backup.absolute().parent)
    return tuple(JournalFile(one) for one in dict.fromkeys(folders))


@contextmanager
def _held(place: Place, settings: Settings) -> Generator[None]:
    """Hold the home that is to be replaced: nobody else works in it meanwhile.

    Raises:
        Conflict: ``backup.home_in_use``.
        Unavailable: ``home.held``.
    """
    if not place.taken:
        yield
        return
    lock = HomeLock(place.home, timeout_s=settings.lock_timeout_s, attach=True)
    try:
        lock.acquire()
    except Owned as error:
        raise Conflict("backup.home_in_use", **error.values) from error
    try:
        yield
    finally:
        lock.release()


class _Target:
    """The place of a home (port ``Target``).

    Args:
        settings: of the restored home: its place, its ledger.
        place: the place.
        shelf: of the home that was asked.
        given: the ledger was named for this call, and not by the home's file of settings.
        discard: the home that was there is removed.
    """

    def __init__(
        self,
        settings: Settings,
        place: Place,
        shelf: BackupFolder,
        *,
        given: bool,
        discard: bool,
    ) -> None:
        self._settings = settings
        self._place = place
        self._given = given
        self._discard = discard
        self._shelf = shelf
        url = settings.ledger
        self._database = None if url == IN_A_FILE else RestoredDatabase(url)

    @property
    def home(self) -> Path:
        return self._place.home

    @contextmanager
    def making(self) -> Generator[Path]:
        staging.sweep(self.home)
        with ExitStack() as stack:
            if self._database is not None:
                stack.enter_context(self._database.alone())
            stack.enter_context(self._shelf.restoring_to(self.home))
            yield stack.enter_context(staging.restoring(self.home))

    def settle(self, folder: Path, manifest: Manifest) -> None:
        self._point(Home.at(folder))
        if self._place.taken:
            Home.at(folder).succeed(Home.at(self.home))
        if self._database is None:
            return
        dump = folder / LEDGER[POSTGRES]
        self._database.fill(dump, manifest.schema)
        for left in folder.glob(f"{dump.name}*"):
            left.unlink()

    def _point(self, home: Home) -> None:
        """See to it that the home's own settings lead to no other ledger than the restored one."""
        wanted, named = self._settings.ledger, value_in(home.config, _SETTING)
        if named == wanted or (named is None and (wanted == IN_A_FILE or self._given)):
            return
        # What was named for this call alone may hold a password that nobody wants in a file.
        kept = without_secrets(wanted) if self._given and wanted != IN_A_FILE else wanted
        write_config(home.config, {_SETTING: kept}, private=True)

    def erase_again(self, folder: Path, records: Sequence[ErasureRecord]) -> int:
        """Erase again, in the home in a folder."""
        from damals.reapplying import reapply  # noqa: PLC0415 -- a command pays for what it uses

        # No index is touched that others see: the home has none before it is in its place.
        there = self._settings.model_copy(update={"home": folder, "qdrant": ""})
        home, url = Home.at(folder), there.ledger
        ledger = LedgerFile(home) if url == IN_A_FILE else LedgerServer(home, url, unfinished=True)
        held = LockedHome(home, HomeLock(folder, timeout_s=there.lock_timeout_s), ledger)
        own = own_home(there, None, wiring_for(there, brief=True), held)
        try:
            return reapply(own.memory, records)
        finally:
            own.memory.close()

    def swap(self, folder: Path, manifest: Manifest, now: int) -> Path | None:
        del manifest
        for left in folder.glob(f"{LEDGER[SQLITE]}.*.backup"):
            left.unlink()  # an upgrade made it before the erasures were made again
        if self._settings.qdrant:
            shutil.rmtree(Home.at(folder).index, ignore_errors=True)
        before = staging.swap(folder, self.home, now if self._place.taken else None)
        if self._database is not None:
            # Last of all: until the home stands in its place the same command begins anew.
            self._database.release()
        if before is not None and self._discard:
            staging.remove_home(before)
            return None
        return before
