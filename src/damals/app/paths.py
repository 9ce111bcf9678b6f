"""Paths that people give."""

import errno
from pathlib import Path

from damals.domain.errors import DamalsError, InvalidInput, NotFound

UNWRITABLE = "path.unwritable"
_ABSENT = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG})


def given_path(path: str | Path) -> Path:
    """A path as it is meant: ``~`` is the user's folder.

    Raises:
        InvalidInput: ``path.invalid`` for what can be no path.
    """
    text = str(path)
    if not text.strip() or "\0" in text:
        raise InvalidInput("path.invalid", path=text.replace("\0", "\\0"))
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise InvalidInput("path.invalid", path=text) from error


def existing(path: str | Path) -> Path:
    """A path at which there is something.

    Raises:
        InvalidInput: ``path.invalid``, ``path.unreadable``.
        NotFound: ``path.missing``.
    """
    location = given_path(path)
    try:
        location.stat()
    except OSError as error:
        raise path_error("path.unreadable", location, error) from error
    return location


def path_error(key: str, path: Path, error: OSError) -> DamalsError:
    """The error for what the operating system said of a path."""
    if error.errno in _ABSENT and not (error.errno == errno.ENAMETOOLONG and key == UNWRITABLE):
        return NotFound("path.missing", path=str(path))
    return InvalidInput(key, path=str(path), cause=error.strerror or type(error).__name__)
