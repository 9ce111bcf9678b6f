"""Format 2: PostgreSQL refuses overlaps by itself; indexes for the questions that are asked most.

It takes what is new from ``schema.py`` as long as format 2 is the newest. Whoever adds the next
revision writes it out here first, as format 1 is; a test compares what this creates with a
recorded digest.
"""

from collections.abc import Sequence

from alembic import op
from sqlalchemy import Connection

from damals.adapters.sql.migrations.overlaps import refuse_overlaps
from damals.adapters.sql.migrations.steps import (
    add_columns,
    create_indexes,
    create_tables,
    drop_indexes,
    drop_tables,
)

revision = "format_2"
down_revision = "format_1"
branch_labels = None
depends_on = None

GONE_TABLES: Sequence[str] = ("denials", "jobs", "idempotency")
"""Nothing ever wrote to them in format 1."""
NEW_TABLES: Sequence[str] = ("denials", "jobs", "idempotency")
"""A table that changed stands in both lists."""
NEW_COLUMNS: Sequence[tuple[str, str]] = ()
"""Table and column; each may be NULL."""
GONE_INDEXES: Sequence[str] = ("principals_name",)
NEW_INDEXES: Sequence[str] = ("versions_key_start", "principals_valid")
"""Not those of new tables. An index that changed stands in both lists."""


def upgrade() -> None:
    """Format 1 to format 2."""
    connection: Connection = op.get_bind()
    drop_indexes(connection, GONE_INDEXES)
    drop_tables(connection, GONE_TABLES)
    create_tables(connection, NEW_TABLES)
    add_columns(connection, NEW_COLUMNS)
    create_indexes(connection, NEW_INDEXES)
    if connection.dialect.name == "postgresql":
        refuse_overlaps(connection)
