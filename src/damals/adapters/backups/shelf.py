"""The folder of backups: one file a backup, and what checks of them found."""

import json
import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, cast
from uuid import uuid4

from damals.adapters.backups import staging
from damals.adapters.backups.archive import TarArchive, TarWriter
from damals.adapters.backups.durable import (
    PRIVATE_FILE,
    locked,
    make_folder,
    unreadable,
    unwritable,
    write_whole,
)
from damals.adapters.backups.manifest import written
from damals.adapters.backups.sqlite_copy import SNAPSHOTS
from damals.app.backups.model import Checked, Manifest, StoredBackup
from damals.app.backups.ports import Seal
from damals.domain.errors import DamalsError, NotFound, Unavailable
from damals.domain.instants import SECOND
from damals.folders import sync_folder

PREFIX: Final = "damals-"
SUFFIX: Final = ".tar"
_LOCK: Final = ".backups.lock"
_CHECKS: Final = "checks.json"
_ELSEWHERE: Final = ".restoring-"
"""Notes with the homes that backups are being restored to, which are not that of the folder."""
_PARTS: Final = f"{PREFIX}*{SUFFIX}.part"
_MAX_CHECKS: Final = 16 << 20


class BackupFolder:
    """A ``Shelf`` in a folder.

    Args:
        folder: with the backups; made by the first.
        home: the home beside which backups are looked into.
    """

    def __init__(self, folder: Path, home: Path) -> None:
        self._folder = folder
        self._home = home

    @property
    def folder(self) -> Path:
        """See :attr:`damals.app.backups.model.BackupShelf.folder`."""
        return self._folder

    def listed(self) -> Sequence[StoredBackup]:
        """See :meth:`damals.app.backups.model.BackupShelf.listed`."""
        try:
            paths = sorted(self._folder.glob(f"{PREFIX}*{SUFFIX}"))
        except OSError as error:
            raise unreadable(self._folder, error) from error
        checks = self._checks()
        found = [one for path in paths if (one := _looked_at(path, checks)) is not None]
        return sorted(found, key=lambda one: (one.created_at, one.id))

    def find(self, id: str) -> StoredBackup:
        """See :meth:`damals.app.backups.ports.Shelf.find`."""
        for one in self.listed():
            if id in (one.id, one.path.name):
                return one
        raise NotFound("backup.unknown", id=id, path=str(self._folder))

    @contextmanager
    def alone(self) -> Generator[None]:
        """See :meth:`damals.app.backups.model.BackupShelf.alone`."""
        make_folder(self._folder)
        with locked(self._folder / _LOCK):
            self._sweep()
            yield

    def sweep(self) -> None:
        """See :meth:`damals.app.backups.model.BackupShelf.sweep`."""
        with self.alone():
            pass

    def _sweep(self) -> None:
        """Remove what nobody works on any more, since nobody else has the lock."""
        left = [*self._folder.glob(_PARTS), *(self._home / "cache").glob(SNAPSHOTS)]
        for path in left:
            for one in (path, Path(f"{path}-journal"), Path(f"{path}-wal")):
                with suppress(OSError):
                    one.unlink(missing_ok=True)
        staging.sweep(self._home)
        self._sweep_elsewhere()

    def _sweep_elsewhere(self) -> None:
        """The same beside other homes that backups of here were being restored to."""
        for note in self._folder.glob(f"{_ELSEWHERE}*"):
            with suppress(OSError, ValueError, Unavailable):  # a place may be out of reach by now
                home = Path(note.read_text(encoding="utf-8"))
                staging.sweep(home)
                if not staging.is_left(home):
                    note.unlink()

    @contextmanager
    def restoring_to(self, home: Path) -> Generator[None]:
        """Note where a backup is being restored to, as long as it is.

        When that is killed, whoever erases here removes what it has left there.

        Raises:
            Unavailable: ``backup.unwritable``.
        """
        if home == self._home:
            yield
            return
        make_folder(self._folder)
        note = self._folder / f"{_ELSEWHERE}{uuid4().hex[:12]}"
        write_whole(note, str(home).encode("utf-8", "surrogateescape"))
        try:
            yield
        finally:
            with suppress(OSError):
                note.unlink()

    @contextmanager
    def new(self, manifest: Manifest, seal: Seal | None) -> Generator[TarWriter]:
        """See :meth:`damals.app.backups.ports.Shelf.new`."""
        path = self._folder / f"{PREFIX}{manifest.id}{SUFFIX}"
        part = path.with_name(f"{path.name}.part")
        try:
            handle = os.open(part, os.O_RDWR | os.O_CREAT | os.O_TRUNC, PRIVATE_FILE)
            with os.fdopen(handle, "w+b") as file:
                yield TarWriter(file, manifest, seal)
            part.replace(path)
            sync_folder(self._folder, forgiving=True)
        except OSError as error:
            raise unwritable(path, error) from error
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)

    @contextmanager
    def opened(self, path: Path) -> Generator[TarArchive]:
        """See :meth:`damals.app.backups.ports.Shelf.opened`."""
        with _opened(path) as archive:
            yield archive

    def note(self, backup: StoredBackup, checked: Checked) -> StoredBackup:
        """See :meth:`damals.app.backups.ports.Shelf.note`."""
        with self.alone():
            names = {path.name for path in self._folder.glob(f"{PREFIX}*{SUFFIX}")}
            told = {name: one for name, one in self._checks().items() if name in names}
            told[backup.path.name] = {
                "of": _mark(backup.manifest),
                "at": checked.at,
                "ok": checked.ok,
                "whole": checked.whole,
                "problem": checked.problem,
            }
            data = json.dumps(told, indent=1, sort_keys=True).encode("utf-8")
            write_whole(self._folder / _CHECKS, data)
        return replace(backup, checked=checked)

    def remove(self, backup: StoredBackup) -> None:
        """See :meth:`damals.app.backups.ports.Shelf.remove`."""
        try:
            backup.path.unlink(missing_ok=True)
            sync_folder(backup.path.parent, forgiving=True)
        except OSError as error:
            raise unwritable(backup.path, error) from error

    @contextmanager
    def scratch(self) -> Generator[Path]:
        """See :meth:`damals.app.backups.ports.Shelf.scratch`."""
        with staging.beside(self._home) as folder:
            yield folder

    def _checks(self) -> dict[str, Any]:
        """What checks found; what cannot be read was never checked."""
        path = self._folder / _CHECKS
        try:
            if path.stat().st_size > _MAX_CHECKS:
                return {}
            told: object = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return cast("dict[str, Any]", told) if isinstance(told, dict) else {}


