"""A home that is served in this process and asked over HTTP, as programs elsewhere ask it."""

import contextlib
from pathlib import Path

from damals.api import Damals
from damals.app.door import Door
from damals.app.ownership import Owner
from damals.bootstrap import open_home
from damals.interfaces.listening import Listener
from damals.interfaces.rest.app import create_app
from damals.interfaces.rest.options import ServerOptions
from damals.remote.client import RemoteDamals

GENEROUS = ServerOptions(max_body_bytes=1 << 28, max_import_bytes=1 << 28)


class ServedHome:
    """A home and its server."""

    def __init__(self, home: Path | str | None, **options) -> None:
        self.memory = open_home(home, **options)
        self.listener = Listener(
            lambda token: create_app(self.memory, Door(token), GENEROUS), lambda _: True
        )
        self.listener.begin()
        self.listener.ready.wait()
        assert self.listener.running

    def close(self) -> None:
        self.listener.stop()
        self.memory.close()


class Afar(RemoteDamals):
    """A client that ends its server with itself."""

    def __init__(self, served: ServedHome, workspace: str) -> None:
        super().__init__(served.listener.url, served.listener.token, workspace=workspace, here=True)
        self.served = served

    def close(self) -> None:
        super().close()
        self.served.close()


def open_from_afar(
    home: Path | str | None = None, *, workspace: str | None = None, clock=None
) -> Damals:
    """As ``Damals.open``, but every call goes over HTTP."""
    return Afar(ServedHome(home, workspace=workspace, clock=clock), workspace or "default")


@contextlib.contextmanager
def announced(home: Path):
    """An owner that listens and says so in the lock file."""
    served = ServedHome(home)
    served.memory.opened.parts.home.hold(create=True)
    lock = served.memory.opened.parts.home.lock
    try:
        assert lock.announce(Owner(served.listener.url, served.listener.token))
        yield served
    finally:
        served.close()
