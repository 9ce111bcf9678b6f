"""What ledgers keep of sources: who they are, and how their last import ended."""

from collections.abc import Mapping
from dataclasses import dataclass

from damals.domain.entries import Json


@dataclass(frozen=True, slots=True)
class SourceRun:
    """The last import of a source. The next one replaces it.

    Attributes:
        name: of the source.
        kind: ``vault`` or ``events``.
        root: where it lies: a path or a URI.
        imported_at: when that import began, UTC microseconds.
        result: what it gave, as JSON; ``None`` when something was erased since, for it may tell
            of that.
        since: what ``Registry.erasures`` gave before the import began. When something was erased
            since, the result is not kept. ``None`` when nothing can have been, and when it is
            read.
    """

    name: str
    kind: str
    root: str
    imported_at: int
    result: Mapping[str, Json] | None
    since: int | None = None


@dataclass(frozen=True, slots=True)
class SourceCount:
    """A source of which notes may be seen.

    Attributes:
        current: how many of these notes are known now; the others are removed ones.
    """

    name: str
    current: int
