"""Adding operations to a transaction, and telling what each of them did."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Final
from uuid import UUID

from damals import messages
from damals.app import looking
from damals.app.ages import Ages
from damals.app.change_results import ChangedEntries, ChangedEntry, ChangedRelation, Erased
from damals.app.changing import certified, relation_detail
from damals.app.ledger_port import LedgerWriter
from damals.app.looking import Asked
from damals.app.ports import Clock
from damals.app.preview import preview
from damals.app.record import Recording
from damals.app.results import Entry
from damals.domain.errors import NotFound
from damals.domain.operations import CUTTING_RELATIONS
from damals.domain.outcomes import Outcome
from damals.domain.params import Params
from damals.domain.types import TypeCatalogue

Answer = ChangedEntry | ChangedEntries | ChangedRelation | Erased
Show = Callable[[Sequence[UUID]], tuple[Entry, ...]]
"""Entries as they are now, in the same order, without those that the asker may not see."""

_OF_ENTRIES: Final = ("revert", "resolve")
_OF_RELATIONS: Final = ("relate", "unrelate", "derive", "contradict")
_ERASE: Final = "erase"


def answer_kind(op: str) -> type[Answer]:
    """What an operation is answered with."""
    if op in _OF_ENTRIES:
        return ChangedEntries
    if op in _OF_RELATIONS:
        return ChangedRelation
    return Erased if op == _ERASE else ChangedEntry


@dataclass(frozen=True, slots=True)
class Added:
    """An operation that was added to a transaction.

    Attributes:
        told: tells what it did, with a way to show entries; ``entry.erased`` when a later
            operation has erased the entry.
    """

    told: Callable[[Show], Answer]


def add(writer: LedgerWriter, recording: Recording, params: Params, actor: str) -> Added:
    """Add an operation to a transaction.

    Raises:
        InvalidInput, NotFound, Conflict: it cannot be done; the whole transaction is off.
    """
    outcome = recording.add(params)
    number = None if outcome.unchanged else recording.draft.number
    kind = answer_kind(str(params["op"]))
    if kind is Erased:
        erased = certified(writer, recording, outcome, actor)
        return Added(lambda _: erased)
    if kind is ChangedRelation:
        if not outcome.relation:  # an edge that nobody derived does not end
            ends = {"src": params["src"], "relation": params["type"], "dst": params["dst"]}
            raise NotFound("relation.unknown", **ends)
        relation = relation_detail(recording.draft, outcome)
        cuts = relation.type in CUTTING_RELATIONS and not outcome.unchanged
        touched = [UUID(relation.dst_id)] if cuts else []
        unchanged = outcome.unchanged or None
        return Added(lambda show: ChangedRelation(relation, number, show(touched), unchanged))
    if kind is ChangedEntries:
        reverted, unchanged = outcome.reverted, outcome.unchanged or None
        touched = list(outcome.touched)
        return Added(lambda show: ChangedEntries(number, show(touched), reverted, unchanged))
    retracts = params["op"] == "retract"
    return Added(lambda show: _changed_entry(outcome, show, retracts=retracts))


def minding_domain(added: Added, params: Params, types: Callable[[], TypeCatalogue]) -> Added:
    """The same, telling also when the domain that an operation names is not declared.

    It is no error: a vault may declare it later. Until then the entry ages as its type does.
    """
    said = params.get("domain")
    name = said.strip() if isinstance(said, str) else ""
    if not name:
        return added
    domains = types().domains
    if name in domains:
        return added
    caveat = messages.text("entry.domain", None, name=name, known=", ".join(sorted(domains)))

    def told(show: Show) -> Answer:
        answer = added.told(show)
        return replace(answer, caveats=(caveat,)) if isinstance(answer, ChangedEntry) else answer

    return Added(told)


def known(entry_id: UUID, show: Show) -> ChangedEntry:
    """An entry that says already what was to be added."""
    return _changed_entry(Outcome(entry_id, unchanged=True), show, retracts=False)


def _changed_entry(outcome: Outcome, show: Show, *, retracts: bool) -> ChangedEntry:
    [entry] = show(outcome.touched[:1]) or (None,)
    if entry is None:
        raise NotFound("entry.erased", id=str(outcome.touched[0]))
    shown = {field.name: getattr(entry, field.name) for field in fields(Entry)}
    return ChangedEntry(
        **shown,
        unchanged=outcome.unchanged,
        replaced=show(outcome.replaced),
        restored=show(outcome.others if retracts else ()),
    )


def stored(writer: LedgerWriter, clock: Clock, ages: Ages) -> Show:
    """Shows entries as they are, what the writer has appended included."""

    def show(entry_ids: Sequence[UUID]) -> tuple[Entry, ...]:
        return tuple(
            looking.get(writer, clock, str(one), Asked(), ages)
            for one in entry_ids
            if writer.find_entry(str(one)) is not None
        )

    return show


def drafted(writer: LedgerWriter, recording: Recording, ages: Ages) -> Show:
    """Shows entries as they will be once the transaction is stored."""

    def seen(entry_id: UUID) -> bool:
        # What is not stored yet is the asker's own.
        return writer.by_id(entry_id) is None or writer.find_entry(str(entry_id)) is not None

    def show(entry_ids: Sequence[UUID]) -> tuple[Entry, ...]:
        return tuple(preview(writer, recording, one, ages) for one in entry_ids if seen(one))

    return show
