"""The receipts of a ledger in memory."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from uuid import UUID

from damals.adapters.memory.accesses import write_note
from damals.adapters.memory.space import Space
from damals.app.accesses_model import AccessNote
from damals.app.receipt_model import Receipt
from damals.domain.errors import Conflict, NotFound


class MemoryReceipts:
    """Port ``Receipts`` beside the workspaces of a ledger.

    Args:
        spaces: the workspaces by name.
        locked: takes the write lock.
    """

    def __init__(
        self, spaces: Mapping[str, Space], locked: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._spaces = spaces
        self._locked = locked

    def put(self, workspace: str, receipt: Receipt, note: AccessNote | None = None) -> None:
        """Keep a receipt.

        Raises:
            NotFound: ``workspace.unknown``.
            Conflict: ``receipt.erased``.
            Unavailable: ``ledger.busy``.
        """
        with self._locked():
            space = self._spaces.get(workspace)
            if space is None:
                raise NotFound("workspace.unknown", name=workspace)
            if not receipt.entries.isdisjoint(space.tombstones):
                raise Conflict("receipt.erased", id=str(receipt.id))
            space.receipts[receipt.id] = receipt
            if note is not None:
                write_note(space, note)

    def get(self, workspace: str, id: UUID) -> Receipt | None:
        """A receipt; ``None`` when there is none."""
        space = self._spaces.get(workspace)
        return None if space is None else space.receipts.get(id)

    def all(self, workspace: str) -> Iterator[Receipt]:
        """All receipts of a workspace, oldest first."""
        space = self._spaces.get(workspace)
        return iter(() if space is None else list(space.receipts.values()))
