"""Moving the index: another one is filled from the ledger, and looked at, before it is used.

It is resumable without any note of its own: the ledger has a cursor for each index, which moves
only after what it passed is durable there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from damals import messages
from damals.app.indexing import Listener, silent
from damals.app.ledger_model import Lag
from damals.app.search import NOTHING, Search
from damals.domain.errors import Corrupt, DamalsError

ROUNDS: Final = 3
"""So often vectors are asked for that did not come; then the migration says so."""

OBSTACLES: Final = frozenset({"qdrant.foreign", "qdrant.occupied", "qdrant.old", "qdrant.missing"})
"""What has to be mended before there can be an index; all else means that nobody answered."""


@dataclass(frozen=True, slots=True)
class IndexMoved:
    """A new index that holds what the ledger says.

    Attributes:
        location: its name.
        points: how many chunks it holds.
        vectors: how many of them have a vector.
    """

    location: str
    points: int
    vectors: int


def move_index(new: Search, listen: Listener = silent) -> IndexMoved:
    """Fill an index from its ledger, words and vectors, and see that both agree.

    That its vectors are laid out as the one definition says is seen when it is opened; one that is
    laid out otherwise is not used but made anew. Killed at any instant, the next call goes on.

    Args:
        new: use cases over the index that is to be filled.
        listen: hears of progress.

    Raises:
        Corrupt: ``migrate.index_differs`` when points are missing or too many, or vectors are
            missing although there is a model.
        Unavailable: its server or engine does not answer.
    """
    lag = _filled(new, listen)
    place, difference = new.name, new.disagreement()
    if difference is None and lag != NOTHING and new.model_problem() is None:
        difference = f"{lag.transactions} + {lag.vectors}"
    if difference is not None:
        raise Corrupt("migrate.index_differs", place=place, difference=difference)
    points = new.count()
    return IndexMoved(place, points, new.vectors())


def _filled(new: Search, listen: Listener) -> Lag:
    lag = new.catch_up(None, listen, wait=True)
    for _ in range(ROUNDS):
        if lag == NOTHING or new.model_problem() is not None:
            break
        lag = new.catch_up(None, listen, wait=True)
    return lag


def index_missing(look: Callable[[], object]) -> Sequence[str]:
    """What is in the way of an index, one text each.

    Args:
        look: looks at the place where it is to be, and changes nothing.

    Raises:
        Unavailable: nobody answers there.
    """
    try:
        look()
    except DamalsError as error:
        if error.key not in OBSTACLES:
            raise
        return (messages.render(error.key, error.values),)
    return ()
