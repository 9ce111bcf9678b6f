"""What a ledger in a file says was erased in it, read without opening it as a home."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final
from uuid import NAMESPACE_OID, UUID, uuid5

from damals.app.erasures_journal import ErasureRecord

_ERASED: Final = """
SELECT w.name, w.created_at, t.number, t.erased_at, t.actor, t.kind, t.target
FROM tombstones t JOIN workspaces w ON w.id = t.workspace_id
WHERE t.kind IN ('entry', 'mark') AND t.salt IS NULL
ORDER BY w.id, t.number, t.target
"""
_BUSY_S: Final = 10.0


def erased_in(ledger: Path) -> Sequence[ErasureRecord]:
    """The erasures of a ledger, one record a transaction; none when it cannot be read.

    A home that is replaced may be damaged, which is why it is: what it still tells is taken, and
    the journal is what counts.
    """
    if not ledger.exists():
        return ()
    try:
        uri = f"{ledger.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=_BUSY_S)) as connection:
            home = connection.execute("SELECT value FROM meta WHERE name = 'home'").fetchone()[0]
            rows = connection.execute(_ERASED).fetchall()
    except (sqlite3.Error, TypeError):
        return ()
    found: dict[tuple[Any, ...], dict[str, list[bytes]]] = {}
    for *of, kind, target in rows:
        found.setdefault(tuple(of), {"entry": [], "mark": []})[kind].append(target)
    return tuple(_record(str(home), of, told) for of, told in found.items())


def _record(home: str, of: tuple[Any, ...], told: dict[str, list[bytes]]) -> ErasureRecord:
    workspace, made, number, erased_at, actor = of
    return ErasureRecord(
        erasure_id=uuid5(NAMESPACE_OID, f"{home} {workspace} {made} {number} {erased_at}"),
        home=home,
        workspace=workspace,
        workspace_made=made,
        kind="entry",
        entries=tuple(UUID(bytes=one) for one in told["entry"]),
        marks=tuple(told["mark"]),
        number=number,
        erased_at=erased_at,
        actor=actor,
    )
