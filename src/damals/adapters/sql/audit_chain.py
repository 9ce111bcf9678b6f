"""Auditing the chain: transactions in order, each against the rows that it wrote and closed."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import bindparam, select

from damals.adapters.sql.audit_rows import (
    CLOSED,
    TRANSACTIONS,
    WRITTEN,
    audit_derived,
    audit_premises,
    audit_row,
    content_digests,
)
from damals.adapters.sql.audit_suspects import Suspects
from damals.adapters.sql.chain import GENESIS, HasKey, RowDigests, transaction_hash
from damals.adapters.sql.contents import batches
from damals.adapters.sql.findings import Scope, by_name
from damals.adapters.sql.queries import FOREVER_LITERAL
from damals.adapters.sql.rows import unpacked
from damals.adapters.sql.schema import entries, touches
from damals.domain.instants import FOREVER

_PAGE: Final = 500
_FIRST: Final = -(2**63)

Digests = dict[str, list[bytes]]
"""The digests of the rows of a transaction by what it did to them: ``versions_opened``, …."""

_ERASED: Final = (
    select(entries.c.entry_id, entries.c.erased_by, entries.c.digest)
    .where(entries.c.workspace_id == bindparam("workspace"), entries.c.erased_at != FOREVER_LITERAL)
    .order_by(entries.c.entry_id)
)
_TOUCHED: Final = select(touches.c.entry_id, touches.c.number).where(
    touches.c.workspace_id == bindparam("workspace"),
    touches.c.entry_id.in_(bindparam("entries", expanding=True)),
    touches.c.recorded_at.between(bindparam("low"), bindparam("high")),
)


@dataclass(slots=True)
class _Last:
    """The transaction before the one that is looked at, and the highest row of each table."""

    number: int = 0
    recorded_at: int = _FIRST
    position: int = _FIRST
    hash: bytes = GENESIS
    rows: dict[str, int] = field(default_factory=dict[str, int])


class ChainAudit:
    """Goes through the transactions of a workspace, a page of them at a time."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._last = _Last()
        self._erased: dict[int, list[bytes]] = defaultdict(list)

    def run(self) -> tuple[int, bytes]:
        """Check everything; how many transactions there are, and the hash of the last."""
        scope, counted, after = self._scope, 0, _FIRST
        for row in scope.rows_of(_ERASED):
            self._erased[row.erased_by].append(row.digest)
        while page := list(scope.rows_of(TRANSACTIONS, after=after, limit=_PAGE)):
            named = {row.number: by_name(row) for row in page}
            digests = self._rows(named)
            for number, row in named.items():
                self._transaction(row, digests[number])
            counted += len(page)
            after = page[-1].number
        return counted, self._last.hash

    def _rows(self, page: dict[int, HasKey]) -> dict[int, Digests]:
        """Check the rows of some transactions; their digests."""
        found: dict[int, Digests] = {number: defaultdict(list) for number in page}
        span = {"first": min(page), "last": max(page)}
        for table, query in WRITTEN.items():
            rows = (
                audit_row(self._scope, table, row) for row in self._scope.rows_of(query, **span)
            )
            known = self._known(table, rows, page, found)
            match table:
                case "operations":
                    self._operations(known, page)
                case "versions":
                    audit_derived(self._scope, known)
                case "relations":
                    audit_premises(self._scope, known)
                case _:
                    for _ in known:
                        pass
        for table, query in CLOSED.items():
            for row in self._scope.rows_of(query, **span):
                if row.closed_by in page:
                    found[row.closed_by][f"{table}_closed"].append(row.digest)
                    if row.recorded_to != page[row.closed_by]["recorded_at"]:
                        named = by_name(row)
                        self._scope.found("audit.instant", row.closed_by, table, named)
        return found

    def _known(
        self,
        table: str,
        rows: Iterator[HasKey],
        page: dict[int, HasKey],
        found: dict[int, Digests],
    ) -> Iterator[HasKey]:
        """The rows of transactions that are there, checked against them."""
        for row in rows:
            number = row[_NUMBER.get(table, "opened_by")]
            if number in page:
                found[number][_LIST.get(table, f"{table}_opened")].append(row["digest"])
                self._against(table, row, page[number])
                yield row

    def _against(self, table: str, row: HasKey, transaction: HasKey) -> None:
        number, recorded_at = transaction["number"], transaction["recorded_at"]
        if table == "entries" and row["created_at"] != recorded_at:
            self._scope.found("audit.instant", number, table, row)
        if table in ("operations", "entries"):
            return
        if row["recorded_from"] != recorded_at:
            self._scope.found("audit.instant", number, table, row)
        if (row["closed_by"] is None) != (row["recorded_to"] == FOREVER):
            self._scope.found("audit.closed", number, table, row)
        if row["id"] <= self._last.rows.get(table, _FIRST):
            self._scope.found("audit.reordered", number, table, row)
        self._last.rows[table] = max(row["id"], self._last.rows.get(table, _FIRST))

    def _operations(self, rows: Iterator[HasKey], page: dict[int, HasKey]) -> None:
        """Every entry that an operation touched must be known to be touched by it."""
        said = {(one.bytes, row["number"]) for row in rows for one in unpacked(row["touched"])}
        instants = [row["recorded_at"] for row in page.values()]
        span = {"low": min(instants), "high": max(instants)}
        there: set[tuple[bytes, int]] = set()
        for batch in batches(sorted({entry for entry, _ in said})):
            rows_ = self._scope.rows_of(_TOUCHED, entries=batch, **span)
            there.update((row.entry_id, row.number) for row in rows_)
        for entry, number in sorted(said - there):
            row = {"entry_id": entry, "recorded_at": page[number]["recorded_at"]}
            self._scope.found("audit.missing", number, "touches", row)

    def _transaction(self, row: HasKey, digests: Digests) -> None:
        """Check the place of a transaction, and its hash."""
        scope, last, number = self._scope, self._last, row["number"]
        if number < 1:
            scope.found("audit.inserted", number, "transactions", row)
        for missing in range(max(last.number + 1, 1), min(number, last.number + 1 + _PAGE)):
            scope.found("audit.missing", missing, "transactions", {"number": missing})
        if row["recorded_at"] <= last.recorded_at or row["position"] <= last.position:
            scope.found("audit.reordered", number, "transactions", row)
        if row["previous"] != last.hash:
            scope.found("audit.link", number, "transactions", row)
        digests["erased"] = self._erased.get(number, [])
        self._hash(row, digests)
        self._last = _Last(number, row["recorded_at"], row["position"], row["hash"], last.rows)
        scope.rows += 1

    def _hash(self, row: HasKey, digests: Digests) -> None:
        texts = content_digests(self._scope, "transactions", row, row["number"])
        if texts is None:
            return

        def hashed(lists: Digests) -> bytes:
            return transaction_hash(self._scope.name, row, texts, _row_digests(lists))

        if hashed(digests) != row["hash"]:
            Suspects(self._scope, row, digests, hashed).name()


_NUMBER: Final = {"operations": "number", "entries": "created_by"}
_LIST: Final = {"operations": "operations", "entries": "created"}


def _row_digests(lists: Digests) -> RowDigests:
    def of(what: str) -> dict[str, Sequence[bytes]]:
        ending = f"_{what}"
        return {n.removesuffix(ending): d for n, d in lists.items() if n.endswith(ending)}

    return RowDigests.of(
        operations=lists.get("operations", ()),
        created=lists.get("created", ()),
        opened=of("opened"),
        closed=of("closed"),
        erased=lists.get("erased", ()),
    )
