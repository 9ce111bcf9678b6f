"""Format 3: relations say how they were read, parts of tables where their head stands.

What changed in the tables is written out, one script a database, and never changed again.
"""

from pathlib import Path

from alembic import op
from sqlalchemy import Connection

from damals.adapters.sql.migrations.steps import run_script

revision = "format_3"
down_revision = "format_2"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Format 2 to format 3."""
    connection: Connection = op.get_bind()
    run_script(connection, Path(__file__).parent, revision)
