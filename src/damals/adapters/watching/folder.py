"""A folder that is watched, by notifications of the system or, where there are none, by looking."""

import platform
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Final

from damals.adapters.watching.looking import looked
from damals.adapters.watching.relevance import Relevance

LOOK_MS: Final = 200
"""How often it is looked whether the folder is still there, and whether to stop."""

LONGEST_BURST: Final = 10
"""After so many times the settling time, changes that never end are told all the same."""

POLL_S: Final = 1.0
"""How often files are looked at where the system does not tell of changes."""

Identity = tuple[int, int]


class WatchedFolder:
    """A ``Watched`` folder."""

    def __init__(
        self, path: Path, suffixes: tuple[str, ...], *, settle_s: float, poll_s: float = 0
    ) -> None:
        """Nothing is watched before :meth:`changes`.

        Args:
            path: of the folder.
            suffixes: of notes, in small letters.
            settle_s: seconds without another change, until changes are told.
            poll_s: look at the files every so many seconds instead of being told; 0 to be told.
        """
        self._path = path
        self._relevance = Relevance(path, suffixes)
        self._settle_ms = max(round(settle_s * 1_000), 1)
        self._poll_s = poll_s

    def is_there(self) -> bool:
        """Whether there is a folder at the path."""
        return self._identity() is not None

    def holds_notes(self) -> bool:
        """Whether there is a note in it."""
        return self._relevance.holds_notes()

    def changes(self, stop: Event) -> Iterator[bool]:
        """Whether something changed that matters, each time that nothing more came for a while.

        The first one comes as soon as changes are noticed. It ends when the folder is gone or is
        another one, and when ``stop`` is set.
        """
        watched = self._identity()
        if watched is None:
            return
        for changed in self._noticed(stop):
            if stop.is_set() or self._identity() != watched:
                return
            yield changed

    def _noticed(self, stop: Event) -> Iterator[bool]:
        """As :meth:`changes`; where the system gives up, the files are looked at."""
        if not self._poll_s and not _is_deaf():
            try:
                yield from self._told(stop)
            except (OSError, RuntimeError):
                if not self.is_there():
                    return
                yield True  # something may have changed since it gave up
            else:
                return
        every_s = self._poll_s or POLL_S
        yield from looked(
            self._path, self._relevance, stop, every_s=every_s, settle_s=self._settle_ms / 1_000
        )

    def _told(self, stop: Event) -> Iterator[bool]:
        from watchfiles import Change, watch  # noqa: PLC0415 -- only a watch pays for it

        self._relevance.learn()
        heard = watch(
            self._path,
            watch_filter=None,
            step=self._settle_ms,
            debounce=LONGEST_BURST * self._settle_ms,
            rust_timeout=LOOK_MS,
            yield_on_timeout=True,
            stop_event=stop,
            # Its own way of looking takes times by the second, and misses the second save in one.
            force_polling=False,
            ignore_permission_denied=True,
        )
        for changes in heard:
            told = [
                self._relevance.matters(path, modified=change is Change.modified)
                for change, path in sorted(changes)
            ]
            yield any(told)

    def _identity(self) -> Identity | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return (found.st_dev, found.st_ino) if self._path.is_dir() else None


def _is_deaf() -> bool:
    """Whether the system tells of some of its drives only that nothing changes."""
    return "microsoft" in platform.release().lower()
