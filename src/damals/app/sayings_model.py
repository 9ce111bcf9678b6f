"""What a workspace ever said, as little of it as it takes to look for words in all of it."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple, Protocol
from uuid import UUID


class Saying(NamedTuple):
    """What a version says.

    Attributes:
        recorded_from: since when it is known.
    """

    entry_id: UUID
    recorded_from: int
    title: str
    content: str
    key: str | None
    tags: tuple[str, ...]

    @property
    def words(self) -> str:
        """All that can be looked for in it."""
        return "\n".join((self.title, self.content, *self.tags, self.key or ""))


class SayingsLedger(Protocol):
    """The part of a reader of the ledger that reads texts and nothing about them."""

    def sayings(self, known_at: int, *, still: bool = False) -> Iterator[Saying]:
        """What every version says that was recorded by an instant, whatever it is valid for.

        Only versions that were still known then, if ``still`` is given. Of hidden and erased
        entries nothing is told.
        """
        ...

    def touched_by(self, kinds: Collection[str], known_at: int) -> Sequence[UUID]:
        """The entries that operations of some kinds touched by an instant, by id.

        To others than the owner those that they may see. Erased entries may be among them or not.
        """
        ...
