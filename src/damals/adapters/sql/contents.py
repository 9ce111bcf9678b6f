"""Texts: every text once per workspace, found by a keyed digest, erasable."""

import hmac
import secrets
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeVar

from sqlalchemy import Connection, Table, bindparam, insert, select

from damals.adapters.sql.chain import SALT_BYTES, content_digest
from damals.adapters.sql.schema import contents
from damals.domain.errors import InvalidInput

BATCH: Final = 500
"""How many values one statement names; below every database's limit of parameters."""

_REMEMBERED: Final = 50_000

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
    names = list(rows[0])
    compiled = insert(table).compile(connection.engine, column_keys=names)
    places = compiled.positiontup
    if places is None:
        connection.exec_driver_sql(str(compiled), [dict(row) for row in rows])
    else:
        values = itemgetter(*places)
        connection.exec_driver_sql(str(compiled), [values(row) for row in rows])


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
    return hmac.digest(key, encoded(text), "sha256")


def texts(connection: Connection, ids: Iterable[int]) -> dict[int, str]:
    """The texts of these rows; an erased one is empty."""
    found: dict[int, str] = {}
    for batch in batches(sorted(set(ids))):
        rows = connection.execute(_TEXTS, {"ids": batch})
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
    row = connection.execute(_BY_LOOKUP, values).first()
    return None if row is None else row.id


class Contents:
    """Finds and stores the texts of one workspace under the write lock.

    Since nobody else writes meanwhile, what it has seen, or seen to be missing, stays true.
    """

    def __init__(self, connection: Connection, owner: TextOwner, next_id: int) -> None:
        self._connection = connection
        self._owner = owner
        self._next_id = next_id
        self._known: OrderedDict[bytes, Interned | None] = OrderedDict()

    def find(self, text: str) -> int | None:
        """The row of a text, or ``None`` when it is not stored yet."""
        lookup = lookup_of(self._owner.key, text)
        if lookup not in self._known:
            values = {"workspace": self._owner.workspace_id, "lookup": lookup}
            row = self._connection.execute(_BY_LOOKUP, values).first()
            self._remember(lookup, None if row is None else Interned(row.id, row.digest))
        found = self._known[lookup]
        return None if found is None else found.id

    def intern(self, wanted: Iterable[str]) -> Mapping[str, Interned]:
        """Store what is not stored yet; where every text is now."""
        lookups = {text: lookup_of(self._owner.key, text) for text in wanted}
        self._load([lookup for lookup in lookups.values() if lookup not in self._known])
        interned: dict[str, Interned] = {}
        rows: list[dict[str, object]] = []
        for text, lookup in lookups.items():
            known = self._known[lookup]
            if known is None:
                known = self._new(text, lookup, rows)
            interned[text] = known
        insert_rows(self._connection, contents, rows)
        self._forget()
        return interned

    def _new(self, text: str, lookup: bytes, rows: list[dict[str, object]]) -> Interned:
        salt = secrets.token_bytes(SALT_BYTES)
        made = Interned(self._next_id, content_digest(salt, encoded(text)))
        self._next_id += 1
        self._remember(lookup, made)
        rows.append(
            {
                "id": made.id,
                "workspace_id": self._owner.workspace_id,
                "lookup": lookup,
                "salt": salt,
                "digest": made.digest,
                "text": text,
            }
        )
        return made

    def _load(self, lookups: Sequence[bytes]) -> None:
        self._known.update(dict.fromkeys(lookups))
        for batch in batches(lookups):
            values = {"workspace": self._owner.workspace_id, "lookups": batch}
            for row in self._connection.execute(_BY_LOOKUPS, values):
                self._remember(row.lookup, Interned(row.id, row.digest))

    def _remember(self, lookup: bytes, found: Interned | None) -> None:
        self._known[lookup] = found
        self._known.move_to_end(lookup)

    def _forget(self) -> None:
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
