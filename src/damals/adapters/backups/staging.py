"""Folders beside a home: to look into a backup, and to take the place of the home in one step.

A folder in the making holds a marker that is locked by its process. Without that process it is a
leftover, and goes. A home never holds the marker, so none is ever taken for a leftover.
"""

import ctypes
import os
import shutil
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from uuid import uuid4

from damals.adapters.backups.durable import PRIVATE_FOLDER, locked, sync_folder, unwritable
from damals.domain.errors import Conflict

MARKER: Final = ".damals-in-the-making"
_LOOKING: Final = ".looking-"
_RESTORING: Final = ".restoring-"
_BEFORE: Final = ".before-"
_AT_FDCWD: Final = -100
_EXCHANGE: Final = 2


@contextmanager
def beside(home: Path, infix: str = _LOOKING) -> Generator[Path]:
    """A folder beside a home, for its owner only; it is gone at the end, wherever it is then.

    Raises:
        Unavailable: ``backup.unwritable``.
    """
    folder = home.with_name(f"{home.name}{infix}{uuid4().hex[:12]}")
    try:
        folder.mkdir(mode=PRIVATE_FOLDER, parents=True)
        with locked(folder / MARKER):
            try:
                yield folder
            finally:
                _remove(folder)
    except OSError as error:
        raise unwritable(folder, error) from error


@contextmanager
def restoring(home: Path) -> Generator[Path]:
    """A folder in which a home is put together; see :func:`swap`."""
    with beside(home, _RESTORING) as folder:
        yield folder


def swap(folder: Path, home: Path, now: int | None) -> Path | None:
    """Put a folder made by :func:`restoring` in the place of a home.

    At every instant a whole home stands in that place: the old one, then the new one.

    Args:
        folder: the new one; everything in it is on the disk.
        home: the place; nobody works in it, and the caller holds its lock.
        now: instant by which the old one is named, UTC microseconds; ``None``: there was none.

    Returns:
        Where the old one is now; ``None`` when there was none.

    Raises:
        Conflict: ``backup.target_taken`` when somebody made a home there meanwhile.
        Unavailable: ``backup.unwritable``.
    """
    sync_tree(folder)
    try:
        before = None if now is None else _exchanged(folder, home, now)
        if now is None:
            _into_free_place(folder, home)
        with suppress(OSError):
            (home / MARKER).unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(home, error) from error
    return before


def _into_free_place(folder: Path, home: Path) -> None:
    """Move a folder to where nothing is, or an empty folder."""
    try:
        folder.rename(home)
    except OSError as error:
        if home.exists():
            raise Conflict("backup.target_taken", path=str(home)) from error
        raise
    sync_folder(home.parent)


def _exchanged(folder: Path, home: Path, now: int) -> Path:
    name = datetime.fromtimestamp(now / 1e6, UTC).strftime("%Y%m%dT%H%M%SZ")
    before = home.with_name(f"{home.name}{_BEFORE}{name}")
    if before.exists():
        before = before.with_name(f"{before.name}-{uuid4().hex[:4]}")
    if _exchange(folder, home):
        sync_folder(home.parent)
        with suppress(FileNotFoundError):  # who came meanwhile has named it: see `settle`
            folder.rename(before)
    else:
        # No system call for it: a kill between the two is mended by `settle`, which whoever opens
        # a home that is not there calls first.
        home.rename(before)
        folder.rename(home)
    sync_folder(home.parent)
    return before


def _exchange(first: Path, second: Path) -> bool:
    """Let two folders change places in one step, where the system can."""
    if sys.platform != "linux":
        return False
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    names = os.fsencode(first), os.fsencode(second)
    return call(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _EXCHANGE) == 0


def settle(home: Path) -> None:
    """Finish a swap that was killed between its two steps, and name an old home that has no name.

    Raises:
        Unavailable: ``backup.unwritable``.
    """
    try:
        waiting = _of_nobody(home, _RESTORING)
        if not home.exists() and any(home.parent.glob(f"{_quoted(home)}{_BEFORE}*")):
            for folder in waiting:
                if _is_marked(folder):
                    folder.rename(home)
                    (home / MARKER).unlink(missing_ok=True)
                    sync_folder(home.parent)
                    return
        for folder in waiting:
            if not _is_marked(folder):
                changed = folder.stat().st_mtime
                named = datetime.fromtimestamp(changed, UTC).strftime("%Y%m%dT%H%M%SZ")
                folder.rename(home.with_name(f"{home.name}{_BEFORE}{named}-{folder.name[-4:]}"))
    except OSError as error:
        raise unwritable(home, error) from error


def sweep(home: Path) -> None:
    """Remove what killed processes left beside a home; whole homes stay."""
    settle(home)
    for infix in (_LOOKING, _RESTORING):
        for folder in _of_nobody(home, infix):
            if _is_marked(folder):
                _remove(folder)
    with suppress(OSError):
        (home / MARKER).unlink(missing_ok=True)


def _of_nobody(home: Path, infix: str) -> list[Path]:
    """Folders that no living process works in."""
    found: list[Path] = []
    for folder in sorted(home.parent.glob(f"{_quoted(home)}{infix}*")):
        if not _is_marked(folder):
            found.append(folder)
            continue
        with locked(folder / MARKER, wait=False) as free:
            if free:
                found.append(folder)
    return found


def _is_marked(folder: Path) -> bool:
    return (folder / MARKER).exists()


def _quoted(home: Path) -> str:
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in home.name)


def _remove(folder: Path) -> None:
    """Remove a folder in the making, the marker last: half removed, it is still a leftover."""
    if not _is_marked(folder):
        return
    for one in list(folder.iterdir()):
        if one.name != MARKER:
            if one.is_dir() and not one.is_symlink():
                shutil.rmtree(one, ignore_errors=True)
            else:
                with suppress(OSError):
                    one.unlink()
    shutil.rmtree(folder, ignore_errors=True)


def sync_tree(folder: Path) -> None:
    """See to it that everything below a folder is on the disk."""
    for place, _, names in os.walk(folder):
        for name in names:
            with (Path(place) / name).open("rb") as file:
                os.fsync(file.fileno())
        sync_folder(Path(place))


def refuse_taken(folder: Path) -> None:
    """Refuse a folder that holds something else than a home.

    Raises:
        Conflict: ``backup.target_taken``.
    """
    if folder.is_dir() and not (folder / "ledger.db").exists():
        rest = [one for one in folder.iterdir() if one.name not in _OF_EMPTY_HOMES]
        if rest:
            raise Conflict("backup.target_taken", path=str(folder))
    elif folder.exists() and not folder.is_dir():
        raise Conflict("backup.target_taken", path=str(folder))


_OF_EMPTY_HOMES: Final = frozenset(
    {"damals.lock", "config.yaml", "types.yaml", "home-id", "cache", "index", MARKER}
)


def remove_home(home: Path) -> None:
    """Remove a home that another one has taken the place of.

    Raises:
        Unavailable: ``backup.unwritable``.
    """
    try:
        shutil.rmtree(home)
    except OSError as error:
        raise unwritable(home, error) from error
