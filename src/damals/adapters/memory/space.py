"""What the ledger in memory holds of one workspace."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from uuid import UUID

from damals.app.index_model import AccessFilter
from damals.app.ledger_model import (
    Access,
    ChunkRow,
    EntryInfo,
    Found,
    StoredTransaction,
    Tombstone,
    Workspace,
)
from damals.domain.entries import Archiving, Relation, Verification, Version
from damals.domain.instants import FOREVER


@dataclass(frozen=True, slots=True)
class Space:
    """One workspace. Rows are kept by number, ascending; a writer works on a copy.

    Attributes:
        names: external id of each entry, ``None`` for one without.
        touches: numbers of the transactions that touched an entry, ascending.
        positions: place of each transaction among those of all workspaces.
        tombstones: what is left of erased entries.
    """

    workspace: Workspace
    key: bytes
    names: dict[UUID, str | None] = field(default_factory=dict[UUID, str | None])
    touches: dict[UUID, tuple[int, ...]] = field(default_factory=dict[UUID, tuple[int, ...]])
    versions: dict[int, Version] = field(default_factory=dict[int, Version])
    relations: dict[int, Relation] = field(default_factory=dict[int, Relation])
    chunks: dict[int, ChunkRow] = field(default_factory=dict[int, ChunkRow])
    transactions: dict[int, StoredTransaction] = field(default_factory=dict[int, StoredTransaction])
    positions: dict[int, int] = field(default_factory=dict[int, int])
    archivings: dict[int, Archiving] = field(default_factory=dict[int, Archiving])
    verifications: dict[int, Verification] = field(default_factory=dict[int, Verification])
    tombstones: dict[UUID, Tombstone] = field(default_factory=dict[UUID, Tombstone])

    def copy(self) -> "Space":
        """A space that can change without changing this one."""
        return replace(
            self,
            names=self.names.copy(),
            touches=self.touches.copy(),
            versions=self.versions.copy(),
            relations=self.relations.copy(),
            chunks=self.chunks.copy(),
            transactions=self.transactions.copy(),
            positions=self.positions.copy(),
            archivings=self.archivings.copy(),
            verifications=self.verifications.copy(),
            tombstones=self.tombstones.copy(),
        )

    def versions_of(self, entry_id: UUID) -> list[Version]:
        """Every version of an entry, as recorded."""
        return [one for one in self.versions.values() if one.entry_id == entry_id]

    def newest_of(self, entry_id: UUID) -> Version | None:
        """The version of an entry that was recorded last."""
        return max(self.versions_of(entry_id), key=lambda one: one.row, default=None)

    def visible(self, entry_id: UUID, access: AccessFilter) -> bool:
        """Whether the newest version of an entry, whatever is asked, may be seen; no tombstone."""
        if entry_id in self.tombstones:
            return False
        if access == AccessFilter():
            return True
        newest = self.newest_of(entry_id)
        if newest is None:
            return False
        has = newest.attributes
        return (
            (access.visibilities is None or has.visibility in access.visibilities)
            and (access.max_sensitivity is None or has.sensitivity <= access.max_sensitivity)
            and (
                access.principals is None
                or not has.acl
                or not set(has.acl).isdisjoint(access.principals)
            )
        )

    def access(self, entry_ids: Iterable[UUID]) -> dict[UUID, Access]:
        """Who may see these entries now."""
        newest = {entry_id: self.newest_of(entry_id) for entry_id in entry_ids}
        return {i: _access(one) for i, one in newest.items() if one is not None}

    def access_changed(self, number: int) -> set[UUID]:
        """The entries that others may see since a transaction."""
        changed: set[UUID] = set()
        for entry_id in {v.entry_id for v in self.versions.values() if v.opened_by == number}:
            known = [v for v in self.versions_of(entry_id) if v.opened_by <= number]
            now = max(known, key=lambda one: one.row)
            then = [v for v in known if v.opened_by < number]
            if then and _access(max(then, key=lambda one: one.row)) != _access(now):
                changed.add(entry_id)
        return changed

    def info(self, entry_id: UUID, known_at: int = FOREVER) -> EntryInfo:
        """An entry's identity as known at an instant."""
        numbers = self.touches[entry_id]
        known = [n for n in numbers if self.transactions[n].recorded_at <= known_at]
        last = (known or numbers)[-1]
        return EntryInfo(
            id=entry_id,
            external_id=self.names[entry_id],
            created_at=self.transactions[numbers[0]].recorded_at,
            updated_at=self.transactions[last].recorded_at,
            last_transaction=last,
            erased=entry_id in self.tombstones,
        )

    def found(self, version: Version, known_at: int) -> Found:
        """A version as known at an instant: a later closing is not known yet."""
        if version.recorded_to > known_at:
            version = replace(version, recorded_to=FOREVER, closed_by=None)
        return Found(version, self.info(version.entry_id, known_at))


def _access(version: Version) -> Access:
    has = version.attributes
    return Access(has.visibility, has.sensitivity, tuple(sorted(set(has.acl))))
