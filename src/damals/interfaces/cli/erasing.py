"""The commands that erase and that tell of erasures, and how they look."""

import sys
from collections.abc import Iterator, Mapping
from typing import Final, cast

from damals.app.change_results import ERASABLE, Certificate, Erased
from damals.app.erasing.results import ErasureList
from damals.app.errors import InvalidInput
from damals.interfaces.cli import options
from damals.interfaces.cli.output import clean_line, is_terminal
from damals.interfaces.cli.registry import command
from damals.interfaces.cli.session import Call, Session
from damals.interfaces.cli.times import local
from damals.interfaces.cli.views import BAD, FAINT, GOOD, WARN

_NAMED: Final = {
    "links": "cli.erased_link",
    "former": "cli.erased_former",
    "moving": "cli.erased_moving",
    "homes": "cli.erased_home",
}
"""What a certificate names as not reached, and how it is said."""
_MOST_SHOWN: Final = 10
LEFT: Final = 7
"""Exit code when erased bytes were found: what is stored is not as it should be."""
_HEAD: Final = ("id", "kind", "workspace", "erased_at", "actor", "finished_at", "residue")


@command("erase", options.KIND, options.ID, options.WHY, options.YES, options.IF_TRANSACTION)
def erase(call: Call) -> int:
    """What is removed for good, and the certificate of it; exit code 7 when some of it is left."""
    if call.values["kind"] in ERASABLE and not call.values.get("yes"):
        _confirm(call)
    with call.open() as memory:
        told = memory.erase(**call.without("yes"))
    call.show(told, erased)
    return _exit_code(told.certificate)


@command("erasures", options.ENTRY_ARGUMENT)
def erasures(call: Call) -> int:
    """What was erased, or the certificate of one erasure, with the exit code it had."""
    named = call.values.get("id")
    with call.open() as memory:
        if named is None:
            call.show(ErasureList(tuple(memory.erasures())), _listed)
            return 0
        told = memory.certificate(named)
    call.show(told, erased)
    return _exit_code(told.certificate)


def _exit_code(found: Certificate) -> int:
    """Done means that nothing of it was found."""
    return LEFT if found.gone is False else 0


def _listed(session: Session, told: ErasureList) -> None:
    """One line an erasure."""
    zone = session.settings().settings.timezone
    head = [session.say(f"cli.erasures.{name}") for name in _HEAD]
    rows = [
        [
            *(one.id, one.kind, one.workspace or "", local(one.erased_at, zone), one.actor or ""),
            *(local(one.finished_at, zone) or session.say("cli.erasures.unfinished"),),
            "" if one.residue is None else str(one.residue),
        ]
        for one in told.erasures
    ]
    if rows:
        session.screen.table(head, rows)
    else:
        session.screen.line(session.say("cli.erasures.none"))


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
    if result.certificate.id is not None:
        session.screen.line("  ", session.say("cli.erased_id", id=result.certificate.id))


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
        key = "cli.erased_pending" if found.id is None else "cli.erased_going_on"
        session.screen.line("  ", (session.say(key), WARN))
        return
    unsearched = cast("Mapping[str, object]", found.unsearched or {})
    said = {"files": len(found.searched), "short": unsearched.get("short", 0)}
    residue = cast("list[Mapping[str, object]]", found.residue)
    if not residue:
        session.screen.line("  ", (session.say("cli.erased_nowhere", **said), GOOD))
    for one in residue:
        session.screen.line("  ", (session.say("cli.erased_residue", file=one["file"]), BAD))
    if residue:
        session.screen.line("  ", (session.say("cli.erased_left"), BAD))
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
