"""The ledger's own tests write through the same driver as its contract."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "contracts"))

from ledger_driver import CREATED, Driver, remember, update

from damals.adapters.sql.ledger import SqlLedger
from damals.domain.operations import Correct, Retract


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


@pytest.fixture
def driver(path: Path) -> Iterator[Driver]:
    ledger = SqlLedger(path)
    ledger.create_workspace("w", "UTC", CREATED)
    yield Driver(ledger)
    ledger.close()


@pytest.fixture
def lived(driver: Driver) -> Driver:
    """A ledger in which something of everything happened."""
    driver.do("2024-01-10", remember("a", key="k", tags=["x/y"], acl=["bob"]), reason="because")
    driver.do("2024-01-11", remember("b", "2024-02-01", key="k", on_overlap="replace"))
    driver.do("2024-01-12", update("c", "b", valid_from="2024-03-01", valid_to="2024-04-01"))
    driver.do("2024-01-13", Correct("c", {"content": "corrected"}), reason="typo")
    driver.do("2024-01-14", Retract("a"))
    return driver
