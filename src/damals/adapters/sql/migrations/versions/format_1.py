"""The whole schema of format 1, as it was written: one script a database, never changed again."""

from pathlib import Path

from alembic import op

from damals.adapters.sql.migrations.steps import run_script

revision = "format_1"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create every table, those reserved for later among them."""
    run_script(op.get_bind(), Path(__file__).parent, revision)
