"""Looking at both sides of a migration before anything is changed."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, select

from damals.adapters.sql.copying_rows import count, tables
from damals.adapters.sql.copying_target import FilledSchema, is_filling
from damals.adapters.sql.engine import Database
from damals.adapters.sql.migrate import MIGRATING, stored_format
from damals.adapters.sql.schema import FORMAT, meta, transactions, workspaces
from damals.app.backups.model import RESTORING
from damals.app.migrating.model import Survey
from damals.domain.errors import Conflict, DamalsError, InvalidInput, Unavailable
from damals.domain.fields import MAX_NAME_BYTES

OLDEST_SERVER: Final = 130_000
GROWTH: Final = 1.8
"""Bytes on the server for each byte of a SQLite file, with its log of changes; measured."""

_SERVER: Final = """
SELECT current_setting('server_version_num')::int, current_setting('server_encoding'),
  current_database(), current_schema(), has_schema_privilege(current_schema(), 'CREATE'),
  EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'btree_gist'),
  EXISTS (SELECT 1 FROM pg_available_extension_versions WHERE name = 'btree_gist'
    AND (trusted OR (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)))
  AND has_database_privilege(current_database(), 'CREATE')
"""
_TABLES: Final = """
SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY relname
"""
_FOLDER: Final = """
SELECT CASE WHEN pg_has_role(current_user, 'pg_read_all_settings', 'USAGE')
  THEN current_setting('data_directory', true) END,
  inet_server_addr() IS NULL OR inet_server_addr() <<= inet '127.0.0.0/8'
  OR inet_server_addr() = inet '::1'
"""
_NUL: Final = "SELECT count(*) FROM contents WHERE instr(text, char(0)) > 0"
_LONG: Final = f"""
SELECT count(*) FROM (
  SELECT tag AS name FROM version_tags UNION ALL SELECT principal FROM version_acl
) WHERE length(CAST(name AS BLOB)) > {MAX_NAME_BYTES}
"""  # noqa: S608 -- a number of ours
_USERS: Final = """
SELECT count(DISTINCT split_part(index_name, '/', 1)) FROM index_cursors
WHERE split_part(index_name, '/', 1) <> %s
"""


def survey(path: Path, source: Database, target: Database) -> Survey:
    """What there is to copy, and what is in the way.

    Raises:
        Conflict: ``migrate.old_format`` when the source has to be upgraded first.
    """
    with source.reading() as connection:
        found = stored_format(connection, source)
        if found != FORMAT:
            raise Conflict("migrate.old_format", path=source.location, found=found, known=FORMAT)
        rows = {table.name: count(connection, table) for table in tables()}
        obstacles = list(_of_source(connection))
        home = home_of(connection)
    size = sum(one.stat().st_size for one in (path, Path(f"{path}-wal")) if one.exists())
    filled = FilledSchema(target)
    copied, free = 0, None
    with target.reading() as connection:
        obstacles += _of_server(connection, target)
        if not obstacles:
            obstacles += _of_tables(connection, target, home)
        filling = is_filling(connection)
        free = _free(connection)
    if filling and not obstacles:
        copied = sum(filled.cursor(name)[1] for name in rows)
    needed = int(size * GROWTH)
    if free is not None and free < needed and not copied:
        obstacles.append(Unavailable("migrate.space", needed_mb=_mb(needed), free_mb=_mb(free)))
    return Survey(target.location, rows, size, copied, free, tuple(obstacles))


def home_of(connection: Connection) -> str:
    """The id of a ledger."""
    return connection.execute(select(meta.c.value).where(meta.c.name == "home")).scalar_one()


def refuse_ahead(source: Connection, target: Connection, location: str) -> None:
    """See that the target, which is a whole ledger, knows nothing that the source does not.

    Raises:
        Conflict: ``migrate.target_ahead``.
    """
    numbers = {row.id: row.name for row in source.execute(select(workspaces))}
    for row in target.execute(select(workspaces)):
        last = target.execute(
            select(transactions.c.number, transactions.c.hash)
            .where(transactions.c.workspace_id == row.id)
            .order_by(transactions.c.number.desc())
            .limit(1)
        ).first()
        known = numbers.get(row.id) == row.name and (
            last is None
            or source.execute(
                select(transactions.c.hash).where(
                    transactions.c.workspace_id == row.id, transactions.c.number == last.number
                )
            ).scalar()
            == last.hash
        )
        if not known:
            raise Conflict("migrate.target_ahead", path=location, workspace=row.name)


def refuse_others(target: Connection, owner: str, location: str) -> None:
    """See that no other home uses the target already.

    Raises:
        Conflict: ``migrate.target_used``.
    """
    if target.exec_driver_sql(_USERS, (owner,)).scalar():
        raise Conflict("migrate.target_used", path=location)


def _of_source(connection: Connection) -> Iterator[DamalsError]:
    texts = connection.exec_driver_sql(_NUL).scalar()
    if texts:
        yield InvalidInput("migrate.nul", count=texts)
    long = connection.exec_driver_sql(_LONG).scalar()
    if long:
        yield InvalidInput("migrate.long_names", count=long, limit=MAX_NAME_BYTES)


def _of_server(connection: Connection, target: Database) -> Iterator[DamalsError]:
    path = target.location
    row: Any = connection.exec_driver_sql(_SERVER).one()
    version, encoding, database, schema, rights, gist, may_make_gist = row
    if version < OLDEST_SERVER:
        major = {"found": version // 10_000, "oldest": OLDEST_SERVER // 10_000}
        yield Unavailable("migrate.server_version", path=path, **major)
    if encoding != "UTF8":
        yield Unavailable("migrate.encoding", path=path, found=encoding)
    if not rights:
        yield Unavailable("migrate.no_right", path=path, schema=schema)
    if not (gist or may_make_gist):
        yield Unavailable("migrate.btree_gist", database=database)


def _of_tables(connection: Connection, target: Database, home: str) -> Iterator[DamalsError]:
    path = target.location
    there = list(connection.exec_driver_sql(_TABLES).scalars())
    if not there:
        return
    if RESTORING in there:
        yield Unavailable("ledger.restoring", path=path)
        return
    if meta.name not in there:
        named = ", ".join(there[:5])
        yield Conflict("migrate.not_empty", path=path, tables=named)
        return
    stored = stored_format(connection, target, unfinished=True)
    used = connection.execute(select(workspaces.c.id).limit(1)).first() is not None
    if home_of(connection) != home and (used or MIGRATING in there):
        yield Conflict("migrate.other_home", path=path)
    elif stored != FORMAT and MIGRATING in there:
        yield Conflict("migrate.other_format", path=path)


def _free(connection: Connection) -> int | None:
    """The free space of the server's disk, where it is this machine's and may be known."""
    folder, here = connection.exec_driver_sql(_FOLDER).one()
    if not (folder and here):
        return None
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def _mb(size: int) -> int:
    return size // 1_000_000
