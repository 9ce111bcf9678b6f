"""The command that serves a home to others."""

import sys
from typing import Final

from damals.interfaces.cli import options
from damals.interfaces.cli.interrupts import interrupted
from damals.interfaces.cli.output import print_json, put, standard_output
from damals.interfaces.cli.registry import command
from damals.interfaces.cli.session import Call

CHECK_S: Final = 1.0
"""How often the server is looked after; an interrupt is noticed at once."""

SERVER_DIED: Final = 1


@command("serve", options.HOST, options.PORT, options.ROOTS)
def serve(call: Call) -> int:
    """Serve the home until interrupted."""
    from damals.opening import served  # noqa: PLC0415 -- wiring is loaded when needed

    session = call.session
    home, workspace = session.options.home, session.options.workspace
    with (
        interrupted() as stop,
        served(home, workspace=workspace, **call.values) as server,
    ):
        shown = str(session.settings().settings.home)
        if session.options.json:
            print_json({"home": shown, "url": server.url})
            standard_output().flush()
        put(session.say("serve.listening", home=shown, url=server.url), sys.stderr)
        if server.unguarded:
            put(session.say("serve.unguarded"), sys.stderr)
        sys.stderr.flush()
        while not stop.wait(CHECK_S):
            if not server.listener.running:
                return SERVER_DIED
    return 0
