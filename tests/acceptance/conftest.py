"""What acceptance tests share: an empty home, searched by words alone.

Tests of the modules in ``FROM_AFAR`` run twice: on a home of this process, and over HTTP.
"""

import os

import pytest

from afar import open_from_afar
from damals import Damals
from damals.bootstrap import init_home

FROM_AFAR = {"test_time_cases", "test_operations"}
if os.environ.get("DAMALS_TEST_PROFILE") == "nightly":
    FROM_AFAR |= {"test_relations", "test_imprecise_dates", "test_diff"}


def pytest_generate_tests(metafunc):
    if metafunc.module.__name__ in FROM_AFAR:
        metafunc.parametrize("where", ["here", "afar"], indirect=True)


@pytest.fixture(autouse=True)
def where(request, monkeypatch) -> str:
    place = getattr(request, "param", "here")
    if place == "afar":
        monkeypatch.setattr(Damals, "open", open_from_afar)
    return place


@pytest.fixture
def memory(tmp_path, monkeypatch):
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    init_home(tmp_path / "home", timezone="UTC")
    with Damals.open(tmp_path / "home") as opened:
        yield opened
