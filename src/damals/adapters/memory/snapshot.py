"""A whole workspace in memory at a pair of instants."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from damals.adapters.memory.changes import shown
from damals.adapters.memory.space import Space
from damals.app.index_model import AccessFilter
from damals.app.ledger_model import At, Found
from damals.app.snapshot_model import EntryAt, Snapshot, Standing, Tie
from damals.domain.ageing import Checked
from damals.domain.entries import Relation


class SnapshotReader:
    """The part of a reader that reads a whole workspace at a pair."""

    _space: Space
    _access: AccessFilter

    def snapshot(self, at: At, *, ties: bool = True) -> Snapshot:
        """Everything that may be seen at a pair of instants."""
        ids = [i for i in sorted(self._space.names) if self._space.visible(i, self._access)]
        archived, superseded = self.archived_at(ids, at), self.superseded_at(ids, at)
        accessed = self.accessed_at(ids, at)
        entries: dict[UUID, EntryAt] = {}
        for entry_id in ids:
            found, standing = self.version_at(entry_id, at), Standing.HELD
            if found is None and (entry_id in superseded or entry_id in archived):
                found, standing = self._last_known(entry_id, at), Standing.SUPERSEDED
            if found is not None:
                standing = Standing.ARCHIVED if entry_id in archived else standing
                one = self._portrait(found, standing, at)
                marks = {
                    "accessed_at": accessed.get(entry_id),
                    "archived_at": archived.get(entry_id),
                }
                entries[entry_id] = replace(one, **marks)
        tied = self._ties(at) if ties else []
        ends = {end for one in tied if not one.unresolved for end in (one.src_id, one.dst_id)}
        known = Counter(
            v.entry_id for v in self._space.versions.values() if v.known_at(at.known_at)
        )
        elsewhere = frozenset((ends - entries.keys()) & known.keys())
        read = Snapshot(at, entries, tuple(tied), elsewhere)
        return replace(read, split=frozenset(one for one in read.unsure if known[one] > 1))

    def _portrait(self, found: Found, standing: Standing, at: At) -> EntryAt:
        entry_id, until = found.info.id, min(at.as_of, at.known_at)
        first = self._space.transactions[self._space.touches[entry_id][0]]
        verified = sorted(
            (one.recorded_from, one.row, one.score)
            for one in self._space.verifications.values()
            if one.entry_id == entry_id
            and one.recorded_from <= until
            and one.recorded_to > at.known_at
        )
        return EntryAt(
            entry_id,
            found.info.external_id,
            standing,
            found.version.period,
            found.version.attributes,
            found.version.recorded_from,
            found.version.zone,
            found.info.created_at,
            first.logged_at,
            tuple(Checked(instant, score) for instant, _, score in verified),
        )

    def _ties(self, at: At) -> list[Tie]:
        return [
            _tie(one)
            for one in self._space.relations.values()
            if one.recorded_from <= at.known_at < one.recorded_to
            and one.period.possible_at(at.as_of)
            and shown(self._space, one, self._access)
            and self._space.tombstones.keys().isdisjoint((one.src_id, one.dst_id))
        ]

    def version_at(self, entry_id: UUID, at: At) -> Found | None:
        """Of the rest of the reader."""
        raise NotImplementedError

    def _last_known(self, entry_id: UUID, at: At) -> Found | None:
        raise NotImplementedError

    def superseded_at(self, entry_ids: Sequence[UUID], at: At) -> Collection[UUID]:
        """Of the rest of the reader."""
        raise NotImplementedError

    def accessed_at(self, entry_ids: Sequence[UUID], at: At) -> Mapping[UUID, int]:
        """Of the rest of the reader."""
        raise NotImplementedError

    def archived_at(self, entry_ids: Sequence[UUID], at: At) -> Mapping[UUID, int]:
        """Of the rest of the reader."""
        raise NotImplementedError


def _tie(one: Relation) -> Tie:
    return Tie(
        one.src_id, one.dst_id, one.relation, one.declared, one.cuts, one.derived, one.rule,
        one.target, one.unresolved, one.resolution, one.flags, one.recorded_from,
    )  # fmt: skip
