"""Which changes in a vault are worth a look: those of notes, of folders, and of its settings.

What editors leave for a moment (swap files, backups, the parts of an atomic save) is neither.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

SETTINGS: Final = (".damals", "types.yaml")


class Relevance:
    """Knows the folders of a vault, since of one that is gone nothing else tells what it was."""

    def __init__(self, root: Path, suffixes: tuple[str, ...]) -> None:
        """Look at a vault.

        Args:
            root: its folder, without symbolic links.
            suffixes: of notes, in small letters.
        """
        self._root = str(root)
        self._real = os.path.realpath(root)
        self._real_below = self._real.rstrip(os.sep) + os.sep
        self._suffixes = suffixes
        self._folders: set[str] = set()

    def learn(self) -> None:
        """Get to know the folders that there are."""
        self._folders = set(self._below(self._root))

    def matters(self, path: str, *, modified: bool) -> bool:
        """Whether a change can mean that the vault says something else.

        Args:
            path: what was changed.
            modified: it was there before and is still there.
        """
        parts = self._parts(path)
        if parts == SETTINGS:
            return True
        if not parts or any(part.startswith(".") for part in parts):
            return False
        if self.is_note(parts[-1]):
            return True
        if os.path.isdir(path):  # noqa: PTH112 -- a text from the library
            if modified:
                return False
            self._folders.update((path, *self._below(path)))
            return True
        return path in self._folders

    def is_note(self, name: str) -> bool:
        """Whether a file of this name is a note."""
        return name.lower().endswith(self._suffixes) and not name.startswith(".")

    def holds_notes(self) -> bool:
        """Whether there is a note at all; the first one is enough."""
        walk = os.walk(self._root, followlinks=True)
        seen: set[str] = set()
        for folder, folders, files in walk:
            real = os.path.realpath(folder)
            outside = not (real == self._real or real.startswith(self._real_below))
            if real in seen or outside:  # no import follows a link that leads out
                folders.clear()
                continue
            seen.add(real)
            folders[:] = [one for one in folders if not one.startswith(".")]
            if any(map(self.is_note, files)):
                return True
        return False

    def _parts(self, path: str) -> tuple[str, ...]:
        relative = os.path.relpath(path, self._root)
        parts = Path(relative).parts
        return () if not parts or parts[0] == os.pardir else parts

    def _below(self, top: str) -> Iterator[str]:
        for folder, folders, _ in os.walk(top):
            folders[:] = [one for one in folders if not one.startswith(".")]
            yield from (os.path.join(folder, one) for one in folders)  # noqa: PTH118 -- as it is compared
