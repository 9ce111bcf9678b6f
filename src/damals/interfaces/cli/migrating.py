"""The command that moves a home to a server."""

from typing import Final

from damals.app.migrating.model import Migration
from damals.interfaces.cli import options
from damals.interfaces.cli.output import Span
from damals.interfaces.cli.progress import reporting
from damals.interfaces.cli.registry import command
from damals.interfaces.cli.session import Call, Session
from damals.interfaces.cli.views import BAD, GOOD, STRONG, WARN

MEBIBYTE: Final = 1 << 20


@command("migrate", options.LEDGER, options.QDRANT, options.SAMPLE, options.DRY_RUN)
def migrate(call: Call) -> None:
    """A ledger on a server, and the home that uses it."""
    from damals.app.migrating.run import Wanted  # noqa: PLC0415 -- wiring is loaded when needed
    from damals.bootstrap.migrating import migrate_home  # noqa: PLC0415 -- as above

    wanted = Wanted(**call.without("ledger", "qdrant"))
    with reporting(call.session) as listen:
        done = migrate_home(
            call.session.options.home,
            ledger=call.values.get("ledger"),
            qdrant=call.values.get("qdrant"),
            wanted=wanted,
            listen=listen,
        )
    call.show(done, _shown)


def _shown(session: Session, result: Migration) -> None:
    if result.state == "planned":
        _planned(session, result)
    else:
        _done(session, result)


def _planned(session: Session, result: Migration) -> None:
    """What would be done."""
    screen, say = session.screen, session.say
    if result.ledger:
        told = {"rows": result.rows, "size": max(1, round(result.bytes / MEBIBYTE))}
        screen.line((say("migrate.would", ledger=result.ledger, **told), STRONG))
    for table in result.tables:
        if table.rows:
            screen.line(f"  {table.name:<20} {table.rows}")
    if result.copied_before:
        screen.line(say("migrate.goes_on", rows=result.copied_before))
    whole, held = round(result.estimate_s), round(result.held_s)
    screen.line(say("migrate.takes", seconds=whole, held=held))
    for problem in result.missing:
        mark: Span = ("!!  ", BAD)
        screen.line(mark, problem)
    if result.ready:
        fine: Span = ("ok  ", GOOD)
        screen.line(fine, say("migrate.ready"))


def _done(session: Session, result: Migration) -> None:
    """What was done and compared, and what is left to do."""
    screen, say = session.screen, session.say
    fine: Span = ("ok  ", GOOD)
    if result.tables:
        tables = len(result.tables)
        screen.line(fine, say("migrate.equal", rows=result.rows, tables=tables))
    for chain in result.chains:
        told = {"workspace": chain.workspace, "transactions": chain.transactions}
        screen.line(fine, say("migrate.chain", head=chain.head, **told))
    if result.recalls is not None:
        asked = {"asked": result.recalls.asked, "equal": result.recalls.equal}
        screen.line(fine, say("migrate.recalls", **asked))
    if result.index is not None:
        key = "migrate.index_kept" if result.index.kept else "migrate.index_filled"
        screen.line(fine, say(key, location=result.index.location))
    switched = result.switched
    if switched is None:
        return
    screen.line((say("migrate.switched", config=switched.config), STRONG))
    if switched.password_in_config:
        screen.line((say("migrate.password", config=switched.config), WARN))
    if switched.old_ledger is not None:
        screen.line(say("migrate.old", path=switched.old_ledger))
