"""Bringing a ledger to the format of this code, safely.

Alembic takes a third of a second to import and is only needed when the format differs.
"""

from pathlib import Path
from typing import Final
from uuid import uuid4

from sqlalchemy import Connection, insert, inspect, select, update

from damals.adapters.sql.engine import Database
from damals.adapters.sql.schema import FORMAT, meta
from damals.app.backups.model import RESTORING
from damals.domain.errors import Corrupt, Unavailable

_SCRIPTS: Final = Path(__file__).parent / "migrations"

MIGRATING: Final = "migrating"
"""A table that only the target of a migration has, which is no ledger yet."""


def ensure_format(database: Database, *, unfinished: bool = False) -> None:
    """Create the tables of an empty database, or upgrade an older one, a file after copying it.

    All or nothing, and safe when several processes start at once.

    Args:
        database: the database.
        unfinished: it may be the target of a migration or a restore that has not ended.

    Raises:
        Unavailable: ``ledger.newer`` when a newer program wrote it; ``ledger.migrating``,
            ``ledger.restoring`` when a migration or a restore into it has not ended.
        Corrupt: ``ledger.corrupt`` when it is the database of something else.
    """
    with database.reading() as connection:
        if stored_format(connection, database, unfinished=unfinished) == FORMAT:
            return
    with database.writing() as connection:
        stored = stored_format(connection, database, unfinished=unfinished)
        if stored == FORMAT:
            return
        if stored is not None:
            database.before_upgrade(stored)
        upgrade(connection)
        _write_format(connection, fresh=stored is None)


def refuse_newer(stored: int, database: Database) -> None:
    """Leave alone what a newer program wrote.

    Raises:
        Unavailable: ``ledger.newer``.
    """
    if stored > FORMAT:
        raise Unavailable("ledger.newer", path=database.location, found=stored, known=FORMAT)


def stored_format(
    connection: Connection, database: Database, *, unfinished: bool = False
) -> int | None:
    """The number of the ledger's format; ``None`` for an empty database.

    Raises:
        Unavailable, Corrupt: as of :func:`ensure_format`.
    """
    tables = inspect(connection).get_table_names()
    if not tables:
        return None
    for marker in (MIGRATING, RESTORING):
        if marker in tables and not unfinished:
            key = f"ledger.{marker}"
            raise Unavailable(key, path=database.location)
    if meta.name not in tables:
        raise Corrupt("ledger.corrupt", path=database.location, problem="no table named meta")
    value = connection.execute(select(meta.c.value).where(meta.c.name == "format")).scalar_one()
    stored = int(value)
    refuse_newer(stored, database)
    return stored


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Run the revisions up to one, inside the connection's transaction."""
    from alembic import command  # noqa: PLC0415 - see the module's docstring
    from alembic.config import Config  # noqa: PLC0415 - as above

    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def _write_format(connection: Connection, *, fresh: bool) -> None:
    if fresh:
        rows = [{"name": "format", "value": str(FORMAT)}, {"name": "home", "value": str(uuid4())}]
        connection.execute(insert(meta), rows)
    else:
        statement = update(meta).where(meta.c.name == "format").values(value=str(FORMAT))
        connection.execute(statement)
