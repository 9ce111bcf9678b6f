"""Format 5: exports are noted, so that an erasure can name them; texts of what was erased go.

What was erased before has left its texts where they were: that they are still to be purged is
noted in ``meta``, and whoever opens the home next does it.

It takes what is new from ``schema.py`` as long as format 5 is the newest. Whoever adds the next
revision writes it out here first, as format 4 is; a test compares what this creates with a
recorded digest.
"""

from collections.abc import Sequence

from alembic import op
from sqlalchemy import Connection, insert, select

from damals.adapters.sql.migrations.steps import (
    add_columns,
    create_indexes,
    create_tables,
    drop_indexes,
    drop_tables,
)
from damals.adapters.sql.reserved import UNPURGED, tombstones
from damals.adapters.sql.schema import meta

revision = "format_5"
down_revision = "format_4"
branch_labels = None
depends_on = None

GONE_TABLES: Sequence[str] = ()
"""Nothing ever wrote to them in format 4."""
NEW_TABLES: Sequence[str] = ("exports",)
"""A table that changed stands in both lists."""
NEW_COLUMNS: Sequence[tuple[str, str]] = (("tombstones", "readmitted_by"),)
"""Table and column; each may be NULL."""
GONE_INDEXES: Sequence[str] = ()
NEW_INDEXES: Sequence[str] = ()
"""Not those of new tables. An index that changed stands in both lists."""


def upgrade() -> None:
    """Format 4 to format 5."""
    connection: Connection = op.get_bind()
    drop_indexes(connection, GONE_INDEXES)
    drop_tables(connection, GONE_TABLES)
    create_tables(connection, NEW_TABLES)
    add_columns(connection, NEW_COLUMNS)
    create_indexes(connection, NEW_INDEXES)
    if connection.execute(select(tombstones.c.id).limit(1)).first() is not None:
        connection.execute(insert(meta), {"name": UNPURGED, "value": "1"})