@contextmanager
def _opened(path: Path) -> Generator[TarArchive]:
    try:
        file = path.open("rb")
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        raise NotFound("backup.missing", path=str(path)) from error
    except OSError as error:
        raise unreadable(path, error) from error
    with file:
        try:
            archive = TarArchive(file, path)
        except OSError as error:
            raise unreadable(path, error) from error
        yield archive


def looked_at(path: Path) -> StoredBackup:
    """A backup that may lie anywhere.

    Raises:
        NotFound: ``backup.missing``.
    """
    found = _looked_at(path, {})
    if found is None:
        raise NotFound("backup.missing", path=str(path))
    return found


def _looked_at(path: Path, checks: dict[str, Any]) -> StoredBackup | None:
    """A file of the folder, whatever is in it; ``None`` when it has just been removed."""
    name = path.name.removeprefix(PREFIX).removesuffix(SUFFIX)
    try:
        status = path.stat()
    except OSError:
        return None
    made = int(status.st_mtime) * SECOND
    try:
        with _opened(path) as archive:
            manifest = archive.manifest
    except NotFound:
        return None
    except DamalsError as error:
        return StoredBackup(name, path, made, status.st_size, None, problem=error.key)
    checked = _check_of(checks.get(path.name), manifest)
    return StoredBackup(manifest.id, path, manifest.created_at, status.st_size, manifest, checked)


def _check_of(told: Any, manifest: Manifest) -> Checked | None:  # noqa: ANN401 -- what a file says
    """What a check found, if it was of this very backup."""
    try:
        if told["of"] != _mark(manifest):
            return None
        problem = told["problem"]
        shown = None if problem is None else str(problem)
        return Checked(int(told["at"]), bool(told["ok"]), bool(told["whole"]), shown)
    except (TypeError, KeyError, ValueError):
        return None


def _mark(manifest: Manifest | None) -> str | None:
    """By which a backup is told from another of its name."""
    if manifest is None:
        return None
    told: dict[str, Any] = json.loads(written(manifest))
    return str(told["digest"])
