"""Purging: texts that nothing needs any more go, of parameters only the shape stays.

What is needed is found by going through every row that names a text: so it is right whatever
shares what, and finds what was left over from elsewhere.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

from sqlalchemy import Connection, Row, Table, bindparam, delete, func, select, update

from damals.adapters.sql.columns import metadata
from damals.adapters.sql.contents import TextOwner, batches, find, lookup_of
from damals.adapters.sql.kept import as_json
from damals.adapters.sql.reserved import (
    evaluations,
    receipts,
    relation_floors,
    sources,
    telemetry,
)
from damals.adapters.sql.rows import unpacked
from damals.adapters.sql.schema import (
    contents,
    entries,
    operations,
    touches,
    transactions,
    version_acl,
    version_tags,
    versions,
)
from damals.app.erasing.model import Rewriting
from damals.domain.entries import Json
from damals.domain.instants import FOREVER

_FETCHED: Final = 5_000
_ERASED_KEY: Final = "[erased key "
_KEY_MARK: Final = "erased\x1fkey\x1f"
_KEY_DIGITS: Final = 24
_OWNERS: Final = {
    **dict.fromkeys(("versions", "archivings", "verifications", "chunks", "entries"), "entry_id"),
    "relations": "src_id",
}
"""Per table, the column with the entry that a row is of."""

_ERASED: Final = select(entries.c.entry_id).where(
    entries.c.workspace_id == bindparam("workspace"), entries.c.erased_at != FOREVER
)
_TOUCHED: Final = select(touches.c.number).where(
    touches.c.workspace_id == bindparam("workspace"),
    touches.c.entry_id.in_(bindparam("entries", expanding=True)),
)
_EMPTY_RECEIPTS: Final = (
    select(receipts.c.receipt_id)
    .join(contents, contents.c.id == receipts.c.document_id)
    .where(receipts.c.workspace_id == bindparam("workspace"), contents.c.text.is_(None))
)
_MOST: Final = select(func.coalesce(func.max(contents.c.id), 0))
_THERE: Final = select(contents.c.id).where(
    contents.c.workspace_id == bindparam("workspace"), contents.c.text.is_not(None)
)
_TEXTS: Final = select(contents.c.id, contents.c.text).where(
    contents.c.id.in_(bindparam("ids", expanding=True))
)
_EMPTY: Final = (
    update(contents)
    .where(contents.c.id.in_(bindparam("ids", expanding=True)))
    .values(lookup=None, salt=None, text=None)
)
_REWRITE: Final = (
    update(contents)
    .where(contents.c.id == bindparam("row"))
    .values(lookup=None, salt=None, text=bindparam("said"))
)


def named_columns(table: Table) -> tuple[str, ...]:
    """The columns of a table that name a text."""
    return tuple(
        column.name
        for column in table.columns
        if any(key.column.table is contents for key in column.foreign_keys)
    )


NAMING: Final = {
    table: named_columns(table) for table in metadata.tables.values() if named_columns(table)
}
"""Every table that names texts, with its columns: also those of later capabilities."""


@dataclass(slots=True)
class Purged:
    """What a purge did.

    Attributes:
        texts: how many are gone.
        rewritten: how many parameters became their shape.
        shared: how many that the erased also used are used by others.
        fingerprints: by what the gone ones can be found.
    """

    texts: int
    rewritten: int
    shared: int
    fingerprints: str


@dataclass(slots=True)
class _Use:
    """Which texts are needed, which were of what is erased, and which are parameters of that."""

    needed: bytearray
    released: set[int] = field(default_factory=set[int])
    params: set[int] = field(default_factory=set[int])

    def need(self, ids: Iterable[int | None]) -> None:
        for one in ids:
            if one is not None:
                self.needed[one] = 1

    def release(self, ids: Iterable[int | None]) -> None:
        self.released.update(one for one in ids if one is not None)


class Purge:
    """One purge of a workspace, in the write that it is given.

    Args:
        connection: of the write.
        owner: the workspace.
        rewriting: how fingerprints and shapes are made.
    """

    def __init__(self, connection: Connection, owner: TextOwner, rewriting: Rewriting) -> None:
        self._connection = connection
        self._owner = owner
        self._rewriting = rewriting
        self._given = {"workspace": owner.workspace_id}
        self._erased = frozenset(connection.execute(_ERASED, self._given).scalars())
        most = connection.execute(_MOST).scalar_one()
        self._use = _Use(bytearray(most + 1))

    def run(self, said: Sequence[str], source: str | None) -> Purged:
        """Purge.

        Args:
            said: texts that went before, which are to be found as well.
            source: name of a source that is erased with its entries.
        """
        if source is not None:
            self._drop_source(source)
        self._drop_judged()
        for table in NAMING:
            self._look_at(table)
        use = self._use
        shapes = {one for one in use.params if not use.needed[one]}
        there = self._connection.execute(_THERE, self._given).scalars()
        gone = [one for one in there if not use.needed[one] and one not in shapes]
        texts = list(self._texts_of(gone))
        former = dict(self._pairs_of(sorted(shapes)))
        texts.extend(former.values())
        fingerprints = self._rewriting.fingerprints(chain(texts, said))
        rewritten = self._rewrite(former)
        for batch in batches(gone):
            self._connection.execute(_EMPTY, {"ids": list(batch)})
        self._drop_derived()
        shared = sum(1 for one in use.released if use.needed[one])
        return Purged(len(gone), rewritten, shared, fingerprints)

    def _drop_judged(self) -> None:
        """What was measured or judged of an answer goes with its receipt."""
        for table in (evaluations, telemetry):
            self._connection.execute(
                delete(table).where(
                    table.c.workspace_id == self._owner.workspace_id,
                    table.c.receipt_id.in_(_EMPTY_RECEIPTS),
                ),
                self._given,
            )

    def _drop_source(self, name: str) -> None:
        """Nothing is kept of the imports of an erased source."""
        found = find(self._connection, self._owner, name)
        for table in (sources, relation_floors):
            self._connection.execute(
                delete(table).where(
                    table.c.workspace_id == self._owner.workspace_id, table.c.name_id == found
                )
            )

    def _look_at(self, table: Table) -> None:
        if table is operations:
            self._look_at_operations()
        elif table is transactions:
            self._look_at_transactions()
        else:
            self._look_at_rows(table)

    def _rows(self, table: Table, *columns: str) -> Iterator[Row[Any]]:
        query = select(*(table.c[name] for name in columns)).where(
            table.c.workspace_id == self._owner.workspace_id
        )
        yield from self._connection.execute(query, execution_options={"yield_per": _FETCHED})

    def _look_at_rows(self, table: Table) -> None:
        owner, named = _OWNERS.get(table.name), NAMING[table]
        for row in self._rows(table, *named, *([owner] if owner else [])):
            ids = row[: len(named)]
            if owner is None or row[-1] not in self._erased:
                self._use.need(ids)
            else:
                self._use.release(ids)

    def _look_at_transactions(self) -> None:
        numbers = {
            row.number
            for batch in batches(sorted(self._erased))
            for row in self._connection.execute(_TOUCHED, {**self._given, "entries": list(batch)})
        }
        for row in self._rows(transactions, "actor_id", "reason_id", "number"):
            self._use.need([row.actor_id])
            ends = self._use.release if row.number in numbers else self._use.need
            ends([row.reason_id])

    def _look_at_operations(self) -> None:
        names = ("params_id", "title_id", "content_id", "reason_id", "entry_id", "touched")
        for row in self._rows(operations, *names):
            said = (row.title_id, row.content_id)
            if row.entry_id in self._erased:
                self._use.params.add(row.params_id)
                self._use.release((*said, row.reason_id))
                continue
            self._use.need((row.params_id, *said))
            touches_erased = any(one.bytes in self._erased for one in unpacked(row.touched))
            (self._use.release if touches_erased else self._use.need)([row.reason_id])

    def _pairs_of(self, ids: Sequence[int]) -> Iterator[tuple[int, str]]:
        for batch in batches(ids):
            for row in self._connection.execute(_TEXTS, {"ids": list(batch)}):
                if row.text is not None:
                    yield row.id, row.text

    def _texts_of(self, ids: Sequence[int]) -> Iterator[str]:
        return (text for _, text in self._pairs_of(ids))

    def _rewrite(self, former: Mapping[int, str]) -> int:
        """Leave of parameters their shape; how many were something else."""
        count = 0
        for row, text in former.items():
            params: dict[str, Json] = json.loads(text)
            said = as_json(self._rewriting.shape(params, self))
            self._connection.execute(_REWRITE, {"row": row, "said": said})
            count += said != text
        return count

    def key(self, key: str) -> str:
        """A key that somebody still has; another name, always the same, for any other."""
        if self.keeps(key) or key.startswith(_ERASED_KEY):
            return key
        return f"{_ERASED_KEY}{lookup_of(self._owner.key, _KEY_MARK + key).hex()[:_KEY_DIGITS]}]"

    def keeps(self, text: str) -> bool:
        """Whether a text stays for others."""
        found = find(self._connection, self._owner, text)
        return found is not None and bool(self._use.needed[found])

    def _drop_derived(self) -> None:
        """Tags and names of acls go with the attributes that they were derived from."""
        gone = [
            row.id
            for row in self._rows(versions, "id", "entry_id", "attributes_id")
            if row.entry_id in self._erased and not self._use.needed[row.attributes_id]
        ]
        for table in (version_tags, version_acl):
            for batch in batches(gone):
                self._connection.execute(delete(table).where(table.c.version_id.in_(batch)))
