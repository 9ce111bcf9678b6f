"""Erasing again, in a home that was restored from a backup made before."""

from collections.abc import Sequence

from damals.app.erasures_journal import ErasureRecord
from damals.domain.errors import NotFound
from damals.domain.instants import instant_of
from damals.local import LocalDamals

WORKSPACE = "workspace"
REASON = "restored"
"""Why, in the log."""


def reapply(memory: LocalDamals, records: Sequence[ErasureRecord]) -> int:
    """Erase what was erased since; what is not there, or is erased, needs nothing.

    Args:
        memory: on the restored home, as its owner.
        records: oldest first.

    Returns:
        How many erasures had something to erase.

    Raises:
        Unavailable: ``erase.unfinished``.
    """
    memory.finish_erasures()  # a backup may have been made in the middle of one
    return sum(_erased(memory, record) for record in records)


def _erased(memory: LocalDamals, record: ErasureRecord) -> bool:
    made = {one.name: instant_of(one.created_at) for one in memory.workspaces()}
    if made.get(record.workspace) != record.workspace_made:
        return False
    there = LocalDamals(memory.opened, record.workspace, guest=True)
    if record.kind == WORKSPACE:
        try:
            memory.erase(WORKSPACE, record.workspace, reason=REASON)
        except NotFound:
            return False
        return True
    ledger = memory.opened.ledger(record.workspace)
    with ledger.read(record.workspace) as reader:
        left = reader.seen(record.entries)
    ledger.erasures.keep_marks(record)
    if left:
        operations = [{"op": "erase", "target": str(one)} for one in sorted(left)]
        there.transact(operations, reason=REASON)
    return bool(left)
