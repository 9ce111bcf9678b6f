"""The part of a writer that says what an erasure is of, and who may come back."""

import hashlib
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, bindparam, select, update

from damals.adapters.sql import erasures
from damals.adapters.sql.contents import TextOwner, find
from damals.adapters.sql.erasing import MARK
from damals.adapters.sql.readmitting import ReadmittingWriter
from damals.adapters.sql.reserved import tombstones
from damals.adapters.sql.schema import entries, versions
from damals.app.erasing.model import SOURCE
from damals.app.ledger_model import Head
from damals.domain.instants import FOREVER

_SOURCES: Final = select(tombstones).where(
    tombstones.c.workspace_id == bindparam("workspace"),
    tombstones.c.kind == SOURCE,
    tombstones.c.readmitted_at == FOREVER,
)

_ENTRIES: Final = (
    select(versions.c.entry_id)
    .distinct()
    .join(
        entries,
        (entries.c.workspace_id == versions.c.workspace_id)
        & (entries.c.entry_id == versions.c.entry_id),
    )
    .where(
        versions.c.workspace_id == bindparam("workspace"),
        versions.c.source_name_id == bindparam("source"),
        entries.c.erased_at == FOREVER,
    )
    .order_by(versions.c.entry_id)
)


class ErasingWriter(ReadmittingWriter):
    """Mixed into a writer (port ``ErasureKeeper``)."""

    _connection: Connection
    _owner: TextOwner

    @abstractmethod
    def _settle(self) -> None: ...

    @abstractmethod
    def head(self) -> Head:
        """The newest transaction."""

    def erased_as(self, kind: str, name: str) -> None:
        """What the last transaction erased is a whole source or person, not some entries."""
        self._settle()
        number = self.head().number
        erasures.name(self._connection, self._owner.workspace_id, number, kind, name)

    def entries_of_source(self, name: str) -> Sequence[UUID]:
        """The entries that ever belonged to a source and are not erased, by id."""
        self._settle()
        text = find(self._connection, self._owner, name)
        given = {"workspace": self._owner.workspace_id, "source": text}
        rows = self._connection.execute(_ENTRIES, given).scalars()
        return [UUID(bytes=one) for one in rows]

    def erased_source(self, name: str) -> int | None:
        """When a source was erased, unless it was readmitted since."""
        self._settle()
        found = [stone.erased_at for stone in self._stones(name)]
        return max(found, default=None)

    def readmit_source(self, name: str, now: int, actor: str) -> bool:
        """Let an erased source be imported again, what it says included."""
        self._settle()
        stones = self._stones(name)
        numbers = {one.number for one in stones if one.number is not None}
        # A restored ledger was told of marks that no transaction of its own has left.
        instants = {one.erased_at for one in stones}
        told = tombstones.c.number.is_(None) & tombstones.c.erased_at.in_(instants)
        marks = (tombstones.c.kind == MARK) & (tombstones.c.number.in_(numbers) | told)
        theirs = update(tombstones).where(
            tombstones.c.workspace_id == self._owner.workspace_id,
            tombstones.c.id.in_([one.id for one in stones]) | marks,
        )
        if stones:
            self._connection.execute(theirs.values(readmitted_at=now, readmitted_by=actor))
        return bool(stones)

    def _stones(self, name: str) -> list[Row[Any]]:
        given = {"workspace": self._owner.workspace_id}
        return [
            stone
            for stone in self._connection.execute(_SOURCES, given)
            if hashlib.sha256(stone.salt + name.encode()).digest() == stone.target
        ]
