"""Row numbers: whoever holds the write lock counts on from the highest in each table."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache
from operator import attrgetter
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, func, select

from damals.adapters.sql.reserved import tombstones
from damals.adapters.sql.schema import (
    archivings,
    chunks,
    contents,
    relations,
    transactions,
    verifications,
    versions,
)
from damals.domain.effects import Effects
from damals.domain.entries import Archiving, Relation, Verification, Version
from damals.domain.values import frozen

Numbered = TypeVar("Numbered", Version, Relation, Archiving, Verification)

_COLUMNS: Final = {
    "content": contents.c.id,
    "position": transactions.c.position,
    "version": versions.c.id,
    "relation": relations.c.id,
    "archiving": archivings.c.id,
    "verification": verifications.c.id,
    "chunk": chunks.c.id,
    "tombstone": tombstones.c.id,
}
_NEXT: Final = select(
    *(
        select(func.coalesce(func.max(column), 0) + 1).scalar_subquery().label(name)
        for name, column in _COLUMNS.items()
    )
)


@dataclass(slots=True)
class NextIds:
    """The next free number of each table."""

    content: int
    position: int
    version: int
    relation: int
    archiving: int
    verification: int
    chunk: int
    tombstone: int


def next_ids(connection: Connection) -> NextIds:
    """The next free numbers; only true while nobody else can write."""
    row = connection.execute(_NEXT).one()
    return NextIds(**{name: getattr(row, name) for name in _COLUMNS})


@frozen
class Opened:
    """The rows that a transaction opens, with their numbers."""

    versions: list[Version]
    relations: list[Relation]
    archivings: list[Archiving]
    verifications: list[Verification]

    @classmethod
    def of(cls, effects: Effects, following: NextIds) -> "Opened":
        """The rows of some effects, numbered; the next free numbers stay as they are."""
        return cls(
            versions=numbered(effects.opened, following.version),
            relations=numbered(effects.relations_opened, following.relation),
            archivings=numbered(effects.archivings_opened, following.archiving),
            verifications=numbered(effects.verifications_opened, following.verification),
        )

    def take(self, following: NextIds) -> None:
        """Their numbers are no longer free."""
        following.version += len(self.versions)
        following.relation += len(self.relations)
        following.archiving += len(self.archivings)
        following.verification += len(self.verifications)


def numbered(values: Sequence[Numbered], first: int) -> list[Numbered]:
    """Rows with numbers from ``first`` on. Their number is the first field of all of them."""
    if not values:  # as most of these are
        return []
    rest = _rest(type(values[0]))
    return [type(one)(first + place, *rest(one)) for place, one in enumerate(values)]


@cache
def _rest(kind: type[Version | Relation | Archiving | Verification]) -> "attrgetter[Any]":
    """Gives the values of all fields but the first: ``replace`` looks each up anew."""
    return attrgetter(*(field.name for field in fields(kind)[1:]))
