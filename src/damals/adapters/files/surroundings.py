"""The files around ledger and index: who can read them, what lies about, how much room."""

import os
import shutil
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from damals.adapters.files.home import PRIVATE_MODE, Home
from damals.app.health.model import Room
from damals.domain.errors import DamalsError

_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_PRIVATE_FILE: Final = 0o600
_LEAST_BYTES: Final = 500_000_000
"""With less than this any work may meet a full disk."""
_INDEX_TIMES: Final = 2
"""An index is built anew beside the old one, and optimizing writes its segments once more."""
_BLOCK_BYTES: Final = 512
_POINTER: Final = "current"


class HomeSurroundings:
    """The files of a home (port ``Surroundings``)."""

    def __init__(self, home: Home) -> None:
        self._home = home

    @property
    def settings_file(self) -> Path | None:
        """The file with settings of this home, where there is one."""
        return self._home.config if self._home.config.is_file() else None

    def unwritable(self) -> str | None:
        """Why nothing can be written into the home, or ``None``."""
        if not self._home.path.is_dir():
            return None
        try:
            self._home.check_writable()
        except DamalsError as error:
            return str(error.values.get("reason", error))
        return None

    def exposed(self) -> Sequence[Path]:
        """The folder when others can look into it, and the files that are then open to them.

        Who cannot pass the folder reads nothing in it, whatever its own mode says.
        """
        if sys.platform == "win32" or not _open_to_others(self._home.path):
            return ()  # the folders of a user are private on Windows
        return [self._home.path, *(one for one in self._private() if _open_to_others(one))]

    def close_off(self) -> None:
        """Take others' rights away."""
        for path in self.exposed():
            path.chmod(PRIVATE_MODE if path.is_dir() else _PRIVATE_FILE)

    def _private(self) -> Sequence[Path]:
        home = self._home
        return (home.ledger, home.lock, home.config, home.index, home.cache)

    def leftovers(self) -> Sequence[Path]:
        """Files of unfinished steps, damaged caches put aside, shards nobody points to."""
        home, cache, index = self._home.path, self._home.cache, self._home.index
        found = [
            *(one for kind in ("part", "new", "tmp") for one in home.glob(f"*.{kind}")),
            *(one for kind in ("part", "damaged*", "tmp") for one in cache.glob(f"*.{kind}")),
            *index.glob("*.new"),
            *self._shards_unused(),
        ]
        return sorted(found)

    def _shards_unused(self) -> Iterator[Path]:
        """Shards that are not in use. Without a pointer nothing is known of any."""
        try:
            used = (self._home.index / _POINTER).read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            return
        if used and (self._home.index / used).is_dir():
            shards = self._home.index.glob("edge-*")
            yield from (one for one in shards if one.is_dir() and one.name != used)

    def clear(self) -> None:
        """Remove the leftovers."""
        for path in self.leftovers():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    def copies(self) -> Sequence[Path]:
        """Copies of the ledger from before an upgrade or a move, homes from before a restore."""
        kinds = ("format-*.backup", "migrated-*")
        named = (self._home.path.glob(f"{self._home.ledger.name}.{kind}") for kind in kinds)
        return [*sorted(one for found in named for one in found), *self._home.former()]

    def room(self) -> Room:
        """Space there is, and what an upgrade of the ledger and a rebuild of the index take."""
        needed = _allocated(self._home.index) * _INDEX_TIMES + _size(self._home.ledger)
        return Room(shutil.disk_usage(self._home.path).free, max(needed, _LEAST_BYTES))


def _open_to_others(path: Path) -> bool:
    try:
        return bool(path.stat().st_mode & _OTHERS)
    except OSError:
        return False


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _allocated(folder: Path) -> int:
    """Bytes that files below a folder take on the disk; those of an index are sparse."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                status = Path(root, name).stat()
            except OSError:
                continue
            blocks = getattr(status, "st_blocks", -(-status.st_size // _BLOCK_BYTES))
            total += blocks * _BLOCK_BYTES
    return total
