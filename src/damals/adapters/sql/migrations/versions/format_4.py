"""Format 4: derived edges name what they follow from, vaults ask who may see their relations.

What changed in the tables is written out, one script a database, and never changed again.
"""

from pathlib import Path

from alembic import op
from sqlalchemy import Connection

from damals.adapters.sql.migrations.steps import run_script

revision = "format_4"
down_revision = "format_3"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Format 3 to format 4."""
    connection: Connection = op.get_bind()
    run_script(connection, Path(__file__).parent, revision)
