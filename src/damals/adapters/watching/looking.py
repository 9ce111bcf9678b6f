"""Noticing changes by looking at all files, where the system does not tell of them."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Event
from typing import Final

from damals.adapters.watching.relevance import SETTINGS, Relevance

Stamp = tuple[int, int, int, int]
Picture = Mapping[str, Stamp | None]
"""Files with what changes when they change; folders with nothing but that they are there."""

MOST_LOOKS: Final = 10
"""After so many looks in which something changed, that is told though it has not ended."""


def looked(
    root: Path, relevance: Relevance, stop: Event, *, every_s: float, settle_s: float
) -> Iterator[bool]:
    """Whether something changed that matters, each time that nothing more came for a while.

    Args:
        root: the folder.
        relevance: knows what matters.
        stop: ends it.
        every_s: seconds between two looks.
        settle_s: seconds in which nothing may change before a change is told.
    """
    known = _picture(root, relevance)
    yield False
    while not stop.wait(every_s):
        seen = _picture(root, relevance)
        changed = seen != known
        for _ in range(MOST_LOOKS if changed else 0):
            if stop.wait(settle_s):
                return
            known, seen = seen, _picture(root, relevance)
            if known == seen:
                break
        known = seen
        yield changed


def _picture(root: Path, relevance: Relevance) -> Picture:
    seen: dict[str, Stamp | None] = {}
    settings = str(root.joinpath(*SETTINGS))
    for folder, folders, files in os.walk(root):
        folders[:] = [one for one in folders if not one.startswith(".")]
        seen |= dict.fromkeys((os.path.join(folder, one) for one in folders), None)  # noqa: PTH118 -- as it is compared
        for name in files:
            path = os.path.join(folder, name)  # noqa: PTH118 -- as above
            if relevance.is_note(name):
                seen[path] = _stamp(path)
    seen[settings] = _stamp(settings)
    return seen


def _stamp(path: str) -> Stamp | None:
    try:
        found = os.stat(path)  # noqa: PTH116 -- as above
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
