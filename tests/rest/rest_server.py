"""A real home, served by a real server on a free port of this machine."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import uvicorn
from fastapi import FastAPI

from damals.app.door import Door
from damals.bootstrap import open_home
from damals.interfaces.rest.app import create_app
from damals.interfaces.rest.options import ServerOptions
from damals.local import LocalDamals

TOKEN = "token-of-the-owner"  # noqa: S105 -- opens nothing but the homes of tests


@dataclass
class Served:
    """A home that is served."""

    home: LocalDamals
    url: str
    app: FastAPI
    clients: list[httpx2.Client] = field(default_factory=list)

    def client(self, secret: str | None = TOKEN, workspace: str | None = None) -> httpx2.Client:
        """A client; its paths begin behind ``/v1`` or in a workspace."""
        headers = {} if secret is None else {"Authorization": f"Bearer {secret}"}
        below = "" if workspace is None else f"/workspaces/{workspace}"
        made = httpx2.Client(base_url=f"{self.url}/v1{below}", headers=headers, timeout=30)
        self.clients.append(made)
        return made

    def key(self, name: str, *roles: str, **fields) -> str:
        """The secret of a new key."""
        return self.home.create_key(name, roles=roles or ("reader",), **fields).secret


def serve(folder: Path, door: Door, options: ServerOptions | None = None) -> Iterator[Served]:
    home = open_home(folder, embedder="none", timezone="Europe/Berlin", brief=True)
    assert isinstance(home, LocalDamals)
    app = create_app(home, door, options)
    config = uvicorn.Config(app, port=0, log_config=None, lifespan="on", access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    served = Served(home, f"http://127.0.0.1:{port}", app)
    yield served
    for client in served.clients:
        client.close()
    server.should_exit = True
    thread.join(20)
    assert not thread.is_alive()
    home.close()
