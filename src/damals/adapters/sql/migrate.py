"""Bringing a ledger's file to the format of this code, safely.

Alembic takes a third of a second to import and is only needed when the format differs.
"""

from pathlib import Path
from typing import Final
from uuid import uuid4

from sqlalchemy import Connection, Engine, insert, inspect, select, update

from damals.adapters.sql.engine import WRITE, backup_file
from damals.adapters.sql.schema import FORMAT, meta
from damals.domain.errors import Corrupt, Unavailable

_SCRIPTS: Final = Path(__file__).parent / "migrations"


def ensure_format(engine: Engine, path: Path) -> None:
    """Create the tables of an empty file, or upgrade an older one after copying it beside itself.

    All or nothing, and safe when several processes start at once.

    Raises:
        Unavailable: ``ledger.newer`` when a newer program wrote the file.
        Corrupt: ``ledger.corrupt`` when it is the database of something else.
    """
    with engine.connect() as connection:
        if _stored_format(connection, path) == FORMAT:
            return
    with engine.connect() as connection, connection.execution_options(**WRITE).begin():
        stored = _stored_format(connection, path)
        if stored == FORMAT:
            return
        if stored is not None:
            _back_up(engine, path, stored)
        _upgrade(connection)
        _write_format(connection, fresh=stored is None)


def _stored_format(connection: Connection, path: Path) -> int | None:
    """The number of the file's format; ``None`` for an empty file."""
    tables = inspect(connection).get_table_names()
    if not tables:
        return None
    if meta.name not in tables:
        raise Corrupt("ledger.corrupt", path=str(path), problem="no table named meta")
    value = connection.execute(select(meta.c.value).where(meta.c.name == "format")).scalar_one()
    stored = int(value)
    if stored > FORMAT:
        raise Unavailable("ledger.newer", path=str(path), found=stored, known=FORMAT)
    return stored


def _back_up(engine: Engine, path: Path, stored: int) -> None:
    copy = path.with_name(f"{path.name}.format-{stored}.backup")
    partial = copy.with_name(f"{copy.name}.part")
    partial.unlink(missing_ok=True)
    with engine.connect() as connection:
        backup_file(connection, partial)
    partial.replace(copy)


def _upgrade(connection: Connection) -> None:
    from alembic import command  # noqa: PLC0415 - see the module's docstring
    from alembic.config import Config  # noqa: PLC0415 - as above

    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _write_format(connection: Connection, *, fresh: bool) -> None:
    if fresh:
        rows = [{"name": "format", "value": str(FORMAT)}, {"name": "home", "value": str(uuid4())}]
        connection.execute(insert(meta), rows)
    else:
        statement = update(meta).where(meta.c.name == "format").values(value=str(FORMAT))
        connection.execute(statement)
