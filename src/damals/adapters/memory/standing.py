"""What stands in a workspace in memory as a whole."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from uuid import UUID

from damals.adapters.memory.changes import shown
from damals.adapters.memory.space import Space
from damals.app.history.model import Replayed, commit_named
from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_model import At, Head, Tombstone
from damals.app.standing_model import StandingEntry
from damals.domain.entries import Relation, Version
from damals.domain.instants import FOREVER
from damals.domain.periods import Period
from damals.domain.reserve import reserve_of


class StandingReader:
    """The part of a reader that looks at a whole workspace."""

    _space: Space
    _access: AccessFilter

    def tombstones(self) -> Mapping[UUID, Tombstone]:
        """What is left of all erased entries."""
        return self._space.tombstones.copy() if self._access == OWNER else {}

    def quiet_since(self, source: str, head: Head) -> bool:
        """Whether no entry of a source was touched since a transaction, and nothing was erased."""
        space = self._space
        then = space.transactions.get(head.number)
        if then is None or head != Head(then.number, then.recorded_at, then.logged_at):
            return False
        ids = {i for i in space.names for v in space.versions_of(i) if _is_of(v, source)}
        touched = any(space.touches[entry_id][-1] > head.number for entry_id in ids)
        return not touched and space.last_erasure <= head.number

    def marked(self, marks: Collection[str]) -> frozenset[str]:
        """Those of some marks that an erasure has left."""
        return frozenset(self._space.marks.intersection(marks))

    def readmitted(self) -> frozenset[UUID]:
        """The erased entries in whose place others may be imported."""
        return frozenset(self._space.readmitted)

    def barred(self) -> frozenset[UUID]:
        """None: no memory is restored from a backup."""
        return frozenset()

    def replayed(self, source: str) -> Sequence[Replayed]:
        """The transactions that replayed a commit of the history of a source, in order."""
        found: list[Replayed] = []
        for number, stored in sorted(self._space.transactions.items()):
            named = (
                commit_named(one.params, source)
                for one in stored.operations
                if one.kind in ("remember", "correct", "retract")
                and one.entry_id is not None
                and (self._access == OWNER or self._space.visible(one.entry_id, self._access))
            )
            told = next((one for one in named if one is not None), None)
            if told is not None:
                found.append(Replayed(number, stored.recorded_at, *told))
        return found

    def standing_entries(self) -> Mapping[UUID, StandingEntry]:
        """What is currently known to hold, and when; nothing that is archived."""
        archived = {
            one.entry_id for one in self._space.archivings.values() if one.recorded_to == FOREVER
        }
        periods: dict[UUID, list[Period]] = {}
        for one in self._space.versions.values():
            hidden = one.entry_id in archived or one.recorded_to != FOREVER
            if not hidden and self._space.visible(one.entry_id, self._access):
                periods.setdefault(one.entry_id, []).append(one.period)
        found: dict[UUID, StandingEntry] = {}
        for entry_id in sorted(periods):
            newest = self._space.newest_of(entry_id)
            if newest is not None:
                has = newest.attributes
                reserve = reserve_of(has.visibility, has.sensitivity, has.acl)
                found[entry_id] = StandingEntry(tuple(periods[entry_id]), reserve)
        return found

    def standing_relations(self) -> Iterator[Relation]:
        """What is currently known to stand between entries, by row."""
        return (
            one
            for one in self._space.relations.values()
            if one.recorded_to == FOREVER
            and not one.unresolved
            and shown(self._space, one, self._access)
        )

    def placed_in(self, folder: str, at: At) -> Sequence[UUID]:
        """The entries whose source's path at a pair lies in a folder of this name, by id."""
        found = {
            one.entry_id
            for one in self._space.versions.values()
            if one.known_at(at.known_at)
            and one.period.possible_at(at.as_of)
            and one.attributes.source.name is not None
            and f"/{folder}/" in f"/{(one.attributes.source.path or '').lower()}"
        }
        return sorted(found if self._access == OWNER else self._space.seen(found, self._access))

    def saying(self, name: str, after: int = 0) -> Sequence[UUID]:
        """Entries that had a property by a version recorded behind a transaction, by id."""
        found = {
            one.entry_id
            for one in self._space.versions.values()
            if one.opened_by > after and name in one.attributes.properties
        }
        return sorted(found if self._access == OWNER else self._space.seen(found, self._access))


def _is_of(version: Version, source: str) -> bool:
    return version.attributes.source.name == source
