"""What was wrong once, and how much it is like something else.

A rectangle was wrong when it was taken back, or when a correction changed what it says or when it
holds. A file that says something else than before was edited, and was not wrong before.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from damals.domain.diff_rows import Deed, Edge, Place
from damals.domain.entries import Attributes, Version
from damals.domain.names import fold, folded_tags

VAULT: Final = "vault"
ENDING: Final = frozenset({"retract", "correct"})
NEAR: Final = 0.5
"""Two texts are near when they share so much of their words: Jaccard's index of their stems."""

RANKS: Final = ("key", "subject", "text", "tag")
"""In what two entries may be alike; what says most first."""

Stems = Callable[[str], frozenset[str]]


@dataclass(frozen=True, slots=True)
class Mistake:
    """A rectangle that was wrong, and what ended it.

    Attributes:
        since: when its entry began to say so.
    """

    version: Version
    deed: Deed
    since: int

    @property
    def edge(self) -> Edge:
        """Where it ended."""
        return edge_of(self.version)


def edge_of(version: Version) -> Edge:
    """Where a rectangle ended to be known."""
    return Edge(version.recorded_to, version.closed_by or version.opened_by)


def ended(versions: Iterable[Version], known_at: int) -> Sequence[Version]:
    """The rectangles that ended to be known by an instant, but for those that went on the same."""
    listed = list(versions)
    begun: dict[tuple[UUID, int], list[Version]] = {}
    for one in listed:
        begun.setdefault((one.entry_id, one.opened_by), []).append(one)
    return [
        one
        for one in listed
        if one.recorded_to <= known_at
        and one.closed_by is not None
        and not _went_on(one, begun.get((one.entry_id, one.closed_by), ()))
    ]


def _went_on(one: Version, later: Sequence[Version]) -> bool:
    """Whether what took the place of a rectangle says that nothing of it was wrong."""
    return any(_edited(one, other) or _same(one, other) for other in later)


def _edited(one: Version, other: Version) -> bool:
    sources = one.attributes.source, other.attributes.source
    return sources[0].kind == VAULT == sources[1].kind and sources[0].digest != sources[1].digest


def _same(one: Version, other: Version) -> bool:
    return said(one) == said(other) and one.period.same_as(other.period)


def said(version: Version) -> tuple[str, str]:
    """What a rectangle says."""
    return version.attributes.title, version.attributes.content


Since = Mapping[tuple[UUID, tuple[str, str]], int]
"""By entry and what it says, since when it was known to say so."""


def since(versions: Iterable[Version]) -> Since:
    """When each of some entries began to say what."""
    found: dict[tuple[UUID, tuple[str, str]], int] = {}
    for one in versions:
        key = (one.entry_id, said(one))
        found[key] = min(found.get(key, one.recorded_from), one.recorded_from)
    return found


def given_back(versions: Sequence[Version]) -> frozenset[int]:
    """The rows of rectangles whose entry says the same for more time behind them.

    Retracting what had cut them gives them back: they were never wrong.
    """
    begun: dict[tuple[UUID, int], list[Version]] = {}
    for one in versions:
        begun.setdefault((one.entry_id, one.opened_by), []).append(one)
    return frozenset(
        one.row
        for one in versions
        if one.closed_by is not None
        and any(
            said(one) == said(other) and other.period.admits(one.period)
            for other in begun.get((one.entry_id, one.closed_by), ())
        )
    )


def mistakes(
    versions: Iterable[Version], deeds: Mapping[Place, Deed], begun: Since, back: Collection[int]
) -> Iterator[Mistake]:
    """Those of some rectangles that were wrong.

    Args:
        versions: that ended to be known, see :func:`ended`.
        deeds: what ended them.
        begun: when their entries began to say so.
        back: rows of what was given back, see :func:`given_back`.
    """
    for one in versions:
        deed = deeds.get((edge_of(one), one.entry_id))
        if deed is None or deed.kind not in ENDING:
            continue
        # A note whose file is gone was taken away by an import, which gives no reason.
        removed = one.attributes.source.kind == VAULT and deed.reason is None
        restored = deed.kind == "retract" and one.row in back
        if not (removed or restored):
            yield Mistake(one, deed, begun[one.entry_id, said(one)])


@dataclass(frozen=True, slots=True)
class Likeness:
    """What others are compared with.

    Attributes:
        has: what it says.
        stems: of its words.
    """

    has: Attributes
    stems: frozenset[str]

    @classmethod
    def of(cls, has: Attributes, stems: Stems) -> "Likeness":
        """What others are compared with."""
        return cls(has, stems(text_of(has)))

    def alike(self, other: Attributes, stems: Stems) -> tuple[str, ...]:
        """In what something else is like it, by :data:`RANKS`; empty for nothing."""
        found = {
            "key": self.has.key is not None and self.has.key == other.key,
            "subject": bool(subjects(self.has) & subjects(other)),
            "text": near(self.stems, stems(text_of(other))),
            "tag": not set(folded_tags(self.has.tags)).isdisjoint(folded_tags(other.tags)),
        }
        return tuple(rank for rank in RANKS if found[rank])


def subjects(has: Attributes) -> frozenset[str]:
    """What an entry is about: its title, and what stands before the last part of its key."""
    above = (has.key or "").rpartition("/")[0]
    return frozenset(f"{kind}:{fold(one)}" for kind, one in (("t", has.title), ("k", above)) if one)


def text_of(has: Attributes) -> str:
    """All words of an entry."""
    return f"{has.title}\n{has.content}"


def near(one: Collection[str], other: Collection[str]) -> bool:
    """Whether two texts share at least half of all their words."""
    first, second = frozenset(one), frozenset(other)
    together = first | second
    return bool(together) and len(first & second) >= NEAR * len(together)


def weight(alike: Sequence[str]) -> tuple[bool, ...]:
    """By what the most alike come first."""
    return tuple(rank not in alike for rank in RANKS)
