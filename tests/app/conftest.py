"""A vault to import, for the tests of this folder."""

from pathlib import Path

import pytest
from imported_vault import Vault


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path / "vault")
