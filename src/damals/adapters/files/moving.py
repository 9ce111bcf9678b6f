"""Where a home is being moved to: noted in the home until it is switched.

What is there may hold what is erased here meanwhile. A migration that goes on makes both sides
equal; one that nobody goes on with leaves its target as it is, which an erasure has to name.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from damals.domain.errors import Unavailable
from damals.folders import sync_folder

FILE: Final = "moving.json"
_PRIVATE: Final = 0o600


def targets(home: Path) -> Sequence[str]:
    """Addresses without secrets; what cannot be read is named as the file itself."""
    path = home / FILE
    try:
        told: object = json.loads(path.read_bytes())
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, RecursionError):
        return (str(path),)
    return tuple(map(str, told)) if isinstance(told, list) else (str(path),)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] -- any JSON has a text


def begin(home: Path, places: Sequence[str]) -> None:
    """Note where something of the home is about to be; it is on the disk when this returns.

    Raises:
        Unavailable: ``config.unwritable``.
    """
    _write(home / FILE, [*dict.fromkeys((*targets(home), *places))])


def end(home: Path, places: Sequence[str]) -> None:
    """These are in use from now on, and erased in as the home itself.

    Raises:
        Unavailable: ``config.unwritable``.
    """
    _write(home / FILE, [one for one in targets(home) if one not in places])


def _write(path: Path, told: Sequence[str]) -> None:
    draft = path.with_name(f"{path.name}.new")
    try:
        if not told:
            path.unlink(missing_ok=True)
        else:
            handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _PRIVATE)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(told, file, ensure_ascii=False)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        sync_folder(path.parent, forgiving=True)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise Unavailable("config.unwritable", path=str(path), reason=reason) from error
