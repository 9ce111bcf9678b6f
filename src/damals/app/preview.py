"""How an entry will look once the transaction that is being made is stored."""

from uuid import UUID

from damals.app.ledger_model import At, EntryInfo, Found, RelationView
from damals.app.ports import LedgerWriter
from damals.app.record import Recording
from damals.app.results import Entry
from damals.app.views import Surroundings, entry_view
from damals.domain.effects import version_of
from damals.domain.entries import Relation, Version
from damals.domain.errors import NotFound
from damals.domain.state import EntryState


def preview(writer: LedgerWriter, recording: Recording, entry_id: UUID) -> Entry:
    """The entry as of the transaction's instant; its last rectangle when none holds then."""
    draft = recording.draft
    state = draft.after.get(entry_id) or writer.by_id(entry_id)
    if state is None:
        raise NotFound("entry.unknown", id=str(entry_id))
    known = writer.find_entry(str(entry_id))
    changed = entry_id in draft.after
    info = EntryInfo(
        id=entry_id,
        external_id=state.external_id,
        created_at=known.created_at if known else draft.now,
        updated_at=draft.now if changed or known is None else known.updated_at,
        last_transaction=draft.number if changed else state.last_transaction,
    )
    relations = [_outgoing(writer, recording, row) for row in state.relations]
    shown = _shown(recording, state)
    around = Surroundings(
        writer.workspace().name,
        At(draft.now, draft.now),
        frozenset([entry_id] if _is_superseded(writer, recording, state) else []),
        {shown.row: relations},
    )
    return entry_view(Found(shown, info), around)


def _is_superseded(writer: LedgerWriter, recording: Recording, state: EntryState) -> bool:
    """Whether a cut, stored or drafted, took the transaction's instant from an entry."""
    now = recording.draft.now
    if any(rectangle.period.possible_at(now) for rectangle in state.rectangles):
        return False
    drafted = (row for other in recording.draft.after.values() for row in other.relations)
    if any(r.cuts and r.dst_id == state.id and r.period.possible_at(now) for r in drafted):
        return True
    return bool(writer.superseded_at([state.id], At(now, now)))


def _outgoing(writer: LedgerWriter, recording: Recording, row: Relation) -> RelationView:
    other = recording.draft.after.get(row.dst_id) or writer.by_id(row.dst_id)
    rectangles = other.rectangles if other else ()
    title = rectangles[-1].attributes.title if rectangles else row.target
    return RelationView(
        row.id, row.relation, "out", row.src_id, row.dst_id, title, row.confidence, row.derived
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
