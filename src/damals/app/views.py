"""From rows to results: what people and programs get to see of an entry."""

from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, fields
from operator import attrgetter
from uuid import UUID

from damals.app.ages import Ages, Events, clock_of, life_of
from damals.app.ledger_model import At, Found, RelationView, StoredTransaction
from damals.app.ledger_port import LedgerReader
from damals.app.results import (
    BoundRange,
    Bounds,
    Entry,
    RelationItem,
    SourceView,
    VersionView,
)
from damals.domain.ageing import Status, half_lives, status
from damals.domain.entries import Source, Verification, Version
from damals.domain.instants import BEGINNING, FOREVER, format_instant
from damals.domain.periods import Bound, BoundKind, Certainty, Period
from damals.domain.types import TypeCatalogue


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What entries of one pair of instants are shown with.

    Attributes:
        superseded: ids of the entries that a supersedes or revises cut took the instant from.
        relations: of each version, by its row.
        types: by which they age.
        archived: ids of the entries that are archived there.
        verifications: of the entries that have any, in order.
    """

    workspace: str
    at: At
    superseded: frozenset[UUID]
    relations: Mapping[int, Sequence[RelationView]]
    types: TypeCatalogue
    archived: Collection[UUID] = ()
    verifications: Mapping[UUID, Sequence[Verification]] = field(
        default_factory=dict[UUID, Sequence[Verification]]
    )

    def events(self, entry_id: UUID) -> Events:
        """What happened to an entry by then, as far as its status depends on it."""
        return Events(
            verifications=self.verifications.get(entry_id, ()),
            superseded=entry_id in self.superseded,
            archived=entry_id in self.archived,
        )


def surroundings(reader: LedgerReader, found: Sequence[Found], at: At, ages: Ages) -> Surroundings:
    """Ask the ledger, once for all, what the entries of a page are shown with."""
    ids = list(dict.fromkeys(f.version.entry_id for f in found))
    doubtful = list(dict.fromkeys(f.version.entry_id for f in found if not _holds(f.version, at)))
    held = reader.versions_at(doubtful, at) if doubtful else dict[UUID, Found]()
    absent = [entry_id for entry_id in doubtful if entry_id not in held]
    superseded = reader.superseded_at(absent, at) if absent else frozenset[UUID]()
    now: dict[UUID, list[RelationView]] = {}
    for relation in reader.relations_at(ids, at):
        now.setdefault(relation.entry_id, []).append(relation)
    relations = {f.version.row: _related(reader, f.version, at, now) for f in found}
    return Surroundings(
        reader.workspace().name,
        at,
        superseded,
        relations,
        ages.types(reader),
        reader.archived_at(ids, at),
        reader.verifications_at(ids, at),
    )


def _related(
    reader: LedgerReader, version: Version, at: At, now: Mapping[UUID, Sequence[RelationView]]
) -> Sequence[RelationView]:
    """The relations of a version at the asked pair and, when it does not hold there, at its own."""
    here = now.get(version.entry_id, ())
    if _holds(version, at):
        return here
    own = At(version.period.inside, min(at.known_at, version.recorded_to - 1))
    then = reader.relations_at([version.entry_id], own)
    return list({(r.id, r.direction): r for r in (*here, *then)}.values())


def entry_view(found: Found, around: Surroundings) -> Entry:
    """An entry as it is shown at a pair of instants."""
    return Entry(**_shown(found, around))  # pyright: ignore[reportArgumentType] -- built by name


def version_view(found: Found, around: Surroundings, stored: StoredTransaction) -> VersionView:
    """A rectangle of an entry, with the operation that recorded it."""
    shown = _shown(found, around)
    operation = stored.operations[found.version.operation]
    shown |= {
        "transaction": stored.number,
        "operation": operation.kind,
        "actor": stored.actor,
        "reason": operation.reason or stored.reason,
    }
    return VersionView(**shown)  # pyright: ignore[reportArgumentType] -- built by name


_PLAIN = (
    "type", "title", "content", "tags", "properties", "key", "importance", "pinned", "domain",
    "staleness_risk", "persona_weight", "lang", "lang_original", "source_id", "visibility",
    "sensitivity", "acl",
)  # fmt: skip
_INSTANTS = ("created", "updated", "retrieved_at", "last_reviewed")
_OF_SOURCE = tuple(field.name for field in fields(SourceView))
_plain_values = attrgetter(*_PLAIN)
_source_values = attrgetter(*_OF_SOURCE)


def _shown(found: Found, around: Surroundings) -> dict[str, object]:
    version, info = found.version, found.info
    attributes = version.attributes
    shown: dict[str, object] = dict(zip(_PLAIN, _plain_values(attributes), strict=True))
    shown |= {name: _instant(getattr(attributes, name)) for name in _INSTANTS}
    # A copy: what callers do to a result must not reach what is known.
    shown["properties"] = deepcopy(dict(attributes.properties)) if attributes.properties else {}
    related = around.relations.get(version.row, ())
    checks = around.verifications.get(version.entry_id)
    verified = checks[-1] if checks else None
    return shown | {
        "id": str(version.entry_id),
        "external_id": info.external_id,
        "workspace": around.workspace,
        "status": status_at(found, around).value,
        "generation": version.generation,
        "valid_from": given(version.period.start),
        "valid_to": given(version.period.end),
        "bounds": bounds_view(version.period, version.zone),
        "uncertain": version.period.uncertain,
        "certainty": _certainty(version, around.at),
        "recorded_from": format_instant(version.recorded_from),
        "recorded_to": _open_instant(version.recorded_to),
        "created_at": format_instant(info.created_at),
        "updated_at": format_instant(info.updated_at),
        "grounding_score": verified.score if verified else None,
        "last_verified": format_instant(verified.recorded_from) if verified else None,
        "source": source_view(attributes.source),
        "relations": tuple(relation_view(r) for r in related),
        "transaction": info.last_transaction,
    }


def _certainty(version: Version, at: At) -> Certainty | None:
    """Nothing is certain, or possible, of what is no longer known to be so."""
    return version.period.certainty_at(at.as_of) if version.known_at(at.known_at) else None


def status_at(found: Found, around: Surroundings) -> Status:
    """The status of an entry at the asked pair of instants."""
    life = life_of(found, around.events(found.version.entry_id))
    return status(life, half_lives(around.types, life.has), clock_of(around.at))


def _holds(version: Version, at: At) -> bool:
    return version.known_at(at.known_at) and version.period.possible_at(at.as_of)


def given(bound: Bound) -> str | None:
    """A bound as it was given; ``None`` for an unknown start and an open end."""
    if bound.text is None and bound.kind is BoundKind.EXACT:
        return format_instant(bound.earliest)
    return bound.text


def source_view(source: Source) -> SourceView:
    """Provenance as it is shown."""
    values = dict(zip(_OF_SOURCE, _source_values(source), strict=True))
    for name in ("imported_at", "committed_at"):
        values[name] = _instant(values[name])
    return SourceView(**values)


def bounds_view(period: Period, zone: str) -> Bounds:
    """Both ends of a period as they are shown."""
    return Bounds(_range(period.start), _range(period.end), zone)


def _range(bound: Bound) -> BoundRange:
    if bound.kind in (BoundKind.OPEN, BoundKind.UNKNOWN):
        return BoundRange(None, None)
    earliest = None if bound.earliest == BEGINNING else format_instant(bound.earliest)
    return BoundRange(earliest, format_instant(bound.latest))


def relation_view(relation: RelationView) -> RelationItem:
    """A relation as it is shown."""
    return RelationItem(
        id=str(relation.id),
        type=relation.relation,
        direction=relation.direction,
        entry_id=str(relation.other_id),
        title=relation.other_title,
        confidence=relation.confidence,
        derived=relation.derived,
        resolution=relation.resolution,
        flags=relation.flags,
        unresolved=relation.unresolved or None,
    )


def _instant(instant: int | None) -> str | None:
    return None if instant is None else format_instant(instant)


def _open_instant(instant: int) -> str | None:
    return None if instant == FOREVER else format_instant(instant)
