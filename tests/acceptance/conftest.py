"""What acceptance tests share: an empty home, searched by words alone."""

import pytest

from damals import Damals
from damals.bootstrap import init_home


@pytest.fixture
def memory(tmp_path, monkeypatch):
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    init_home(tmp_path / "home", timezone="UTC")
    with Damals.open(tmp_path / "home") as opened:
        yield opened
