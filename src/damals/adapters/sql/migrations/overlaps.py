"""PostgreSQL's own guard against two current versions that hold at once.

Two periods do not overlap when the end of one lies before the start of the other, or is the very
same bound, however imprecise (``domain/periods.py``). A range from bound to bound cannot say the
second. A range from twice the middle of the start's bound to twice the middle of the end's can: the
same bound has the same middle, and a bound that lies before another has no later one. So whatever
the constraint refuses is an overlap, exact bounds are compared exactly, and what certainly overlaps
is always refused; two imprecise bounds that only perhaps cross are left to the domain.
"""

from typing import Final

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from damals.domain.errors import Unavailable
from damals.domain.instants import FOREVER

_START: Final = "start_earliest + start_latest"
_END: Final = "end_earliest + end_latest"

_CONSTRAINT: Final = f"""
ALTER TABLE versions ADD CONSTRAINT {{name}} EXCLUDE USING gist
  (workspace_id WITH =, {{column}} WITH =, int8range({_START}, {_END}) WITH &&)
  WHERE (recorded_to = {FOREVER} AND {_START} < {_END} AND {{column}} IS NOT NULL)
"""

_ONE_AT_A_TIME: Final = "SELECT pg_advisory_xact_lock(1684106593::bigint << 32)"
"""Ledgers in two schemas may be made at once, and an extension belongs to the whole database."""

_EXTENSION: Final = "SELECT 1 FROM pg_extension WHERE extname = 'btree_gist'"
_ROOM: Final = """
SELECT current_database(), CASE
  WHEN has_schema_privilege(to_regnamespace('public')::oid, 'CREATE') THEN 'public'
  ELSE current_schema() END
"""
"""Rather a schema that nobody drops: the constraints of other ledgers would go with it."""


def refuse_overlaps(connection: Connection) -> None:
    """No two current versions of one entry, and none of one key, hold at one instant.

    Raises:
        Unavailable: ``postgres.btree_gist`` when the extension is missing and cannot be made.
    """
    connection.exec_driver_sql(_ONE_AT_A_TIME)
    if connection.exec_driver_sql(_EXTENSION).first() is None:
        _make_extension(connection)
    for name, column in (("versions_entry_apart", "entry_id"), ("versions_key_apart", "key_id")):
        connection.exec_driver_sql(_CONSTRAINT.format(name=name, column=column))


def _make_extension(connection: Connection) -> None:
    database, schema = connection.exec_driver_sql(_ROOM).one()
    quoted = connection.dialect.identifier_preparer.quote(schema)
    try:
        connection.exec_driver_sql(f"CREATE EXTENSION btree_gist SCHEMA {quoted}")
    except (DBAPIError, Unavailable) as error:
        raise Unavailable("postgres.btree_gist", database=database, problem=str(error)) from error
