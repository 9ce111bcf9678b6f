"""An assistant on this machine: one conversation over standard input and output."""

from uuid import uuid4

from damals.api import Damals
from damals.interfaces.mcp.caller import Caller
from damals.interfaces.mcp.server import Context, build, client_name
from damals.interfaces.mcp.stdio import serve
from damals.interfaces.mcp.wire import Wire


def converse(memory: Damals, lang: str, wire: Wire) -> None:
    """Serve the assistant at the other end of the wire until it leaves."""
    session = str(uuid4())

    def identify(context: Context) -> Caller:
        return Caller(memory, lang, client_name(context), session)

    serve(build(identify, lang), wire)
