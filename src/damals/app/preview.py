"""How an entry will look once the transaction that is being made is stored."""

from uuid import UUID

from damals.app.ledger_model import At, EntryInfo, Found
from damals.app.ports import LedgerWriter
from damals.app.record import Recording
from damals.app.results import Entry
from damals.app.views import Surroundings, entry_view
from damals.domain.effects import version_of
from damals.domain.entries import Version


def preview(writer: LedgerWriter, recording: Recording, entry_id: UUID) -> Entry:
    """The entry as of the transaction's instant; its last rectangle when none holds then."""
    draft = recording.draft
    state = draft.after[entry_id]
    known = writer.find_entry(str(entry_id))
    info = EntryInfo(
        id=entry_id,
        external_id=state.external_id,
        created_at=known.created_at if known else draft.now,
        updated_at=draft.now,
        last_transaction=draft.number,
    )
    around = Surroundings(
        writer.workspace().name,
        At(draft.now, draft.now),
        frozenset([entry_id] if state.cut_by else []),
        {},
    )
    return entry_view(Found(_shown(recording, entry_id), info), around)


def _shown(recording: Recording, entry_id: UUID) -> Version:
    draft = recording.draft
    versions = recording.current(entry_id)
    if not versions:
        old = draft.before[entry_id].rectangles
        versions = [version_of(draft, entry_id, rectangle) for rectangle in old]
    holding = [v for v in versions if v.period.possible_at(draft.now)]
    last = draft.after[entry_id].last
    return (holding or versions or ([last] if last else []))[-1]
