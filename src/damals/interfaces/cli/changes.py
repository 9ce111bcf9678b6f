"""Commands that change what is known."""

from damals.app.results import Changed, Updated
from damals.interfaces.cli import options, views
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
    options.WHY,
)
def remember(call: Call) -> None:
    """A new entry."""
    values = call.with_content()
    with call.open() as memory:
        call.show(Changed.of(memory.remember(**values)), views.changed)


@command(
    "update",
    options.ID,
    options.must(options.TITLE),
    options.must(options.CONTENT),
    options.REASON,
    options.RELATION,
    *options.FIELDS,
    options.EXTERNAL_ID,
    options.IF_TRANSACTION,
)
def update(call: Call) -> None:
    """A new entry that takes over from another."""
    values = call.with_content()
    with call.open() as memory:
        call.show(Updated.of(memory.update(**values)), views.updated)


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
        call.show(Changed.of(memory.correct(**values)), views.changed)


@command("end", options.ID, options.AT, options.REASON, options.IF_TRANSACTION)
def end(call: Call) -> None:
    """An entry that holds no longer."""
    with call.open() as memory:
        call.show(Changed.of(memory.end(**call.values)), views.changed)


@command("retract", options.ID, options.REASON, options.IF_TRANSACTION)
def retract(call: Call) -> None:
    """An entry that was never true."""
    with call.open() as memory:
        call.show(Changed.of(memory.retract(**call.values)), views.changed)
