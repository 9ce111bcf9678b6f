"""What operations did."""

from uuid import UUID

from damals.domain.entries import Relation
from damals.domain.periods import Bound
from damals.domain.values import frozen


@frozen
class Outcome:
    """What an operation did.

    Attributes:
        entry_id: the entry it was about; ``None`` when it was about a transaction.
        unchanged: it said nothing new.
        replaced: ids of the entries that lost a part of their validity to it.
        others: ids of further entries that it changed.
        relation: the rows of the relation it was about, one for each period that was cut; as they
            were, when it was taken back.
        reverted: number of the transaction it took back.
        end: of an ``end``, the bound it named.
        ended: of a ``derive``, what the parts that it ended followed from, each once; ``None`` for
            parts of which that is not known.
    """

    entry_id: UUID | None
    unchanged: bool = False
    replaced: tuple[UUID, ...] = ()
    others: tuple[UUID, ...] = ()
    relation: tuple[Relation, ...] = ()
    reverted: int | None = None
    end: Bound | None = None
    ended: tuple[tuple[UUID, ...] | None, ...] = ()

    @property
    def touched(self) -> tuple[UUID, ...]:
        """Every entry whose knowledge it may have changed, its own first, each once."""
        own = () if self.entry_id is None else (self.entry_id,)
        return tuple(dict.fromkeys((*own, *self.replaced, *self.others)))
