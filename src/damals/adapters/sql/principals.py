"""Keys: who may use a home. Of a key itself there is nothing but a digest."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam, func, insert, select, update

from damals.adapters.sql.engine import take_turn
from damals.adapters.sql.kept import as_json, from_json
from damals.adapters.sql.queries import FOREVER_LITERAL
from damals.adapters.sql.reserved import principals
from damals.app.access_model import Key
from damals.domain.access import Principal
from damals.domain.errors import Conflict, NotFound
from damals.domain.instants import FOREVER

_VALID: Final = select(principals).where(
    principals.c.name == bindparam("named"), principals.c.revoked_at == FOREVER_LITERAL
)
_NEXT: Final = select(func.coalesce(func.max(principals.c.id), 0) + 1)
_ALL: Final = select(principals).order_by(principals.c.id)
_REVOKE: Final = (
    update(principals)
    .where(principals.c.digest == bindparam("key"), principals.c.revoked_at == FOREVER_LITERAL)
    .values(revoked_at=bindparam("at"))
)
_KEYS: Final = "keys"
"""Those who write keys take turns."""


def add_key(connection: Connection, key: Key) -> None:
    """Store a key.

    Raises:
        Conflict: ``key.exists``.
    """
    take_turn(connection, _KEYS)
    has = key.principal
    revoked = FOREVER if key.revoked_at is None else key.revoked_at
    if revoked == FOREVER and connection.execute(_VALID, {"named": has.name}).first() is not None:
        raise Conflict("key.exists", name=has.name)
    values: dict[str, Any] = {
        "id": connection.execute(_NEXT).scalar_one(),
        "name": has.name,
        "digest": key.digest,
        "roles": as_json(list(has.roles)),
        "workspaces": as_json(None if has.workspaces is None else list(has.workspaces)),
        "visibility": has.visibility,
        "sensitivity": has.sensitivity,
        "created_at": key.created_at,
        "revoked_at": revoked,
    }
    connection.execute(insert(principals), values)


def all_keys(connection: Connection) -> Sequence[Key]:
    """All keys, in the order they were made."""
    return [_key(row) for row in connection.execute(_ALL)]


def valid_key(connection: Connection, name: str) -> Key:
    """The key of this name that is not revoked.

    Raises:
        NotFound: ``key.missing``.
    """
    row = connection.execute(_VALID, {"named": name}).first()
    if row is None:
        raise NotFound("key.missing", name=name)
    return _key(row)


def revoke_key(connection: Connection, digest: bytes, now: int) -> None:
    """End the key of this digest; one that is revoked stays as it is."""
    take_turn(connection, _KEYS)
    connection.execute(_REVOKE, {"key": digest, "at": now})


def _key(row: Row[Any]) -> Key:
    reach = from_json(row.workspaces)
    principal = Principal(
        name=row.name,
        roles=tuple(from_json(row.roles)),
        workspaces=None if reach is None else tuple(reach),
        visibility=row.visibility,
        sensitivity=row.sensitivity,
    )
    revoked = None if row.revoked_at == FOREVER else row.revoked_at
    return Key(principal, row.digest, row.created_at, revoked)
