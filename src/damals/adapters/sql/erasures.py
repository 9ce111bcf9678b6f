"""The table ``erasures``: which erasures have begun, and how far each has come."""

import hashlib
import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, cast
from uuid import UUID, uuid4

from sqlalchemy import Connection, Row, bindparam, delete, func, select, update

from damals.adapters.sql.contents import batches, lookup_of, texts
from damals.adapters.sql.erasure_homes import HOMES, homes, told, waiting
from damals.adapters.sql.kept import as_json
from damals.adapters.sql.reserved import (
    UNPURGED,
    erasures,
    receipt_entries,
    receipts,
    tombstones,
)
from damals.adapters.sql.rows import chunk_of
from damals.adapters.sql.schema import (
    CONTENT_COLUMNS,
    chunks,
    entries,
    meta,
    transactions,
    versions,
    workspaces,
)
from damals.app.erasing.model import CERTIFIED, ENTRY, RECORDED, STAGES, WORKSPACE
from damals.domain.chunks import embedded_text
from damals.domain.instants import FOREVER

Values = dict[str, Any]

SALT_BYTES: Final = 16
MARK: Final = "mark"
"""Kind of a row beside a tombstone, of the same transaction: a keyed digest by which a file is
recognised that says what was erased."""
_IN_WORDS: Final = frozenset({"query", "question", "answer", "quote", "caveats", "topic"})

_NEXT: Final = select(func.coalesce(func.max(erasures.c.id), 0) + 1)
_STONE: Final = select(func.coalesce(func.max(tombstones.c.id), 0) + 1)
_WORKSPACE: Final = select(workspaces).where(workspaces.c.id == bindparam("workspace"))
_ENTRIES: Final = (
    entries.c.workspace_id == bindparam("workspace"),
    entries.c.entry_id.in_(bindparam("entries", expanding=True)),
)
_CREATED: Final = select(func.min(entries.c.created_by)).where(*_ENTRIES)
_VERSIONS: Final = select(func.count()).where(
    versions.c.workspace_id == bindparam("workspace"),
    versions.c.entry_id.in_(bindparam("entries", expanding=True)),
)
_DOCUMENTS: Final = (
    select(receipts.c.document_id)
    .distinct()
    .join(receipt_entries, receipt_entries.c.receipt == receipts.c.id)
    .where(
        receipts.c.workspace_id == bindparam("workspace"),
        receipt_entries.c.entry_id.in_(bindparam("entries", expanding=True)),
    )
)
_CHUNKS: Final = select(chunks).where(
    chunks.c.workspace_id == bindparam("workspace"),
    chunks.c.entry_id.in_(bindparam("entries", expanding=True)),
)
_OPEN: Final = (
    select(erasures, workspaces.c.name.label("name"))
    .outerjoin(workspaces, workspaces.c.id == erasures.c.workspace_id)
    .where(erasures.c.finished_at == FOREVER)
    .order_by(erasures.c.id)
)
_ONE: Final = select(erasures).where(erasures.c.erasure_id == bindparam("erasure"))
_SET: Final = update(erasures).where(erasures.c.erasure_id == bindparam("erasure"))
_MARKS: Final = (
    select(tombstones.c.target)
    .where(tombstones.c.workspace_id == bindparam("workspace"), tombstones.c.kind == MARK)
    .order_by(tombstones.c.id)
)
_MARKS_OF_NUMBER: Final = _MARKS.where(tombstones.c.number == bindparam("number"))
_LAST: Final = (
    select(erasures)
    .where(erasures.c.workspace_id == bindparam("workspace"))
    .order_by(erasures.c.id.desc())
)
_UNPURGED: Final = select(meta.c.name).where(meta.c.name == UNPURGED)
_STONES: Final = (
    select(tombstones.c.workspace_id, tombstones.c.target)
    .where(tombstones.c.kind == ENTRY)
    .order_by(tombstones.c.id)
)
_HEAD: Final = select(func.coalesce(func.max(transactions.c.number), 0)).where(
    transactions.c.workspace_id == bindparam("workspace")
)


def begin(connection: Connection, new: Sequence[Values]) -> None:
    """Note that entries are being erased, before anything of them is gone.

    Args:
        connection: of the write that erases them.
        new: their tombstones, rows to be.
    """
    by_transaction: dict[tuple[int, int], list[Values]] = {}
    for one in new:
        if one["kind"] == ENTRY:
            by_transaction.setdefault((one["workspace_id"], one["number"]), []).append(one)
    for (workspace, number), stones in by_transaction.items():
        targets = [one["target"] for one in stones]
        noted = {"number": number, "actor": stones[0]["actor"], "at": stones[0]["erased_at"]}
        add(connection, workspace, targets, noted)


