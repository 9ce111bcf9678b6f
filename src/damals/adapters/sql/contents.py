"""Texts: every text once per workspace, found by a keyed digest, erasable."""

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeVar, cast

from sqlalchemy import Connection, Dialect, Table, bindparam, insert, select

from damals.adapters.sql.chain import SALT_BYTES, content_digest
from damals.adapters.sql.prepared import first_row, rows_of
from damals.adapters.sql.schema import contents
from damals.domain.errors import InvalidInput

BATCH: Final = 500
"""How many values one statement names; below every database's limit of parameters."""

BULK_INSERT: Final = "damals_bulk_insert"
"""Execution option of connections that have a faster way for many rows: a :data:`BulkInsert`."""

BulkInsert = Callable[[Connection, Table, Sequence[Mapping[str, Any]]], None]
MANY_ROWS: Final = 20

_REMEMBERED: Final = 50_000
_BLOCK: Final = 64
_INNER: Final = bytes(byte ^ 0x36 for byte in range(256))
_OUTER: Final = bytes(byte ^ 0x5C for byte in range(256))

_Item = TypeVar("_Item")

_BY_LOOKUP: Final = select(contents.c.id, contents.c.digest).where(
    contents.c.workspace_id == bindparam("workspace"), contents.c.lookup == bindparam("lookup")
)
_BY_LOOKUPS: Final = select(contents.c.lookup, contents.c.id, contents.c.digest).where(
    contents.c.workspace_id == bindparam("workspace"),
    contents.c.lookup.in_(bindparam("lookups", expanding=True)),
)
_TEXTS: Final = select(contents.c.id, contents.c.text).where(
    contents.c.id.in_(bindparam("ids", expanding=True))
)


class Interned(NamedTuple):
    """A stored text: its row and the digest that stands for it in the chain."""

    id: int
    digest: bytes


