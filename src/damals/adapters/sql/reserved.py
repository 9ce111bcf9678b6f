"""Tables beside the log: keys, denied calls, jobs, kept answers, and those of later capabilities.

The latter exist now, so that nothing needs migrating then. Their columns follow the same
conventions as those of ``columns.py``; what each is for stands in ``docs/format.md``. Those that
belong to the home, or outlive their workspace, name none or only its number.

Kept answers, and what was asked of a job and came of it, are no ``contents``: nobody looks for
them by their text, no other row shares them, and an erasure forgets them all.
"""

from typing import Final

from sqlalchemy import Column, ForeignKey, Index, LargeBinary, UniqueConstraint

from damals.adapters.sql.columns import (
    BIG,
    blob,
    content,
    integer,
    partial,
    row_id,
    string,
    table,
    workspace,
)
from damals.domain.instants import FOREVER

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
    partial("principals_valid", "name", where=f"revoked_at = {FOREVER}", unique=True),
)

denials: Final = table(
    "denials",
    row_id(),
    integer("workspace_id", nullable=True),
    integer("denied_at"),
    string("principal", nullable=True),
    string("channel"),
    string("call"),
    string("problem"),
    Index("denials_at", "denied_at"),
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
    string("kind"),
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
    blob("receipt_id", nullable=True),
    content("question_id", nullable=True),
    content("document_id"),
    Index("evaluations_kind", "workspace_id", "kind", "created_at"),
)

telemetry: Final = table(
    "telemetry",
    row_id(),
    workspace(),
    string("kind"),
    integer("created_at"),
    blob("receipt_id", nullable=True),
    content("document_id"),
    Index("telemetry_kind", "workspace_id", "kind", "created_at"),
)

sources: Final = table(
    "sources",
    row_id(),
    workspace(),
    content("name_id"),
    string("kind"),
    content("root_id"),
    content("result_id", nullable=True),
    integer("imported_at"),
    UniqueConstraint("workspace_id", "name_id"),
)

relation_floors: Final = table(
    "relation_floors",
    workspace(key=True),
    Column("name_id", BIG, ForeignKey("contents.id"), primary_key=True, autoincrement=False),
    string("relation", key=True),
    string("visibility"),
    rowid=False,
)

exports: Final = table(
    "exports",
    row_id(),
    workspace(),
    string("kind"),
    content("path_id"),
    integer("created_at"),
    integer("number"),
    string("principal", nullable=True),
    Index("exports_number", "workspace_id", "number"),
)

jobs: Final = table(
    "jobs",
    row_id(),
    workspace(),
    blob("job_id"),
    string("home"),
    string("kind"),
    string("principal"),
    string("state"),
    integer("done"),
    integer("total", nullable=True),
    string("request", nullable=True),
    string("result", nullable=True),
    integer("created_at"),
    integer("updated_at"),
    integer("finished_at"),
    UniqueConstraint("workspace_id", "job_id"),
    partial("jobs_running", "home", where="state = 'running'"),
)

UNPURGED: Final = "unpurged"
"""Name of a row of ``meta`` that is there as long as texts of former erasures are to be purged."""

tombstones: Final = table(
    "tombstones",
    row_id(),
    integer("workspace_id"),
    string("kind"),
    blob("target"),
    blob("salt", nullable=True),
    integer("erased_at"),
    integer("number", nullable=True),
    string("actor"),
    integer("readmitted_at"),
    string("readmitted_by", nullable=True),
    Index("tombstones_target", "workspace_id", "kind", "target"),
)

erasures: Final = table(
    "erasures",
    row_id(),
    blob("erasure_id"),
    integer("workspace_id"),
    string("kind"),
    blob("target"),
    blob("salt", nullable=True),
    string("stage"),
    string("pending"),
    integer("started_at"),
    integer("finished_at"),
    string("certificate", nullable=True),
    UniqueConstraint("erasure_id"),
)

idempotency: Final = table(
    "idempotency",
    blob("key_digest", key=True),
    integer("workspace_id", nullable=True),
    blob("request_digest"),
    integer("status"),
    string("response", nullable=True),
    integer("created_at"),
    Index("idempotency_at", "created_at"),
)
