"""The log of denied calls. Whoever is refused does not wait for somebody else's long write."""

import threading
from collections import deque
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam, delete, func, insert, select

from damals.adapters.sql.engine import Database, take_turn
from damals.adapters.sql.reserved import denials
from damals.adapters.sql.schema import workspaces
from damals.app.access_model import MAX_DENIALS, Denial
from damals.app.noting import warn
from damals.domain.errors import DamalsError

PATIENCE_MS: Final = 200
"""How long a denied call waits to be logged."""

MAX_WAITING: Final = 1_000
"""Denials that wait in memory while the ledger is being written."""

_NEXT: Final = select(func.coalesce(func.max(denials.c.id), 0) + 1)
_DROP: Final = delete(denials).where(denials.c.id <= bindparam("last"))
_NAMES: Final = select(workspaces.c.name, workspaces.c.id)
_NEWEST: Final = (
    select(denials, workspaces.c.name.label("workspace"))
    .select_from(denials.outerjoin(workspaces, workspaces.c.id == denials.c.workspace_id))
    .order_by(denials.c.id.desc())
    .limit(bindparam("most"))
)


class DenialLog:
    """Denied calls: on the disk as soon as the write lock is free, readable at once."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: deque[Denial] = deque()
        self._lock = threading.Lock()  # of the queue
        self._writing = threading.Lock()  # one at a time waits for the write lock

    def deny(self, denial: Denial) -> None:
        """Log a denied call."""
        with self._lock:
            if len(self._waiting) >= MAX_WAITING:
                dropped = self._waiting.popleft()
                warn("denial_dropped", call=dropped.call, channel=dropped.channel)
            self._waiting.append(denial)
        self.flush()

    def flush(self) -> None:
        """Write what waits, unless the ledger stays locked; then it goes on waiting."""
        if not self._writing.acquire(blocking=False):
            return  # whoever writes sees what was added
        try:
            while self._waiting and self._write():
                pass
        finally:
            self._writing.release()

    def newest(self, limit: int) -> Sequence[Denial]:
        """The newest denied calls, newest first."""
        with self._lock, self._database.reading() as connection:
            known = {row.name for row in connection.execute(_NAMES)}
            waiting = [one.storable(known) for one in reversed(self._waiting)][:limit]
            rows = connection.execute(_NEWEST, {"most": limit - len(waiting)})
            return [*waiting, *(_denial(row) for row in rows)]

    def _write(self) -> bool:
        try:
            with self._database.beside(wait_ms=PATIENCE_MS) as connection, self._lock:
                taken = list(self._waiting)
                _insert(connection, taken)
                connection.commit()  # before others may look at what waits
                for _ in taken:
                    self._waiting.popleft()
        except DamalsError as error:
            # The answer to the one who was denied is the same, whatever becomes of the log.
            warn("denial_waits", problem=error.key, waiting=len(self._waiting))
            return False
        return True


def _insert(connection: Connection, new: Sequence[Denial]) -> None:
    take_turn(connection, "denials")
    ids = {row.name: row.id for row in connection.execute(_NAMES)}
    first = connection.execute(_NEXT).scalar_one()
    rows = [_columns(one.storable(ids), first + place, ids) for place, one in enumerate(new)]
    connection.execute(insert(denials), rows)
    connection.execute(_DROP, {"last": first + len(new) - 1 - MAX_DENIALS})


def _columns(denial: Denial, row: int, ids: dict[str, int]) -> dict[str, Any]:
    return {
        "id": row,
        "workspace_id": None if denial.workspace is None else ids.get(denial.workspace),
        "denied_at": denial.denied_at,
        "principal": denial.principal,
        "channel": denial.channel,
        "call": denial.call,
        "problem": denial.problem,
    }


def _denial(row: Row[Any]) -> Denial:
    return Denial(
        denied_at=row.denied_at,
        principal=row.principal,
        workspace=row.workspace,
        channel=row.channel,
        call=row.call,
        problem=row.problem,
    )
