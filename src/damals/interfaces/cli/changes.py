"""Commands that change what is known."""

from damals.app.change_results import Changed, Updated
from damals.interfaces.cli import change_views, options
from damals.interfaces.cli.registry import command
from damals.interfaces.cli.session import Call


@command(
    "remember",
    options.must(options.TITLE),
    options.STDIN,
    options.CONTENT,
    *options.FIELDS,
    options.EXTERNAL_ID,
    options.ON_OVERLAP,
    options.SESSION,
    options.INSIST,
    options.WHY,
    options.IF_TRANSACTION,
)
def remember(call: Call) -> None:
    """A new entry."""
    values = call.with_content()
    with call.open() as memory:
        call.show(Changed.of(memory.remember(**values)), change_views.changed)


@command(
    "update",
    options.ID,
    options.must(options.TITLE),
    options.must(options.CONTENT),
    options.REASON,
    options.RELATION,
    *options.FIELDS,
    options.EXTERNAL_ID,
    options.SESSION,
    options.INSIST,
    options.IF_TRANSACTION,
)
def update(call: Call) -> None:
    """A new entry that takes over from another."""
    values = call.with_content()
    with call.open() as memory:
        call.show(Updated.of(memory.update(**values)), change_views.updated)


@command(
    "correct",
    options.ID,
    options.REASON,
    options.TITLE,
    options.CONTENT,
    *options.FIELDS,
    options.IF_TRANSACTION,
)
def correct(call: Call) -> None:
    """The same entry, recorded wrongly."""
    values = call.with_content()
    with call.open() as memory:
        call.show(Changed.of(memory.correct(**values)), change_views.changed)


@command("end", options.ID, options.AT, options.REASON, options.IF_TRANSACTION)
def end(call: Call) -> None:
    """An entry that holds no longer."""
    with call.open() as memory:
        call.show(Changed.of(memory.end(**call.values)), change_views.changed)


@command("retract", options.ID, options.REASON, options.RESTORE, options.IF_TRANSACTION)
def retract(call: Call) -> None:
    """An entry that was never true."""
    with call.open() as memory:
        call.show(Changed.of(memory.retract(**call.values)), change_views.retracted)


@command("revert", options.NUMBER, options.REASON, options.IF_TRANSACTION)
def revert(call: Call) -> None:
    """A transaction that is taken back."""
    with call.open() as memory:
        call.show(memory.revert(**call.values), change_views.reverted)
