"""Commands about the standing of an entry: checked, pinned, out of use."""

from damals.app.change_results import Changed
from damals.interfaces.cli import change_views, options
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
