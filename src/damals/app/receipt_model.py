"""Receipts: what is kept of an answer so that it can be given again, and the port that keeps it.

The port has one contract test class under ``tests/contracts`` that every ledger passes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from damals.app.accesses_model import AccessNote
from damals.domain.entries import Json


@dataclass(frozen=True, slots=True)
class Receipt:
    """What is kept of an answer.

    Attributes:
        kind: ``recall`` or ``ask``.
        number: of the last transaction when it was asked; 0 for none.
        as_of, known_at: the instants that its entries are read at. ``known_at`` is no later than
            that transaction: what was recorded since is none of its business.
        principal: who asked; ``None`` for the owner of the home.
        entries: the ids of all entries that it names. When one of them is erased, all texts of the
            receipt go.
        document: all that cannot be read from the ledger: the question, the weights, the parts.
            ``None`` when its texts were erased.
    """

    id: UUID
    kind: str
    created_at: int
    number: int
    as_of: int
    known_at: int
    principal: str | None
    entries: frozenset[UUID]
    document: Mapping[str, Json] | None


class Receipts(Protocol):
    """The receipts of a ledger. Any thread may use it.

    A thread that is inside :meth:`~damals.app.ledger_port.Ledger.write` must only read.
    """

    def put(self, workspace: str, receipt: Receipt, note: AccessNote | None = None) -> None:
        """Keep a receipt; when this returns, it is on the disk.

        Args:
            workspace: its workspace.
            receipt: what is kept.
            note: what the answer returned to whom, noted in the same write.

        Raises:
            NotFound: ``workspace.unknown``.
            Conflict: ``receipt.erased`` when something that it names was erased meanwhile.
            Unavailable: ``ledger.busy`` when others write and do not end in a moment;
                ``ledger.read_only``, ``ledger.disk_full`` and what else a store may refuse.
        """
        ...

    def get(self, workspace: str, id: UUID) -> Receipt | None:
        """A receipt; ``None`` when there is none. ``entries`` of an erased one are empty."""
        ...

    def all(self, workspace: str) -> Iterator[Receipt]:
        """All receipts of a workspace, oldest first, read as they are asked for."""
        ...


__all__ = ["Receipt", "Receipts"]
