"""What changes of relations and erasures did, told from their transaction in the making."""

from collections.abc import Sequence
from dataclasses import fields

from damals.app.change_results import Certificate, Erased, RelationDetail, TombstoneView
from damals.app.ledger_model import EVERYTHING
from damals.app.ledger_port import LedgerWriter
from damals.app.preview import relation_seen
from damals.app.record import Recording
from damals.app.results import RelationItem
from damals.app.views import bounds_view, given, relation_view
from damals.domain.instants import format_instant
from damals.domain.outcomes import Outcome
from damals.domain.periods import Bound, Period
from damals.domain.state import Draft


def relation_detail(draft: Draft, outcome: Outcome) -> RelationDetail:
    """The relation that an operation was about, seen from the entry it named first."""
    rows = outcome.relation
    row = rows[0]
    src, dst = (relation_seen(draft, row, one) for one in (row.src_id, row.dst_id))
    seen = relation_view(dst if row.dst_id == outcome.entry_id else src)
    period = _whole([one.period for one in rows])
    return RelationDetail(
        **{field.name: getattr(seen, field.name) for field in fields(RelationItem)},
        src_id=str(row.src_id),
        dst_id=str(row.dst_id),
        src_title=dst.other_title,
        dst_title=src.other_title,
        symmetric=row.symmetric,
        evidence=tuple(str(chunk) for chunk in row.evidence),
        valid_from=given(period.start),
        valid_to=given(period.end),
        bounds=bounds_view(period, draft.zone),
    )


def _whole(periods: Sequence[Period]) -> Period:
    """From the first start to the last end."""
    start = min((period.start for period in periods), key=_place)
    return Period(start, max((period.end for period in periods), key=_place))


def _place(bound: Bound) -> tuple[int, int]:
    return (bound.earliest, bound.latest)


def certified(writer: LedgerWriter, recording: Recording, outcome: Outcome, actor: str) -> Erased:
    """What an erasure that was added to a transaction does."""
    entry_id = outcome.touched[0]
    removed = {"entries": 1, "versions": len(writer.history(entry_id, EVERYTHING))}
    at = format_instant(recording.draft.now)
    tombstone = TombstoneView(str(entry_id), at, actor)
    return Erased((str(entry_id),), (tombstone,), Certificate(removed), recording.draft.number)
