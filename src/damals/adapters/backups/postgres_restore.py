"""Restoring a dump into a database, which is no ledger before all of it is done.

While it is filled and erased again the schema has a table ``restoring``; whoever opens it as a
ledger is refused. A restore that was killed is begun anew by the next one. Two at once exclude each
other by a lock of their session, which goes with its process.
"""

import re
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from damals.adapters.backups.postgres_dump import RESTORE, SAID_BYTES, TABLES, Server, program
from damals.app.backups.model import RESTORING
from damals.domain.errors import Conflict, Unavailable

_ALONE: Final = """
SELECT pg_try_advisory_lock(((1684106593 + 10)::bigint << 32) | oid::bigint)
FROM pg_namespace WHERE nspname = current_schema()
"""
"""A lock of the session, beside those that the ledger itself takes."""

_NOBODY_WRITES: Final = """
SELECT pg_advisory_xact_lock((1684106593::bigint << 32) | oid::bigint)
FROM pg_namespace WHERE nspname = current_schema()
"""
"""The write lock of the ledger: nobody makes one at the same instant."""

_SCHEMA: Final = "SELECT nspname, oid FROM pg_namespace WHERE nspname = current_schema()"
_LEFT: Final = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE application_name = %s AND datname = current_database() AND pid <> pg_backend_pid()
"""


class RestoredDatabase:
    """The database that a backup is restored to.

    Args:
        url: of it; its current schema has to be named as that of the dump.

    Raises:
        InvalidInput: ``postgres.url``.
        Unavailable: ``postgres.no_driver``.
    """

    def __init__(self, url: str) -> None:
        self._server = Server(url)

    @contextmanager
    def alone(self) -> Generator[None]:
        """Be the only one who restores to it.

        Raises:
            Unavailable: ``backup.server``, ``backup.restored_to``.
        """
        with self._server.connected() as connection:
            connection.autocommit = True
            if not connection.execute(_ALONE).fetchone()[0]:
                raise Unavailable("backup.restored_to", path=self._server.address)
            yield

    def fill(self, dump: Path, schema: str | None) -> None:
        """Restore a dump into a database that has no ledger, in one transaction.

        What an earlier restore left that did not come to :meth:`release` is removed first.

        Args:
            dump: the file.
            schema: name of the dump's schema.

        Raises:
            Conflict: ``backup.database_taken``, ``backup.schema``.
            Unavailable: ``backup.no_program``, ``backup.program_failed``, ``backup.server``.
        """
        path, _ = program(RESTORE)
        with self._server.connected() as connection:
            name = self._make_room(connection, schema)
        command = [
            path, "--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges",
            "--no-password", f"--dbname={self._server.address}", *_without_schema(path, dump),
        ]  # fmt: skip
        environment = {**self._server.environment, "PGAPPNAME": name}
        told = subprocess.run(  # noqa: S603 -- found on PATH, no shell
            command, capture_output=True, text=True, check=False, env=environment
        )
        if told.returncode != 0:
            problem = self._server.clean(told.stderr)[:SAID_BYTES]
            raise Unavailable("backup.program_failed", program=RESTORE, problem=problem)

    def release(self) -> None:
        """From now on it is a ledger like any other.

        Raises:
            Unavailable: ``backup.server``.
        """
        with self._server.connected() as connection:
            connection.execute(f"DROP TABLE IF EXISTS {RESTORING}")

    def _make_room(self, connection: Any, schema: str | None) -> str:  # noqa: ANN401 -- an extra's type
        """Remove what an earlier restore left, and say that another one has begun.

        Returns:
            By which a program that restores here is known, so that one of a killed restore, which
            may have outlived it, can be ended.
        """
        from psycopg import sql  # noqa: PLC0415 -- an extra

        connection.execute(_NOBODY_WRITES)
        current, number = connection.execute(_SCHEMA).fetchone() or (None, 0)
        if current is None or (schema is not None and current != schema):
            raise Conflict("backup.schema", schema=schema, current=current)
        tables = [row[0] for row in connection.execute(TABLES)]
        if tables and RESTORING not in tables:
            raise Conflict("backup.database_taken", path=self._server.address)
        name = f"damals restore {number}"
        connection.execute(_LEFT, (name,))
        for table in tables:
            connection.execute(sql.SQL("DROP TABLE {} CASCADE").format(sql.Identifier(table)))
        # Part of no schema, so of no dump; the ledger's constraints need it.
        connection.execute("CREATE EXTENSION IF NOT EXISTS btree_gist")
        connection.execute(f"CREATE TABLE {RESTORING} (since timestamptz NOT NULL DEFAULT now())")
        return name


def _without_schema(path: str, dump: Path) -> list[str]:
    """Arguments that restore all of a dump but the schema itself, which is there."""
    told = subprocess.run(  # noqa: S603 -- as above
        [path, "--list", str(dump)], capture_output=True, text=True, check=False
    )
    lines = told.stdout.splitlines()
    wanted = [one for one in lines if not re.match(r"\d+; \d+ \d+ (SCHEMA|COMMENT) ", one)]
    chosen = dump.with_name(f"{dump.name}.list")
    chosen.write_text("\n".join(wanted) + "\n", encoding="utf-8")
    return [f"--use-list={chosen}", str(dump)]
