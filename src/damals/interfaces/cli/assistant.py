"""The command that serves an assistant."""

from damals.interfaces.cli.registry import command
from damals.interfaces.cli.session import Call


@command("mcp")
def mcp(call: Call) -> None:
    """Speak the Model Context Protocol over standard input and output until they are closed.

    Nothing is opened before the first request that needs it, and a missing home is made by the
    first write.
    """
    from damals.interfaces.mcp.wire import held  # noqa: PLC0415 -- a command pays for what it uses

    with held() as wire:
        # Behind the wire: whatever the SDK prints while it is loaded goes to standard error.
        from damals.interfaces.mcp.local import converse  # noqa: PLC0415 -- see above

        with call.open(brief=False) as memory:
            converse(memory, call.session.lang, wire)
