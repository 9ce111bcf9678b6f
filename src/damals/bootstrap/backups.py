"""The wiring of backups: what makes, checks, restores and removes them."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from damals import messages
from damals.adapters.backups import postgres_dump, staging
from damals.adapters.backups.journal import JournalFile
from damals.adapters.backups.sealing import (
    by_passphrase,
    new_key_file,
    seal_of_file,
    secret_of_file,
    unlocked,
)
from damals.adapters.backups.shelf import BackupFolder, looked_at
from damals.adapters.backups.sqlite_copy import FilesOfHome, SqliteSource
from damals.adapters.backups.tombstones import erased_in
from damals.adapters.files.home import Home
from damals.adapters.files.lock import HomeLock
from damals.app.backups.creating import Backing, Listener
from damals.app.backups.keeping import Keeping
from damals.app.backups.model import LEDGER, POSTGRES, SQLITE, Manifest, StoredBackup
from damals.app.backups.ports import Archive, LedgerSource, Seal, Secret
from damals.app.backups.pruning import prune
from damals.app.backups.restoring import Means, restore
from damals.app.backups.results import BackupView, Pruned, Restored, view_of, views_of
from damals.app.backups.verifying import Opening, verify
from damals.app.erasures_journal import ErasureJournal, ErasureRecord
from damals.app.ledger_port import Ledger
from damals.app.ownership import Owned
from damals.app.paths import given_path
from damals.bootstrap import own_home, system_clock, wiring_for
from damals.domain.errors import Conflict, InvalidInput, NotFound
from damals.domain.retention import Keep
from damals.domain.zones import load_zone
from damals.settings import SQLITE as IN_A_FILE
from damals.settings import Loaded, Settings

Ask = Callable[[], str | None]
"""Asks somebody for a passphrase; ``None`` when nobody is there."""


@dataclass(frozen=True, slots=True)
class Keys:
    """What opens backups, as far as it was given.

    Attributes:
        file: path of a key file.
        passphrase: gives the passphrase, when one is needed.
    """

    file: str | None
    passphrase: Ask


def journal_of(settings: Settings) -> ErasureJournal:
    """The erasure journal of a home."""
    return JournalFile(settings.backups_folder)


def shelf_of(settings: Settings) -> BackupFolder:
    """The folder of a home's backups."""
    return BackupFolder(settings.backups_folder, Home.at(settings.home).path)


def keeping_of(settings: Settings) -> Keeping:
    """What makes and checks the backups of a home."""
    home = Home.at(settings.home)
    source: LedgerSource
    if settings.ledger == IN_A_FILE:
        source = SqliteSource(home.ledger, home.cache)
    else:
        source = postgres_dump.PostgresSource(settings.ledger)
    backing = Backing(shelf_of(settings), source, FilesOfHome(home.path))
    return Keeping(backing, _opening(), journal_of(settings))


def seal_by(settings: Settings, keys: Keys, *, asking: bool) -> Seal | None:
    """To whom a backup is encrypted: a key file before a passphrase; ``None``: to nobody.

    Args:
        settings: may name either.
        keys: what was given.
        asking: somebody wants to be asked for a passphrase.
    """
    file = keys.file or settings.backup_key_file
    if file and not (asking and not keys.file):
        return seal_of_file(given_path(file))
    passphrase = settings.backup_passphrase or (keys.passphrase() if asking else None)
    return by_passphrase(passphrase) if passphrase else None


def make_key(path: str) -> str:
    """Write a new key file; see :func:`damals.adapters.backups.sealing.new_key_file`."""
    messages.install()
    return new_key_file(given_path(path))


def list_backups(home: str | Path | None) -> Sequence[BackupView]:
    """The backups of a home, which need not be there any more."""
    return views_of(shelf_of(_settings(home)).listed())


def verify_backups(
    home: str | Path | None, ids: Sequence[str], keys: Keys, listen: Listener
) -> Sequence[BackupView]:
    """Check backups of a home, which need not be there any more.

    Args:
        home: the home.
        ids: which ones; all when there is none.
        keys: what opens them.
        listen: is told how many bytes were looked at.
    """
    settings = _settings(home)
    shelf = shelf_of(settings)
    found = [shelf.find(one) for one in ids] if ids else shelf.listed()
    secret_of = _secrets(settings, keys)
    watch = (system_clock, listen)
    return tuple(view_of(verify(shelf, one, _opening(), secret_of, watch)) for one in found)


