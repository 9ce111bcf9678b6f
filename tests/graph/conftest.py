"""A memory for every test of relations and what follows from them."""

import pytest

from damals.bootstrap import init_home, open_home


@pytest.fixture
def memory(tmp_path, monkeypatch):
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    init_home(tmp_path / "home", timezone="Europe/Berlin")
    with open_home(tmp_path / "home") as opened:
        yield opened
