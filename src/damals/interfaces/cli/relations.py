"""Commands about relations between entries, and about contradictions."""

from damals.interfaces.cli import change_views, options
from damals.interfaces.cli.registry import command
from damals.interfaces.cli.session import Call


@command(
    "relate",
    options.SRC,
    options.RELATION_TYPE,
    options.DST,
    options.CONFIDENCE,
    options.CHUNKS,
    options.VALID_FROM,
    options.VALID_TO,
    options.WHY,
    options.IF_TRANSACTION,
)
def relate(call: Call) -> None:
    """A relation between two entries."""
    with call.open() as memory:
        call.show(memory.relate(**call.values), change_views.related)


@command(
    "unrelate",
    options.SRC,
    options.RELATION_TYPE,
    options.DST,
    options.WHY,
    options.IF_TRANSACTION,
)
def unrelate(call: Call) -> None:
    """A relation that does not stand any more."""
    with call.open() as memory:
        call.show(memory.unrelate(**call.values), change_views.unrelated)


@command("contradict", options.A, options.B, options.REASON, options.IF_TRANSACTION)
def contradict(call: Call) -> None:
    """Two entries that cannot both be right."""
    with call.open() as memory:
        call.show(memory.contradict(**call.values), change_views.contradicted)


@command(
    "resolve",
    options.A,
    options.B,
    options.KEEP_SIDE,
    options.REASON,
    options.IF_TRANSACTION,
)
def resolve(call: Call) -> None:
    """A contradiction, decided."""
    with call.open() as memory:
        call.show(memory.resolve(**call.values), change_views.resolved)
