"""The hash chain: what is hashed, and in which form. ``docs/format.md`` says the same in prose.

Every row of the log has a digest over its immutable columns, with the digests of contents in the
place of texts and no surrogate ids. A transaction's hash covers the hash before it and the
digests of all its rows, so it can be recomputed from the rows alone, also after texts were erased.

What is hashed only ever grows: a later format adds a column to a row's record, or a list of rows
to a transaction's, only where it is not NULL or not empty. So whatever an older program hashed,
which knew nothing of them, keeps its hash.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from hashlib import sha256
from operator import itemgetter
from typing import Any, Final, Protocol

from damals.adapters.sql.schema import CONTENT_COLUMNS
from damals.domain.errors import InvalidInput

GENESIS: Final = bytes(32)
"""The hash before a workspace's first transaction."""

SALT_BYTES: Final = 16

_JSON: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
)

_PERIOD: Final = tuple(
    f"{end}_{part}"
    for end in ("start", "end")
    for part in ("earliest", "latest", "kind", "text", "uncertain")
)

PLAIN_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "operations": ("number", "seq", "kind", "entry_id", "touched"),
    "entries": ("entry_id", "created_by", "created_at"),
    "versions": (
        *("entry_id", *_PERIOD, "zone", "generation", "type", "visibility", "sensitivity"),
        *("recorded_from", "opened_by", "operation"),
    ),
    "relations": (
        *("relation_id", "src_id", "dst_id", "relation", *_PERIOD, "symmetric", "confidence"),
        *("evidence", "declared", "cuts", "derived", "rule", "unresolved", "resolution"),
        *("recorded_from", "opened_by", "operation"),
    ),
    "archivings": ("entry_id", "recorded_from", "opened_by", "operation"),
    "verifications": (*("entry_id", "grounding_score", "recorded_from", "opened_by", "operation"),),
}
"""Per table, the columns that are hashed as they are; those of contents come in addition."""


class HasKey(Protocol):
    """A row that can be read by the names of its columns."""

    def __getitem__(self, key: str, /) -> Any:  # noqa: ANN401 - whatever stands in the column
        ...


def canonical(value: object) -> str:
    """JSON with sorted keys, no spaces and no escapes but the necessary ones.

    Raises:
        InvalidInput: ``ledger.not_json`` for a value that JSON cannot say, NaN among them.
    """
    try:
        return _JSON.encode(value)
    except (TypeError, ValueError) as error:
        raise InvalidInput("ledger.not_json", problem=str(error)) from error


def content_digest(salt: bytes, text: bytes) -> bytes:
    """SHA-256 of salt and UTF-8 text."""
    return sha256(salt + text).digest()


def row_digest(table: str, row: HasKey, digests: Mapping[object, bytes]) -> bytes:
    """Digest of a row of one of the tables in :data:`PLAIN_COLUMNS`.

    Args:
        table: name of the table.
        row: its columns by name.
        digests: the digest of each content that the row names, by what stands in the column.
    """
    return sha256(_form(table).record(row, digests).encode()).digest()


class _Form:
    """The record of a table's rows: canonical JSON with a place for the value of each column.

    Names, order and punctuation are the same for every row; whole numbers need no rewriting.
    """

    def __init__(self, table: str) -> None:
        texts = CONTENT_COLUMNS[table]
        columns = sorted((*PLAIN_COLUMNS[table], *texts))
        places = dict.fromkeys(columns, "%s") | {"record": f'"{table}"'}
        self._form = "{" + ",".join(f'"{name}":{places[name]}' for name in sorted(places)) + "}"
        self._values = itemgetter(*columns)
        self._is_text = [name in texts for name in columns]

    def record(self, row: HasKey, digests: Mapping[object, bytes]) -> str:
        """The record of one row, with the digests of its texts."""
        return self._form % tuple(
            [
                value
                if type(value) is int and not is_text
                else _written(digests[value] if is_text and value is not None else value)
                for is_text, value in zip(self._is_text, self._values(row), strict=True)
            ]
        )


_form = cache(_Form)


def _written(value: object) -> str:
    """A value in canonical JSON, bytes as hex."""
    if value is None:
        return "null"
    if isinstance(value, bytes):
        return f'"{value.hex()}"'
    return _written_text(value) if isinstance(value, str) else canonical(value)


_written_text = lru_cache(maxsize=4_096)(canonical)
"""Zones, types and days return in row after row."""


@dataclass(frozen=True, slots=True)
class RowDigests:
    """The digests of everything a transaction wrote and closed.

    Attributes:
        operations: by place.
        created: of entries, by entry id.
        opened, closed: of versions, by row.
        relations_opened, relations_closed: by row.
        others: further lists by their name in the record (``archivings_opened``, …, by row;
            ``erased``, of entries, by entry id); one that is empty is not hashed.
    """

    operations: Iterable[bytes]
    created: Iterable[bytes]
    opened: Iterable[bytes]
    closed: Iterable[bytes]
    relations_opened: Iterable[bytes]
    relations_closed: Iterable[bytes]
    others: Mapping[str, Sequence[bytes]] = field(default_factory=dict[str, Sequence[bytes]])

    @classmethod
    def of(
        cls,
        *,
        operations: Sequence[bytes],
        created: Sequence[bytes],
        opened: Mapping[str, Sequence[bytes]],
        closed: Mapping[str, Sequence[bytes]],
        erased: Sequence[bytes],
    ) -> "RowDigests":
        """The digests by table.

        Args:
            operations: by place.
            created: of entries, by entry id.
            opened: per table (``versions``, ``relations``, ``archivings``, ``verifications``), by
                row; a table may be left out.
            closed: likewise.
            erased: of entries, by entry id.
        """
        others = {
            f"{table}_{what}": digests[table]
            for what, digests in (("opened", opened), ("closed", closed))
            for table in ("archivings", "verifications")
            if table in digests
        }
        return cls(
            operations=operations,
            created=created,
            opened=opened.get("versions", ()),
            closed=closed.get("versions", ()),
            relations_opened=opened.get("relations", ()),
            relations_closed=closed.get("relations", ()),
            others=others | {"erased": erased},
        )


def transaction_hash(
    workspace: str,
    row: HasKey,
    digests: Mapping[object, bytes],
    rows: RowDigests,
) -> bytes:
    """The link of the chain that a transaction is.

    Args:
        workspace: name of the workspace.
        row: the transaction's columns by name, ``previous`` among them.
        digests: of actor and reason, by what stands in their columns.
        rows: what it wrote.
    """
    previous = row["previous"]
    reason = row["reason_id"]
    record: dict[str, object] = {
        "record": "transactions",
        "workspace": workspace,
        "previous": previous.hex() if isinstance(previous, bytes) else previous,
        "number": row["number"],
        "recorded_at": row["recorded_at"],
        "logged_at": row["logged_at"],
        "zone": row["zone"],
        "actor_id": digests[row["actor_id"]].hex(),
        "reason_id": None if reason is None else digests[reason].hex(),
        "operations": _hex(rows.operations),
        "created": _hex(rows.created),
        "opened": _hex(rows.opened),
        "closed": _hex(rows.closed),
        "relations_opened": _hex(rows.relations_opened),
        "relations_closed": _hex(rows.relations_closed),
        **{name: _hex(digests) for name, digests in rows.others.items() if digests},
    }
    return _sha(record)


def _hex(digests: Iterable[bytes]) -> list[str]:
    return [digest.hex() for digest in digests]


def _sha(record: Mapping[str, object]) -> bytes:
    return sha256(canonical(record).encode()).digest()
