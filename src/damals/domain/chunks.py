"""Chunks: the parts of an entry's text that are searched.

A chunk is named by where it stands (heading path and ordinal), not by what it says, so an edit
renumbers nothing outside its own section. What it says is its digest.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID

from damals.domain.ids import name_based_id
from damals.domain.values import frozen

CHUNKER_VERSION = 2


class Head(NamedTuple):
    """The header row of a table that was cut, with its rule: it is embedded with each later part.

    Attributes:
        start, end: offsets in the entry's content.
        text: what stands there.
    """

    start: int
    end: int
    text: str


@frozen
class Chunk:
    """A part of an entry's text.

    Attributes:
        heading: titles of the headings above it, outermost first.
        heading_ordinal: how many earlier sections of the text have the same heading path.
        ordinal: its place inside its section, from 0.
        start, end: offsets in the entry's content, in characters; ``content[start:end]`` is it.
        line: its first line in the content, from 1.
        text: the stored text.
        head: of a later part of a table, which then is no text of this chunk.
    """

    heading: tuple[str, ...]
    heading_ordinal: int
    ordinal: int
    start: int
    end: int
    line: int
    text: str
    head: Head | None = None

    def id_in(self, entry_id: UUID) -> UUID:
        """Its identity: UUIDv5 of the entry, heading path with ordinal, ordinal in the section."""
        place = "\x1f".join((*self.heading, str(self.heading_ordinal), str(self.ordinal)))
        return name_based_id(entry_id, place)

    def digest(self, title: str) -> str:
        """SHA-256, hex, over what is embedded."""
        head = self.head.text if self.head else ""
        text = embedded_text(title, self.heading, self.text, head)
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def embedded_text(title: str, heading: Sequence[str], text: str, head: str = "") -> str:
    """What is embedded: ``Titel › H1 › H2``, the head of a table, the text; each on its lines."""
    path = " › ".join([title, *[part for part in heading if part != title]])
    return "\n".join([path, *[part for part in (head, text) if part]])
