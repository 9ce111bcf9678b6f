"""How a note looks that an export wrote, where it differs from those of people."""

from typing import Final

HISTORY_MARK: Final = "<!-- damals: history -->"
"""Line behind which a note tells people what was known before; no import reads on."""

OVERVIEW: Final = "damals-index.md"
"""Name of the page that leads to all notes of an export. A file of this name is never a note."""


def without_history(body: str) -> str:
    """The text of a note without its history."""
    place = body.rfind(f"\n\n{HISTORY_MARK}\n")
    return body if place < 0 else body[:place]


def is_overview(name: str) -> bool:
    """Whether a file of this name is the overview of an export."""
    return name.lower() == OVERVIEW
