"""The command that serves a home to others."""

import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from damals.interfaces.cli import options
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
        _interrupted() as interrupted,
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
        while not interrupted.wait(CHECK_S):
            if not server.listener.running:
                return SERVER_DIED
    return 0


@contextmanager
def _interrupted() -> Generator[threading.Event]:
    """An event that SIGINT and SIGTERM set, the first time: whoever insists is obeyed at once."""
    event = threading.Event()
    kinds = (signal.SIGINT, signal.SIGTERM)
    before = {kind: signal.getsignal(kind) for kind in kinds}

    def interrupt(number: int, frame: object) -> None:
        del number, frame
        for kind in kinds:
            signal.signal(kind, signal.SIG_DFL)
        event.set()

    try:
        for kind in kinds:
            signal.signal(kind, interrupt)
        yield event
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
