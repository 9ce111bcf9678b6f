"""The hash chain: what is hashed, and in which form. ``docs/format.md`` says the same in prose.

Every row of the log has a digest over its immutable columns, with the digests of contents in the
place of texts and no surrogate ids. A transaction's hash covers the hash before it and the
digests of all its rows, so it can be recomputed from the rows alone, also after texts were erased.

What is hashed only ever grows: a later format adds a column to a row's record, or a list of rows
to a transaction's, only where it is not NULL or not empty. So whatever an older program hashed,
which knew nothing of them, keeps its hash.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cache, lru_cache
from hashlib import sha256
from operator import itemgetter
from typing import Any, Final, Protocol

from damals.adapters.sql.schema import CONTENT_COLUMNS
from damals.domain.errors import InvalidInput
from damals.domain.values import frozen

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

GROWN_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {"relations": ("flags", "premises")}
"""Per table, the columns of later formats, hashed as they are where they are not NULL."""

_LINK_NAMES: Final = (
    *("record", "workspace", "previous", "number", "recorded_at", "logged_at", "zone"),
    *("actor_id", "reason_id", "operations", "created", "opened", "closed"),
    *("relations_opened", "relations_closed"),
)
"""What the record of every transaction holds."""


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
        row: its columns by name, those of :data:`GROWN_COLUMNS` among them.
        digests: the digest of each content that the row names, by what stands in the column.
    """
    named = [row[name] for name in CONTENT_COLUMNS[table]]
    told = {value: digests[value] for value in named if value is not None}
    return digest_of(table, row, written_digests(told))


def written_digests(digests: Mapping[object, bytes]) -> dict[object, str]:
    """How the digests of contents stand in records, by what stands in the columns; NULL, too."""
    return {None: "null", **{one: f'"{digest.hex()}"' for one, digest in digests.items()}}


def digest_of(table: str, row: HasKey, written: Mapping[object, str]) -> bytes:
    """As :func:`row_digest`, for many rows.

    Args:
        table: name of the table.
        row: its columns by name.
        written: what :func:`written_digests` gives for all contents that the rows name.
    """
    grown = GROWN_COLUMNS.get(table, ())
    if grown:
        grown = [name for name in grown if row[name] is not None]
    return sha256(_form(table, *grown).record(row, written).encode()).digest()


class _Form:
    """The record of a table's rows: canonical JSON with a place for the value of each column.

    Names, order and punctuation are the same for every row; whole numbers need no rewriting.
    """

    def __init__(self, table: str, *grown: str) -> None:
        texts = CONTENT_COLUMNS[table]
        columns = sorted((*PLAIN_COLUMNS[table], *grown, *texts))
        places = dict.fromkeys(columns, "%s") | {"record": f'"{table}"'}
        self._form = "{" + ",".join(f'"{name}":{places[name]}' for name in sorted(places)) + "}"
        plain = [name for name in columns if name not in texts]
        self._plain = itemgetter(*plain)
        self._texts = itemgetter(*texts, texts[0])  # of one name it would give no tuple
        places = [*plain, *texts]
        self._ordered = itemgetter(*(places.index(name) for name in columns))

    def record(self, row: HasKey, digests: Mapping[object, str]) -> str:
        """The record of one row, with the digests of its texts as they are written."""
        written = [
            value if type(value) is int else _written(value)  # it is written as it is, and quicker
            for value in self._plain(row)
        ]
        written.extend([digests[value] for value in self._texts(row)])
        return self._form % self._ordered(written)


_form = cache(_Form)


def _written(value: object) -> str:
    """A value in canonical JSON, bytes as hex."""
    if isinstance(value, str):  # as most are
        return _written_text(value)
    if value is None:
        return "null"
    return f'"{value.hex()}"' if isinstance(value, bytes) else canonical(value)


_written_text = lru_cache(maxsize=4_096)(canonical)
"""Zones, types and days return in row after row."""


_LATER: Final = frozenset({"archivings", "verifications"})
"""Tables whose rows are hashed only where there are any."""


@frozen
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

    operations: Sequence[bytes]
    created: Sequence[bytes]
    opened: Sequence[bytes]
    closed: Sequence[bytes]
    relations_opened: Sequence[bytes]
    relations_closed: Sequence[bytes]
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
        others: dict[str, Sequence[bytes]] = {}
        for what, digests in (("opened", opened), ("closed", closed)):
            if not _LATER.isdisjoint(digests):
                others |= {f"{table}_{what}": digests[table] for table in _LATER & digests.keys()}
        if erased:
            others["erased"] = erased
        return cls(
            operations=operations,
            created=created,
            opened=opened.get("versions", ()),
            closed=closed.get("versions", ()),
            relations_opened=opened.get("relations", ()),
            relations_closed=closed.get("relations", ()),
            others=others,
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
    reason = row["reason_id"]
    written: dict[str, object] = {
        "record": '"transactions"',
        "workspace": _written_text(workspace),
        "previous": _written(row["previous"]),
        "number": row["number"],
        "recorded_at": row["recorded_at"],
        "logged_at": row["logged_at"],
        "zone": _written_text(row["zone"]),
        "actor_id": _written(digests[row["actor_id"]]),
        "reason_id": _written(None if reason is None else digests[reason]),
        "operations": _listed(rows.operations),
        "created": _listed(rows.created),
        "opened": _listed(rows.opened),
        "closed": _listed(rows.closed),
        "relations_opened": _listed(rows.relations_opened),
        "relations_closed": _listed(rows.relations_closed),
        **{name: _listed(digests) for name, digests in rows.others.items() if digests},
    }
    form, in_order = _link(*written) if rows.others else _link()
    return sha256((form % in_order(written)).encode()).digest()


@lru_cache(maxsize=64)  # of lists that later formats add, few transactions have any
def _link(*names: str) -> tuple[str, "itemgetter[object]"]:
    """A record of these names, of the usual ones without any.

    Returns:
        Its text with places for the values, and what puts them into their order.
    """
    ordered = sorted(names or _LINK_NAMES)
    return "{" + ",".join(f'"{name}":%s' for name in ordered) + "}", itemgetter(*ordered)


def _listed(digests: Sequence[bytes]) -> str:
    """Digests in canonical JSON."""
    if not digests:  # as most lists are
        return "[]"
    found = '","'.join([digest.hex() for digest in digests])
    return f'["{found}"]'
