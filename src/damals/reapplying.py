"""Erasing again, in a home that was restored from a backup made before."""

from collections.abc import Sequence
from uuid import UUID

from damals.app.erasing.model import WORKSPACE
from damals.app.erasures_journal import ErasureRecord
from damals.app.ledger_port import Ledger
from damals.domain.errors import Corrupt, NotFound
from damals.domain.instants import instant_of
from damals.domain.names import DEFAULT_WORKSPACE
from damals.local import LocalDamals

REASON = "restored"
"""Why, in the log."""


def reapply(memory: LocalDamals, records: Sequence[ErasureRecord]) -> int:
    """Erase what was erased since; what is not there, or is erased, needs nothing.

    What no home holds any more of it, no index of any home is taken for.

    Args:
        memory: on the restored home, as its owner.
        records: oldest first.

    Returns:
        How many erasures had something to erase.

    Raises:
        Unavailable: ``erase.unfinished``: something could not be erased, or not from every file.
        Corrupt: ``backup.not_erased``: something is there that was to be gone.
    """
    ledger = memory.opened.ledger(DEFAULT_WORKSPACE)
    ledger.erasures.forget_homes()
    memory.finish_erasures()  # a backup may have been made in the middle of one
    counted = sum(_erased(memory, ledger, record) for record in records)
    memory.finish_erasures()
    left = len(ledger.erasures.unfinished())
    left += sum(bool(_left(memory, ledger, record)) for record in records)
    if left:
        raise Corrupt("backup.not_erased", count=left)
    return counted


def _erased(memory: LocalDamals, ledger: Ledger, record: ErasureRecord) -> bool:
    """Erase what one erasure was of, as far as it is there."""
    if record.kind == WORKSPACE:
        return _workspace_erased(memory, record)
    if not _is_there(memory, record):
        return False
    left = _seen(ledger, record)
    number: int | None = None
    if left:
        there = LocalDamals(memory.opened, record.workspace, guest=True)
        operations = [{"op": "erase", "target": str(one)} for one in sorted(left)]
        number = there.transact(operations, reason=REASON).transaction
    ledger.erasures.keep_marks(record, number)
    return bool(left)


def _workspace_erased(memory: LocalDamals, record: ErasureRecord) -> bool:
    name = _workspace_of(memory, record)
    if name is None:
        return False
    try:
        memory.erase(WORKSPACE, name, reason=REASON)
    except NotFound:
        return False
    return True


def _workspace_of(memory: LocalDamals, record: ErasureRecord) -> str | None:
    """The workspace that an erasure was of, if it is there. Its name may be known by a digest."""
    for one in memory.workspaces():
        made = instant_of(one.created_at)
        if (one.name, made) == (record.workspace, record.workspace_made):
            return one.name
        if not record.workspace and made <= record.erased_at and record.names(one.name):
            return one.name
    return None


def _is_there(memory: LocalDamals, record: ErasureRecord) -> bool:
    """Whether the workspace is the one that something was erased in."""
    wanted = (record.workspace, record.workspace_made)
    return wanted in {(one.name, instant_of(one.created_at)) for one in memory.workspaces()}


def _seen(ledger: Ledger, record: ErasureRecord) -> frozenset[UUID]:
    with ledger.read(record.workspace) as reader:
        return reader.seen(record.entries)


def _left(memory: LocalDamals, ledger: Ledger, record: ErasureRecord) -> bool:
    """Whether anything of an erasure can be read after all."""
    if record.kind == WORKSPACE:
        return _workspace_of(memory, record) is not None
    return _is_there(memory, record) and bool(_seen(ledger, record))
