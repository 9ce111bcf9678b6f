"""How columns are declared, the same in every table.

Conventions: instants are UTC microseconds, open ends are ``FOREVER``, never NULL; UUIDs are 16
bytes; every text that people wrote is a row of ``contents`` and is named by its id.
"""

from typing import Any, Final

from sqlalchemy import (
    REAL,
    BigInteger,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    text,
)
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeEngine

from damals.domain.instants import FOREVER

BIG: Final[TypeEngine[int]] = BigInteger().with_variant(Integer(), "sqlite")
REAL_NUMBER: Final[TypeEngine[float]] = Double[float]().with_variant(REAL[float](), "sqlite")
TEXT: Final[TypeEngine[str]] = Text().with_variant(Text(collation="C"), "postgresql")
"""Compared byte by byte everywhere, whatever language a server was set up for."""

OPEN: Final = text(f"recorded_to = {FOREVER}")
"""Condition of a partial index. A literal: a bound parameter never matches such an index."""

metadata: Final = MetaData()

AnyColumn = Column[Any]


def table(name: str, *items: SchemaItem, rowid: bool = True) -> Table:
    """A table that checks the types of what it is given."""
    return Table(name, metadata, *items, sqlite_strict=True, sqlite_with_rowid=rowid)


def row_id() -> AnyColumn:
    """A number that the writer gives to each row."""
    return Column("id", BIG, primary_key=True, autoincrement=False)


def integer(name: str, *, nullable: bool = False, key: bool = False) -> AnyColumn:
    """A whole number of 64 bits."""
    return Column(name, BIG, nullable=nullable, primary_key=key, autoincrement=False)


def string(name: str, *, nullable: bool = False, key: bool = False) -> AnyColumn:
    """A text that is no content: a name of ours, or a bound as given."""
    return Column(name, TEXT, nullable=nullable, primary_key=key)


def blob(name: str, *, nullable: bool = False, key: bool = False) -> AnyColumn:
    """Bytes: ids and digests."""
    return Column(name, LargeBinary, nullable=nullable, primary_key=key)


def content(name: str, *, nullable: bool = False) -> AnyColumn:
    """A text, by its row in ``contents``."""
    return Column(name, BIG, ForeignKey("contents.id"), nullable=nullable)


def workspace(*, key: bool = False) -> AnyColumn:
    """Which workspace a row belongs to."""
    return Column("workspace_id", BIG, ForeignKey("workspaces.id"), primary_key=key, nullable=False)


def entry(*, key: bool = False) -> tuple[SchemaItem, ...]:
    """Which entry of the workspace a row belongs to."""
    target = ["entries.workspace_id", "entries.entry_id"]
    return (
        blob("entry_id", key=key),
        ForeignKeyConstraint(["workspace_id", "entry_id"], target),
    )


def period() -> tuple[SchemaItem, ...]:
    """When a row holds: earliest, latest, kind, text and mark of both ends."""
    columns = [
        column
        for end in ("start", "end")
        for column in (
            integer(f"{end}_earliest"),
            integer(f"{end}_latest"),
            string(f"{end}_kind"),
            string(f"{end}_text", nullable=True),
            integer(f"{end}_uncertain"),
        )
    ]
    return (*columns, CheckConstraint("start_earliest < end_latest"))


def recorded() -> tuple[SchemaItem, ...]:
    """When a row is known, and by which transactions; ``recorded_to`` is set once."""
    target = ["transactions.workspace_id", "transactions.number"]
    return (
        integer("recorded_from"),
        integer("opened_by"),
        integer("recorded_to"),
        integer("closed_by", nullable=True),
        ForeignKeyConstraint(["workspace_id", "opened_by"], target),
        ForeignKeyConstraint(["workspace_id", "closed_by"], target),
        CheckConstraint("recorded_from < recorded_to"),
        CheckConstraint(f"(closed_by IS NULL) = (recorded_to = {FOREVER})"),
    )


def history_indexes(table: str) -> tuple[Index, ...]:
    """Finds the rows that a transaction opened or closed."""
    return (
        Index(f"{table}_opened", "workspace_id", "opened_by"),
        Index(
            f"{table}_closed",
            "workspace_id",
            "closed_by",
            sqlite_where=text("closed_by IS NOT NULL"),
            postgresql_where=text("closed_by IS NOT NULL"),
        ),
    )


def partial(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    """An index over the rows that fulfil a condition, which holds literals only."""
    condition = text(where)
    return Index(name, *columns, unique=unique, sqlite_where=condition, postgresql_where=condition)
