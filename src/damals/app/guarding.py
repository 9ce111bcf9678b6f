"""What somebody who does not see everything may change: what they see, and nothing else.

What a request names must be visible, else it is as unknown as an id that never existed. A change
that meets a hidden entry, by its key, its name or a cut, is refused without naming it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast
from uuid import UUID

from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_port import LedgerReader, LedgerWriter
from damals.app.log_model import entries_in
from damals.domain.book import apply
from damals.domain.cuts import ALWAYS
from damals.domain.entries import Attributes, Relation
from damals.domain.errors import Conflict, DamalsError, Denied, NotFound
from damals.domain.ids import parse_uuid
from damals.domain.operations import (
    Correct,
    DeclaredRelation,
    Derive,
    Operation,
    Relate,
    Remember,
    Revert,
    TransactionName,
    Unrelate,
    Update,
)
from damals.domain.outcomes import Outcome
from damals.domain.periods import OPEN_END, Period
from damals.domain.state import Done, Draft, EntryState, States, TransactionRows
from damals.domain.targets import current_target, end_bound, start_bound

_NAMES: Final = ("target", "src", "dst", "a", "b")
_UNCLEAR: Final = "cut.imprecise"


def states_for(writer: LedgerWriter) -> States:
    """Where the drafts of a writer find what is known."""
    return writer if writer.access == OWNER else _OwnStatements(writer)


def applied(writer: LedgerWriter, draft: Draft, operation: Operation) -> Outcome:
    """Apply an operation to a draft, as far as who writes may do it.

    Raises:
        InvalidInput, NotFound, Conflict: as :func:`damals.domain.book.apply`; of what is hidden,
            NotFound as for what does not exist, or Conflict ``access.taken``.
        Denied: ``access.ceiling`` for what its writer could not see.
    """
    if writer.access == OWNER:
        return apply(draft, operation)
    return _Guard(writer, draft).applied(operation)


def taken_over(writer: LedgerWriter, draft: Draft, operation: Update) -> EntryState:
    """The entry that an update takes over from, as far as who writes may do it.

    Raises:
        NotFound, Conflict: as :func:`applied`, for its target and what it expects of it.
    """
    if writer.access != OWNER:
        operation = _Guard(writer, draft).expected(operation)
    return current_target(draft, operation.target, operation.if_transaction)


class _OwnStatements:
    """All states, but nobody is told that a hidden entry says the same already."""

    def __init__(self, writer: LedgerWriter) -> None:
        self._writer = writer

    def by_id(self, entry_id: UUID) -> EntryState | None:
        return self._writer.by_id(entry_id)

    def by_external_id(self, external_id: str) -> EntryState | None:
        return self._writer.by_external_id(external_id)

    def holding_key(self, key: str, period: Period) -> Iterable[EntryState]:
        return self._writer.holding_key(key, period)

    def stating(self, attributes: Attributes) -> Iterable[EntryState]:
        found = self._writer.stating(attributes)
        return [state for state in found if _sees(self._writer.access, state)]

    def changed_by(self, transaction: TransactionName) -> TransactionRows | None:
        return self._writer.changed_by(transaction)

    def done_since(self, entry_id: UUID, number: int) -> Iterable[Done]:
        return self._writer.done_since(entry_id, number)

    def elsewhere(self, target: str) -> bool:
        del target  # who may not use another workspace learns nothing of it
        return False


@dataclass(frozen=True, slots=True)
class _Guard:
    """Around one operation of a draft."""

    writer: LedgerWriter
    draft: Draft

    def applied(self, operation: Operation) -> Outcome:
        self._check_names(operation)
        self._check_new_name(operation)
        self._check_relations(operation)
        self._check_key(operation)
        operation = self._expecting(operation)
        try:
            outcome = apply(self.draft, operation)
        except DamalsError as error:
            if self._tells(error, operation):
                key = error.values.get("key")
                raise _taken(key if isinstance(key, str) else None) from None
            raise
        self._check_outcome(outcome)
        return outcome

    def expected(self, operation: Update) -> Update:
        """An update that names nothing hidden, with what it expects as the whole ledger counts."""
        self._check_names(operation)
        return cast("Update", self._expecting(operation))

    # --- what may be named

    def _hidden(self, entry_ids: Iterable[UUID]) -> set[UUID]:
        """Those that are stored and may not be seen; what is only drafted is the writer's own."""
        before = self.draft.before
        states = {i: before.get(i) or self.writer.by_id(i) for i in entry_ids}
        stored = {i: s for i, s in states.items() if s is not None and s.last_transaction}
        return {i for i, state in stored.items() if not _sees(self.writer.access, state)}

    def _find(self, name: str) -> EntryState | None:
        state = self.draft.find(name, parse_uuid(name))
        return None if state is None or self._hidden([state.id]) else state

    def _check_names(self, operation: Operation) -> None:
        if isinstance(operation, Revert):
            self._check_reverted(operation)
            return
        for name in _named(operation):
            if self._find(name) is None:
                raise NotFound("entry.unknown", id=name)
        if isinstance(operation, Derive):
            self._check_derived(operation)

    def _check_derived(self, operation: Derive) -> None:
        """Refuse to derive from what is hidden, and to end an edge that is."""
        for part in operation.parts:
            if part.premises is None:
                raise Denied("access.ceiling")
            for one in part.premises:
                if self._find(str(one)) is None:
                    raise NotFound("entry.unknown", id=str(one))
        standing = self._standing(operation.src, operation.relation, operation.dst)
        if any(row.rule == operation.rule and self._hides(row) for row in standing):
            raise _taken()

    def _standing(self, src: str, relation: str, dst: str) -> list[Relation]:
        """The derived relations of a type from an entry to another."""
        from_, to = self._find(src), self._find(dst)
        rows = self.draft.leading_from(from_, to.id) if from_ and to else []
        return [row for row in rows if row.derived and row.relation == relation]

    def _hides(self, row: Relation) -> bool:
        """Whether a relation follows from something hidden."""
        if row.premises is None:
            return row.derived
        unknown = (one for one in row.premises if self.draft.by_id(one) is None)
        return bool(self._hidden(row.premises)) or any(unknown)

    def _check_reverted(self, operation: Revert) -> None:
        """Refuse a transaction that changed or named anything hidden, as one that does not exist.

        One that took another back names no entries, and touched none but the sources of relations.
        """
        rows = self.writer.changed_by(operation.transaction)
        if rows is None:
            return
        whole: LedgerReader = self.writer.unrestricted()
        stored = next(iter(whole.log(after=rows.number - 1)))
        told = next(iter(self.writer.log(after=rows.number - 1)), None)
        is_told = told is not None and told.number == rows.number
        if not is_told or self._hidden(entries_in(stored)) or self._hides_edge(rows):
            raise NotFound("transaction.unknown", transaction=operation.transaction)

    def _hides_edge(self, rows: TransactionRows) -> bool:
        changed = (*rows.relations_opened, *rows.relations_closed)
        if any(row.relation in self.writer.access.hidden_relations for row in changed):
            return True
        if any(map(self._hides, changed)):
            return True
        return bool(self._hidden(row.dst_id for row in changed if not row.unresolved))

    # --- what is new

    def _check_new_name(self, operation: Operation) -> None:
        """A name that a hidden entry has is taken, whatever that entry says."""
        if not isinstance(operation, Remember | Update):
            return
        name = operation.external_id or str(operation.entry_id)
        if operation.external_id is None and not operation.identified:
            return
        given = operation.entry_id if operation.identified else None
        state = self.draft.find(name, given)
        if state is not None and self._hidden([state.id]):
            raise Conflict("entry.exists", id=name)

    def _check_relations(self, operation: Operation) -> None:
        """Nobody states a relation that they could not see, or takes back one they do not."""
        hidden = self.writer.access.hidden_relations
        said = _relations_of(operation)
        if any(one.relation in hidden for one in said):
            raise Denied("access.ceiling")
        if isinstance(operation, Unrelate) and (
            operation.relation in hidden or self._only_hidden(operation)
        ):
            names = {"src": operation.src, "relation": operation.relation, "dst": operation.dst}
            raise NotFound("relation.unknown", **names)
        if isinstance(operation, Correct) and operation.relations is not None:
            state = self._find(operation.target)
            rows = [row for row in state.relations if row.declared] if state else []
            ends = self._hidden(row.dst_id for row in rows if not row.unresolved)
            if any(row.relation in hidden or row.dst_id in ends for row in rows):
                raise _taken()

    def _only_hidden(self, operation: Unrelate) -> bool:
        """Whether all that stands of a relation was derived from something hidden."""
        src, dst = self._find(operation.src), self._find(operation.dst)
        rows = self.draft.leading_from(src, dst.id) if src and dst else []
        named = [row for row in rows if row.relation == operation.relation]
        return bool(named) and all(row.derived and self._hides(row) for row in named)

    def _check_key(self, operation: Operation) -> None:
        """A key that a hidden entry holds in the same period is taken, and not cut or filled."""
        if not isinstance(operation, Remember):
            return
        key = operation.fields.get("key")
        if not isinstance(key, str):
            return
        start = start_bound(self.draft, operation.valid_from)
        period = Period(start, end_bound(self.draft, operation.valid_to, OPEN_END))
        held = self.draft.holding_key(key, period, but=operation.entry_id)
        if self._hidden(state.id for state in held):
            raise _taken(key)

    # --- what must be unchanged

    def _expecting(self, operation: Operation) -> Operation:
        """With what it expects counted as the whole ledger counts, once it is as it was told.

        Raises:
            Conflict: ``entry.changed``, ``transaction.changed``.
        """
        expected = operation.if_transaction
        if expected is None:
            return operation
        if isinstance(operation, Revert):
            return self._expecting_last(operation, expected)
        name = _expected_of(operation)
        state = None if name is None else self._find(name)
        known = None if state is None else self.writer.find_entry(str(state.id))
        if state is None or known is None:
            return operation
        told = known.last_transaction
        if told != expected:
            raise Conflict("entry.changed", id=str(state.id), expected=expected, actual=told)
        return replace(operation, if_transaction=state.last_transaction)

    def _expecting_last(self, operation: Revert, expected: int) -> Revert:
        told = [one.number for one in self.writer.log(after=expected - 1)]
        if told == [expected]:
            return replace(operation, if_transaction=self.draft.number - 1)
        last = max(told or (one.number for one in self.writer.log()), default=0)
        raise Conflict("transaction.changed", expected=expected, actual=last)

    # --- what came of it

    def _check_outcome(self, outcome: Outcome) -> None:
        touched = set(outcome.touched)
        if self._hidden(touched):
            raise _taken()
        access = self.writer.access
        states = (self.draft.after[i] for i in touched if i in self.draft.after)
        for state in states:
            made = [r.attributes for r in state.rectangles if not r.row]
            if not all(access.admits(a.visibility, a.sensitivity, a.acl) for a in made):
                raise Denied("access.ceiling")

    def _tells(self, error: DamalsError, operation: Operation) -> bool:
        """Whether a refusal would tell of something hidden: its id, or where it holds."""
        ids = (parse_uuid(str(value)) for value in error.values.values())
        if self._hidden(one for one in ids if one is not None):
            return True
        return error.key == _UNCLEAR and bool(self._hidden(self._near(operation)))

    def _near(self, operation: Operation) -> Iterator[UUID]:
        """Entries whose periods an operation may have met."""
        yield from self.draft.after
        key = operation.fields.get("key") if isinstance(operation, Remember | Update) else None
        states = [s for name in _named(operation) if (s := self._find(name)) is not None]
        keys = {r.attributes.key for state in states for r in state.rectangles} | {key}
        for one in keys:
            if isinstance(one, str):
                held = self.draft.holding_key(one, ALWAYS, but=UUID(int=0))
                yield from (state.id for state in held)
        for state in states:
            yield from state.cut_by
            yield from (row.dst_id for row in state.relations)


