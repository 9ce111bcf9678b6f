"""Where two entries are mentioned together, and which of the mentions say so."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final
from uuid import UUID

from damals.domain.periods import Period

_COMPARED: Final = 8
"""So many mentions are compared in the time of one step of another kind."""


@dataclass(frozen=True, slots=True)
class Link:
    """Where a chunk links to an entry.

    Attributes:
        premises: the entries that the link follows from, where it was derived.
    """

    period: Period
    premises: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class Mention:
    """Where a chunk mentions both of two entries.

    Attributes:
        needs: the entries that must be seen to know of it.
    """

    chunk: UUID
    period: Period
    needs: tuple[UUID, ...]

    @property
    def place(self) -> tuple[object, ...]:
        """Where it stands among others: none is covered by one behind it, unless they are alike."""
        start, end = self.period.start, self.period.end
        bounds = (start.earliest, start.latest, -end.latest, -end.earliest)
        return (*bounds, len(self.needs), self.chunk, self.needs)

    def covers(self, other: "Mention") -> bool:
        """Whether it holds, possibly and certainly, wherever the other does."""
        start, end = self.period.start, self.period.end
        begun = other.period.start
        ended = other.period.end
        before = start.earliest <= begun.earliest and start.latest <= begun.latest
        return before and end.earliest >= ended.earliest and end.latest >= ended.latest


def pairs(links: Mapping[UUID, Sequence[Link]]) -> int:
    """How many pairs there are of links to different entries."""
    sizes = [len(some) for some in links.values()]
    return (sum(sizes) ** 2 - sum(size**2 for size in sizes)) // 2


def together(
    chunk: UUID, note: UUID, first: Iterable[Link], second: Sequence[Link]
) -> Iterator[Mention]:
    """Where a chunk of a note has a link of both kinds."""
    for one in first:
        for other in second:
            if one.period.overlaps(other.period):
                needs = tuple(sorted({note, *one.premises, *other.premises}))
                yield Mention(chunk, one.period.common(other.period), needs)


def telling(
    mentions: Iterable[Mention], count: int, work: Callable[[int], None]
) -> Sequence[Mention]:
    """So few of some mentions that they tell where at least so many of them hold.

    One that so many others cover adds nothing to that. So an edge names few entries, however often
    its ends are mentioned.

    Args:
        mentions: of the same two entries.
        count: how many must hold together.
        work: is told how many steps it takes.
    """
    kept: list[Mention] = []
    near: list[Mention] = []
    for one in sorted(mentions, key=lambda mention: mention.place):
        begun = one.period.start.earliest
        if near and any(other.period.end.latest <= begun for other in near[:1]):
            near = [other for other in near if other.period.end.latest > begun]
        work(1 + len(near) // _COMPARED)
        covering = (other for other in near if other.covers(one))
        if sum(1 for _ in islice(covering, count)) < count:
            kept.append(one)
            near.append(one)
    return kept
