"""Where things lie when nobody says otherwise, and that what was named in a folder stays."""

import os
from contextlib import nullcontext, suppress
from pathlib import Path

import platformdirs


def expanded(path: Path) -> Path:
    """``~`` at its beginning is the user's folder; that of nobody stays as it is."""
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def default_home() -> Path:
    """The platform's folder for the data of a user's programs."""
    return Path(platformdirs.user_data_dir("damals", appauthor=False))


def default_cache() -> Path:
    """The platform's folder for what a user's programs can make again."""
    return Path(platformdirs.user_cache_dir("damals", appauthor=False))


def sync_folder(folder: Path, *, forgiving: bool = False) -> None:
    """See to it that the names in a folder are on the disk: a file is there after a crash, too.

    Windows opens no folders and needs no such call.

    Args:
        folder: in which something was made, renamed or removed.
        forgiving: for folders that people choose, which may lie on file systems that cannot do
            it (network shares, FUSE): what was written is used all the same.

    Raises:
        OSError: it cannot be opened; unless ``forgiving``, it cannot be synced.
    """
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError) if forgiving else nullcontext():
            os.fsync(handle)
    finally:
        os.close(handle)
