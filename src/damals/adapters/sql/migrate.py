"""Bringing a ledger to the format of this code, safely.

Alembic takes a third of a second to import and is only needed when the format differs.
"""

from pathlib import Path
from typing import Final
from uuid import uuid4

from sqlalchemy import Connection, insert, inspect, select, update

from damals.adapters.sql.engine import Database
from damals.adapters.sql.schema import FORMAT, meta
from damals.domain.errors import Corrupt, Unavailable

_SCRIPTS: Final = Path(__file__).parent / "migrations"


def ensure_format(database: Database) -> None:
    """Create the tables of an empty database, or upgrade an older one, a file after copying it.

    All or nothing, and safe when several processes start at once.

    Raises:
        Unavailable: ``ledger.newer`` when a newer program wrote it.
        Corrupt: ``ledger.corrupt`` when it is the database of something else.
    """
    with database.reading() as connection:
        if _stored_format(connection, database) == FORMAT:
            return
    with database.writing() as connection:
        stored = _stored_format(connection, database)
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


def _stored_format(connection: Connection, database: Database) -> int | None:
    """The number of the ledger's format; ``None`` for an empty database."""
    tables = inspect(connection).get_table_names()
    if not tables:
        return None
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
