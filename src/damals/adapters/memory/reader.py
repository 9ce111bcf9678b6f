"""Reading one workspace in memory."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal
from uuid import UUID

from damals.adapters.memory import changes
from damals.adapters.memory.accesses import LifeReader
from damals.adapters.memory.near import NearReader
from damals.adapters.memory.sayings import SayingsReader
from damals.adapters.memory.snapshot import SnapshotReader
from damals.adapters.memory.space import Space
from damals.adapters.memory.standing import StandingReader
from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_model import (
    WHOLE,
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
    Stretch,
    Workspace,
    corner_of,
    resolution_seen,
)
from damals.app.log_model import Told, touches
from damals.app.places import without_place
from damals.app.sources_model import SourceCount, SourceRun
from damals.domain.diff_rows import Deed, Place, Rows
from damals.domain.entries import Relation, Version
from damals.domain.ids import parse_uuid
from damals.domain.instants import BEGINNING, FOREVER
from damals.domain.names import folded_tags


class MemoryReader(StandingReader, LifeReader, SnapshotReader, SayingsReader, NearReader):
    """A ``LedgerReader`` on a space that nobody changes."""

    def __init__(self, space: Space, access: AccessFilter = OWNER) -> None:
        self._space = space
        self._access = access

    @property
    def access(self) -> AccessFilter:
        """What may be seen."""
        return self._access

    def unrestricted(self) -> "MemoryReader":
        """The same with nothing hidden."""
        return MemoryReader(self._space)

    def seen(self, entry_ids: Iterable[UUID]) -> frozenset[UUID]:
        """Those of some ids that are of entries that may be seen."""
        return self._space.seen(entry_ids, self._access)

    def workspace(self) -> Workspace:
        """The workspace that is read."""
        return self._space.workspace

    def head(self) -> Head:
        """Its newest transaction."""
        if not self._space.transactions:
            return Head(0, BEGINNING, BEGINNING)
        last = self._space.transactions[max(self._space.transactions)]
        return Head(last.number, last.recorded_at, last.logged_at)

    def _wanted(self, entry_ids: Iterable[UUID]) -> Collection[UUID]:
        """Of what is asked for, what may be told."""
        return set(entry_ids) if self._access == OWNER else self.seen(entry_ids)

    def find_entry(self, id_or_external_id: str) -> EntryInfo | None:
        """The entry with this id or external id, as known now."""
        entry_id = parse_uuid(id_or_external_id)
        owner = self._access == OWNER
        if owner and entry_id is not None and entry_id in self._space.tombstones:
            return self._info(entry_id)
        named = [i for i, name in self._space.names.items() if name == id_or_external_id]
        for one in named if entry_id is None else (entry_id, *named):
            if one in self._space.names and self._space.visible(one, self._access):
                return self._info(one)
        return None

    def _info(self, entry_id: UUID, known_at: int = FOREVER) -> EntryInfo:
        """An entry's identity as known at an instant, as it is told."""
        if self._access == OWNER:
            return self._space.info(entry_id, known_at)
        last = changes.last_told(self._space, entry_id, known_at, self._access)
        return self._space.info(entry_id, known_at, last=last)

    def _found(self, version: Version, known_at: int) -> Found:
        """A version as known at an instant: a later closing is not known yet."""
        if version.recorded_to > known_at:
            version = replace(version, recorded_to=FOREVER, closed_by=None)
        version = changes.as_told(version, self._access)
        return Found(version, self._info(version.entry_id, known_at))

    def version_at(self, entry_id: UUID, at: At) -> Found | None:
        """The version of an entry at a pair; a certain one before a possible one."""
        return self._best(entry_id, at) if self._space.visible(entry_id, self._access) else None

    def _best(self, entry_id: UUID, at: At) -> Found | None:
        known = [v for v in self._space.versions_of(entry_id) if v.known_at(at.known_at)]
        fitting = [v for v in known if v.period.possible_at(at.as_of)]
        best = max(fitting, key=lambda v: _rank(v, at.as_of), default=None)
        return None if best is None else self._found(best, at.known_at)

    def holder_at(self, key: str, at: At) -> Found | None:
        """The version that has a key at a pair; a certain one before a possible one."""
        fitting = [
            one
            for one in self._space.versions.values()
            if one.attributes.key == key
            and one.known_at(at.known_at)
            and one.period.possible_at(at.as_of)
            and self._space.visible(one.entry_id, self._access)
        ]
        best = max(fitting, key=lambda one: _rank(one, at.as_of), default=None)
        return None if best is None else self._found(best, at.known_at)

    def latest_version(self, entry_id: UUID, at: At) -> Found | None:
        """The version known at ``at.known_at`` that holds last in valid time."""
        known = [v for v in self._space.versions_of(entry_id) if v.known_at(at.known_at)]
        if not known or not self._space.visible(entry_id, self._access):
            return None
        return self._found(max(known, key=_lasting), at.known_at)

    def latest_versions(self, entry_ids: Sequence[UUID], at: At) -> dict[UUID, Found]:
        """As :meth:`latest_version` for several entries."""
        found = {one: self.latest_version(one, at) for one in entry_ids}
        return {one: each for one, each in found.items() if each is not None}

    def _last_known(self, entry_id: UUID, at: At) -> Found | None:
        """Its latest version or, when none is known any more, the last that was."""
        recorded = self._recorded([entry_id], at)
        return self.latest_version(entry_id, at) or (recorded[-1] if recorded else None)

    def list_at(self, at: At, where: EntryFilter) -> Sequence[Found]:
        """One version an entry at a pair, by entry id."""
        ids = [i for i in sorted(self._space.names) if where.after is None or i > where.after]
        ids = [i for i in ids if self._space.visible(i, self._access)]
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
            if where.verified is not None:
                checked = self.verifications_at(ids, at)
                ids = [i for i in ids if (i in checked) == where.verified]
            found = [self.version_at(i, at) for i in ids]
        listed = [one for one in found if one is not None and _passes(one, at, where)]
        return listed[: where.limit]

    def versions_at(self, entry_ids: Sequence[UUID], at: At) -> Mapping[UUID, Found]:
        """As :meth:`version_at` for several entries."""
        found = {entry_id: self.version_at(entry_id, at) for entry_id in entry_ids}
        return {entry_id: one for entry_id, one in found.items() if one is not None}

    def history(
        self, entry_id: UUID, at: At, stretch: Stretch = WHOLE
    ) -> Sequence[tuple[Found, StoredTransaction]]:
        """Every rectangle known by ``at.known_at``, by recorded start, then valid start."""
        return self._histories([entry_id], at, stretch)

    def key_history(
        self, key: str, at: At, stretch: Stretch = WHOLE
    ) -> Sequence[tuple[Found, StoredTransaction]]:
        """As :meth:`history`, for every entry that ever held the key."""
        return self._histories(self._holders(key), at, stretch)

    def _histories(
        self, entry_ids: Iterable[UUID], at: At, stretch: Stretch
    ) -> list[tuple[Found, StoredTransaction]]:
        found = self._recorded(entry_ids, at)
        if stretch.behind is not None:
            found = [one for one in found if corner_of(one.version) > stretch.behind]
        found = found[: stretch.limit]
        places: dict[int, set[int]] = {}
        for version in (one.version for one in found):
            places.setdefault(version.opened_by, set()).add(version.operation)
        space, access = self._space, self._access
        told = {n: changes.told_at(space, n, these, access) for n, these in places.items()}
        return [_placed(one, told[one.version.opened_by]) for one in found]

    def _recorded(self, entry_ids: Iterable[UUID], at: At) -> list[Found]:
        """Every version of some entries that was recorded by then, in that order."""
        known = [
            version
            for entry_id in entry_ids
            if self._space.visible(entry_id, self._access)
            for version in self._space.versions_of(entry_id)
            if version.recorded_from <= at.known_at
        ]
        return [self._found(one, at.known_at) for one in sorted(known, key=corner_of)]

    def _holders(self, key: str) -> list[UUID]:
        held = (v.entry_id for v in self._space.versions.values() if v.attributes.key == key)
        return [i for i in dict.fromkeys(held) if self._space.visible(i, self._access)]

    def superseded_at(self, entry_ids: Sequence[UUID], at: At) -> frozenset[UUID]:
        """Those of the entries that a cut recorded by ``known_at`` took ``as_of`` from."""
        taken = {r.dst_id for r in self._relations(at) if r.cuts}
        return frozenset(taken.intersection(self._wanted(entry_ids)))

    def archived_at(self, entry_ids: Sequence[UUID], at: At) -> Mapping[UUID, int]:
        """Since when each of the entries is archived at a pair; those that are not are left out."""
        wanted = self._wanted(entry_ids)
        return {
            one.entry_id: one.recorded_from
            for one in self._space.archivings.values()
            if one.entry_id in wanted
            and one.recorded_from <= min(at.as_of, at.known_at)
            and at.known_at < one.recorded_to
        }

    def relations_at(self, entry_ids: Sequence[UUID], at: At) -> Sequence[RelationView]:
        """The relations of the entries at a pair: who supersedes them first."""
        views: list[RelationView] = []
        for relation in self._relations(at):
            if not changes.shown(self._space, relation, self._access):
                continue
            if relation.src_id in entry_ids:
                views.append(self._view(relation, "out", at))
            if relation.dst_id in entry_ids:
                views.append(self._view(relation, "in", at))
        places = {view.place: view for view in views}
        return [places[place] for place in sorted(places)]

    def _relations(self, at: At) -> list[Relation]:
        return [
            one
            for one in self._space.relations.values()
            if one.recorded_from <= at.known_at < one.recorded_to
            and one.period.possible_at(at.as_of)
        ]

    def _view(self, relation: Relation, direction: Literal["out", "in"], at: At) -> RelationView:
        near, far = relation.src_id, relation.dst_id
        if direction == "in":
            near, far = far, near
        other = self._best(far, at) or self._last_known(far, at)
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
            flags=relation.flags,
            rule=relation.rule,
            symmetric=relation.symmetric,
            unresolved=relation.unresolved,
        )

    def moved(self, start: At, end: At) -> Sequence[UUID]:
        """The entries that may be something else at one pair than at the other, by id."""
        found = changes.moved(self._space, start, end)
        return found if self._access == OWNER else sorted(self.seen(found))

    def rows_between(self, entry_ids: Sequence[UUID], since: int, until: int) -> Rows:
        """The rows of some entries that were known at any instant from one to another."""
        span = changes.Span(since, until, self._access)
        return changes.rows_between(self._space, entry_ids, span)

    def versions_between(
        self, entry_ids: Sequence[UUID], since: int, until: int, *, of_type: str | None = None
    ) -> Sequence[Version]:
        """Of :meth:`rows_between` only the versions; only those of a type, if one is named."""
        found = self.rows_between(entry_ids, since, until).versions
        return [one for one in found if of_type in (None, one.attributes.type)]

    def relations_between(
        self, entry_ids: Sequence[UUID], since: int, until: int
    ) -> Sequence[Relation]:
        """Of :meth:`rows_between` only the relations, from and to the entries, by row."""
        return self.rows_between(entry_ids, since, until).relations

    def deeds(self, places: Collection[Place]) -> Mapping[Place, Deed]:
        """What was done at some edges, by whom and why."""
        return {place: changes.deed(self._space, place, self._access) for place in places}

    def log(
        self, *, entry_id: UUID | None = None, key: str | None = None, after: int = 0
    ) -> Iterator[StoredTransaction]:
        """The transactions behind number ``after``, in order; of an entry or a key, if given."""
        numbers: Iterable[int] = self._space.transactions
        about: Collection[UUID] | None = None
        if entry_id is not None:
            hidden = self._access != OWNER and not self.seen([entry_id])
            about = () if hidden else (entry_id,)
        elif key is not None:
            about = self._holders(key)
        if about is not None:
            numbers = {n for i in about for n in self._space.touches.get(i, ())}
        behind = sorted(number for number in numbers if number > after)
        stored = (changes.told(self._space, number, self._access) for number in behind)
        told = [one.transaction for one in stored if one is not None]
        if about is not None and self._access != OWNER:
            told = [one for one in told if touches(one, about)]
        return iter(told)

    def chunks(self, point_ids: Sequence[UUID]) -> Mapping[UUID, ChunkRow]:
        """The chunk rows of these points; unknown ones are left out."""
        wanted = set(point_ids)
        found = [c for c in self._space.chunks.values() if c.point_id in wanted]
        seen = self._wanted({chunk.entry_id for chunk in found})
        return {chunk.point_id: chunk for chunk in found if chunk.entry_id in seen}

    def source_notes(self, source: str) -> Sequence[SourceNote]:
        """The notes of a source, by path, as known now."""
        notes: list[SourceNote] = []
        for entry_id, name in self._space.names.items():
            if not self._space.visible(entry_id, self._access):
                continue
            newest = self._space.newest_of(entry_id)
            if newest is None or newest.attributes.source.name != source:
                continue
            has = newest.attributes
            if has.source.path is not None:
                current = any(v.recorded_to == FOREVER for v in self._space.versions_of(entry_id))
                digest = has.source.digest or ""
                rest = replace(has if self._access.places else without_place(has), content="")
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
            and (self._access == OWNER or changes.shown(self._space, one, self._access))
        ]
        return [
            DeclaredLink(
                *(one.src_id, one.target or "", one.dst_id, one.unresolved, one.relation, one.flags)
            )
            for one in sorted(found, key=lambda one: (one.src_id, one.row))
        ]

    def source_counts(self) -> Sequence[SourceCount]:
        """The sources of which a note may be seen."""
        said = (one.attributes.source.name for one in self._space.versions.values())
        found = {name: self.source_notes(name) for name in set(said) if name is not None}
        return [
            SourceCount(name, sum(note.current for note in notes))
            for name, notes in found.items()
            if notes
        ]

    def source_runs(self) -> Sequence[SourceRun]:
        """How the last import of each source ended; nothing for others than the owner."""
        return list(self._space.sources.values()) if self._access == OWNER else []


def _rank(version: Version, as_of: int) -> tuple[bool, int, int, int]:
    start = version.period.start
    return (version.period.certain_at(as_of), start.earliest, start.latest, version.row)


def _lasting(version: Version) -> tuple[int, ...]:
    start, end = version.period.start, version.period.end
    return (end.latest, end.earliest, start.earliest, start.latest, version.row)


def _placed(found: Found, told: Told) -> tuple[Found, StoredTransaction]:
    """A version with its transaction as it is told."""
    operation = told.places[found.version.operation]
    return replace(found, version=replace(found.version, operation=operation)), told.transaction


def _passes(found: Found, at: At, where: EntryFilter) -> bool:
    has, period = found.version.attributes, found.version.period
    gone = where.superseded or where.archived
    return (
        (not where.types or has.type in where.types)
        and set(folded_tags(has.tags)).issuperset(where.tags)
        and (gone or not where.certain or period.certain_at(at.as_of))
    )
