"""The homes on one ledger: which there are, and which have yet to follow an erasure."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, bindparam, delete, select, update

from damals.adapters.sql.kept import as_json
from damals.adapters.sql.reserved import erasures
from damals.adapters.sql.schema import index_cursors, meta, vector_queue
from damals.domain.instants import FOREVER

Values = dict[str, Any]

HOME: Final = "home:"
"""Names of rows of ``meta`` begin with it, one for each home on a server."""
HOMES: Final = "homes"
_FOR_OTHERS: Final = (
    *("workspace", "made", "entries", "number", "first", "at", "actor", "vectors", "former"),
)
"""What is noted of an erasure as long as another home needs it: ids and digests."""

_ENDED: Final = (
    select(erasures)
    .where(erasures.c.finished_at != FOREVER, erasures.c.pending != "{}")
    .order_by(erasures.c.id)
)
_CURSORS: Final = select(index_cursors.c.index_name)
_HOMES: Final = select(meta.c.name).where(meta.c.name.startswith(HOME, autoescape=True))
_PENDING: Final = select(erasures.c.pending).where(erasures.c.erasure_id == bindparam("erasure"))
_SET: Final = update(erasures).where(erasures.c.erasure_id == bindparam("erasure"))


def told(row: Row[Any]) -> Mapping[str, Any]:
    """A certificate as it is told: with the homes that have something yet to do."""
    kept: Values = json.loads(row.certificate) | {"id": str(UUID(bytes=row.erasure_id))}
    left = json.loads(row.pending).get(HOMES)
    return kept | {"unsearched": kept["unsearched"] | {HOMES: left}} if left else kept


def homes(connection: Connection) -> set[str]:
    """The homes that may keep something of this ledger: with an index, or introduced."""
    indexes = {one.partition("/") for one in connection.execute(_CURSORS).scalars()}
    known = connection.execute(_HOMES).scalars()
    found = {one.removeprefix(HOME) for one in known}
    return found | {owner for owner, slash, _ in indexes if slash}


def introduce(connection: Connection, home: str) -> None:
    """A home keeps something of this ledger from now on."""
    if connection.execute(select(meta.c.name).where(meta.c.name == HOME + home)).first() is None:
        connection.execute(meta.insert(), {"name": HOME + home, "value": "1"})


def forget_all(connection: Connection) -> None:
    """No home has anything of this ledger: it was restored to what it was before."""
    connection.execute(delete(vector_queue))
    connection.execute(delete(index_cursors))
    connection.execute(delete(meta).where(meta.c.name.startswith(HOME, autoescape=True)))


def introduced(connection: Connection, home: str) -> bool:
    """Whether it was introduced."""
    wanted = select(meta.c.name).where(meta.c.name == HOME + home)
    return connection.execute(wanted).first() is not None


def behind(connection: Connection, home: str) -> Sequence[Row[Any]]:
    """The rows that others have finished, and that a home has yet to follow."""
    rows = connection.execute(_ENDED).all()
    return [row for row in rows if home in json.loads(row.pending).get(HOMES, ())]


def followed(connection: Connection, erasure: UUID, home: str) -> None:
    """A home keeps nothing of it any more."""
    found = connection.execute(_PENDING, {"erasure": erasure.bytes}).scalar_one()
    noted: Values = json.loads(found)
    others = set(noted.get(HOMES, ())) - {home}
    values = {"pending": as_json(waiting(noted, others))}
    connection.execute(_SET.values(**values), {"erasure": erasure.bytes})


def waiting(noted: Values, others: set[str]) -> Values:
    """What stays noted for other homes; nothing when there are none."""
    if not others:
        return {}
    kept = {name: noted[name] for name in _FOR_OTHERS if noted.get(name) is not None}
    return kept | {HOMES: sorted(others)}
