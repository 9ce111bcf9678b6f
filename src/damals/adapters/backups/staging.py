"""Folders beside a home: to look into a backup, and to take the place of the home in one step.

A folder in the making holds a marker that is locked by its process. Without that process it is a
leftover, and goes. Once everything in it is on the disk it is marked *whole* as well, with the name
that the home in its place is going to have: only such a folder ever becomes a home. A home holds
neither marker, so none is ever taken for a leftover.
"""

import ctypes
import os
import shutil
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final
from uuid import uuid4

from damals.adapters.backups.durable import (
    PRIVATE_FOLDER,
    in_turn,
    is_free,
    locked,
    unwritable,
)
from damals.domain.errors import Conflict
from damals.folders import sync_folder

MARKER: Final = ".damals-in-the-making"
WHOLE: Final = ".damals-whole"
_LOOKING: Final = ".looking-"
_RESTORING: Final = ".restoring-"
_BEFORE: Final = ".before-"
_AT_FDCWD: Final = -100
_EXCHANGE: Final = 2

_synced = partial(sync_folder, forgiving=True)
"""A home may lie where folders cannot be synced."""


@contextmanager
def beside(home: Path, infix: str = _LOOKING) -> Generator[Path]:
    """A folder beside a home, for its owner only; it is gone at the end, wherever it is then.

    Raises:
        Unavailable: ``backup.unwritable``.
    """
    folder = home.with_name(f"{home.name}{infix}{uuid4().hex[:12]}")
    try:
        home.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        with ExitStack() as stack:
            with in_turn(home.parent):  # or it would be a leftover before it is locked
                folder.mkdir(mode=PRIVATE_FOLDER)
                stack.enter_context(locked(folder / MARKER))
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
        folder: the new one; it is complete.
        home: the place; nobody works in it, and the caller holds its lock.
        now: instant by which the old one is named, UTC microseconds; ``None``: there was none.

    Returns:
        Where the old one is now; ``None`` when there was none.

    Raises:
        Conflict: ``backup.target_taken`` when somebody made a home there meanwhile.
        Unavailable: ``backup.unwritable``.
    """
    try:
        before = None if now is None else _before(home, now)
        _mark_whole(folder, before)
        if before is None:
            _into_free_place(folder, home)
        else:
            _exchanged(folder, home, before)
        _unmark(home)
    except OSError as error:
        raise unwritable(home, error) from error
    return before


def _mark_whole(folder: Path, before: Path | None) -> None:
    """From now on the folder may become the home, also when this process does not live to do it."""
    sync_tree(folder)
    with (folder / WHOLE).open("w", encoding="utf-8") as file:
        file.write("" if before is None else before.name)
        file.flush()
        os.fsync(file.fileno())
    _synced(folder)


def _into_free_place(folder: Path, home: Path) -> None:
    """Move a folder to where nothing is, or an empty folder."""
    try:
        folder.rename(home)
    except OSError as error:
        if home.exists():
            raise Conflict("backup.target_taken", path=str(home)) from error
        raise
    _synced(home.parent)


def _before(home: Path, now: int) -> Path:
    """A name for a home that is put aside, which nothing has."""
    name = datetime.fromtimestamp(now / 1e6, UTC).strftime("%Y%m%dT%H%M%SZ")
    before = home.with_name(f"{home.name}{_BEFORE}{name}")
    return before.with_name(f"{before.name}-{uuid4().hex[:4]}") if before.exists() else before


def _exchanged(folder: Path, home: Path, before: Path) -> None:
    if _exchange(folder, home):
        _synced(home.parent)
        with suppress(FileNotFoundError):  # who came meanwhile has named it: see `settle`
            folder.rename(before)
    else:
        # No system call for it: a kill between the two is mended by `settle`, which whoever opens
        # a home that is not there calls first.
        home.rename(before)
        folder.rename(home)
    _synced(home.parent)


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


def settle(home: Path) -> bool:
    """Finish a swap that was killed between its two steps, and name an old home that has no name.

    Returns:
        Whether a restored home came to its place by this.

    Raises:
        Unavailable: ``backup.unwritable``.
    """
    try:
        if not any(home.parent.glob(f"{_quoted(home)}{_RESTORING}*")):
            return False
        with in_turn(home.parent):
            waiting = _of_nobody(home, _RESTORING)
            for folder in waiting:
                if not _is_marked(folder):
                    _put_aside(folder, home)
            return not home.exists() and any(_taken_over(one, home) for one in waiting)
    except OSError as error:
        raise unwritable(home, error) from error


def _put_aside(folder: Path, home: Path) -> None:
    """Name what an exchange has left: the home that was there, or a folder just begun."""
    with suppress(FileNotFoundError):  # whoever made it removes it just now
        if not any(folder.iterdir()):
            folder.rmdir()
            return
        changed = folder.stat().st_mtime
        named = datetime.fromtimestamp(changed, UTC).strftime("%Y%m%dT%H%M%SZ")
        folder.rename(home.with_name(f"{home.name}{_BEFORE}{named}-{folder.name[-4:]}"))


def _taken_over(folder: Path, home: Path) -> bool:
    """Whether a folder is the home that was on its way to an empty place, and is there now."""
    try:
        before = (folder / WHOLE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    if before and not home.with_name(before).exists():
        return False  # the swap had not begun: somebody else has removed the home
    folder.rename(home)
    _synced(home.parent)
    _unmark(home)
    return True


def _unmark(home: Path) -> None:
    with suppress(OSError):
        for name in (WHOLE, MARKER):
            (home / name).unlink(missing_ok=True)


def sweep(home: Path) -> None:
    """Remove what killed processes left beside a home; whole homes stay."""
    settle(home)
    with suppress(OSError):
        if not any(_left(home)):
            return
        with in_turn(home.parent):
            for infix in (_LOOKING, _RESTORING):
                for folder in _of_nobody(home, infix):
                    if _is_marked(folder):
                        _remove(folder)
            # Not of a home in the making, in which whoever makes it erases and sweeps.
            if is_free(home / MARKER):
                _unmark(home)


def is_left(home: Path) -> bool:
    """Whether something lies beside a home that a restore or a check has made, or makes."""
    return any(_left(home))


def _left(home: Path) -> Generator[Path]:
    """What there may be to remove."""
    for infix in (_LOOKING, _RESTORING):
        yield from home.parent.glob(f"{_quoted(home)}{infix}*")
    yield from (one for name in (MARKER, WHOLE) if (one := home / name).exists())


def _of_nobody(home: Path, infix: str) -> list[Path]:
    """Folders that no living process works in."""
    found: list[Path] = []
    for folder in sorted(home.parent.glob(f"{_quoted(home)}{infix}*")):
        if not folder.is_dir():
            continue
        if not _is_marked(folder) or is_free(folder / MARKER):
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
    with suppress(OSError):
        (folder / WHOLE).unlink(missing_ok=True)
        _synced(folder)
    for one in sorted(folder.iterdir()):
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
        _synced(Path(place))


def refuse_taken(folder: Path) -> None:
    """Refuse a folder that holds something else than a home.

    Raises:
        Conflict: ``backup.target_taken``.
    """
    if folder.is_dir() and not (folder / "ledger.db").exists():
        if not all(_is_of_homes(one.name) for one in folder.iterdir()):
            raise Conflict("backup.target_taken", path=str(folder))
    elif folder.exists() and not folder.is_dir():
        raise Conflict("backup.target_taken", path=str(folder))


def _is_of_homes(name: str) -> bool:
    """Whether a file is one of a home without a ledger in a file: new, or on a server."""
    return name in _OF_EMPTY_HOMES or name.startswith(("ledger.db.migrated-", "ledger.db.format-"))


_OF_EMPTY_HOMES: Final = frozenset(
    {"damals.lock", "config.yaml", "types.yaml", "home-id", "cache", "index", MARKER, WHOLE}
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
