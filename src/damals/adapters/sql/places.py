"""Operations by their places: pairs of number and ``seq``, which a primary key begins with.

SQLite finds no list of pairs in an index: it would read every operation of the workspace. Asked
for the numbers and the places as well, it looks up each number with each place, so a batch is
small: nothing is looked up more often than it has pairs.
"""

from collections.abc import Collection, Iterator
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, bindparam, tuple_

from damals.adapters.sql.schema import operations

_AT_ONCE: Final = 50

AT_PLACES: Final[ColumnElement[bool]] = and_(
    operations.c.number.in_(bindparam("numbers", expanding=True)),
    operations.c.seq.in_(bindparam("seqs", expanding=True)),
    tuple_(operations.c.number, operations.c.seq).in_(bindparam("places", expanding=True)),
)
"""Whether an operation is at one of some places: parameters of :func:`batches_of_places`."""


def batches_of_places(places: Collection[tuple[int, int]]) -> Iterator[dict[str, Any]]:
    """The parameters that name some places, a few at a time: those with one ``seq`` together."""
    rest = sorted(places, key=lambda place: (place[1], place[0]))
    for start in range(0, len(rest), _AT_ONCE):
        batch = rest[start : start + _AT_ONCE]
        numbers, seqs = zip(*batch, strict=True)
        yield {"places": batch, "numbers": sorted(set(numbers)), "seqs": sorted(set(seqs))}
