"""Writing a file that appears when it is whole."""

import errno
import os
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from damals.app.paths import UNWRITABLE, given_path, path_error
from damals.domain.errors import InvalidInput

Begun = Callable[[Path], None]
"""Is told where something is about to be written."""


def nothing_else(location: Path) -> None:
    """Nobody need know."""
    del location


@contextmanager
def replaced(path: str | Path) -> Generator[tuple[Path, BinaryIO]]:
    """A file to write to, which takes the place of the one at ``path`` when all went well.

    Until then it lies beside it under a name that nobody can know before; only this user can
    read it, then too.

    Raises:
        InvalidInput: ``path.unwritable``, ``path.invalid``.
        NotFound: ``path.missing`` for a folder that does not exist.
    """
    location = given_path(path)
    try:
        if not location.name or location.is_dir():
            raise InvalidInput(UNWRITABLE, path=str(path), cause=os.strerror(errno.EISDIR))
        handle, name = tempfile.mkstemp(prefix=".damals-", suffix=".part", dir=location.parent)
        draft = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                yield location, file
                file.flush()
                os.fsync(file.fileno())
            draft.replace(location)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise path_error(UNWRITABLE, location, error) from error
