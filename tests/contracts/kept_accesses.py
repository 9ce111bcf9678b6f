"""Accesses that a ledger keeps, as no part of the program asks for them: how many there are."""

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import func, select

from damals.adapters.memory.ledger import MemoryLedger
from damals.adapters.sql.ledger import SqlLedger
from damals.adapters.sql.reserved import accesses
from damals.adapters.sql.schema import workspaces
from damals.app.ledger_port import Ledger


def kept(ledger: Ledger, workspace: str, entry_ids: Collection[UUID]) -> int:
    """How many accesses of some entries are kept."""
    if isinstance(ledger, MemoryLedger):
        noted = ledger._spaces[workspace].accesses  # noqa: SLF001 -- no other window
        return sum(not set(one.entries).isdisjoint(entry_ids) for one in noted)
    assert isinstance(ledger, SqlLedger)
    number = select(workspaces.c.id).where(workspaces.c.name == workspace).scalar_subquery()
    query = select(func.count()).where(
        accesses.c.workspace_id == number,
        accesses.c.entry_id.in_([one.bytes for one in entry_ids]),
    )
    with ledger._database.reading() as connection:  # noqa: SLF001 -- no other window
        return connection.execute(query).scalar_one()