def prune_backups(home: str | Path | None, keep: Keep, *, dry_run: bool) -> Pruned:
    """Remove the backups of a home that no rule keeps."""
    settings = _settings(home)
    return prune(shelf_of(settings), keep, load_zone(settings.timezone), dry_run=dry_run)


def backup_named(home: str | Path | None, named: str) -> StoredBackup:
    """A backup by its id in the folder, or by the path of its file.

    Raises:
        NotFound: ``backup.unknown``, ``backup.missing``.
        Corrupt, Unavailable: it cannot be read.
    """
    shelf = shelf_of(_settings(home))
    try:
        found = shelf.find(named)
    except NotFound:
        path = given_path(named)
        if not path.exists():
            raise
        found = looked_at(path)
    with shelf.opened(found.path):
        return found


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
    folder = Home.at(to or _settings(home).home).path
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
        Conflict: ``backup.home_in_use``: somebody works in that home.
    """
    backup = backup_named(*named)
    settings = _settings(named[0])
    at_place = settings.model_copy(
        update={"home": place.home, "backups": str(_backups_at(settings, place))}
    )
    with _held(place, at_place), shelf_of(at_place).opened(backup.path) as archive:
        target = _Target(at_place, taken=place.taken, discard=discard)
        means = Means(
            opening=_opening(),
            secret_of=_secrets(settings, keys),
            journals=_journals(at_place, settings, backup.path),
            known=erased_in(Home.at(place.home).ledger) if place.taken else (),
            reapply=lambda folder, records: _reapplied(folder, at_place, records),
            clock=system_clock,
        )
        return restore(archive, target, means, listen)


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
    """The place of a home (port ``Target``)."""

    def __init__(self, settings: Settings, *, taken: bool, discard: bool) -> None:
        self._settings = settings
        self._taken = taken
        self._discard = discard

    @property
    def home(self) -> Path:
        return self._settings.home

    @contextmanager
    def making(self) -> Generator[Path]:
        staging.sweep(self.home)
        with staging.restoring(self.home) as folder:
            yield folder

    def settle(self, folder: Path, manifest: Manifest) -> None:
        if manifest.ledger != POSTGRES:
            return
        if self._settings.ledger == IN_A_FILE:
            raise InvalidInput("backup.no_server")
        dump = folder / LEDGER[POSTGRES]
        postgres_dump.restore_dump(dump, self._settings.ledger, manifest.schema)
        for left in folder.glob(f"{dump.name}*"):
            left.unlink()

    def swap(self, folder: Path, manifest: Manifest, now: int) -> Path | None:
        for left in folder.glob(f"{LEDGER[SQLITE]}.*.backup"):
            left.unlink()  # an upgrade made it before the erasures were made again
        if manifest.ledger == POSTGRES:
            postgres_dump.restored(self._settings.ledger)
        before = staging.swap(folder, self.home, now if self._taken else None)
        if before is not None and self._discard:
            staging.remove_home(before)
            return None
        return before


def _reapplied(folder: Path, settings: Settings, records: Sequence[ErasureRecord]) -> int:
    """Erase again, in the home in a folder."""
    from damals.reapplying import reapply  # noqa: PLC0415 -- as below

    there = settings.model_copy(update={"home": folder})
    own = own_home(there, None, wiring_for(there, brief=True))
    try:
        return reapply(own.memory, records)
    finally:
        own.memory.close()


def _opening() -> Opening:
    return Opening(_opened, postgres_dump.check_dump)


def _opened(path: Path) -> Ledger:
    from damals.adapters.sql.ledger import SqlLedger  # noqa: PLC0415 -- a command pays for what it uses

    return SqlLedger(path)


def _secrets(settings: Settings, keys: Keys) -> Callable[[Archive], Secret | None]:
    """Gives what opens a backup, asking once at most."""
    asked: list[str | None] = []

    def passphrase() -> str | None:
        if settings.backup_passphrase:
            return settings.backup_passphrase
        if not asked:
            asked.append(keys.passphrase())
        return asked[0]

    def secret_of(archive: Archive) -> Secret | None:
        locked = archive.locked_key
        if locked is not None:
            told = passphrase()
            return None if not told else unlocked(locked, told, archive.path)
        file = keys.file or settings.backup_key_file
        return secret_of_file(given_path(file)) if file else None

    return secret_of


def _settings(home: str | Path | None) -> Settings:
    messages.install()
    return Loaded.load(home=home).settings
