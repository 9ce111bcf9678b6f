"""Tables whose capabilities come later; they exist now, so that nothing needs migrating then.

Their columns follow the same conventions as those of ``columns.py``.
"""

from typing import Final

from sqlalchemy import Column, ForeignKey, Index, LargeBinary, UniqueConstraint

from damals.adapters.sql.columns import (
    BIG,
    REAL_NUMBER,
    blob,
    content,
    integer,
    row_id,
    string,
    table,
    workspace,
)

verifications: Final = table(
    "verifications",
    row_id(),
    workspace(),
    blob("entry_id"),
    integer("number"),
    integer("operation"),
    integer("recorded_at"),
    Column("grounding_score", REAL_NUMBER, nullable=False),
    content("note_id", nullable=True),
    blob("digest"),
    Index("verifications_entry", "workspace_id", "entry_id", "recorded_at"),
    Index("verifications_number", "workspace_id", "number"),
)

accesses: Final = table(
    "accesses",
    row_id(),
    workspace(),
    blob("entry_id"),
    integer("accessed_at"),
    string("channel"),
    content("principal_id", nullable=True),
    Index("accesses_entry", "workspace_id", "entry_id", "accessed_at"),
)

receipts: Final = table(
    "receipts",
    row_id(),
    workspace(),
    blob("receipt_id"),
    integer("created_at"),
    integer("number"),
    integer("as_of"),
    integer("known_at"),
    content("principal_id", nullable=True),
    content("question_id"),
    content("document_id"),
    blob("digest"),
    UniqueConstraint("workspace_id", "receipt_id"),
)

receipt_entries: Final = table(
    "receipt_entries",
    Column("receipt", BIG, ForeignKey("receipts.id"), primary_key=True, autoincrement=False),
    Column("entry_id", LargeBinary, primary_key=True),
    Index("receipt_entries_entry", "entry_id"),
    rowid=False,
)

evaluations: Final = table(
    "evaluations",
    row_id(),
    workspace(),
    string("kind"),
    integer("created_at"),
    content("question_id", nullable=True),
    content("document_id"),
    Index("evaluations_kind", "workspace_id", "kind", "created_at"),
)

principals: Final = table(
    "principals",
    row_id(),
    string("name"),
    blob("digest"),
    string("roles"),
    string("workspaces"),
    string("visibility"),
    integer("sensitivity"),
    integer("created_at"),
    integer("revoked_at"),
    UniqueConstraint("digest"),
    Index("principals_name", "name"),
)
