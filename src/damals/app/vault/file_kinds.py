"""Which files are what, by their names, and how large a note may be."""

from pathlib import Path
from typing import Final

from damals.app.vault.exported import is_overview

MARKDOWN: Final = (".md", ".markdown")
CANVAS: Final = ".canvas"
NOTES: Final = (*MARKDOWN, CANVAS)
"""Suffixes of the files that an import takes for notes, in small letters."""

MAX_NOTE_BYTES: Final = 64 * 1024 * 1024
"""A larger file is no note; it is refused before it fills the memory."""

_EVENTS: Final = (".jsonl", ".ndjson")


def is_note(name: str) -> bool:
    """Whether a file of this name is a note; a hidden one, and what leads to others, is none."""
    return name.lower().endswith(NOTES) and not name.startswith(".") and not is_overview(name)


def is_canvas(path: str) -> bool:
    """Whether a file is a canvas."""
    return path.lower().endswith(CANVAS)


def is_events(path: Path) -> bool:
    """Whether a file holds events."""
    return path.suffix.lower() in _EVENTS


def without_suffix(path: str) -> str:
    """A path as links name it, which leave out the suffix of Markdown."""
    folded = path.lower()
    return next((path[: -len(one)] for one in MARKDOWN if folded.endswith(one)), path)
