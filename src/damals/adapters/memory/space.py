"""What the ledger in memory holds of one workspace."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from uuid import UUID

from damals.app.access_model import Job, KeptAnswer, NotedExport
from damals.app.accesses_model import AccessNote
from damals.app.floors_model import Floors, under
from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_model import (
    Access,
    ChunkRow,
    EntryInfo,
    StoredTransaction,
    Tombstone,
    Workspace,
)
from damals.app.receipt_model import Receipt
from damals.app.sources_model import SourceRun
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
        marks: by what files are recognised that say what was erased.
        answers: those kept for requests, by key.
        jobs: by id, in the order in which they came.
        forgotten: ids of the jobs that an erasure fell into.
        sources: the last import of each, by name.
        floors: what each asks of those who are shown its relations.
        receipts: what is kept of answers, by id.
        accesses: what was returned to someone, one entry each, in the order in which it was.
        readmitted: erased entries in whose place others may be imported.
        erased_sources: when each source was erased that was not readmitted.
        exports: what was written into files outside, in the order in which it was.
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
    marks: set[str] = field(default_factory=set[str])
    answers: dict[bytes, KeptAnswer] = field(default_factory=dict[bytes, KeptAnswer])
    jobs: dict[str, Job] = field(default_factory=dict[str, Job])
    forgotten: set[str] = field(default_factory=set[str])
    sources: dict[str, SourceRun] = field(default_factory=dict[str, SourceRun])
    floors: dict[str, Floors] = field(default_factory=dict[str, Floors])
    receipts: dict[UUID, Receipt] = field(default_factory=dict[UUID, Receipt])
    accesses: list[AccessNote] = field(default_factory=list[AccessNote])
    readmitted: set[UUID] = field(default_factory=set[UUID])
    erased_sources: dict[str, int] = field(default_factory=dict[str, int])
    exports: list[NotedExport] = field(default_factory=list[NotedExport])

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
            marks=self.marks.copy(),
            answers=self.answers.copy(),
            jobs=self.jobs.copy(),
            forgotten=self.forgotten.copy(),
            sources=self.sources.copy(),
            floors=self.floors.copy(),
            receipts=self.receipts.copy(),
            accesses=self.accesses.copy(),
            exports=self.exports.copy(),
            readmitted=self.readmitted.copy(),
            erased_sources=self.erased_sources.copy(),
        )

    def forget_receipts(self, erased: UUID) -> None:
        """An entry was erased: the receipts that name it lose all their texts."""
        for receipt_id, one in self.receipts.items():
            if erased in one.entries:
                self.receipts[receipt_id] = replace(one, entries=frozenset(), document=None)

    def forget_accesses(self, erased: UUID) -> None:
        """An entry was erased: nobody has ever seen it."""
        self.accesses[:] = [one for one in self.accesses if erased not in one.entries]

    def forget(self) -> None:
        """Something was erased: take all texts out of answers, jobs and results of imports."""
        for key, one in self.answers.items():
            self.answers[key] = replace(one, body=None)
        for job_id, job in self.jobs.items():
            self.jobs[job_id] = replace(job, request={}, result=None)
        self.forgotten.update(self.jobs)
        for name, run in self.sources.items():
            self.sources[name] = replace(run, result=None)

    @property
    def last_erasure(self) -> int:
        """The number of the last transaction that erased something; 0 for none."""
        return max((stone.number for stone in self.tombstones.values()), default=0)

    def floored(self, access: AccessFilter) -> AccessFilter:
        """What somebody may see here, by what vaults ask for."""
        if access == OWNER:
            return access
        return under(access, (one for asked in self.floors.values() for one in asked.items()))

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
        if access == OWNER:
            return True
        newest = self.newest_of(entry_id)
        if newest is None:
            return False
        has = newest.attributes
        return access.admits(has.visibility, has.sensitivity, has.acl)

    def seen(self, entry_ids: Iterable[UUID], access: AccessFilter) -> frozenset[UUID]:
        """Those of some ids that are of entries that may be seen."""
        return frozenset(i for i in entry_ids if i in self.names and self.visible(i, access))

    def told_behind(self, position: int, access: AccessFilter) -> list[int]:
        """The transactions behind a place that touched something visible."""
        behind = [number for number, place in self.positions.items() if place > position]
        if access == OWNER:
            return behind
        touched = (numbers for i, numbers in self.touches.items() if self.visible(i, access))
        told = {number for numbers in touched for number in numbers}
        return [number for number in behind if number in told]

    def seen_rows(self, rows: Iterable[int], access: AccessFilter) -> int:
        """How many of some chunk rows are of entries that may be seen."""
        entries = (self.chunks[row].entry_id for row in rows if row in self.chunks)
        return sum(access == OWNER or self.visible(entry_id, access) for entry_id in entries)

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

    def info(self, entry_id: UUID, known_at: int = FOREVER, *, last: int = 0) -> EntryInfo:
        """An entry's identity as known at an instant.

        Args:
            entry_id: the entry.
            known_at: the instant.
            last: number of the last transaction that is told of it; 0 for whatever touched it.
        """
        numbers = self.touches[entry_id]
        known = [n for n in numbers if self.transactions[n].recorded_at <= known_at]
        last = last or (known or numbers)[-1]
        return EntryInfo(
            id=entry_id,
            external_id=self.names[entry_id],
            created_at=self.transactions[numbers[0]].recorded_at,
            updated_at=self.transactions[last].recorded_at,
            last_transaction=last,
            erased=entry_id in self.tombstones,
        )


def _access(version: Version) -> Access:
    has = version.attributes
    return Access(has.visibility, has.sensitivity, tuple(sorted(set(has.acl))))
