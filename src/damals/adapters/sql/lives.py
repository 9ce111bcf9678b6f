"""What the life of an entry is derived from: verifications, accesses, when it was really logged."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, bindparam, func, select

from damals.adapters.sql.access import AccessShape, visible
from damals.adapters.sql.contents import batches
from damals.adapters.sql.lifecycle_queries import accessed, verified
from damals.adapters.sql.marks import verification_of
from damals.adapters.sql.queries import Known, Query, pair
from damals.adapters.sql.reserved import accesses
from damals.adapters.sql.schema import entries, transactions, versions
from damals.adapters.sql.sight import SightReader
from damals.app.ledger_model import At
from damals.domain.entries import Verification

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


@cache
def _lately(shape: AccessShape) -> Query:
    """What was returned last, of what may be seen; the newest first."""
    return (
        select(accesses.c.entry_id)
        .where(
            accesses.c.workspace_id == bindparam("workspace"),
            accesses.c.accessed_at >= bindparam("since"),
            *visible(shape, accesses.c.workspace_id, accesses.c.entry_id),
        )
        .group_by(accesses.c.entry_id)
        .order_by(func.max(accesses.c.accessed_at).desc(), accesses.c.entry_id)
        .limit(bindparam("most"))
    )


_WORDS: Final = select(
    versions.c.entry_id, versions.c.recorded_from, versions.c.title_id, versions.c.content_id
).where(
    versions.c.workspace_id == bindparam("workspace"),
    versions.c.entry_id.in_(bindparam("entries", expanding=True)),
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
        rows = self._about(accessed(), entry_ids, until)
        return {UUID(bytes=row.entry_id): row.accessed_at for row in rows}

    def lately_accessed(self, since: int, limit: int) -> Sequence[UUID]:
        """The entries that were returned to someone last, at or after an instant, newest first."""
        rows = self._rows(_lately(self._shape), {"since": since, "most": limit})
        return [UUID(bytes=row.entry_id) for row in rows]

    def worded_since(self, recorded: Mapping[UUID, int]) -> Mapping[UUID, int]:
        """Since when the words of some entries, in the version recorded then, are recorded."""
        first: dict[tuple[UUID, int, int], int] = {}
        meant: set[tuple[UUID, int, int]] = set()
        for row in self._about(_WORDS, list(recorded), {}):
            words = (UUID(bytes=row.entry_id), row.title_id, row.content_id)
            first[words] = min(row.recorded_from, first.get(words, row.recorded_from))
            if row.recorded_from == recorded[words[0]]:
                meant.add(words)
        return {words[0]: first[words] for words in meant}

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
