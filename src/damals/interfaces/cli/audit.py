"""Commands that prove that nothing was changed behind damals' back."""

from typing import TYPE_CHECKING, Final

from damals.interfaces.cli.output import Span
from damals.interfaces.cli.registry import command
from damals.interfaces.cli.session import Call, Session
from damals.interfaces.cli.views import BAD, GOOD, STRONG

if TYPE_CHECKING:
    from damals.app.audit_results import AuditReport

BROKEN: Final = 7


@command("audit verify")
def audit_verify(call: Call) -> int:
    """Check the hash chain and every row; exit code 7 when something is not as recorded."""
    with call.open() as memory:
        found = memory.audit()
    call.show(found, _report)
    return 0 if found.ok else BROKEN


def _report(session: Session, result: "AuditReport") -> None:
    """What was checked, what is wrong, and the hash that all of it hangs on."""
    screen, say = session.screen, session.say
    for one in result.breaks:
        mark: Span = ("!!  ", BAD)
        screen.line(mark, (_place(session, one.transaction), STRONG), one.message)
    told = {"workspace": result.workspace, "transactions": result.transactions}
    if result.ok:
        sound: Span = ("ok  ", GOOD)
        screen.line(sound, say("audit.sound", rows=result.rows, **told))
    else:
        screen.line(("!!  ", BAD), say("audit.broken", count=len(result.breaks), **told))
    if result.head:
        screen.line("    ", say("audit.head", head=result.head))


def _place(session: Session, transaction: int | None) -> str:
    if transaction is None:
        return ""
    return session.say("audit.transaction", number=transaction) + " "
