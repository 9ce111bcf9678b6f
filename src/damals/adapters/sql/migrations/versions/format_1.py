"""The whole schema of format 1.

It takes the tables from ``schema.py`` as long as format 1 is the newest. Whoever adds the next
revision copies them here first; a test compares what this creates with a recorded digest.
"""

from alembic import op

from damals.adapters.sql import reserved
from damals.adapters.sql.columns import metadata

revision = "format_1"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create every table, those reserved for later among them."""
    if reserved.principals.metadata is metadata:
        metadata.create_all(op.get_bind(), checkfirst=False)
