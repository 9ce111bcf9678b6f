"""Format 3: relations say how they were read, parts of tables where their head stands.

It takes what is new from ``schema.py`` as long as format 3 is the newest. Whoever adds the next
revision writes it out here first, as format 2 is; a test compares what this creates with a
recorded digest.
"""

from collections.abc import Sequence

from alembic import op
from sqlalchemy import Connection

from damals.adapters.sql.migrations.steps import (
    add_columns,
    create_indexes,
    create_tables,
    drop_indexes,
    drop_tables,
)

revision = "format_3"
down_revision = "format_2"
branch_labels = None
depends_on = None

GONE_TABLES: Sequence[str] = ()
"""Nothing ever wrote to them in format 2."""
NEW_TABLES: Sequence[str] = ()
"""A table that changed stands in both lists."""
NEW_COLUMNS: Sequence[tuple[str, str]] = (
    ("relations", "flags"),
    ("chunks", "head_start"),
    ("chunks", "head_end"),
)
"""Table and column; each may be NULL."""
GONE_INDEXES: Sequence[str] = ()
NEW_INDEXES: Sequence[str] = ()
"""Not those of new tables. An index that changed stands in both lists."""


def upgrade() -> None:
    """Format 2 to format 3."""
    connection: Connection = op.get_bind()
    drop_indexes(connection, GONE_INDEXES)
    drop_tables(connection, GONE_TABLES)
    create_tables(connection, NEW_TABLES)
    add_columns(connection, NEW_COLUMNS)
    create_indexes(connection, NEW_INDEXES)