def batches(items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    """The items in groups that fit into one statement."""
    for start in range(0, len(items), BATCH):
        yield items[start : start + BATCH]


def insert_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows that all have the same columns.

    The values are ones that every driver takes as they are; converting each by its column's type,
    as SQLAlchemy would, takes longer than inserting it.
    """
    if not rows:
        return
    in_bulk: BulkInsert | None = connection.get_execution_options().get(BULK_INSERT)
    if in_bulk is not None and len(rows) >= MANY_ROWS:
        in_bulk(connection, table, rows)
        return
    sql, places = _insert(table, tuple(rows[0]), connection.dialect)
    values = _by_name if places is None else itemgetter(*places)
    # One row is worth a way of its own: drivers prepare for many otherwise.
    given = values(rows[0]) if len(rows) == 1 else [values(row) for row in rows]
    connection.exec_driver_sql(sql, given)


def _by_name(row: Mapping[str, Any]) -> Any:  # noqa: ANN401 - what a driver takes
    return dict(row)


@lru_cache(maxsize=64)
def _insert(
    table: Table, names: tuple[str, ...], dialect: Dialect
) -> tuple[str, Sequence[str] | None]:
    """The statement, and the order of its parameters where they have places instead of names."""
    compiled = insert(table).compile(dialect=dialect, column_keys=list(names))
    return str(compiled), compiled.positiontup


def encoded(text: str) -> bytes:
    """UTF-8 of a text.

    Raises:
        InvalidInput: ``ledger.surrogate`` for half a character, which no database can store.
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput("ledger.surrogate", position=error.start) from error


def lookup_of(key: bytes, text: str) -> bytes:
    """HMAC-SHA256 of a text with the workspace's key: a name that tells nothing without it."""
    return _keyed(key)(encoded(text))


@lru_cache(maxsize=64)
def _keyed(key: bytes) -> Callable[[bytes], bytes]:
    """HMAC-SHA256 (RFC 2104) with a key that its two hashes have taken in: half of the work."""
    block = (sha256(key).digest() if len(key) > _BLOCK else key).ljust(_BLOCK, b"\0")
    inner, outer = sha256(block.translate(_INNER)), sha256(block.translate(_OUTER))

    def digest(text: bytes) -> bytes:
        begun, ended = inner.copy(), outer.copy()
        begun.update(text)
        ended.update(begun.digest())
        return ended.digest()

    return digest


def texts(connection: Connection, ids: Iterable[int]) -> dict[int, str]:
    """The texts of these rows; an erased one is empty."""
    found: dict[int, str] = {}
    for batch in batches(sorted(set(ids))):
        rows = rows_of(connection, _TEXTS, {"ids": batch})
        found.update({row.id: row.text or "" for row in rows})
    return found


@dataclass(frozen=True, slots=True)
class TextOwner:
    """The workspace whose texts are meant."""

    workspace_id: int
    key: bytes


def find(connection: Connection, owner: TextOwner, text: str) -> int | None:
    """The row of a text, or ``None`` when it was never stored here."""
    values = {"workspace": owner.workspace_id, "lookup": lookup_of(owner.key, text)}
    row = first_row(connection, _BY_LOOKUP, values)
    return None if row is None else row.id


class Contents:
    """Finds and stores the texts of one workspace under the write lock.

    Since nobody else writes meanwhile, what it has seen, or seen to be missing, stays true.
    """

    def __init__(self, connection: Connection, owner: TextOwner, next_id: int) -> None:
        self._connection = connection
        self._owner = owner
        self._next_id = next_id
        self._known: dict[bytes, Interned | None] = {}
        self._lookups: dict[str, bytes] = {}  # of texts that were sought and may come to be stored

    def expect(self, texts: Iterable[str]) -> None:
        """Find many texts at once, so that :meth:`find` need not ask for each."""
        lookups: dict[bytes, None] = {}
        for text in texts:
            try:
                lookups[self._lookup(text)] = None
            except InvalidInput:  # it is refused where it is used
                continue
        self._load([one for one in lookups if one not in self._known])

    def _lookup(self, text: str) -> bytes:
        lookup = self._lookups.get(text)
        if lookup is None:
            lookup = self._lookups[text] = lookup_of(self._owner.key, text)
        return lookup

    def find(self, text: str) -> int | None:
        """The row of a text, or ``None`` when it is not stored yet."""
        lookup = self._lookup(text)
        if lookup not in self._known:
            values = {"workspace": self._owner.workspace_id, "lookup": lookup}
            row = first_row(self._connection, _BY_LOOKUP, values)
            self._known[lookup] = None if row is None else Interned(row.id, row.digest)
        found = self._known[lookup]
        return None if found is None else found.id

    def intern(self, wanted: Iterable[str]) -> Mapping[str, Interned]:
        """Store what is not stored yet; where every text is now."""
        return self.intern_encoded({text: encoded(text) for text in wanted})

    def intern_encoded(self, wanted: Mapping[str, bytes]) -> Mapping[str, Interned]:
        """As :meth:`intern`, of texts with their UTF-8."""
        sought, keyed, known = self._lookups, _keyed(self._owner.key), self._known
        lookups = {text: sought.get(text) or keyed(utf8) for text, utf8 in wanted.items()}
        sought.clear()
        self._load([lookup for lookup in lookups.values() if lookup not in known])
        interned = {text: known[lookup] for text, lookup in lookups.items()}
        new = [text for text, known in interned.items() if known is None]
        salts = secrets.token_bytes(SALT_BYTES * len(new))
        rows: list[dict[str, object]] = []
        workspace_id = self._owner.workspace_id
        for place, text in enumerate(new):
            salt, lookup = salts[place * SALT_BYTES : (place + 1) * SALT_BYTES], lookups[text]
            number, digest = self._next_id + place, content_digest(salt, wanted[text])
            interned[text] = known[lookup] = Interned(number, digest)
            rows.append(
                {
                    "id": number,
                    "workspace_id": workspace_id,
                    "lookup": lookup,
                    "salt": salt,
                    "digest": digest,
                    "text": text,
                }
            )
        self._next_id += len(new)
        insert_rows(self._connection, contents, rows)
        self._forget()
        return cast("Mapping[str, Interned]", interned)  # none is missing any more

    def _load(self, lookups: Sequence[bytes]) -> None:
        self._known.update(dict.fromkeys(lookups))
        for batch in batches(lookups):
            given = {"workspace": self._owner.workspace_id, "lookups": batch}
            for row in rows_of(self._connection, _BY_LOOKUPS, given):
                self._known[row.lookup] = Interned(row.id, row.digest)

    def _forget(self) -> None:
        """Keep the half that came last: one by one, as an ordered dictionary would, is slower."""
        known = self._known
        if len(known) > _REMEMBERED:
            self._known = dict(islice(known.items(), len(known) - _REMEMBERED // 2, None))
