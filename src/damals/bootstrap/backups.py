"""The wiring of backups: what makes, checks and removes them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from damals import messages
from damals.adapters.backups import postgres_dump
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
from damals.adapters.files.home import Home
from damals.app.backups.creating import Backing, Listener
from damals.app.backups.keeping import Keeping
from damals.app.backups.model import StoredBackup
from damals.app.backups.ports import Archive, LedgerSource, Seal, Secret
from damals.app.backups.pruning import prune
from damals.app.backups.results import BackupView, Pruned, view_of, views_of
from damals.app.backups.verifying import Opening, verify
from damals.app.erasures_journal import ErasureJournal
from damals.app.ledger_port import Ledger
from damals.app.paths import given_path
from damals.bootstrap import system_clock
from damals.domain.errors import NotFound
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
    return Keeping(backing, opening_of(), journal_of(settings))


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
    return views_of(shelf_of(settings_of(home)).listed())


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
    settings = settings_of(home)
    shelf = shelf_of(settings)
    found = [shelf.find(one) for one in ids] if ids else shelf.listed()
    secret_of = secrets_for(settings, keys)
    watch = (system_clock, listen)
    return tuple(view_of(verify(shelf, one, opening_of(), secret_of, watch)) for one in found)


def prune_backups(home: str | Path | None, keep: Keep, *, dry_run: bool) -> Pruned:
    """Remove the backups of a home that no rule keeps."""
    settings = settings_of(home)
    return prune(shelf_of(settings), keep, load_zone(settings.timezone), dry_run=dry_run)


def backup_named(home: str | Path | None, named: str) -> StoredBackup:
    """A backup by its id in the folder, or by the path of its file.

    Raises:
        NotFound: ``backup.unknown``, ``backup.missing``.
        Corrupt, Unavailable: it cannot be read.
    """
    shelf = shelf_of(settings_of(home))
    try:
        found = shelf.find(named)
    except NotFound:
        path = given_path(named)
        if not path.exists():
            raise
        found = looked_at(path)
    with shelf.opened(found.path):
        return found


def opening_of() -> Opening:
    """How what comes out of backups is looked at."""
    return Opening(_opened, postgres_dump.check_dump)


def _opened(path: Path) -> Ledger:
    from damals.adapters.sql.ledger import SqlLedger  # noqa: PLC0415 -- a command pays for what it uses

    return SqlLedger(path)


def secrets_for(settings: Settings, keys: Keys) -> Callable[[Archive], Secret | None]:
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


def settings_of(home: str | Path | None) -> Settings:
    """The settings of a home, which need not be there any more."""
    messages.install()
    return Loaded.load(home=home).settings
