"""Commands about the standing of an entry: checked, pinned, out of use, erased."""

import sys

from damals.app.change_results import ERASABLE, Changed
from damals.app.errors import InvalidInput
from damals.interfaces.cli import change_views, options
from damals.interfaces.cli.output import clean_line, is_terminal
from damals.interfaces.cli.registry import command
from damals.interfaces.cli.session import Call


@command(
    "verify",
    options.ID,
    options.SCORE,
    options.EVIDENCE,
    options.WHY,
    options.IF_TRANSACTION,
)
def verify(call: Call) -> None:
    """An entry that was checked."""
    with call.open() as memory:
        call.show(Changed.of(memory.verify(**call.values)), change_views.verified)


@command("pin", options.ID, options.WHY, options.IF_TRANSACTION)
def pin(call: Call) -> None:
    """An entry that does not decay."""
    with call.open() as memory:
        call.show(Changed.of(memory.pin(**call.values)), change_views.pinned)


@command("unpin", options.ID, options.WHY, options.IF_TRANSACTION)
def unpin(call: Call) -> None:
    """An entry that decays again."""
    with call.open() as memory:
        call.show(Changed.of(memory.unpin(**call.values)), change_views.unpinned)


@command("archive", options.ID, options.REASON, options.IF_TRANSACTION)
def archive(call: Call) -> None:
    """An entry that is out of use."""
    with call.open() as memory:
        call.show(Changed.of(memory.archive(**call.values)), change_views.archived)


@command("erase", options.KIND, options.ID, options.WHY, options.YES, options.IF_TRANSACTION)
def erase(call: Call) -> None:
    """An entry of which only a tombstone is left."""
    if call.values["kind"] in ERASABLE and not call.values.get("yes"):
        _confirm(call)
    with call.open() as memory:
        call.show(memory.erase(**call.without("yes")), change_views.erased)


def _confirm(call: Call) -> None:
    """Ask whoever sits at the terminal; the home is not held meanwhile.

    Raises:
        InvalidInput: ``cli.erase_unconfirmed`` when nobody can be asked or the answer is not yes.
    """
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        raise InvalidInput("cli.erase_unconfirmed")
    with call.open() as memory:
        entry = memory.get(call.values["id"])
    asked = call.session.say("cli.erase_ask", title=clean_line(entry.title), id=entry.id)
    sys.stderr.write(f"{asked} ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().casefold() not in call.session.say("cli.yes_words").split():
        raise InvalidInput("cli.erase_unconfirmed")
