"""The command that erases, and how it looks."""

import sys
from collections.abc import Iterator, Mapping
from typing import Final, cast

from damals.app.change_results import ERASABLE, Certificate, Erased
from damals.app.errors import InvalidInput
from damals.interfaces.cli import options
from damals.interfaces.cli.output import clean_line, is_terminal
from damals.interfaces.cli.registry import command
from damals.interfaces.cli.session import Call, Session
from damals.interfaces.cli.views import FAINT, GOOD, WARN

_NAMED: Final = {
    "links": "cli.erased_link",
    "former": "cli.erased_former",
    "homes": "cli.erased_home",
}
"""What a certificate names as not reached, and how it is said."""
_MOST_SHOWN: Final = 10


@command("erase", options.KIND, options.ID, options.WHY, options.YES, options.IF_TRANSACTION)
def erase(call: Call) -> None:
    """What is removed for good, and the certificate of it."""
    if call.values["kind"] in ERASABLE and not call.values.get("yes"):
        _confirm(call)
    with call.open() as memory:
        call.show(memory.erase(**call.without("yes")), erased)


def _confirm(call: Call) -> None:
    """Ask whoever sits at the terminal; the home is not held meanwhile.

    Raises:
        InvalidInput: ``cli.erase_unconfirmed`` when nobody can be asked or the answer is not yes.
    """
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        raise InvalidInput("cli.erase_unconfirmed")
    kind, named = call.values["kind"], call.values["id"]
    if kind in ("entry", "person"):
        with call.open() as memory:
            entry = memory.get(named)
        asked = call.session.say("cli.erase_ask", title=clean_line(entry.title), id=entry.id)
    else:
        asked = call.session.say(f"cli.erase_ask_{kind}", name=clean_line(named))
    sys.stderr.write(f"{asked} ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().casefold() not in call.session.say("cli.yes_words").split():
        raise InvalidInput("cli.erase_unconfirmed")


def erased(session: Session, result: Erased) -> None:
    """What is left of what was erased, and where it was looked for."""
    for one in result.erased[:_MOST_SHOWN]:
        session.screen.line((session.say("cli.erased", id=one), GOOD))
    if len(result.erased) > _MOST_SHOWN:
        more = len(result.erased) - _MOST_SHOWN
        session.screen.line("  ", session.say("cli.erased_more", count=more))
    session.screen.line("  ", session.say("cli.transaction_n", number=result.transaction))
    _certificate(session, result.certificate)


def _certificate(session: Session, found: Certificate) -> None:
    counts = {"entries": 0, "versions": 0, "texts": 0, "receipts": 0, "vectors": 0}
    session.screen.line("  ", session.say("cli.erased_what", **counts | dict(found.removed)))
    if found.shared:
        session.screen.line("  ", session.say("cli.erased_shared", count=found.shared))
    _proof(session, found)
    for path in found.backups:
        session.screen.line("  ", (session.say("cli.erased_backup", path=path), WARN))
    for path in found.exports:
        session.screen.line("  ", (session.say("cli.erased_export", path=path), WARN))
    for one in found.mentions:
        said = session.say("cli.erased_mention", title=clean_line(one.title), id=one.id)
        session.screen.line("  ", said)
        session.screen.line("    ", one.repair)


def _proof(session: Session, found: Certificate) -> None:
    if found.residue is None:
        session.screen.line("  ", (session.say("cli.erased_pending"), WARN))
        return
    unsearched = cast("Mapping[str, object]", found.unsearched or {})
    said = {"files": len(found.searched), "short": unsearched.get("short", 0)}
    residue = cast("list[Mapping[str, object]]", found.residue)
    if not residue:
        session.screen.line("  ", (session.say("cli.erased_nowhere", **said), GOOD))
    for one in residue:
        session.screen.line("  ", (session.say("cli.erased_residue", file=one["file"]), WARN))
    for told in _not_reached(session, unsearched):
        session.screen.line("  ", (told, WARN))
    if "ledger" in unsearched:
        session.screen.line("  ", (session.say("cli.erased_server"), FAINT))


def _not_reached(session: Session, unsearched: Mapping[str, object]) -> Iterator[str]:
    """What was not searched although it may hold something of it."""
    unread = cast("list[Mapping[str, object]]", unsearched.get("unreadable") or [])
    for one in unread:
        yield session.say("cli.erased_unread", file=one["file"], reason=one["reason"])
    for name, key in _NAMED.items():
        for one in cast("list[str]", unsearched.get(name) or []):
            yield session.say(key, name=one)
