"""Auditing a workspace: is everything what it was when it was recorded?

What is recomputed, and what that shows, stands in ``docs/format.md`` under *The hash chain*. All
of it is read in one snapshot and streamed; what is held at a time are the digests of the rows of
some transactions.
"""

from sqlalchemy import Connection

from damals.adapters.sql.audit_chain import ChainAudit
from damals.adapters.sql.audit_rows import audit_contents
from damals.adapters.sql.audit_whole import audit_whole
from damals.adapters.sql.contents import TextOwner
from damals.adapters.sql.findings import Scope
from damals.app.ledger_model import Audit, Workspace


def audit(connection: Connection, workspace: Workspace, owner: TextOwner) -> Audit:
    """Check the chain of a workspace, and account for every row of it.

    Args:
        connection: a snapshot.
        workspace: which one.
        owner: the same, as its texts know it.
    """
    scope = Scope(connection, owner.workspace_id, workspace.name, owner.key)
    audit_contents(scope)
    transactions, head = ChainAudit(scope).run()
    audit_whole(scope)
    for content, problem in scope.broken.items():
        if not scope.findings.names("contents", content):
            scope.found(problem, None, "contents", {"id": content})
    return Audit(transactions, scope.rows, head.hex(), scope.findings.sorted())
