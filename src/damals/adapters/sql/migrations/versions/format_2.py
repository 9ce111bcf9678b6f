"""Format 2: PostgreSQL refuses overlaps by itself; indexes for the questions that are asked most.

What changed in the tables is written out, one script a database, and never changed again.
"""

from pathlib import Path

from alembic import op
from sqlalchemy import Connection

from damals.adapters.sql.migrations.overlaps import refuse_overlaps
from damals.adapters.sql.migrations.steps import run_script

revision = "format_2"
down_revision = "format_1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Format 1 to format 2."""
    connection: Connection = op.get_bind()
    run_script(connection, Path(__file__).parent, revision)
    if connection.dialect.name == "postgresql":
        refuse_overlaps(connection)
