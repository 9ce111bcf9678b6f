"""What all tests share: where real data lies, servers, and how thorough a run is."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from damals import messages
from damals.domain.errors import DamalsError
from postgres_server import GIVEN, Cluster, NotInstalled, PostgresServer, private_cluster

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("DAMALS_DATA", ROOT.parent / "shared" / "data"))
NIGHTLY = os.environ.get("DAMALS_TEST_PROFILE") == "nightly"
NO_POSTGRES = (
    "NOT RUN: nothing was tested on PostgreSQL, which is not installed here"
    f" (apt install postgresql, or set {GIVEN}=postgresql://…)"
)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data; tests on it are skipped, loudly, where it is missing."""
    if not DATA.is_dir():
        pytest.skip(f"no real data: {DATA} is missing (set DAMALS_DATA)")
    return DATA


PASSED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    item.stash[PASSED] = item.stash.get(PASSED, True) and report.passed
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item):
    """A folder goes with its test, unless that failed: thousands of homes would fill a disk.

    Not by pytest's own setting, which removes it while what the test patched still stands.
    """
    yield
    folder = getattr(item, "funcargs", {}).get("tmp_path")
    if folder is not None and item.stash.get(PASSED, False):
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(autouse=True)
def _plain_errors(monkeypatch):
    """Errors read as their keys, and texts in English, whatever a test before has chosen."""
    monkeypatch.setattr(DamalsError, "renderer", None)
    messages.speak(messages.FALLBACK)


@pytest.fixture(scope="session")
def postgres_cluster() -> Iterator[Cluster]:
    """A private PostgreSQL cluster, one a test process, for tests that know all about it."""
    if os.environ.get(GIVEN):
        pytest.skip(f"NOT RUN: it stops the server or logs in wrongly, and {GIVEN} is not ours")
    try:
        with private_cluster() as cluster:
            yield cluster
    except NotInstalled:
        pytest.skip(NO_POSTGRES)


@pytest.fixture(scope="session")
def postgres(request: pytest.FixtureRequest) -> Iterator[PostgresServer]:
    """A PostgreSQL server: the given one, or a private cluster."""
    given = os.environ.get(GIVEN)
    server = PostgresServer(given or request.getfixturevalue("postgres_cluster").url)
    yield server
    server.close()


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> str:
    """The address of a database with an empty ledger."""
    return postgres.ledger()


@pytest.fixture
def blank_postgres_url(postgres: PostgresServer) -> Iterator[str]:
    """The address of a database with nothing in it."""
    url = postgres.blank()
    yield url
    postgres.drop(url)
