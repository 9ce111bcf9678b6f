"""What stored transactions did to entries, asked entry by entry.

Taking back a transaction of many operations asks this of each entry that it touched, and the same
transactions answer all of them. So each is read once, without the texts of its operations, and
sorted by the entries that it touched.
"""

import json
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, and_, bindparam, select

from damals.adapters.sql.contents import batches
from damals.adapters.sql.queries import Query
from damals.adapters.sql.rows import unpacked
from damals.adapters.sql.schema import contents, operations, touches, transactions
from damals.adapters.sql.taking_back import recorded_at
from damals.app.done import PARAMETERS_COUNT, done_of
from damals.app.ledger_model import LoggedOperation, StoredTransaction
from damals.domain.entries import Json
from damals.domain.state import Done

_KEPT: Final = 50_000
"""How many operations are remembered at most, but for those of the last question."""

_FROM: Final = (
    select(transactions.c.recorded_at)
    .where(
        transactions.c.workspace_id == bindparam("workspace"),
        transactions.c.number >= bindparam("number"),
    )
    .order_by(transactions.c.number)
    .limit(1)
    .scalar_subquery()
)
_TOUCHING: Final = (
    select(touches.c.number)
    .where(
        touches.c.workspace_id == bindparam("workspace"),
        touches.c.entry_id == bindparam("entry"),
        touches.c.recorded_at >= _FROM,
    )
    .order_by(touches.c.recorded_at)
)
"""By instants, in whose order touches are stored, and with which numbers ascend."""

_params = contents.alias("params")
_telling = and_(_params.c.id == operations.c.params_id, operations.c.kind.in_(PARAMETERS_COUNT))
_DONE: Final[Query] = (
    select(
        *(operations.c.number, operations.c.seq, operations.c.kind, operations.c.entry_id),
        operations.c.touched,
        _params.c.text.label("params"),
        *(transactions.c.recorded_at, transactions.c.logged_at, transactions.c.zone),
    )
    .select_from(
        operations.join(
            transactions,
            and_(
                transactions.c.workspace_id == operations.c.workspace_id,
                transactions.c.number == operations.c.number,
            ),
        ).outerjoin(_params, _telling)
    )
    .where(
        operations.c.workspace_id == bindparam("workspace"),
        operations.c.number.in_(bindparam("numbers", expanding=True)),
    )
    .order_by(operations.c.number, operations.c.seq)
)


class Doings:
    """What the stored transactions of a workspace did, remembered for as long as it is written."""

    def __init__(self, connection: Connection, workspace: int) -> None:
        self._connection = connection
        self._workspace = workspace
        self._rows: dict[int, dict[UUID, list[Row[Any]]]] = {}
        self._done: dict[tuple[int, int], Done] = {}
        self._kept = 0

    def since(self, entry_id: UUID, number: int) -> list[Done]:
        """The operations that touched an entry, from transaction ``number`` on, in order."""
        given = {"workspace": self._workspace, "entry": entry_id.bytes, "number": number}
        numbers = self._connection.execute(_TOUCHING, given).scalars().all()
        if self._kept > _KEPT:
            self._forget()
        self._read([one for one in numbers if one not in self._rows])
        touching = (row for one in numbers for row in self._rows[one].get(entry_id, ()))
        return [self._told(row) for row in touching]

    def _read(self, numbers: list[int]) -> None:
        for batch in batches(numbers):
            given = {"workspace": self._workspace, "numbers": batch}
            self._rows.update({number: {} for number in batch})
            for row in self._connection.execute(_DONE, given):
                self._kept += 1
                for entry_id in unpacked(row.touched):
                    self._rows[row.number].setdefault(entry_id, []).append(row)

    def _forget(self) -> None:
        self._rows.clear()
        self._done.clear()
        self._kept = 0

    def _told(self, row: Row[Any]) -> Done:
        place = (row.number, row.seq)
        if place not in self._done:
            self._done[place] = done_of(_head(row), row.seq, _operation(row), self._number)
        return self._done[place]

    def _number(self, instant: int) -> int | None:
        return recorded_at(self._connection, self._workspace, instant)


def _head(row: Row[Any]) -> StoredTransaction:
    """The transaction of an operation, as far as it says what was done."""
    return StoredTransaction(row.number, row.recorded_at, row.logged_at, "", None, row.zone, ())


def _operation(row: Row[Any]) -> LoggedOperation:
    entry_id = None if row.entry_id is None else UUID(bytes=row.entry_id)
    params: dict[str, Json] = json.loads(row.params) if row.params else {}
    return LoggedOperation(row.kind, entry_id, params, None, ())