def _sees(access: AccessFilter, state: EntryState) -> bool:
    """Whether an entry may be seen, as :meth:`LedgerReader.seen` says.

    The state says it at once; asking the ledger would write first what it was given to write.
    """
    newest = None if state.erased else state.last
    if newest is None:
        return False
    has = newest.attributes
    return access.admits(has.visibility, has.sensitivity, has.acl)


def _taken(key: str | None = None) -> Conflict:
    return Conflict("access.taken") if key is None else Conflict("access.key_taken", key=key)


def _named(operation: Operation) -> list[str]:
    """The entries that an operation names, in the order they are looked for."""
    named = [str(getattr(operation, name)) for name in _NAMES if hasattr(operation, name)]
    said = _relations_of(operation)
    return [*named, *(one.dst for one in said if one.target is None)]


def _expected_of(operation: Operation) -> str | None:
    """The entry of which an operation may expect that nothing touched it, by its name."""
    if isinstance(operation, Remember):
        own = str(operation.entry_id) if operation.identified else None
        return operation.external_id or own
    return next((str(getattr(operation, n)) for n in _NAMES if hasattr(operation, n)), None)


def _relations_of(operation: Operation) -> Sequence[DeclaredRelation]:
    match operation:
        case Remember() | Update():
            return operation.relations
        case Correct():
            return operation.relations or ()
        case Relate():
            return (operation.said,)
        case Derive():
            return (DeclaredRelation(operation.relation, operation.dst),)
        case _:
            return ()
