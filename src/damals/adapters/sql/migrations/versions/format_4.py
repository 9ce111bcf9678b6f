"""Format 4: derived edges name what they follow from, vaults ask who may see their relations.

It takes what is new from ``schema.py`` as long as format 4 is the newest. Whoever adds the next
revision writes it out here first, as format 3 is; a test compares what this creates with a
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

revision = "format_4"
down_revision = "format_3"
branch_labels = None
depends_on = None

GONE_TABLES: Sequence[str] = ()
"""Nothing ever wrote to them in format 3."""
NEW_TABLES: Sequence[str] = ("relation_premises", "relation_floors")
"""A table that changed stands in both lists."""
NEW_COLUMNS: Sequence[tuple[str, str]] = (("relations", "premises"),)
"""Table and column; each may be NULL: so are the premises of what was derived before, and only the
owner is shown that until it is derived again."""
GONE_INDEXES: Sequence[str] = ()
NEW_INDEXES: Sequence[str] = ()
"""Not those of new tables. An index that changed stands in both lists."""


def upgrade() -> None:
    """Format 3 to format 4."""
    connection: Connection = op.get_bind()
    drop_indexes(connection, GONE_INDEXES)
    drop_tables(connection, GONE_TABLES)
    create_tables(connection, NEW_TABLES)
    add_columns(connection, NEW_COLUMNS)
    create_indexes(connection, NEW_INDEXES)
