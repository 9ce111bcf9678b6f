"""Filling what stands beside the chunks for other programs: notes, edges, persons.

They are rows of the ledger at all pairs of instants, as the chunks are: a version of a note, a row
of a relation, with both periods. Who reads them asks for a pair with the same conditions, and for
access with the same fields. An entry's points are written anew whenever a transaction touched it,
so that writing twice changes nothing.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final
from uuid import UUID

from damals.app.beside_model import Beside, BesidePoint, BesideValue
from damals.app.chunking import age_instant
from damals.app.index_fitting import NOBODY, first_names
from damals.app.ledger_model import EVERYTHING, OutboxItem
from damals.app.ledger_port import Ledger, LedgerReader
from damals.app.people import RELATION_TO_OWNER, is_person, ownership
from damals.domain.access import VISIBILITIES
from damals.domain.entries import Attributes, Relation, Version
from damals.domain.ids import name_based_id, workspace_namespace
from damals.domain.instants import BEGINNING, FOREVER, format_instant
from damals.domain.names import folded_tags
from damals.domain.types import TypeCatalogue

ENTRIES: Final = 500
"""How many entries are read and written at once."""

ALWAYS: Final = (BEGINNING, FOREVER - 1)
"""From the first to the last instant at which anything is known."""

Payload = dict[str, BesideValue]

TypesOf = Callable[[LedgerReader], TypeCatalogue]
"""The types in force in a workspace: relations may ask for a visibility at least."""


@dataclass(frozen=True, slots=True)
class Companion:
    """Brings what stands beside the chunks up to the ledger, by the same outbox.

    Attributes:
        types: what relations ask for at least; edges keep what held when they were written.
    """

    ledger: Ledger
    beside: Beside
    types: TypesOf

    def follow(self, items: Iterable[OutboxItem]) -> None:
        """Write what transactions touched, as it is by now; what was erased goes."""
        for workspace, group in groupby(items, key=lambda item: item.workspace):
            of_one = tuple(group)
            erased = {entry_id for item in of_one for entry_id in item.erased}
            if erased:
                self.beside.forget(workspace, sorted(erased))
            with self.ledger.read(workspace) as reader:
                types = self.types(reader)
                gone = reader.tombstones().keys()
                touched = sorted(_touched(reader, of_one) - gone)
                for start in range(0, len(touched), ENTRIES):
                    part = touched[start : start + ENTRIES]
                    points = points_of(reader, part, types)
                    self.beside.put([one for one in points if gone.isdisjoint(one.entries)])


def _touched(reader: LedgerReader, items: Sequence[OutboxItem]) -> set[UUID]:
    """The entries that transactions may have changed."""
    wanted = {item.number for item in items}
    touched: set[UUID] = set()
    for transaction in reader.log(after=min(wanted) - 1):
        if transaction.number > max(wanted):
            break
        if transaction.number in wanted:
            touched.update(one for said in transaction.operations for one in said.touched)
    return touched


def points_of(
    reader: LedgerReader, entry_ids: Sequence[UUID], types: TypeCatalogue
) -> Iterable[BesidePoint]:
    """Every row of some entries as points: as notes, persons, and the edges at either end."""
    workspace = reader.workspace().name
    rows = reader.rows_between(entry_ids, *ALWAYS)
    ends = {end for row in rows.relations for end in (row.src_id, row.dst_id)}
    others = reader.versions_between(sorted(ends.difference(entry_ids)), *ALWAYS)
    newest = _newest([*rows.versions, *others])
    archived = reader.archived_at(entry_ids, EVERYTHING)
    named = _external_ids(reader, entry_ids)
    for version in rows.versions:
        about = _About(
            newest[version.entry_id].attributes,
            archived.get(version.entry_id, FOREVER),
            named.get(version.entry_id),
        )
        yield from _as_notes(workspace, version, about)
    for relation in rows.relations:
        known = types.relations.get(relation.relation)
        least = known.min_visibility if known else VISIBILITIES[0]
        yield _as_edge(workspace, relation, newest, least)


@dataclass(frozen=True, slots=True)
class _About:
    """What is said of an entry as a whole, on all its rows.

    Attributes:
        newest: what its newest version says, by which its access goes, whatever holds now.
        archived_at: since when it is archived.
    """

    newest: Attributes
    archived_at: int
    external_id: str | None


def _newest(versions: Iterable[Version]) -> Mapping[UUID, Version]:
    """The version of each entry that was recorded last, whether it still holds or not."""
    newest: dict[UUID, Version] = {}
    for version in sorted(versions, key=lambda one: one.row):
        newest[version.entry_id] = version
    return newest


def _external_ids(reader: LedgerReader, entry_ids: Sequence[UUID]) -> Mapping[UUID, str | None]:
    """The names that entries have in their sources."""
    latest = reader.latest_versions(entry_ids, EVERYTHING)
    infos = {one: found.info for one, found in latest.items()}
    for entry_id in entry_ids:  # those of which nothing holds any more
        info = None if entry_id in infos else reader.find_entry(str(entry_id))
        if info is not None:
            infos[entry_id] = info
    return {one: info.external_id for one, info in infos.items()}


def _as_notes(workspace: str, version: Version, about: _About) -> Iterable[BesidePoint]:
    """A version as a point of the notes, and of the persons when it is one."""
    has = version.attributes
    place = _place(workspace, version.entry_id, version)
    payload: Payload = {
        **_shared(workspace, version, has.lang),
        **_access(about.newest),
        "entry_id": str(version.entry_id),
        "title": has.title,
        "type": has.type,
        "tags": list(first_names(folded_tags(has.tags))),
        "archived_at": format_instant(about.archived_at),
        "age_at": format_instant(age_instant(version)),
        "importance": has.importance,
        **_given(
            external_id=about.external_id,
            path=has.source.path,
            source=has.source.name,
            domain=has.domain,
            lang_original=has.lang_original,
            source_id=has.source_id,
        ),
    }
    own = (version.entry_id,)
    yield BesidePoint("notes", place, own, _said(payload))
    if is_person(version):
        told = ownership(has.properties.get(RELATION_TO_OWNER))
        person = payload | _given(relation_to_owner=told)
        yield BesidePoint("people", place, own, _said(person))


def _as_edge(
    workspace: str, row: Relation, newest: Mapping[UUID, Version], least: str
) -> BesidePoint:
    """A row of a relation as a point; it may be seen by who may see both its ends."""
    ends = [newest[end].attributes for end in (row.src_id, row.dst_id) if end in newest]
    lang = newest[row.src_id].attributes.lang if row.src_id in newest else "de"
    payload: Payload = {
        **_shared(workspace, row, lang),
        **_access_of_both(ends, least),
        "relation_id": str(row.id),
        "src_id": str(row.src_id),
        "dst_id": str(row.dst_id),
        "relation": row.relation,
        "direction": "both" if row.symmetric else "out",
        "confidence": row.confidence,
        "evidence": [str(one) for one in row.evidence],
        "derived": row.derived,
        "declared": row.declared,
        "unresolved": row.unresolved,
        "cuts": row.cuts,
        **_given(rule=row.rule, resolution=row.resolution),
    }
    both = (row.src_id, row.dst_id)
    return BesidePoint("edges", _place(workspace, row.id, row), both, _said(payload))


def _place(workspace: str, named: UUID, row: Version | Relation) -> UUID:
    """A row's id as a point: a rectangle is where it begins on both clocks."""
    start = row.period.start
    parts = (str(named), str(start.earliest), str(start.latest), str(row.recorded_from))
    return name_based_id(workspace_namespace(workspace), "\x1f".join(("beside", *parts)))


