"""A ledger in which everything happened, to be tampered with from outside."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ledger_driver import CREATED, Driver, id_of, remember, update

from damals.adapters.sql.ledger import SqlLedger
from damals.app.ledger_model import Audit
from damals.domain.operations import Correct, Retract


def busy(path: Path) -> None:
    """Every operation, in two workspaces."""
    ledger = SqlLedger(path)
    for name in ("w", "other"):
        ledger.create_workspace(name, "UTC", CREATED)
    driver = Driver(ledger)
    driver.do("2024-01-10", remember("a", key="k", tags=["x/y"], acl=["bob"]), reason="because")
    driver.do("2024-01-11", remember("b", "2024-02", key="k", on_overlap="replace"))
    Driver(ledger, "other").do("2024-01-11", remember("a"), remember("z"))
    driver.do("2024-01-12", update("c", "b", valid_from="2024-03-01", valid_to="2024-04-01"))
    driver.do("2024-01-13", Correct("c", {"content": "corrected", "tags": ("t",)}), reason="typo")
    said = [{"type": "extends", "dst": "a", "confidence": 0.5}]
    driver.do("2024-01-14", remember("d", relations=said), remember("e"), remember("f"))
    driver.do("2024-01-15", {"op": "contradict", "a": "e", "b": "d"})
    driver.do("2024-01-16", {"op": "verify", "target": "e", "evidence": "A letter."})
    driver.do("2024-01-17", {"op": "archive", "target": "f", "reason": "out of use"})
    driver.do("2024-01-18", {"op": "resolve", "a": "e", "b": "d", "keep": "both"})
    driver.do("2024-01-19", {"op": "revert", "transaction": 7})
    given = (derived("d", "c", "f", "a"), derived("f", "c"))
    driver.do(
        "2024-01-20", {"op": "verify", "target": "d"}, {"op": "archive", "target": "d"}, *given
    )
    driver.do("2024-01-21", Retract("a"), remember("g", acl=["carol"]))
    driver.do("2024-01-22", {"op": "erase", "target": "g", "reason": "asked to"})
    driver.do("2024-01-23", remember("h"), {"op": "pin", "target": "c"})
    ledger.close()


def derived(dst: str, *premises: str) -> dict[str, object]:
    """That an entry was found to be a part of another one, by what lies between."""
    start = "2024-01-01T00:00:00Z"
    bound = {"kind": "exact", "earliest": start, "latest": start}
    needs = [str(id_of(one)) for one in premises]
    part = {"from": bound, "to": {"kind": "open"}, "premises": needs}
    said = {"op": "derive", "src": "e", "type": "part_of", "dst": dst, "rule": "closure"}
    return said | {"parts": [part]}


@contextmanager
def tampered(path: Path) -> Iterator[sqlite3.Connection]:
    """The file, as somebody with a SQL shell has it who obeys no constraint."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA ignore_check_constraints=ON")
        yield connection


def audit_of(path: Path, workspace: str = "w") -> Audit:
    ledger = SqlLedger(path)
    try:
        return ledger.audit(workspace)
    finally:
        ledger.close()


def copied(original: Path, place: Path) -> Path:
    return Path(shutil.copy(original, place))
