"""A real home, served by a real server on a free port of this machine."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from rest_server import TOKEN, Served, serve

from damals.app.door import Door
from damals.interfaces.rest.options import ServerOptions


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """An empty home that knows its owner by a token."""
    yield from serve(tmp_path / "home", Door(TOKEN), ServerOptions(roots=(tmp_path / "in",)))


@pytest.fixture
def api(served: Served) -> httpx2.Client:
    """The owner's client in the workspace ``default``."""
    return served.client(workspace="default")
