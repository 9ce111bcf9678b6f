"""What an export of notes is asked for, and what it gives."""

from dataclasses import dataclass
from typing import Final

FORMAT: Final = 1
"""Of the marker file, and of notes on their way."""


@dataclass(frozen=True, slots=True)
class MarkdownOptions:
    """Which notes to write.

    Attributes:
        as_of, known_at: the pair of instants; ``None`` for now and for all that is known.
        history: each note has a section that tells what was known of it before.
        lang: language of what is written around the notes.
    """

    as_of: object = None
    known_at: object = None
    history: bool = False
    lang: str | None = None


@dataclass(frozen=True, slots=True)
class Head:
    """What all notes of an export have in common.

    Attributes:
        base: that all exports of one workspace share: who made a folder is known by it.
        zone: in which dates without a time are meant.
        as_of, known_at: the pair of instants, as texts.
        transactions: number of the last transaction that is in it.
    """

    base: str
    workspace: str
    zone: str
    as_of: str
    known_at: str
    transactions: int


@dataclass(frozen=True, slots=True)
class NoteFile:
    """A note as it is to lie in the folder.

    Attributes:
        path: below the folder, ``/``-separated, NFC, safe on every system.
        entry_id: of the entry; ``""`` for the overview.
        text: all of it.
    """

    path: str
    entry_id: str
    text: str
