"""What the life of an entry is derived from: verifications, accesses, when it was really logged."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, bindparam, func, select

from damals.adapters.sql.contents import batches
from damals.adapters.sql.lifecycle_queries import verified
from damals.adapters.sql.marks import verification_of
from damals.adapters.sql.queries import Known, Query, pair
from damals.adapters.sql.reserved import accesses
from damals.adapters.sql.schema import entries, transactions
from damals.adapters.sql.sight import SightReader
from damals.app.ledger_model import At
from damals.domain.entries import Verification

_LAST: Final = (
    select(accesses.c.entry_id, func.max(accesses.c.accessed_at).label("accessed_at"))
    .where(
        accesses.c.workspace_id == bindparam("workspace"),
        accesses.c.entry_id.in_(bindparam("entries", expanding=True)),
        accesses.c.accessed_at <= bindparam("until"),
    )
    .group_by(accesses.c.entry_id)
)
_LOGGED: Final = (
    select(entries.c.entry_id, transactions.c.logged_at)
    .join(
        transactions,
        (transactions.c.workspace_id == entries.c.workspace_id)
        & (transactions.c.number == entries.c.created_by),
    )
    .where(
        entries.c.workspace_id == bindparam("workspace"),
        entries.c.entry_id.in_(bindparam("entries", expanding=True)),
    )
)


class LifeReader(SightReader):
    """The part of a reader that gives what the life of an entry is derived from."""

    def verifications_at(
        self, entry_ids: Sequence[UUID], at: At
    ) -> Mapping[UUID, tuple[Verification, ...]]:
        """The verifications of each entry at instants that both clocks have reached, in order."""
        found: dict[UUID, list[Verification]] = {}
        for row in self._about(verified(self._when(at)), entry_ids, pair(at)):
            one = verification_of(row, at.known_at)
            found.setdefault(one.entry_id, []).append(one)
        return {entry_id: tuple(them) for entry_id, them in found.items()}

    def accessed_at(self, entry_ids: Sequence[UUID], at: At) -> Mapping[UUID, int]:
        """When each entry was last returned to someone, at an instant both clocks have reached."""
        until = {"until": min(at.as_of, at.known_at)}
        rows = self._about(_LAST, entry_ids, until)
        return {UUID(bytes=row.entry_id): row.accessed_at for row in rows}

    def logged_at(self, entry_ids: Sequence[UUID]) -> Mapping[UUID, int]:
        """When the first transaction of each entry was really logged."""
        rows = self._about(_LOGGED, entry_ids, {})
        return {UUID(bytes=row.entry_id): row.logged_at for row in rows}

    def _about(
        self, query: Query, entry_ids: Sequence[UUID], values: dict[str, Any]
    ) -> Iterator[Row[Any]]:
        for batch in batches([one.bytes for one in self._wanted(entry_ids)]):
            yield from self._rows(query, values | {"entries": batch})

    def _when(self, at: At) -> Known:
        raise NotImplementedError
