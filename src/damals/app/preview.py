"""How an entry will look once the transaction that is being made is stored."""

from uuid import UUID

from damals.app.ages import Ages
from damals.app.index_model import OWNER
from damals.app.ledger_model import At, EntryInfo, Found, RelationView, resolution_seen
from damals.app.ledger_port import LedgerWriter
from damals.app.record import Recording
from damals.app.results import Entry
from damals.app.views import Surroundings, entry_view
from damals.domain.effects import version_of
from damals.domain.entries import Relation, Version
from damals.domain.errors import NotFound
from damals.domain.restoring import last_said
from damals.domain.state import Draft, EntryState


def preview(writer: LedgerWriter, recording: Recording, entry_id: UUID, ages: Ages) -> Entry:
    """The entry as of the transaction's instant; its last rectangle when none holds then."""
    draft = recording.draft
    state = draft.after.get(entry_id) or writer.by_id(entry_id)
    if state is None:
        raise NotFound("entry.unknown", id=str(entry_id))
    if state.erased:
        raise NotFound("entry.erased", id=str(entry_id))
    known = writer.find_entry(str(entry_id))
    changed = entry_id in draft.after
    info = EntryInfo(
        id=entry_id,
        external_id=state.external_id,
        created_at=known.created_at if known else draft.now,
        updated_at=draft.now if changed or known is None else known.updated_at,
        last_transaction=draft.number if changed or known is None else known.last_transaction,
    )
    shown = _shown(recording, state)
    relations = _relations(writer, recording, state, shown, stored=known is not None)
    around = Surroundings(
        writer.workspace().name,
        At(draft.now, draft.now),
        frozenset([entry_id] if _is_superseded(writer, recording, state) else []),
        {shown.row: relations},
        ages.types(writer),
        frozenset([entry_id] if state.archiving else []),
        {entry_id: state.verifications} if state.verifications else {},
    )
    return entry_view(Found(shown, info), around)


def _is_superseded(writer: LedgerWriter, recording: Recording, state: EntryState) -> bool:
    """Whether a cut, stored or drafted, took the transaction's instant from an entry."""
    now = recording.draft.now
    if any(rectangle.period.possible_at(now) for rectangle in state.rectangles):
        return False
    drafted = recording.draft.leading_to(state.id)
    if any(row.cuts and row.period.possible_at(now) for row in drafted):
        return True
    cut_by = [one for one in state.cut_by if one not in recording.draft.after]
    return bool(cut_by and writer.superseded_at([state.id], At(now, now)))


def _relations(
    writer: LedgerWriter, recording: Recording, state: EntryState, shown: Version, *, stored: bool
) -> list[RelationView]:
    """What holds now, or where the shown version does: drafted, else as it is stored."""
    draft = recording.draft
    instants = (draft.now, shown.period.inside)
    rows = [
        row
        for row in (*state.relations, *draft.leading_to(state.id))
        if _may_be_seen(writer, row, state.id)
    ]
    views = [
        relation_seen(draft, row, state.id)
        for row in rows
        if any(row.period.possible_at(instant) for instant in instants)
    ]
    for instant in instants if stored else ():
        found = writer.relations_at([state.id], At(instant, draft.now))
        views += [v for v in found if v.direction == "in" and v.other_id not in draft.after]
    unique = {(view.direction, view.id): view for view in views}
    return sorted(unique.values(), key=lambda view: view.place)


def _may_be_seen(writer: LedgerWriter, row: Relation, entry_id: UUID) -> bool:
    """Whether who writes may see a relation; what is only drafted is their own."""
    if row.relation in writer.access.hidden_relations:
        return False
    if row.derived and not _follows(writer, row):
        return False
    far = row.dst_id if row.src_id == entry_id else row.src_id
    return row.unresolved or writer.by_id(far) is None or far in writer.seen([far])


def _follows(writer: LedgerWriter, row: Relation) -> bool:
    """Whether who writes may see all that a relation follows from."""
    if row.premises is None:
        return writer.access == OWNER
    stored = [one for one in row.premises if writer.by_id(one) is not None]
    return set(stored) <= writer.seen(stored)


def relation_seen(draft: Draft, row: Relation, entry_id: UUID) -> RelationView:
    """A drafted relation, seen from one of its ends."""
    outgoing = row.src_id == entry_id
    direction = "out" if outgoing else "in"
    near, far = (row.src_id, row.dst_id) if outgoing else (row.dst_id, row.src_id)
    other = draft.by_id(far)
    said = None if other is None else last_said(draft, other)
    return RelationView(
        id=row.id,
        relation=row.relation,
        direction=direction,
        entry_id=near,
        other_id=far,
        other_title=row.target if said is None else said.attributes.title,
        confidence=row.confidence,
        derived=row.derived,
        resolution=resolution_seen(row.resolution, direction),
        flags=row.flags,
    )


def _shown(recording: Recording, state: EntryState) -> Version:
    """What holds now, else what holds last, else what was held last."""
    draft = recording.draft
    versions = [version_of(draft, state.id, rectangle) for rectangle in state.rectangles]
    holding = [v for v in versions if v.period.possible_at(draft.now)]
    if holding or versions:
        return (holding or versions)[-1]
    if state.id in draft.last_held:
        return version_of(draft, state.id, draft.last_held[state.id])
    if state.last is None:
        raise NotFound("entry.unknown", id=str(state.id))
    return state.last
