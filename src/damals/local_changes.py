"""The part of ``LocalDamals`` that changes what is known."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import NamedTuple, TypeVar, Unpack
from uuid import UUID

from damals.api import Damals
from damals.api_params import (
    CorrectFields,
    Instant,
    Keep,
    RelateFields,
    RememberFields,
    UpdateFields,
)
from damals.app import looking
from damals.app.change_results import (
    ERASABLE,
    ChangedEntries,
    ChangedEntry,
    ChangedRelation,
    Erased,
    RelationDetail,
)
from damals.app.changing import erase, relation_detail
from damals.app.ledger_port import LedgerWriter
from damals.app.looking import Asked
from damals.app.preview import preview
from damals.app.record import PRECONDITION, Recording, Request
from damals.app.results import Entry
from damals.domain.errors import InvalidInput
from damals.domain.operations import CUTTING_RELATIONS
from damals.domain.outcomes import Outcome
from damals.domain.params import Params
from damals.local_home import DEFAULT_WORKSPACE, OpenHome

OWNER_NAME = "owner"
"""Actor of what the local user does."""

REASONED = frozenset(
    ("update", "correct", "end", "retract", "revert", "contradict", "resolve", "archive")
)
"""Operations that must say why."""

T = TypeVar("T")


class LocalChanges(OpenHome):
    """All changes: alone, each is a transaction; inside of one, a part of it."""

    def remember(
        self,
        title: str,
        content: str = "",
        *,
        reason: str | None = None,
        **fields: Unpack[RememberFields],
    ) -> ChangedEntry:
        """See :meth:`damals.api.Damals.remember`."""
        given = {"title": title, "content": content, **fields}
        return self._changed_entry(_params("remember", given, reason))

    def update(
        self, id: str, title: str, content: str, *, reason: str, **fields: Unpack[UpdateFields]
    ) -> ChangedEntry:
        """See :meth:`damals.api.Damals.update`."""
        given = {"target": id, "title": title, "content": content, **fields}
        return self._changed_entry(_params("update", given, reason))

    def correct(self, id: str, *, reason: str, **fields: Unpack[CorrectFields]) -> ChangedEntry:
        """See :meth:`damals.api.Damals.correct`."""
        return self._changed_entry(_params("correct", {"target": id, **fields}, reason))

    def end(
        self, id: str, at: Instant, *, reason: str, if_transaction: int | None = None
    ) -> ChangedEntry:
        """See :meth:`damals.api.Damals.end`."""
        given = {"target": id, "at": at, "if_transaction": if_transaction}
        return self._changed_entry(_params("end", given, reason))

    def retract(
        self,
        id: str,
        *,
        reason: str,
        restore: bool = False,
        if_transaction: int | None = None,
    ) -> ChangedEntry:
        """See :meth:`damals.api.Damals.retract`."""
        given = {"target": id, "if_transaction": if_transaction}
        given |= {"restore": restore} if restore else {}
        return self._changed_entry(_params("retract", given, reason))

    def revert(
        self, number: int | Instant, *, reason: str, if_transaction: int | None = None
    ) -> ChangedEntries:
        """See :meth:`damals.api.Damals.revert`."""
        given = {"transaction": number, "if_transaction": if_transaction}
        return self._changed_entries(_params("revert", given, reason))

    # --- relations

    def relate(
        self, src: str, type: str, dst: str, **said: Unpack[RelateFields]
    ) -> ChangedRelation:
        """See :meth:`damals.api.Damals.relate`."""
        given: dict[str, object] = {"src": src, "type": type, "dst": dst, **said}
        reason = given.pop("reason", None)
        return self._changed_relation(_params("relate", given, reason))

    def unrelate(
        self,
        src: str,
        type: str,
        dst: str,
        *,
        reason: str | None = None,
        if_transaction: int | None = None,
    ) -> ChangedRelation:
        """See :meth:`damals.api.Damals.unrelate`."""
        given = {"src": src, "type": type, "dst": dst, "if_transaction": if_transaction}
        return self._changed_relation(_params("unrelate", given, reason))

    def contradict(
        self, a: str, b: str, *, reason: str, if_transaction: int | None = None
    ) -> ChangedRelation:
        """See :meth:`damals.api.Damals.contradict`."""
        given = {"a": a, "b": b, "if_transaction": if_transaction}
        return self._changed_relation(_params("contradict", given, reason))

    def resolve(
        self, a: str, b: str, *, keep: Keep, reason: str, if_transaction: int | None = None
    ) -> ChangedEntries:
        """See :meth:`damals.api.Damals.resolve`."""
        given = {"a": a, "b": b, "keep": keep, "if_transaction": if_transaction}
        return self._changed_entries(_params("resolve", given, reason))

    # --- lifecycle

    def verify(
        self,
        id: str,
        *,
        score: float = 1.0,
        evidence: str | None = None,
        reason: str | None = None,
        if_transaction: int | None = None,
    ) -> ChangedEntry:
        """See :meth:`damals.api.Damals.verify`."""
        given = {"target": id, "score": score, "if_transaction": if_transaction}
        given |= {} if evidence is None else {"evidence": evidence}
        return self._changed_entry(_params("verify", given, reason))

    def pin(
        self, id: str, *, reason: str | None = None, if_transaction: int | None = None
    ) -> ChangedEntry:
        """See :meth:`damals.api.Damals.pin`."""
        given = {"target": id, "if_transaction": if_transaction}
        return self._changed_entry(_params("pin", given, reason))

    def unpin(
        self, id: str, *, reason: str | None = None, if_transaction: int | None = None
    ) -> ChangedEntry:
        """See :meth:`damals.api.Damals.unpin`."""
        given = {"target": id, "if_transaction": if_transaction}
        return self._changed_entry(_params("unpin", given, reason))

    def archive(self, id: str, *, reason: str, if_transaction: int | None = None) -> ChangedEntry:
        """See :meth:`damals.api.Damals.archive`."""
        given = {"target": id, "if_transaction": if_transaction}
        return self._changed_entry(_params("archive", given, reason))

    def erase(
        self,
        kind: str,
        id: str,
        *,
        reason: str | None = None,
        if_transaction: int | None = None,
    ) -> Erased:
        """See :meth:`damals.api.Damals.erase`."""
        if kind not in ERASABLE:
            raise InvalidInput("erase.kind", kind=kind, known=", ".join(ERASABLE))
        params = _params("erase", {"target": id, "if_transaction": if_transaction}, reason)

        def act(writer: LedgerWriter, recording: Recording) -> Erased:
            return erase(writer, recording, params, OWNER_NAME)

        return self._do(params, act)

    # --- doing

    @contextmanager
    def transaction(self, reason: str | None = None) -> Generator[Damals]:
        """See :meth:`damals.api.Damals.transaction`."""
        with self._turn:
            if self._recording is not None:
                raise InvalidInput("transaction.nested")
            with self._ledger(create=True).write(self._workspace) as writer:
                request = Request((), OWNER_NAME, reason)
                self._recording = (writer, Recording(writer, self._parts.tools, request))
                try:
                    yield self
                    self._recording[1].store()
                finally:
                    self._recording = None

    def _changed_entry(self, params: Params) -> ChangedEntry:
        with self._turn:
            outcome, _ = self._do(params, _added(params))
            [entry] = self._shown(outcome.touched[:1])
            shown = {field.name: getattr(entry, field.name) for field in fields(Entry)}
            return ChangedEntry(
                **shown,
                unchanged=outcome.unchanged,
                replaced=self._shown(outcome.replaced),
                restored=self._shown(outcome.others if params["op"] == "retract" else ()),
            )

    def _changed_entries(self, params: Params) -> ChangedEntries:
        with self._turn:
            outcome, number = self._do(params, _added(params))
            entries = self._shown(outcome.touched)
            return ChangedEntries(number, entries, outcome.reverted, outcome.unchanged or None)

    def _changed_relation(self, params: Params) -> ChangedRelation:
        def act(writer: LedgerWriter, recording: Recording) -> tuple[_Added, RelationDetail]:
            added = _added(params)(writer, recording)
            return added, relation_detail(recording.draft, added.outcome)

        with self._turn:
            (outcome, number), relation = self._do(params, act)
            cuts = relation.type in CUTTING_RELATIONS and not outcome.unchanged
            entries = self._shown([UUID(relation.dst_id)] if cuts else ())
            return ChangedRelation(relation, number, entries, outcome.unchanged or None)

    def _do(self, params: Params, act: Callable[[LedgerWriter, Recording], T]) -> T:
        """Do one operation, alone or as a part of the open transaction."""
        with self._turn:
            if self._recording is not None:
                return act(*self._recording)
            if not self._parts.home.exists():
                self._try_out(params)
            with self._ledger(create=True).write(self._workspace) as writer:
                recording = Recording(writer, self._parts.tools, Request((), OWNER_NAME))
                done = act(writer, recording)
                recording.store()
            return done

    def _try_out(self, params: Params) -> None:
        """Do it nowhere first: what is refused makes no home, whose zone would then be fixed."""
        with self._parts.empty_ledger().write(DEFAULT_WORKSPACE) as writer:
            Recording(writer, self._parts.tools, Request((), OWNER_NAME)).add(params)

    def _shown(self, entry_ids: Sequence[UUID]) -> tuple[Entry, ...]:
        """Entries as they are now, or will be when the open transaction is stored."""
        if not entry_ids:
            return ()
        if self._recording is not None:
            writer, recording = self._recording
            return tuple(preview(writer, recording, one) for one in entry_ids)
        with self._reader() as reader:
            clock = self._parts.clock
            return tuple(looking.get(reader, clock, str(one), Asked()) for one in entry_ids)


class _Added(NamedTuple):
    """What an operation did, and the number of its transaction if it did anything."""

    outcome: Outcome
    number: int | None


def _added(params: Params) -> Callable[[LedgerWriter, Recording], _Added]:
    def act(_: LedgerWriter, recording: Recording) -> _Added:
        outcome = recording.add(params)
        return _Added(outcome, None if outcome.unchanged else recording.draft.number)

    return act


def _params(op: str, given: Mapping[str, object], reason: object) -> Params:
    """The parameters of an operation.

    Raises:
        InvalidInput: ``operation.missing`` for a reason that must be given.
    """
    if op in REASONED and not (isinstance(reason, str) and reason.strip()):
        raise InvalidInput("operation.missing", op=op, name="reason")
    kept = {k: v for k, v in given.items() if not (k == PRECONDITION and v is None)}
    return {"op": op, **kept} | ({} if reason is None else {"reason": reason})
