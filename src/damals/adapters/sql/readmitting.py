"""Which tombstones stand in nobody's way any more."""

from abc import abstractmethod
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, bindparam, select, update

from damals.adapters.sql.contents import TextOwner, batches, lookup_of
from damals.adapters.sql.erasing import ENTRY, MARK
from damals.adapters.sql.queries import Query
from damals.adapters.sql.reserved import tombstones
from damals.adapters.sql.restored_marks import BARRED, barred
from damals.app.readmitting import Readmission
from damals.domain.instants import FOREVER

_READMITTED: Final[Query] = select(tombstones.c.target).where(
    tombstones.c.workspace_id == bindparam("workspace"),
    tombstones.c.kind.in_((ENTRY, BARRED)),
    tombstones.c.readmitted_at != FOREVER,
)
_READMIT: Final = (
    update(tombstones)
    .where(
        tombstones.c.workspace_id == bindparam("of"),
        tombstones.c.kind == bindparam("what"),
        tombstones.c.target.in_(bindparam("targets", expanding=True)),
        tombstones.c.readmitted_at == FOREVER,
    )
    .values(readmitted_at=bindparam("now"), readmitted_by=bindparam("by"))
)


class ReadmittedReader:
    """Mixed into a reader (port ``ReadmittedLedger``)."""

    _connection: Connection
    _owner: TextOwner

    def readmitted(self) -> frozenset[UUID]:
        """The erased entries in whose place others may be imported."""
        given = {"workspace": self._owner.workspace_id}
        rows = self._connection.execute(_READMITTED, given).scalars()
        return frozenset(UUID(bytes=one) for one in rows)

    def barred(self) -> frozenset[UUID]:
        """The ids of entries that were erased elsewhere and are not in this ledger."""
        rows = barred(self._connection, self._owner.workspace_id)
        return frozenset(UUID(bytes=one) for one in rows)


class ReadmittingWriter:
    """Mixed into a writer (port ``Readmitting``)."""

    _connection: Connection
    _owner: TextOwner

    @abstractmethod
    def _settle(self) -> None: ...

    def readmit(self, found: Readmission, now: int, actor: str) -> None:
        """From now on others may be imported in the place of what was erased."""
        self._settle()
        noted = {"of": self._owner.workspace_id, "now": now, "by": actor}
        targets = {
            ENTRY: [one.bytes for one in found.entries],
            BARRED: [one.bytes for one in found.entries],
            MARK: [lookup_of(self._owner.key, one) for one in found.marks],
        }
        for kind, those in targets.items():
            for batch in batches(those):
                given: dict[str, Any] = {**noted, "what": kind, "targets": batch}
                self._connection.execute(_READMIT, given)
