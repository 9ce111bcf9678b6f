"""What the ledger needs of a database beside SQL: the little in which they differ."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, Protocol

from sqlalchemy import Connection, Engine

TRANSLATE: Final = "damals_translate"
"""Execution option of every connection: gives for an error of the driver the exception to raise,
where a statement bypasses SQLAlchemy. On PostgreSQL it cannot just be run again."""

TAKE_TURN: Final = "damals_take_turn"
"""Execution option of connections that write: takes a lock of a name until the end of the
transaction, where writers do not take turns anyway."""


def take_turn(connection: Connection, what: str) -> None:
    """Be the only one who writes something of a kind, until the end of the transaction."""
    take: Any = connection.get_execution_options().get(TAKE_TURN)
    if take is not None:
        take(connection, what)


def meant(connection: Connection, error: Exception) -> Exception:
    """What an error of the driver is to become, where a statement bypasses SQLAlchemy.

    SQLAlchemy has not seen either that the connection is lost: nothing is rolled back over it.
    """
    told: Any = error
    if connection.dialect.is_disconnect(told, connection.connection.driver_connection, None):
        connection.invalidate(error)
    translate: Callable[[Exception], Exception] = connection.get_execution_options()[TRANSLATE]
    return translate(error)


class Database(Protocol):
    """A database with a ledger's tables, or room for them.

    Every error of the driver that has a meaning for people leaves it as one of ours:
    ``Unavailable`` when it does not answer, is locked or full; ``Corrupt`` when it is damaged.
    """

    @property
    def engine(self) -> Engine:
        """Its connections."""
        ...

    @property
    def location(self) -> str:
        """Where it is, for people: without any secret."""
        ...

    @property
    def version(self) -> str:
        """The database and its version."""
        ...

    def reading(self) -> AbstractContextManager[Connection]:
        """A transaction that sees one snapshot throughout and hinders nobody."""
        ...

    def writing(self, *, wait_ms: int | None = None) -> AbstractContextManager[Connection]:
        """A transaction of the only writer: it sees all that was committed before.

        It commits at the end, durably, and rolls back on any exception.

        Args:
            wait_ms: how long to wait for another writer, if not as long as usual.

        Raises:
            Unavailable: ``ledger.busy`` when another writer does not finish in time.
        """
        ...

    def beside(self, *, wait_ms: int | None = None) -> AbstractContextManager[Connection]:
        """A short transaction on what is no knowledge: keys, denied calls, answers, jobs.

        It waits for a writer of knowledge only where the database knows but one writer. Who
        writes rows that others may write too uses :func:`take_turn`.

        Args:
            wait_ms: how long to wait for others, if not as long as usual.

        Raises:
            Unavailable: ``ledger.busy`` when they do not finish in time.
        """
        ...

    @property
    def afar(self) -> bool:
        """Whether it is on a server, where several homes may use it."""
        ...

    def alone(self, wait_s: float) -> AbstractContextManager[bool]:
        """The only one at some long work, through many transactions.

        Args:
            wait_s: how long another one is waited for, seconds.

        Returns:
            Gives whether that came true.
        """
        ...

    def before_upgrade(self, stored: int) -> None:
        """Keep what is needed to go back to format ``stored``; called under the write lock."""
        ...

    def compact(self) -> Sequence[str]:
        """Write the files anew without anything that was deleted; nobody else may write meanwhile.

        Returns:
            What was written anew.

        Raises:
            Unavailable: ``erase.reader`` when somebody reads an old state for too long.
        """
        ...

    def problems(self, connection: Connection) -> list[str]:
        """What the database itself finds wrong with its files, one line each."""
        ...
