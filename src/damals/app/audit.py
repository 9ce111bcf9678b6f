"""Whether everything in a workspace is still what was recorded."""

from typing import Final

from damals import messages
from damals.app.audit_results import AuditBreak, AuditReport
from damals.app.ledger_model import Break
from damals.app.ledger_port import Ledger

_AREA: Final = "audit."


def verify(ledger: Ledger, workspace: str) -> AuditReport:
    """Recompute the chain of a workspace, and account for every row of it.

    Raises:
        NotFound: ``workspace.unknown``.
    """
    found = ledger.audit(workspace)
    return AuditReport(
        ok=not found.breaks,
        workspace=workspace,
        transactions=found.transactions,
        rows=found.rows,
        head=found.head,
        breaks=tuple(_shown(one) for one in found.breaks),
    )


def _shown(one: Break) -> AuditBreak:
    row = ", ".join(f"{name} {value}" for name, value in one.row.items())
    told = messages.render(one.key, {"table": one.table, "row": row})
    return AuditBreak(one.transaction, one.key.removeprefix(_AREA), one.table, one.row, told)
