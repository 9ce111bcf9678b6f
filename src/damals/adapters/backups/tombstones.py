"""What the ledger of a home that is replaced says was erased, read without opening it as a home."""

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final
from uuid import NAMESPACE_OID, UUID, uuid5

from damals.adapters.backups.postgres_dump import Server
from damals.app.erasing.model import ENTRY, PERSON, SOURCE, WORKSPACE
from damals.app.erasures_journal import ErasureRecord
from damals.domain.errors import DamalsError

_HOME: Final = "SELECT value FROM meta WHERE name = 'home'"
_ERASED: Final = """
SELECT w.name, w.created_at, t.number, t.erased_at, t.actor, t.kind, t.target, t.salt
FROM tombstones t LEFT JOIN workspaces w ON w.id = t.workspace_id
ORDER BY t.id
"""
_MARK: Final = "mark"
_ENTRIES: Final = frozenset({ENTRY, "barred"})
_WHOLE: Final = frozenset({SOURCE, PERSON, WORKSPACE})
_BUSY_S: Final = 10.0


def erased_in(ledger: Path) -> Sequence[ErasureRecord]:
    """The erasures of a ledger in a file, one record a transaction; none when it cannot be read.

    A home that is replaced may be damaged, which is why it is: what it still tells is taken, and
    the journal is what counts.
    """
    if not ledger.exists():
        return ()
    try:
        uri = f"{ledger.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=_BUSY_S)) as connection:
            home = connection.execute(_HOME).fetchone()[0]
            return _records(str(home), connection.execute(_ERASED).fetchall())
    except (sqlite3.Error, TypeError):
        return ()


def erased_on(url: str) -> Sequence[ErasureRecord]:
    """The same of a ledger on a server."""
    try:
        with Server(url).connected() as connection:
            home = connection.execute(_HOME).fetchone()[0]
            return _records(str(home), connection.execute(_ERASED).fetchall())
    except (DamalsError, TypeError):
        return ()


def _records(home: str, rows: Iterable[Sequence[Any]]) -> tuple[ErasureRecord, ...]:
    found: dict[tuple[Any, ...], list[Sequence[Any]]] = {}
    for *of, kind, target, salt in rows:
        # Two of a kind that is told by its name are two erasures.
        alone = (kind, bytes(target)) if kind == WORKSPACE else ()
        found.setdefault((*of, *alone), []).append((kind, bytes(target), salt))
    return tuple(_record(home, of[:5], told) for of, told in found.items())


def _record(home: str, of: tuple[Any, ...], told: Sequence[Sequence[Any]]) -> ErasureRecord:
    workspace, made, number, erased_at, actor = of
    named = next(((kind, target, salt) for kind, target, salt in told if kind in _WHOLE), None)
    kind, target, salt = named or (ENTRY, None, None)
    return ErasureRecord(
        erasure_id=uuid5(NAMESPACE_OID, f"{home} {workspace} {made} {number} {erased_at} {kind}"),
        home=home,
        workspace=workspace or "",
        workspace_made=made or 0,
        kind=kind,
        entries=tuple(UUID(bytes=one) for what, one, _ in told if what in _ENTRIES),
        marks=tuple(one for what, one, _ in told if what == _MARK),
        number=number or 0,
        erased_at=erased_at,
        actor=actor,
        target=target,
        salt=None if salt is None else bytes(salt),
    )
