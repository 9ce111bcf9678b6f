"""What stands around entries at a pair in memory, as ranking asks for it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from uuid import UUID

from damals.adapters.memory.changes import shown
from damals.adapters.memory.space import Space
from damals.app.index_model import AccessFilter
from damals.app.ledger_model import At, Found
from damals.domain.entries import Relation, Verification
from damals.domain.nearness import EVERY_KIND, Edge, EdgeKinds


class NearReader:
    """The part of a reader that ranking asks."""

    _space: Space
    _access: AccessFilter

    def edges_at(
        self, entry_ids: Sequence[UUID], at: At, limit: int, kinds: EdgeKinds = EVERY_KIND
    ) -> Sequence[Edge]:
        """The relations of some entries at a pair, both of whose ends hold there, by id."""
        wanted = set(entry_ids)
        found = self._live(at)
        leading = [one for one in found if one.src_id in wanted and _is(one, kinds.leading)]
        coming = [one for one in found if one.dst_id in wanted and _is(one, kinds.coming)]
        return _edges([*leading[:limit], *coming[:limit]])

    def edges_among(self, entry_ids: Sequence[UUID], at: At, limit: int) -> Sequence[Edge]:
        """As :meth:`edges_at`, but only those between two of the entries."""
        wanted = set(entry_ids)
        found = [one for one in self._live(at) if {one.src_id, one.dst_id} <= wanted]
        return _edges(found[:limit])

    def _live(self, at: At) -> list[Relation]:
        relations = [
            one
            for one in self._relations(at)
            if not one.unresolved and shown(self._space, one, self._access)
        ]
        ends = list({end for one in relations for end in (one.src_id, one.dst_id)})
        archived = self.archived_at(ends, at)
        live = {end for end in self.versions_at(ends, at) if end not in archived}
        return [one for one in relations if {one.src_id, one.dst_id} <= live]

    def grounded_entries(self, at: At, least: float) -> frozenset[UUID]:
        """The entries whose last verification at a pair has at least this score."""
        found = self.verifications_at(list(self._space.names), at)
        return frozenset(one for one, them in found.items() if them[-1].score >= least)

    def titles_at(self, entry_ids: Sequence[UUID], at: At) -> Mapping[UUID, str]:
        """The titles of entries at a pair, else the last that were known."""
        found = {one: self._title(one, at) for one in self._wanted(entry_ids)}
        return {one: title for one, title in found.items() if title is not None}

    def _title(self, entry_id: UUID, at: At) -> str | None:
        found = self.version_at(entry_id, at) or self._last_known(entry_id, at)
        return None if found is None else found.version.attributes.title

    def versions_at(self, entry_ids: Sequence[UUID], at: At) -> Mapping[UUID, Found]:
        """As the port."""
        raise NotImplementedError

    def version_at(self, entry_id: UUID, at: At) -> Found | None:
        """As the port."""
        raise NotImplementedError

    def archived_at(self, entry_ids: Sequence[UUID], at: At) -> Mapping[UUID, int]:
        """As the port."""
        raise NotImplementedError

    def verifications_at(
        self, entry_ids: Sequence[UUID], at: At
    ) -> Mapping[UUID, tuple[Verification, ...]]:
        """As the port."""
        raise NotImplementedError

    def _relations(self, at: At) -> list[Relation]:
        raise NotImplementedError

    def _last_known(self, entry_id: UUID, at: At) -> Found | None:
        raise NotImplementedError

    def _wanted(self, entry_ids: Iterable[UUID]) -> Collection[UUID]:
        raise NotImplementedError


def _is(one: Relation, names: frozenset[str] | None) -> bool:
    return names is None or one.relation in names


def _edges(found: Iterable[Relation]) -> list[Edge]:
    by_id = {one.id: one for one in found}
    return [
        Edge(one.id, one.relation, one.src_id, one.dst_id, one.confidence, one.premises or ())
        for _, one in sorted(by_id.items())
    ]
