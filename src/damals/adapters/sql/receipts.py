"""The tables ``receipts`` and ``receipt_entries``: what is kept of answers.

Document and question are one content, which nothing else can come to share, since the id of the
receipt stands in it: so an erasure can take it without asking who else says the same.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, bindparam, delete, func, select, update

from damals.adapters.sql.accesses import write_note
from damals.adapters.sql.contents import Contents, TextOwner, batches, insert_rows, texts
from damals.adapters.sql.engine import Database
from damals.adapters.sql.kept import as_json, from_json
from damals.adapters.sql.prepared import first_row
from damals.adapters.sql.queries import Query
from damals.adapters.sql.reserved import receipt_entries, receipts
from damals.adapters.sql.schema import contents, entries, workspaces
from damals.app.accesses_model import AccessNote
from damals.app.receipt_model import Receipt
from damals.domain.errors import Conflict, NotFound
from damals.domain.instants import FOREVER

PATIENCE_MS: Final = 200
"""How long a question waits for those who write."""

_ID: Final = "id"
_WORKSPACE: Final = select(workspaces.c.id, workspaces.c.key).where(
    workspaces.c.name == bindparam("name")
)
_NEXT_CONTENT: Final = select((func.coalesce(func.max(contents.c.id), 0) + 1).label("next"))
_NEXT: Final = select((func.coalesce(func.max(receipts.c.id), 0) + 1).label("next"))
_RECEIPT: Final = select(receipts).where(
    receipts.c.workspace_id == bindparam("workspace"), receipts.c.receipt_id == bindparam("receipt")
)
_PAGE: Final = (
    select(receipts)
    .where(receipts.c.workspace_id == bindparam("workspace"), receipts.c.id > bindparam("after"))
    .order_by(receipts.c.id)
    .limit(500)
)
_ENTRIES: Final = select(receipt_entries.c.entry_id).where(
    receipt_entries.c.receipt == bindparam("row")
)
_GONE: Final = (
    select(entries.c.entry_id)
    .where(
        entries.c.workspace_id == bindparam("workspace"),
        entries.c.entry_id.in_(bindparam("entries", expanding=True)),
        entries.c.erased_at != FOREVER,
    )
    .limit(1)
)
_NAMING: Final = (
    select(receipts.c.id, receipts.c.document_id)
    .distinct()
    .join(receipt_entries, receipt_entries.c.receipt == receipts.c.id)
    .where(
        receipts.c.workspace_id == bindparam("workspace"),
        receipt_entries.c.entry_id.in_(bindparam("entries", expanding=True)),
    )
)
_EMPTY: Final = (
    update(contents)
    .where(contents.c.id.in_(bindparam("ids", expanding=True)))
    .values(lookup=None, salt=None, text=None)
)
_UNNAME: Final = delete(receipt_entries).where(
    receipt_entries.c.receipt.in_(bindparam("ids", expanding=True))
)


class SqlReceipts:
    """Port ``Receipts`` in the database of a ledger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, workspace: str, receipt: Receipt, note: AccessNote | None = None) -> None:
        """Keep a receipt, in a write of its own.

        Raises:
            NotFound: ``workspace.unknown``.
            Conflict: ``receipt.erased``.
            Unavailable: ``ledger.busy`` and others.
        """
        with self._database.writing(wait_ms=PATIENCE_MS) as connection:
            owner = _owner(connection, workspace)
            if owner is None:
                raise NotFound("workspace.unknown", name=workspace)
            if _any_erased(connection, owner.workspace_id, receipt.entries):
                raise Conflict("receipt.erased", id=str(receipt.id))
            _insert(connection, owner, receipt)
            if note is not None:
                write_note(connection, owner, note)

    def get(self, workspace: str, id: UUID) -> Receipt | None:
        """A receipt; ``None`` when there is none."""
        with self._database.reading() as connection:
            owner = _owner(connection, workspace)
            if owner is None:
                return None
            given = {"workspace": owner.workspace_id, "receipt": id.bytes}
            row = connection.execute(_RECEIPT, given).first()
            return None if row is None else _receipt(connection, row)

    def all(self, workspace: str) -> Iterator[Receipt]:
        """All receipts of a workspace, oldest first."""
        with self._database.reading() as connection:
            owner = _owner(connection, workspace)
            after = 0
            while owner is not None:
                given = {"workspace": owner.workspace_id, "after": after}
                rows = connection.execute(_PAGE, given).all()
                yield from (_receipt(connection, row) for row in rows)
                if not rows:
                    return
                after = rows[-1].id


def _owner(connection: Connection, workspace: str) -> TextOwner | None:
    row = first_row(connection, _WORKSPACE, {"name": workspace})
    return None if row is None else TextOwner(row.id, row.key)


def _next(connection: Connection, query: Query) -> int:
    """The number of the next row."""
    row = first_row(connection, query, {})
    return 1 if row is None else row.next


def _any_erased(connection: Connection, workspace: int, named: Collection[UUID]) -> bool:
    ids = [one.bytes for one in named]
    return any(
        first_row(connection, _GONE, {"workspace": workspace, "entries": batch}) is not None
        for batch in batches(ids)
    )


def _insert(connection: Connection, owner: TextOwner, receipt: Receipt) -> None:
    document = as_json({_ID: str(receipt.id), **(receipt.document or {})})
    store = Contents(connection, owner, _next(connection, _NEXT_CONTENT))
    wanted = [document, *([] if receipt.principal is None else [receipt.principal])]
    stored = store.intern(wanted)
    number = _next(connection, _NEXT)
    values: dict[str, Any] = {
        "id": number,
        "workspace_id": owner.workspace_id,
        "receipt_id": receipt.id.bytes,
        "kind": receipt.kind,
        "created_at": receipt.created_at,
        "number": receipt.number,
        "as_of": receipt.as_of,
        "known_at": receipt.known_at,
        "principal_id": None if receipt.principal is None else stored[receipt.principal].id,
        "question_id": stored[document].id,
        "document_id": stored[document].id,
        "digest": stored[document].digest,
    }
    insert_rows(connection, receipts, [values])
    named = sorted(one.bytes for one in receipt.entries)
    insert_rows(
        connection, receipt_entries, [{"receipt": number, "entry_id": one} for one in named]
    )


def _receipt(connection: Connection, row: Row[Any]) -> Receipt:
    wanted = [row.document_id, *([] if row.principal_id is None else [row.principal_id])]
    said = texts(connection, wanted)
    document = from_json(said.get(row.document_id) or None)
    if document is not None:
        del document[_ID]
    named = connection.execute(_ENTRIES, {"row": row.id}).scalars()
    return Receipt(
        id=UUID(bytes=row.receipt_id),
        kind=row.kind,
        created_at=row.created_at,
        number=row.number,
        as_of=row.as_of,
        known_at=row.known_at,
        principal=None if row.principal_id is None else said.get(row.principal_id, ""),
        entries=frozenset(UUID(bytes=one) for one in named),
        document=document,
    )


def forget_receipts(connection: Connection, workspace: int, erased: Iterable[bytes]) -> None:
    """Some entries were erased: the receipts that name them lose all their texts.

    Their rows stay, so that whoever asks for one is told that it was erased.
    """
    for batch in batches(list(erased)):
        given = {"workspace": workspace, "entries": batch}
        found = connection.execute(_NAMING, given).all()
        for part in batches(found):
            connection.execute(_EMPTY, {"ids": [row.document_id for row in part]})
            connection.execute(_UNNAME, {"ids": [row.id for row in part]})
