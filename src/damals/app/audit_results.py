"""What ``audit verify`` returns."""

from collections.abc import Mapping
from dataclasses import dataclass

from damals.app.results import Result
from damals.domain.entries import Json


@dataclass(frozen=True, slots=True)
class AuditBreak(Result):
    """Something that is not what was recorded.

    Attributes:
        transaction: number of the transaction at which it shows; ``None`` outside of any.
        kind: ``changed``, ``missing``, ``inserted``, ``reordered``, …
        table, row: which row of the ledger is concerned: its table and columns by name.
        message: the same for people.
    """

    transaction: int | None
    kind: str
    table: str
    row: Mapping[str, Json]
    message: str


@dataclass(frozen=True, slots=True)
class AuditReport(Result):
    """The outcome of checking a workspace.

    Attributes:
        transactions, rows: how many were checked.
        head: hash of the last transaction, hex.
        breaks: the first by transaction first.
    """

    ok: bool
    workspace: str
    transactions: int
    rows: int
    head: str
    breaks: tuple[AuditBreak, ...]
