"""Runs revisions on the connection, and inside the transaction, that the ledger hands over."""

from alembic import context

from damals.adapters.sql.columns import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
