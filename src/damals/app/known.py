"""All that was known of a workspace by some recorded instant, whatever it is valid for."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from damals.app.diff import Words
from damals.app.diff_facts import batches
from damals.app.ledger_model import At
from damals.app.ledger_port import LedgerReader
from damals.app.sayings_model import Saying
from damals.domain.entries import Version
from damals.domain.instants import BEGINNING
from damals.domain.names import folded_tags

_KEPT: Final = 5_000
"""Of so many texts it is kept whether they say what is looked for: versions repeat them."""


def versions_at(
    reader: LedgerReader, known_at: int, *, of_type: str | None = None
) -> Iterator[Version]:
    """Every version that is known at an instant; only those of a type, if one is named."""
    entries = reader.moved(At(BEGINNING, BEGINNING), At(BEGINNING, known_at))
    yield from versions_of(reader, entries, known_at, of_type=of_type)


def versions_of(
    reader: LedgerReader, entries: Sequence[UUID], known_at: int, *, of_type: str | None = None
) -> Iterator[Version]:
    """The versions of some entries that are known at an instant."""
    for batch in batches(entries):
        some = reader.versions_between(batch, known_at, known_at, of_type=of_type)
        yield from (one for one in some if one.known_at(known_at))


def versions_by(
    reader: LedgerReader, known_at: int, kinds: Collection[str]
) -> Iterator[Sequence[Version]]:
    """Every version, recorded by an instant, of entries that some kinds of operations touched.

    All versions of an entry come together.
    """
    for batch in batches(reader.touched_by(kinds, known_at)):
        yield reader.versions_between(batch, BEGINNING, known_at)


@dataclass(frozen=True, slots=True)
class Topic:
    """What is looked for in all texts.

    Attributes:
        stems: of words that a text must all say; none for no words.
        tag: a tag, folded, that does as well; ``""`` for none.
    """

    stems: frozenset[str]
    tag: str = ""

    def said_in(self, one: Saying, words: Words) -> bool:
        """Whether a text is about it."""
        if self.tag and self.tag in folded_tags(one.tags):
            return True
        return bool(self.stems) and self.stems.issubset(stem for stem, _, _ in words(one.words))


def saying(
    reader: LedgerReader, known_at: int, topic: Topic, words: Words, *, still: bool = False
) -> Iterator[Saying]:
    """What was recorded by an instant and is about a topic, see ``SayingsLedger.sayings``."""
    kept: dict[tuple[object, ...], bool] = {}
    for one in reader.sayings(known_at, still=still):
        texts = one[2:]
        if texts not in kept:
            if len(kept) >= _KEPT:
                kept.clear()
            kept[texts] = topic.said_in(one, words)
        if kept[texts]:
            yield one
