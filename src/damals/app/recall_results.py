"""Parts of the results of a recall."""

from dataclasses import dataclass
from typing import Literal

from damals.app.result import Result


@dataclass(frozen=True, slots=True)
class PassageView(Result):
    """A piece of an entry's text.

    Attributes:
        start, end: offsets in the content, in characters: ``content[start:end]`` is the text.
        line: its first line, as that of a chunk.
    """

    text: str
    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class AnchorView(Result):
    """The entry that a result was near to in the graph.

    Attributes:
        kind: why it is an anchor: the person that the question is seen from, an entry that the
            question names, or one of the best candidates.
        strength: how much nearness to it counts, 0 to 1.
        nearness: that the path gave, 0 to 1.
    """

    entry_id: str
    kind: Literal["persona", "named", "candidate"]
    strength: float
    nearness: float


@dataclass(frozen=True, slots=True)
class ChunkView(Result):
    """The part of an entry that answered.

    Attributes:
        start, end: its offsets in the content of the entry, in characters.
    """

    id: str
    text: str
    heading: tuple[str, ...]
    line: int
    page: int | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Parts(Result):
    """The weighted parts of a score; their sum is the score."""

    vector: float
    text: float
    time: float
    graph: float
    persona: float
    importance: float
