"""Homes with something in them, and a server that answers over HTTP."""

import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from mcp_speaking import QUIET, fill

from damals.api import Damals
from damals.bootstrap import open_home


@dataclass(frozen=True)
class Filled:
    """A home, and the ids of three entries in it: two contradict each other, one stands alone."""

    path: Path
    first: str
    second: str
    third: str


@pytest.fixture
def filled(tmp_path: Path) -> Filled:
    """A home that nobody holds."""
    home = tmp_path / "home"
    with open_home(home, **QUIET) as memory:
        return Filled(home, *fill(memory))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Damals]:
    """An open, empty memory."""
    with open_home(tmp_path / "memory", **QUIET) as opened:
        yield opened


@dataclass(frozen=True)
class Served:
    """A server: where it answers, the owner's secret, and the memory behind it."""

    url: str
    token: str
    memory: Damals
    ids: tuple[str, str, str]

    @property
    def mcp(self) -> str:
        return f"{self.url}/mcp"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """The app of a home on a free port of this machine."""
    import uvicorn  # noqa: PLC0415 -- heavy, and only these tests need it

    from damals.app.door import Door  # noqa: PLC0415 -- as above
    from damals.interfaces.mcp.http import add_mcp  # noqa: PLC0415 -- as above
    from damals.interfaces.rest.app import create_app  # noqa: PLC0415 -- as above

    token = "owner-" + "t" * 40
    with open_home(tmp_path / "served", **QUIET) as opened:
        ids = fill(opened)
        app = create_app(opened, Door(token))
        if not any(getattr(route, "path", "") == "/mcp" for route in app.routes):
            add_mcp(app)
        listener = socket.create_server(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="on"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        try:
            port = listener.getsockname()[1]
            yield Served(f"http://127.0.0.1:{port}", token, opened, ids)
        finally:
            server.should_exit = True
            thread.join()
            listener.close()
