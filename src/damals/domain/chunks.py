"""Chunks: the parts of an entry's text that are searched.

A chunk is named by where it stands (heading path and ordinal), not by what it says, so an edit
renumbers nothing outside its own section. What it says is its digest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID, uuid5

CHUNKER_VERSION = 1


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of an entry's text.

    Attributes:
        heading: titles of the headings above it, outermost first.
        heading_ordinal: how many earlier sections of the text have the same heading path.
        ordinal: its place inside its section, from 0.
        start, end: offsets in the entry's content, in characters; ``content[start:end]`` is it.
        line: its first line in the content, from 1.
        text: the stored text.
    """

    heading: tuple[str, ...]
    heading_ordinal: int
    ordinal: int
    start: int
    end: int
    line: int
    text: str

    def id_in(self, entry_id: UUID) -> UUID:
        """Its identity: UUIDv5 of the entry, heading path with ordinal, ordinal in the section."""
        place = "\x1f".join((*self.heading, str(self.heading_ordinal), str(self.ordinal)))
        return uuid5(entry_id, place)

    def digest(self, title: str) -> str:
        """SHA-256, hex, over what is embedded."""
        text = embedded_text(title, self.heading, self.text)
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def embedded_text(title: str, heading: Sequence[str], text: str) -> str:
    """What is embedded of a chunk: ``Titel › H1 › H2``, a line break, the text."""
    path = " › ".join([title, *(part for part in heading if part != title)])
    return f"{path}\n{text}" if text else path
