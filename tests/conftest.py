"""What all tests share: where real data lies, and how thorough a run is."""

import os
from pathlib import Path

import pytest

from damals import messages
from damals.domain.errors import DamalsError

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("DAMALS_DATA", ROOT.parent / "shared" / "data"))
NIGHTLY = os.environ.get("DAMALS_TEST_PROFILE") == "nightly"


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data; tests on it are skipped, loudly, where it is missing."""
    if not DATA.is_dir():
        pytest.skip(f"no real data: {DATA} is missing (set DAMALS_DATA)")
    return DATA


@pytest.fixture(autouse=True)
def _plain_errors(monkeypatch):
    """Errors read as their keys, and texts in English, whatever a test before has chosen."""
    monkeypatch.setattr(DamalsError, "renderer", None)
    messages.speak(messages.FALLBACK)
