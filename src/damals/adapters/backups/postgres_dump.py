"""A ledger on a PostgreSQL server, by the server's own programs: ``pg_dump`` and ``pg_restore``.

A password travels in the environment of the program, never on its command line, which everybody
on the machine may read.
"""

import os
import shutil
import subprocess
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Final, cast

from damals.adapters.backups.sqlite_copy import extents
from damals.app.backups.model import POSTGRES, RESTORING
from damals.app.backups.ports import Snapshot
from damals.domain.errors import Corrupt, InvalidInput, NotFound, Unavailable

DUMP: Final = "pg_dump"
RESTORE: Final = "pg_restore"
SAID_BYTES: Final = 4000
_EXTENTS: Final = """
SELECT w.name, t.number, encode(t.hash, 'hex') FROM workspaces w LEFT JOIN transactions t
ON t.workspace_id = w.id AND t.number =
  (SELECT max(number) FROM transactions WHERE workspace_id = w.id)
ORDER BY w.id
"""
TABLES: Final = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"


def program(name: str) -> tuple[str, str]:
    """Path and version of a program of PostgreSQL.

    Raises:
        Unavailable: ``backup.no_program``, ``backup.program_failed``.
    """
    path = shutil.which(name)
    if path is None:
        raise Unavailable("backup.no_program", program=name)
    told = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)  # noqa: S603 -- found on PATH, no shell
    if told.returncode != 0:
        raise Unavailable("backup.program_failed", program=name, problem=told.stderr.strip())
    return path, told.stdout.strip()


class Server:
    """A PostgreSQL database as its programs and its driver are told of it."""

    def __init__(self, url: str) -> None:
        """Read the address.

        Raises:
            InvalidInput: ``postgres.url``.
            Unavailable: ``postgres.no_driver``.
        """
        try:
            import psycopg  # noqa: PLC0415 -- an extra
            from psycopg.conninfo import conninfo_to_dict, make_conninfo  # noqa: PLC0415 -- as above
        except ImportError as missing:
            raise Unavailable("postgres.no_driver") from missing
        self._psycopg = psycopg
        try:
            given = {name: str(value) for name, value in conninfo_to_dict(url).items()}
        except psycopg.Error:
            raise InvalidInput("postgres.url") from None  # libpq may quote a password
        self._given = given
        self._secret = given.pop("password", None)
        self.address = make_conninfo("", **given)
        """For the command line: without a password."""

    @property
    def environment(self) -> Mapping[str, str]:
        """For the programs."""
        own = {} if self._secret is None else {"PGPASSWORD": self._secret}
        return {**os.environ, "LC_MESSAGES": "C", **own}

    @contextmanager
    def connected(self) -> Generator[Any]:
        """A connection.

        Raises:
            Unavailable: ``backup.server``.
        """
        secret = {} if self._secret is None else {"password": self._secret}
        given = cast("dict[str, Any]", {**self._given, **secret, "connect_timeout": "10"})
        try:
            with self._psycopg.connect(**given) as connection:
                yield connection
        except self._psycopg.Error as error:
            raise Unavailable("backup.server", problem=self.clean(str(error))) from None

    def clean(self, text: str) -> str:
        """What a program says, on one line and without the password."""
        for secret in filter(None, (self._secret, self._given.get("sslpassword"))):
            text = text.replace(secret, "***")
        return " ".join(text.split())


class PostgresSource:
    """A ``LedgerSource`` on a server."""

    def __init__(self, url: str) -> None:
        self._server = Server(url)

    @contextmanager
    def snapshot(self) -> Generator[Snapshot]:
        """See :meth:`damals.app.backups.ports.LedgerSource.snapshot`."""
        path, version = program(DUMP)
        with self._server.connected() as connection:
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            exported = connection.execute("SELECT pg_export_snapshot()").fetchone()[0]
            schema = connection.execute("SELECT current_schema()").fetchone()[0]
            tables = {row[0] for row in connection.execute(TABLES)}
            if RESTORING in tables:
                raise Unavailable("ledger.restoring", path=self._server.address)
            if not {"meta", "workspaces"} <= tables:
                raise NotFound("home.missing", path=self._server.address)
            told = dict(connection.execute("SELECT name, value FROM meta").fetchall())
            rows = connection.execute(_EXTENTS).fetchall()
            command = [
                path, "--format=custom", "--compress=0", "--no-owner", "--no-privileges",
                f"--schema={_pattern(schema)}", f"--snapshot={exported}", "--no-password",
                f"--dbname={self._server.address}",
            ]  # fmt: skip
            dumped = _Dumped(command, self._server)
            try:
                yield Snapshot(
                    kind=POSTGRES,
                    format=int(told["format"]),
                    home=told["home"],
                    schema=schema,
                    workspaces=extents(told["home"], rows),
                    size=None,
                    open=dumped.begun,
                    programs={DUMP: version},
                )
            finally:
                dumped.end()


def _pattern(schema: str) -> str:
    """A schema's name as ``pg_dump`` reads it, none of its signs with a meaning."""
    quoted = schema.replace('"', '""')
    return f'"{quoted}"'


class _Dumped(BytesIO):
    """What a program writes, read as a file that ends only when the program ended well."""

    def __init__(self, command: list[str], server: Server) -> None:
        super().__init__()
        self._command = command
        self._server = server
        self._running: subprocess.Popen[bytes] | None = None
        self._said: IO[bytes] = TemporaryFile()  # noqa: SIM115 -- closed by `end`

    def begun(self) -> "_Dumped":
        self._running = subprocess.Popen(  # noqa: S603 -- found on PATH, no shell
            self._command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._said,
            env=dict(self._server.environment),
        )
        return self

    def read(self, size: int | None = -1, /) -> bytes:
        running = self._running
        if running is None or running.stdout is None:
            return b""
        data = running.stdout.read(-1 if size is None else size)
        if not data and running.wait() != 0:
            raise Unavailable("backup.program_failed", program=DUMP, problem=self._problem())
        return data

    def close(self) -> None:
        """Left open: :meth:`end` ends the program."""

    def end(self) -> None:
        running = self._running
        if running is not None:
            if running.poll() is None:
                running.kill()
            running.wait()
            if running.stdout is not None:
                running.stdout.close()
        self._said.close()

    def _problem(self) -> str:
        self._said.seek(0)
        return self._server.clean(self._said.read(SAID_BYTES).decode("utf-8", "replace"))


def check_dump(dump: Path) -> None:
    """See that a dump can be read to its end, without a server.

    Raises:
        Unavailable: ``backup.no_program``.
        Corrupt: ``backup.ledger_broken``.
    """
    path, _ = program(RESTORE)
    command = [path, f"--file={os.devnull}", str(dump)]
    told = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 -- as above
    if told.returncode != 0:
        raise Corrupt("backup.ledger_broken", path=str(dump), problem=told.stderr.strip())