def add(
    connection: Connection, workspace: int, targets: Sequence[bytes], noted: Mapping[str, Any]
) -> None:
    """A row for an erasure of some entries."""
    owner = connection.execute(_WORKSPACE, {"workspace": workspace}).one()
    first, counted, documents, lookups = FOREVER, 0, dict[int, None](), dict[bytes, None]()
    for batch in batches(targets):
        given = {"workspace": workspace, "entries": batch}
        first = min(first, connection.execute(_CREATED, given).scalar() or FOREVER)
        counted += connection.execute(_VERSIONS, given).scalar_one()
        documents |= dict.fromkeys(connection.execute(_DOCUMENTS, given).scalars())
        lookups |= dict.fromkeys(
            embedded(connection, owner.key, connection.execute(_CHUNKS, given))
        )
    told: Values = {
        **noted,
        "first": min(first, noted["number"]),
        "entries": [one.hex() for one in targets],
        "versions": counted,
        "receipts": len(documents),
        "said": [
            said
            for one in texts(connection, documents).values()
            if one
            for said in asked(json.loads(one))
        ],
        "vectors": [one.hex() for one in lookups],
    }
    put(connection, owner, ENTRY, targets[0] if targets else b"", None, told)


def asked(value: object, name: str = "") -> Iterator[str]:
    """What a receipt says in words: the question, and what was answered or remarked."""
    if isinstance(value, str):
        if name in _IN_WORDS:
            yield value
    elif isinstance(value, list):
        for one in cast("list[object]", value):
            yield from asked(one, name)
    elif isinstance(value, dict):
        for key, one in cast("dict[str, object]", value).items():
            yield from asked(one, key)


def put(
    connection: Connection,
    owner: Row[Any],
    kind: str,
    target: bytes,
    salt: bytes | None,
    told: Values,
) -> None:
    """Insert the row of an erasure that has just been recorded."""
    values: Values = {
        "id": connection.execute(_NEXT).scalar_one(),
        "erasure_id": uuid4().bytes,
        "workspace_id": owner.id,
        "kind": kind,
        "target": target,
        "salt": salt,
        "stage": RECORDED,
        "pending": as_json(told | {"workspace": owner.name, "made": owner.created_at}),
        "started_at": told["at"],
        "finished_at": FOREVER,
        "certificate": None,
    }
    connection.execute(erasures.insert(), values)


def embedded(connection: Connection, key: bytes, rows: Iterable[Row[Any]]) -> Iterable[bytes]:
    """The keyed digests of what was embedded of some chunk rows."""
    listed = list(rows)
    for batch in batches(listed):
        named = {getattr(row, name) for row in batch for name in CONTENT_COLUMNS[chunks.name]}
        said = texts(connection, named - {None})
        for row in batch:
            one = chunk_of(row, said)
            head = one.content[slice(*one.head)] if one.head else ""
            yield lookup_of(key, embedded_text(one.title, one.heading, one.text, head))


def name(connection: Connection, workspace: int, number: int, kind: str, named: str) -> None:
    """An erasure that a transaction has just recorded is one of a source or a person."""
    row = _of_transaction(connection, workspace, number)
    if row is None:
        return
    salt = secrets.token_bytes(SALT_BYTES)
    target = {"target": hashlib.sha256(salt + named.encode()).digest(), "salt": salt}
    noted = json.loads(row.pending) | {"name": named}
    values = {"kind": kind, "pending": as_json(noted), **target}
    connection.execute(_SET.values(**values), {"erasure": row.erasure_id})
    stone: Values = {
        "id": connection.execute(_STONE).scalar_one(),
        "workspace_id": workspace,
        "kind": kind,
        "erased_at": noted["at"],
        "number": number,
        "actor": noted["actor"],
        "readmitted_at": FOREVER,
        **target,
    }
    connection.execute(tombstones.insert(), stone)


