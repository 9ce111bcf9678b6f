"""Rows on their way into the database: collected, chained and written in bulk."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Table, bindparam, select, update

from damals.adapters.sql.chain import RowDigests, row_digest, transaction_hash
from damals.adapters.sql.contents import Contents, batches, encoded, insert_rows
from damals.adapters.sql.schema import (
    CONTENT_COLUMNS,
    chunks,
    entries,
    operations,
    relations,
    touches,
    transactions,
    version_acl,
    version_tags,
    versions,
)
from damals.app.ledger_model import ChunkRow
from damals.domain.errors import Conflict
from damals.domain.instants import FOREVER

Values = dict[str, Any]

_CHARACTERS: Final = 8_000_000
_ROWS: Final = 10_000

_CLOSE: Final = {
    table.name: update(table)
    .where(table.c.id == bindparam("row"), table.c.recorded_to == FOREVER)
    .values(recorded_to=bindparam("closed_at"), closed_by=bindparam("closer"))
    for table in (versions, relations, chunks)
}
_DIGESTS: Final = {
    table.name: select(table.c.id, table.c.digest).where(
        table.c.id.in_(bindparam("ids", expanding=True))
    )
    for table in (versions, relations)
}


@dataclass(slots=True)
class PendingTransaction:
    """A transaction that is not chained yet, with the rows it wrote and closed.

    Rows hold texts where the ids of contents will be; ``closed`` names rows by id.
    """

    row: Values
    operations: list[Values]
    entries: list[Values]
    versions: list[Values]
    relations: list[Values]
    versions_closed: list[int]
    relations_closed: list[int]


@dataclass(slots=True)
class Buffer:
    """What was appended and not yet written.

    Attributes:
        pending: transactions in order.
        created: entries of which nothing is written yet.
        chunks: chunk rows by id; they are not chained.
        tables: derived rows that name no texts, by table.
        closings: per table, row id → what to set on a row that is already stored.
        open_chunks: appended chunk rows that are still current, by entry and row.
        closed_chunks: all chunk rows that were closed, by id.
    """

    pending: list[PendingTransaction] = field(default_factory=list[PendingTransaction])
    created: set[UUID] = field(default_factory=set[UUID])
    versions: dict[int, Values] = field(default_factory=dict[int, Values])
    relations: dict[int, Values] = field(default_factory=dict[int, Values])
    chunks: dict[int, Values] = field(default_factory=dict[int, Values])
    touches: list[Values] = field(default_factory=list[Values])
    tags: list[Values] = field(default_factory=list[Values])
    acl: list[Values] = field(default_factory=list[Values])
    closings: dict[str, list[Values]] = field(default_factory=dict[str, list[Values]])
    open_chunks: dict[UUID, dict[int, ChunkRow]] = field(
        default_factory=dict[UUID, dict[int, ChunkRow]]
    )
    closed_chunks: set[int] = field(default_factory=set[int])
    measured: set[str] = field(default_factory=set[str])
    characters: int = 0
    rows: int = 0

    @property
    def full(self) -> bool:
        """Whether it is time to write."""
        return self.rows > _ROWS or self.characters > _CHARACTERS

    def measure(self, table: str, rows: Iterable[Values]) -> None:
        """Count rows and check, before anything else happens, that their texts can be stored."""
        for row in rows:
            self.rows += 1
            for name in CONTENT_COLUMNS[table]:
                text = row[name]
                # Chunk rows of one entry share its text: it is stored, and looked at, once.
                if text is not None and text not in self.measured:
                    self.measured.add(text)
                    self.characters += len(encoded(text))

    def add_chunks(self, chunks_: Iterable[ChunkRow], rows: Iterable[Values]) -> None:
        """Take chunk rows over, as values and as what will be inserted."""
        for chunk, row in zip(chunks_, rows, strict=True):
            self.chunks[chunk.row] = row
            self.open_chunks.setdefault(chunk.entry_id, {})[chunk.row] = chunk

    def forget_chunks(self, closed: Iterable[int]) -> None:
        """These chunk rows are no longer current."""
        self.closed_chunks.update(closed)
        for row in closed:
            if row in self.chunks:
                entry_id = UUID(bytes=self.chunks[row]["entry_id"])
                self.open_chunks[entry_id].pop(row, None)

    def close(self, table: str, own: dict[int, Values], row: int, closing: Values) -> None:
        """End a row in recorded time, wherever it is by now."""
        if row in own:
            own[row] |= {"recorded_to": closing["closed_at"], "closed_by": closing["closer"]}
        else:
            self.closings.setdefault(table, []).append({"row": row, **closing})
            self.rows += 1


class Flush:
    """One writing of a buffer."""

    def __init__(self, connection: Connection, contents: Contents, workspace: str) -> None:
        self._connection = connection
        self._contents = contents
        self._workspace = workspace

    def run(self, buffer: Buffer, previous: bytes) -> bytes:
        """Write everything; the hash of the last transaction.

        Raises:
            Conflict: ``transaction.not_open`` when a row to close is unknown or closed already.
        """
        interned = self._contents.intern(_texts(buffer))
        digests: dict[object, bytes] = {text: one.digest for text, one in interned.items()}
        ids = {text: one.id for text, one in interned.items()}
        previous = self._chain(buffer, digests, previous)
        pending = buffer.pending
        self._insert(transactions, [one.row for one in pending], ids)
        self._close(buffer)
        self._insert(entries, [row for one in pending for row in one.entries], ids)
        self._insert(operations, [row for one in pending for row in one.operations], ids)
        self._insert(touches, buffer.touches, ids)
        self._insert(versions, buffer.versions.values(), ids)
        self._insert(version_tags, buffer.tags, ids)
        self._insert(version_acl, buffer.acl, ids)
        self._insert(relations, buffer.relations.values(), ids)
        self._insert(chunks, buffer.chunks.values(), ids)
        return previous

    def _close(self, buffer: Buffer) -> None:
        for table, closings in buffer.closings.items():
            if self._connection.execute(_CLOSE[table], closings).rowcount != len(closings):
                raise Conflict("transaction.not_open", number=buffer.pending[-1].row["number"])

    def _insert(self, table: Table, rows: Iterable[Values], ids: Mapping[str, int]) -> None:
        columns = CONTENT_COLUMNS.get(table.name, ())
        finished = list(rows)
        for row in finished:
            for name in columns:
                if row[name] is not None:
                    row[name] = ids[row[name]]
        insert_rows(self._connection, table, finished)

    def _chain(self, buffer: Buffer, digests: Mapping[object, bytes], previous: bytes) -> bytes:
        """Digest every row and link every transaction to the one before."""
        for one in buffer.pending:
            for table, rows in (
                ("operations", one.operations),
                ("entries", one.entries),
                ("versions", one.versions),
                ("relations", one.relations),
            ):
                for row in rows:
                    row["digest"] = row_digest(table, row, digests)
        versions_closed = self._closed(buffer, "versions", buffer.versions)
        relations_closed = self._closed(buffer, "relations", buffer.relations)
        for one in buffer.pending:
            one.row["previous"] = previous
            rows = RowDigests(
                operations=_digests(one.operations),
                created=_digests(one.entries),
                opened=_digests(one.versions),
                closed=[versions_closed[row] for row in one.versions_closed],
                relations_opened=_digests(one.relations),
                relations_closed=[relations_closed[row] for row in one.relations_closed],
            )
            previous = transaction_hash(self._workspace, one.row, digests, rows)
            one.row["hash"] = previous
        return previous

    def _closed(self, buffer: Buffer, table: str, own: Mapping[int, Values]) -> dict[int, bytes]:
        """Digests of all rows that the buffer closes."""
        found = {row: values["digest"] for row, values in own.items()}
        stored = [closing["row"] for closing in buffer.closings.get(table, ())]
        for batch in batches(stored):
            for row in self._connection.execute(_DIGESTS[table], {"ids": batch}):
                found[row.id] = row.digest
        return found


def _digests(rows: Iterable[Values]) -> list[bytes]:
    return [row["digest"] for row in rows]


def _texts(buffer: Buffer) -> set[str]:
    found: set[Any] = set()
    for one in buffer.pending:
        _collect(found, "transactions", [one.row])
        _collect(found, "operations", one.operations)
        _collect(found, "entries", one.entries)
    _collect(found, "versions", buffer.versions.values())
    _collect(found, "relations", buffer.relations.values())
    _collect(found, "chunks", buffer.chunks.values())
    found.discard(None)
    return found


def _collect(found: set[Any], table: str, rows: Iterable[Values]) -> None:
    columns = CONTENT_COLUMNS[table]
    for row in rows:
        found.update(row[name] for name in columns)
