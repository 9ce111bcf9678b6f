"""What a workspace ever said, in memory."""

from collections.abc import Collection, Iterator, Sequence
from uuid import UUID

from damals.adapters.memory.space import Space
from damals.adapters.memory.spans import SpanReader
from damals.app.index_model import OWNER, AccessFilter
from damals.app.sayings_model import Saying


class SayingsReader(SpanReader):
    """The part of a reader that reads texts and nothing about them."""

    _space: Space
    _access: AccessFilter

    def sayings(self, known_at: int, *, still: bool = False) -> Iterator[Saying]:
        """What every version says that was recorded by an instant."""
        for row in sorted(self._space.versions):
            one = self._space.versions[row]
            known = one.known_at(known_at) if still else one.recorded_from <= known_at
            if known and self._space.visible(one.entry_id, self._access):
                has = one.attributes
                texts = (has.title, has.content, has.key, tuple(has.tags))
                yield Saying(one.entry_id, one.recorded_from, *texts)

    def touched_by(self, kinds: Collection[str], known_at: int) -> Sequence[UUID]:
        """The entries that operations of some kinds touched by an instant, by id."""
        found = {
            entry_id
            for stored in self._space.transactions.values()
            if stored.recorded_at <= known_at
            for operation in stored.operations
            if operation.kind in kinds
            for entry_id in operation.touched
        }
        return sorted(found if self._access == OWNER else self._space.seen(found, self._access))
