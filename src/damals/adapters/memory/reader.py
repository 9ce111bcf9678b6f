"""Reading one workspace in memory."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal
from uuid import UUID

from damals.adapters.memory import changes
from damals.adapters.memory.space import Space
from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_model import (
    At,
    ChunkRow,
    DeclaredLink,
    EntryFilter,
    EntryInfo,
    Found,
    Head,
    RelationView,
    SourceNote,
    StoredTransaction,
    Tombstone,
    Workspace,
    resolution_seen,
)
from damals.domain.diff_rows import Deed, Place, Rows
from damals.domain.entries import Relation, Verification, Version
from damals.domain.ids import parse_uuid
from damals.domain.instants import BEGINNING, FOREVER
from damals.domain.names import folded_tags


class MemoryReader:
    """A ``LedgerReader`` on a space that nobody changes."""

    def __init__(self, space: Space) -> None:
        self._space = space

    def workspace(self) -> Workspace:
        """The workspace that is read."""
        return self._space.workspace

    def head(self) -> Head:
        """Its newest transaction."""
        if not self._space.transactions:
            return Head(0, BEGINNING)
        number = max(self._space.transactions)
        return Head(number, self._space.transactions[number].recorded_at)

    def find_entry(self, id_or_external_id: str, access: AccessFilter = OWNER) -> EntryInfo | None:
        """The entry with this id or external id, as known now."""
        entry_id = parse_uuid(id_or_external_id)
        if entry_id is not None and entry_id in self._space.tombstones:
            return self._space.info(entry_id)
        named = [i for i, name in self._space.names.items() if name == id_or_external_id]
        for one in named if entry_id is None else (entry_id, *named):
            if one in self._space.names and self._space.visible(one, access):
                return self._space.info(one)
        return None

    def version_at(self, entry_id: UUID, at: At) -> Found | None:
        """The version of an entry at a pair; a certain one before a possible one."""
        return self._best(entry_id, at) if self._space.visible(entry_id, at.access) else None

    def _best(self, entry_id: UUID, at: At) -> Found | None:
        known = [v for v in self._space.versions_of(entry_id) if v.known_at(at.known_at)]
        fitting = [v for v in known if v.period.possible_at(at.as_of)]
        best = max(fitting, key=lambda v: _rank(v, at.as_of), default=None)
        return None if best is None else self._space.found(best, at.known_at)

    def holder_at(self, key: str, at: At) -> Found | None:
        """The version that has a key at a pair; a certain one before a possible one."""
        fitting = [
            one
            for one in self._space.versions.values()
            if one.attributes.key == key
            and one.known_at(at.known_at)
            and one.period.possible_at(at.as_of)
            and self._space.visible(one.entry_id, at.access)
        ]
        best = max(fitting, key=lambda one: _rank(one, at.as_of), default=None)
        return None if best is None else self._space.found(best, at.known_at)

    def latest_version(self, entry_id: UUID, at: At) -> Found | None:
        """The version known at ``at.known_at`` that holds last in valid time."""
        known = [v for v in self._space.versions_of(entry_id) if v.known_at(at.known_at)]
        if not known or not self._space.visible(entry_id, at.access):
            return None
        return self._space.found(max(known, key=_lasting), at.known_at)

    def _last_known(self, entry_id: UUID, at: At) -> Found | None:
        """Its latest version or, when none is known any more, the last that was."""
        latest, history = self.latest_version(entry_id, at), self.history(entry_id, at)
        return latest or (history[-1][0] if history else None)

    def list_at(self, at: At, where: EntryFilter) -> Sequence[Found]:
        """One version an entry at a pair, by entry id."""
        ids = [i for i in sorted(self._space.names) if where.after is None or i > where.after]
        ids = [i for i in ids if self._space.visible(i, at.access)]
        archived = self.archived_at(ids, at)
        if where.archived:
            found = [self._best(i, at) or self._last_known(i, at) for i in ids if i in archived]
            listed = [one for one in found if one is not None and _passes(one, at, where)]
            return listed[: where.limit]
        ids = [i for i in ids if i not in archived]
        if where.superseded:
            taken = self.superseded_at(ids, at)
            ids = [i for i in ids if i in taken and self._best(i, at) is None]
            found = [self._last_known(i, at) for i in ids]
        else:
            found = [self.version_at(i, at) for i in ids]
        listed = [one for one in found if one is not None and _passes(one, at, where)]
        return listed[: where.limit]

    def versions_at(self, entry_ids: Sequence[UUID], at: At) -> Mapping[UUID, Found]:
        """As :meth:`version_at` for several entries."""
        found = {entry_id: self.version_at(entry_id, at) for entry_id in entry_ids}
        return {entry_id: one for entry_id, one in found.items() if one is not None}

    def history(self, entry_id: UUID, at: At) -> Sequence[tuple[Found, StoredTransaction]]:
        """Every rectangle known by ``at.known_at``, by recorded start, then valid start."""
        return self._histories([entry_id], at)

    def key_history(self, key: str, at: At) -> Sequence[tuple[Found, StoredTransaction]]:
        """As :meth:`history`, for every entry that ever held the key."""
        return self._histories(self._holders(key), at)

    def _histories(
        self, entry_ids: Iterable[UUID], at: At
    ) -> list[tuple[Found, StoredTransaction]]:
        known = [
            version
            for entry_id in entry_ids
            if self._space.visible(entry_id, at.access)
            for version in self._space.versions_of(entry_id)
            if version.recorded_from <= at.known_at
        ]
        return [
            (self._space.found(one, at.known_at), self._space.transactions[one.opened_by])
            for one in sorted(known, key=_by_recording)
        ]

    def _holders(self, key: str) -> list[UUID]:
        erased = self._space.tombstones
        versions = (v for v in self._space.versions.values() if v.entry_id not in erased)
        return list(dict.fromkeys(v.entry_id for v in versions if v.attributes.key == key))

    def superseded_at(self, entry_ids: Sequence[UUID], at: At) -> frozenset[UUID]:
        """Those of the entries that a cut recorded by ``known_at`` took ``as_of`` from."""
        taken = {r.dst_id for r in self._relations(at) if r.cuts}
        return frozenset(taken.intersection(entry_ids))

    def archived_at(self, entry_ids: Sequence[UUID], at: At) -> Mapping[UUID, int]:
        """Since when each of the entries is archived at a pair; those that are not are left out."""
        wanted = set(entry_ids)
        return {
            one.entry_id: one.recorded_from
            for one in self._space.archivings.values()
            if one.entry_id in wanted
            and one.recorded_from <= min(at.as_of, at.known_at)
            and at.known_at < one.recorded_to
        }

    def verified_at(self, entry_ids: Sequence[UUID], at: At) -> Mapping[UUID, Verification]:
        """The last verification of each entry at an instant that both clocks have reached."""
        wanted = set(entry_ids)
        return {
            one.entry_id: _as_known(one, at.known_at)
            for one in self._space.verifications.values()
            if one.entry_id in wanted
            and one.recorded_from <= min(at.as_of, at.known_at)
            and at.known_at < one.recorded_to
        }

    def relations_at(self, entry_ids: Sequence[UUID], at: At) -> Sequence[RelationView]:
        """The relations of the entries at a pair: who supersedes them first."""
        views: list[RelationView] = []
        for relation in self._relations(at):
            if not self._seen(relation, at.access):
                continue
            if relation.src_id in entry_ids:
                views.append(self._view(relation, "out", at))
            if relation.dst_id in entry_ids:
                views.append(self._view(relation, "in", at))
        places = {view.place: view for view in views}
        return [places[place] for place in sorted(places)]

    def tombstones(self) -> Mapping[UUID, Tombstone]:
        """What is left of all erased entries."""
        return self._space.tombstones.copy()

    def _relations(self, at: At) -> list[Relation]:
        return [
            one
            for one in self._space.relations.values()
            if one.recorded_from <= at.known_at < one.recorded_to
            and one.period.possible_at(at.as_of)
        ]

    def _seen(self, relation: Relation, access: AccessFilter) -> bool:
        seen_dst = relation.unresolved or self._space.visible(relation.dst_id, access)
        return seen_dst and self._space.visible(relation.src_id, access)

    def _view(self, relation: Relation, direction: Literal["out", "in"], at: At) -> RelationView:
        near, far = relation.src_id, relation.dst_id
        if direction == "in":
            near, far = far, near
        everything = At(at.as_of, at.known_at)
        other = self._best(far, everything) or self._last_known(far, everything)
        unknown = relation.target if relation.unresolved else None
        return RelationView(
            id=relation.id,
            relation=relation.relation,
            direction=direction,
            entry_id=near,
            other_id=far,
            other_title=unknown if other is None else other.version.attributes.title,
            confidence=relation.confidence,
            derived=relation.derived,
            resolution=resolution_seen(relation.resolution, direction),
        )

    def moved(self, start: At, end: At) -> Sequence[UUID]:
        """The entries that may be something else at one pair than at the other, by id."""
        return changes.moved(self._space, start, end)

    def rows_between(self, entry_ids: Sequence[UUID], since: int, until: int) -> Rows:
        """The rows of some entries that were known at any instant from one to another."""
        return changes.rows_between(self._space, entry_ids, since, until)

    def deeds(self, places: Collection[Place]) -> Mapping[Place, Deed]:
        """What was done at some edges, by whom and why."""
        return {place: changes.deed(self._space, place) for place in places}

    def log(
        self, *, entry_id: UUID | None = None, key: str | None = None, after: int = 0
    ) -> Iterator[StoredTransaction]:
        """The transactions behind number ``after``, in order; of an entry or a key, if given."""
        numbers: Iterable[int] = self._space.transactions
        if entry_id is not None:
            numbers = self._space.touches.get(entry_id, ())
        elif key is not None:
            numbers = {n for i in self._holders(key) for n in self._space.touches[i]}
        return iter([self._space.transactions[n] for n in sorted(numbers) if n > after])

    def chunks(self, point_ids: Sequence[UUID]) -> Mapping[UUID, ChunkRow]:
        """The chunk rows of these points; unknown ones are left out."""
        wanted = set(point_ids)
        return {c.point_id: c for c in self._space.chunks.values() if c.point_id in wanted}

    def source_notes(self, source: str) -> Sequence[SourceNote]:
        """The notes of a source, by path, as known now."""
        notes: list[SourceNote] = []
        for entry_id, name in self._space.names.items():
            if entry_id in self._space.tombstones:
                continue
            newest = self._space.newest_of(entry_id)
            if newest is None or newest.attributes.source.name != source:
                continue
            has = newest.attributes
            if has.source.path is not None:
                current = any(v.recorded_to == FOREVER for v in self._space.versions_of(entry_id))
                digest = has.source.digest or ""
                rest = replace(has, content="")
                notes.append(SourceNote(entry_id, name, has.source.path, digest, rest, current))
        return sorted(notes, key=lambda note: (note.path, note.entry_id))

    def links(self, source: str) -> Sequence[DeclaredLink]:
        """The declared links of the current notes of a source, by entry and row."""
        theirs = {note.entry_id for note in self.source_notes(source) if note.current}
        found = [
            one
            for one in self._space.relations.values()
            if one.declared
            and one.target is not None
            and one.recorded_to == FOREVER
            and one.src_id in theirs
        ]
        return [
            DeclaredLink(one.src_id, one.target or "", one.dst_id, one.unresolved, one.relation)
            for one in sorted(found, key=lambda one: (one.src_id, one.row))
        ]


def _as_known(one: Verification, known_at: int) -> Verification:
    """A verification as known at an instant: a later closing is not known yet."""
    if one.recorded_to <= known_at:
        return one
    return replace(one, recorded_to=FOREVER, closed_by=None)


def _rank(version: Version, as_of: int) -> tuple[bool, int, int, int]:
    start = version.period.start
    return (version.period.certain_at(as_of), start.earliest, start.latest, version.row)


def _lasting(version: Version) -> tuple[int, ...]:
    start, end = version.period.start, version.period.end
    return (end.latest, end.earliest, start.earliest, start.latest, version.row)


def _by_recording(version: Version) -> tuple[int, ...]:
    start = version.period.start
    return (version.recorded_from, start.earliest, start.latest, version.row)


def _passes(found: Found, at: At, where: EntryFilter) -> bool:
    has, period = found.version.attributes, found.version.period
    gone = where.superseded or where.archived
    return (
        (not where.types or has.type in where.types)
        and set(folded_tags(has.tags)).issuperset(where.tags)
        and (gone or not where.certain or period.certain_at(at.as_of))
    )
