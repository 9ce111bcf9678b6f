"""A PostgreSQL server for tests: a private cluster that goes with them, or one that is given."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from uuid import uuid4

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from damals.adapters.sql.columns import metadata
from damals.adapters.sql.ledger import SqlLedger
from damals.adapters.sql.postgres import PostgresDatabase

GIVEN = "DAMALS_TEST_POSTGRES"
PASSWORD = "geh:eim@für/Tests"  # noqa: S105 - of a server that lives as long as the tests
QUOTED = "geh%3Aeim%40f%C3%BCr%2FTests"
PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
FASTER = "-c fsync=off -c full_page_writes=off -c shared_buffers=64MB -c unix_socket_directories="


OTHERS_LEAVE = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
_EMPTY = ";".join(
    f"DELETE FROM {table.name}"  # noqa: S608 - ours
    + (" WHERE name LIKE 'home:%'" if table.name == "meta" else "")
    for table in reversed(metadata.sorted_tables)
)


class NotInstalled(Exception):
    """There is no PostgreSQL here."""


@dataclass
class PostgresServer:
    """A server on which tests make databases."""

    url: str
    _name: str = field(default_factory=lambda: f"damals_{uuid4().hex[:8]}")
    _numbers: Iterator[int] = field(default_factory=count)
    _ledger: str | None = None

    def blank(self) -> str:
        """The address of a new database."""
        name = f"{self._name}_{next(self._numbers)}"
        statement = "CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8' STRATEGY FILE_COPY"
        self.run(sql.SQL(statement).format(sql.Identifier(name)))
        return self.at(name)

    def ledger(self) -> str:
        """The address of a database with an empty ledger, the same each time.

        Emptying it takes a tenth of the time that making another takes.
        """
        if self._ledger is None:
            self._ledger = self.blank()
            SqlLedger(PostgresDatabase(self._ledger)).close()
        else:
            self.run(OTHERS_LEAVE, self._ledger)
            self.run(_EMPTY, self._ledger)
        return self._ledger

    def close(self) -> None:
        """Leave nothing behind."""
        if self._ledger is not None:
            self.drop(self._ledger)

    def at(self, database: str) -> str:
        """The address of a database on this server."""
        head, _, tail = self.url.rpartition("/")
        _, mark, options = tail.partition("?")
        return f"{head}/{database}{mark}{options}"

    def drop(self, url: str) -> None:
        """Remove a database, whoever is connected."""
        name = sql.Identifier(name_of(url))
        self.run(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name))

    def run(
        self, statement: sql.Composable | str, url: str | None = None
    ) -> list[tuple[object, ...]]:
        """Run a statement outside any transaction; its rows."""
        with psycopg.connect(url or self.url, autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []


def name_of(url: str) -> str:
    """The database that an address names."""
    return str(conninfo_to_dict(url)["dbname"])


@dataclass
class Cluster:
    """A private cluster in a folder of its own, on a free port of the loopback address."""

    folder: Path
    port: int

    @property
    def url(self) -> str:
        """The address of its first database."""
        return f"postgresql://damals:{QUOTED}@127.0.0.1:{self.port}/postgres"

    def create(self) -> None:
        """Make its files. Texts sort as in German, so that a test notices what relies on it."""
        secret = self.folder / "password"
        secret.write_text(PASSWORD, encoding="utf-8")
        self._own()
        self._program("initdb", "--no-sync", "--username=damals", f"--pwfile={secret}",
            "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8",
            "--locale-provider=icu", "--icu-locale=de-DE")  # fmt: skip

    def start(self) -> None:
        """Start it and wait until it answers."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 {FASTER}"
        self._program("pg_ctl", "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def stop(self) -> None:
        """Stop it as a broken machine would."""
        self._program("pg_ctl", "-w", "-m", "immediate", "stop")

    def _own(self) -> None:
        if os.geteuid() == 0:
            for path in (self.folder, *self.folder.iterdir()):
                shutil.chown(path, "postgres", "postgres")

    def _program(self, name: str, *arguments: str) -> None:
        # The server refuses to run as root.
        user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        prefix = user if os.geteuid() == 0 else []
        command = [*prefix, str(PROGRAMS[0].with_name(name)), "-D", str(self.folder / "data")]
        subprocess.run([*command, *arguments], check=True, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, cwd=self.folder)  # fmt: skip


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def private_cluster() -> Iterator[Cluster]:
    """A running cluster, removed at the end.

    Raises:
        NotInstalled: where there is no PostgreSQL.
    """
    if not PROGRAMS:
        raise NotInstalled
    folder = Path(tempfile.mkdtemp(prefix="damals-postgres-"))
    cluster = Cluster(folder, free_port())
    try:
        cluster.create()
        cluster.start()
        yield cluster
        cluster.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def with_schema(url: str, schema: str) -> str:
    """The address of a schema in a database."""
    return f"{url}?options=-csearch_path%3D{schema}"


def with_wrong_password(url: str) -> str:
    """The address with another password."""
    return make_conninfo(url, password="falsch")  # noqa: S106 - wrong on purpose