def _shared(workspace: str, row: Version | Relation, lang: str) -> Payload:
    """The fields that all collections share, but for access."""
    start, end = row.period.start, row.period.end
    changed = row.recorded_from if row.recorded_to == FOREVER else row.recorded_to
    return {
        "workspace": workspace,
        "lang": lang,
        "valid_from_earliest": format_instant(start.earliest),
        "valid_from_latest": format_instant(start.latest),
        "valid_to_earliest": format_instant(end.earliest),
        "valid_to_latest": format_instant(end.latest),
        "recorded_from": format_instant(row.recorded_from),
        "recorded_to": format_instant(row.recorded_to),
        "created_at": format_instant(row.recorded_from),
        "updated_at": format_instant(changed),
    }


def _access(has: Attributes) -> Payload:
    return {
        "visibility": has.visibility,
        "sensitivity": has.sensitivity,
        "acl": list(first_names(has.acl)),
    }


def _access_of_both(ends: Collection[Attributes], least: str) -> Payload:
    """Access of an edge: for those who may see every end, and such edges at all."""
    seen = [least, *(one.visibility for one in ends)]
    lists = [set(one.acl) for one in ends if one.acl]
    both = sorted(set[str].intersection(*lists)) if lists else []
    return {
        "visibility": max(seen, key=VISIBILITIES.index),
        "sensitivity": max((one.sensitivity for one in ends), default=0),
        "acl": list(NOBODY) if lists and not both else list(first_names(tuple(both))),
    }


def _given(**values: str | None) -> Payload:
    return {name: value for name, value in values.items() if value is not None}


def _said(payload: Payload) -> Payload:
    """Without empty lists, as the payloads of chunks."""
    return {name: value for name, value in payload.items() if value != []}