def begin_workspace(connection: Connection, owner: Row[Any], actor: str, now: int) -> None:
    """Note that a workspace is being erased."""
    salt = secrets.token_bytes(SALT_BYTES)
    target = hashlib.sha256(salt + owner.name.encode()).digest()
    number = connection.execute(_HEAD, {"workspace": owner.id}).scalar_one()
    told: Values = {"number": number, "first": 0, "actor": actor, "at": now, "entries": []}
    put(connection, owner, WORKSPACE, target, salt, told)
    stone: Values = {
        "id": connection.execute(_STONE).scalar_one(),
        "workspace_id": owner.id,
        "kind": WORKSPACE,
        "target": target,
        "salt": salt,
        "erased_at": now,
        "number": None,
        "actor": actor,
        "readmitted_at": FOREVER,
    }
    connection.execute(tombstones.insert(), stone)


def adopt_former(connection: Connection) -> None:
    """Begin an erasure a workspace of what was erased while texts were not purged yet."""
    if not former(connection):  # another home has just done it
        return
    targets: dict[int, list[bytes]] = {}
    for row in connection.execute(_STONES):
        targets.setdefault(row.workspace_id, []).append(row.target)
    for workspace, found in targets.items():
        last = connection.execute(
            select(tombstones.c.number, tombstones.c.actor, tombstones.c.erased_at)
            .where(tombstones.c.workspace_id == workspace, tombstones.c.kind == ENTRY)
            .order_by(tombstones.c.id.desc())
        ).first()
        if last is not None:
            told = {"number": last.number, "actor": last.actor, "at": last.erased_at}
            add(connection, workspace, found, told | {"former": True})
    connection.execute(delete(meta).where(meta.c.name == UNPURGED))


def former(connection: Connection) -> bool:
    """Whether texts of former erasures are still to be purged."""
    return connection.execute(_UNPURGED).first() is not None


def unfinished(connection: Connection) -> Sequence[Row[Any]]:
    """The rows without a certificate, with the names of their workspaces."""
    return connection.execute(_OPEN).all()


def one(connection: Connection, erasure: UUID) -> Row[Any]:
    """The row of an erasure."""
    return connection.execute(_ONE, {"erasure": erasure.bytes}).one()


def advance(connection: Connection, erasure: UUID, stage: str, noted: Mapping[str, Any]) -> Values:
    """Add to what is noted; what is ``None`` goes. Its stage never goes back.

    Returns:
        All that is noted by now; of one that has its certificate nothing more is.
    """
    row = one(connection, erasure)
    kept: Values = json.loads(row.pending)
    if row.stage != CERTIFIED:
        told = kept | dict(noted)
        kept = {name: value for name, value in told.items() if value is not None}
        values = {"stage": max(stage, row.stage, key=STAGES.index), "pending": as_json(kept)}
        connection.execute(_SET.values(**values), {"erasure": erasure.bytes})
    return kept


def certify(
    connection: Connection, erasure: UUID, certificate: Mapping[str, Any], now: int, home: str
) -> Mapping[str, Any]:
    """Keep the certificate; nothing else stays noted but what other homes have yet to do.

    Args:
        connection: of a write.
        erasure: which one.
        certificate: what is to be kept; the first one stays.
        now: the instant.
        home: the one that has finished it.

    Returns:
        The certificate, as it is told.
    """
    row = one(connection, erasure)
    if row.stage != CERTIFIED:
        noted: Values = json.loads(row.pending)
        others = {*noted.get(HOMES, ()), *homes(connection)} - {home}
        values: Values = {
            "stage": CERTIFIED,
            "pending": as_json(waiting(noted, others)),
            "certificate": as_json(dict(certificate)),
            "finished_at": now,
        }
        connection.execute(_SET.values(**values), {"erasure": erasure.bytes})
        row = one(connection, erasure)
    return told(row)


def certificate_of(connection: Connection, workspace: int, number: int) -> Mapping[str, Any] | None:
    """The certificate of the erasure that a transaction recorded."""
    for row in connection.execute(_LAST, {"workspace": workspace}):
        if json.loads(row.certificate or "{}").get("number") == number:
            return told(row)
    return None


def marks_of(connection: Connection, row: Row[Any]) -> Sequence[bytes]:
    """The marks that the transactions of an erasure have left."""
    noted = json.loads(row.pending)
    given = {"workspace": row.workspace_id, "number": noted["number"]}
    found = connection.execute(_MARKS if noted.get("former") else _MARKS_OF_NUMBER, given)
    return found.scalars().all()


def _of_transaction(connection: Connection, workspace: int, number: int) -> Row[Any] | None:
    for row in connection.execute(_LAST, {"workspace": workspace}):
        if row.stage != CERTIFIED and json.loads(row.pending)["number"] == number:
            return row
    return None
