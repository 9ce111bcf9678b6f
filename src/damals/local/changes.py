"""The part of ``LocalDamals`` that changes what is known."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar, cast
from uuid import UUID

from damals.api import Damals
from damals.api.changes import Changes, params_of
from damals.app.access import check_operations
from damals.app.access_model import KeptAnswer
from damals.app.accretion.filing import without_insisting
from damals.app.answering import Added, Answer, Show, drafted, stored
from damals.app.change_results import Erased, Transacted
from damals.app.index_model import OWNER
from damals.app.ledger_port import LedgerWriter
from damals.app.record import Recording, Request
from damals.app.wire import from_wire, to_wire
from damals.domain.access import Right
from damals.domain.entries import Json
from damals.domain.errors import Conflict, InvalidInput, NotFound
from damals.domain.ids import parse_uuid
from damals.domain.names import DEFAULT_WORKSPACE
from damals.domain.params import Params
from damals.local.erasure import LocalErasure
from damals.local.filing import LocalFiling, Near

HTTP_OK = 200

A = TypeVar("A", bound=Answer | Transacted)


class LocalChanges(LocalErasure, Changes, LocalFiling):
    """All changes: alone, each is a transaction; inside of one, a part of it."""

    # --- doing

    @contextmanager
    def transaction(self, reason: str | None = None) -> Generator[Damals]:
        """See :meth:`damals.api.Damals.transaction`."""
        with self._home.turn:
            if self._recording is not None:
                raise InvalidInput("transaction.nested")
            with self._writer() as writer:
                recording = self._begun(writer, reason)
                self._home.recording = (writer, recording)
                try:
                    yield self
                    recording.store()
                finally:
                    self._home.recording = None
            if recording.erases:
                self._end()

    def transact(
        self,
        operations: Sequence[Mapping[str, object]],
        *,
        reason: str | None = None,
        preview: bool = False,
    ) -> Transacted:
        """See :meth:`damals.api.Damals.transact`."""
        asked = [_checked(params, reason) for params in operations]
        check_operations(self._asker, asked)
        with self._home.turn:
            if self._recording is not None:
                raise InvalidInput("transaction.nested")
            if not asked:
                raise InvalidInput("transaction.empty")
            self._try_out(asked)
            near = self._near(asked)
            with self._writer() as writer:
                done = None if preview else self._kept(writer, Transacted)
                if done is None:
                    recording = self._begun(writer, reason)
                    added = self._all_added(writer, recording, asked, near)
                    done = self._transacted(writer, recording, added, preview=preview)
            return self._with_certificates(done)

    def _transacted(
        self, writer: LedgerWriter, recording: Recording, added: Iterator[Added], *, preview: bool
    ) -> Transacted:
        ages = self._parts.ages
        if preview:
            # Each as it is after its own operation, as inside of an open transaction.
            show = drafted(writer, recording, ages)
            previews = (one.told(show) for one in added)
            return Transacted(None, tuple(to_wire(one) for one in previews), preview=True)
        done = list(added)
        number = recording.store().number
        show = stored(writer, self._parts.clock, ages)
        results = tuple(_told(one, show) for one in done)
        return self._keep(writer, Transacted(number, results))

    def _all_added(
        self, writer: LedgerWriter, recording: Recording, asked: Sequence[Params], near: Near
    ) -> Iterator[Added]:
        for place, params in enumerate(asked):
            yield self._added(writer, recording, params, near.get(place))

    def do(self, params: Params, kind: type[A]) -> A:
        """See :meth:`damals.api.changes.Changes.do`."""
        check_operations(self._asker, [params])
        with self._home.turn:
            near = self._near([params]).get(0)
            if self._recording is not None:
                writer, recording = self._recording
                added = self._added(writer, recording, params, near)
                return cast("A", added.told(drafted(writer, recording, self._parts.ages)))
            self._try_out([params])
            with self._writer() as writer:
                done = self._kept(writer, kind)
                if done is None:
                    recording = self._begun(writer, None)
                    added = self._added(writer, recording, params, near)
                    recording.store()
                    show = stored(writer, self._parts.clock, self._parts.ages)
                    done = self._keep(writer, cast("A", added.told(show)))
            return cast("A", self._with_certificate(done)) if isinstance(done, Erased) else done

    @contextmanager
    def _writer(self) -> Generator[LedgerWriter]:
        self._require(Right.WRITE)
        ledger = self._ledger(create=True)
        with ledger.write(self._workspace, self._access()) as writer:
            yield writer

    def _begun(self, writer: LedgerWriter, reason: str | None) -> Recording:
        return Recording(writer, self._parts.tools, Request((), self._asker.name, reason))

    def _try_out(self, operations: Sequence[Params]) -> None:
        """Do it nowhere first: what is refused makes no home, whose zone would then be fixed."""
        if self._parts.home.exists():
            return
        with self._parts.empty_ledger().write(DEFAULT_WORKSPACE) as writer:
            recording = self._begun(writer, None)
            for params in operations:
                recording.add(without_insisting(params))

    def _kept(self, writer: LedgerWriter, kind: type[A]) -> A | None:
        """The answer to the same request when it came before.

        Raises:
            Conflict: ``request.different`` when another one came under its key,
                ``request.forgotten`` when its answer is gone because of an erasure, or tells of
                what who asks may not see any more.
        """
        once = self._once
        kept = None if once is None else writer.kept_answer(once.key)
        if once is None or kept is None:
            return None
        if kept.request != once.request:
            raise Conflict("request.different")
        if kept.body is None or _hidden_since(writer, kept.body):
            raise Conflict("request.forgotten")
        return from_wire(kind, cast("Mapping[str, Json]", kept.body))

    def _keep(self, writer: LedgerWriter, answer: A) -> A:
        """Keep the answer to a request, in the transaction that did what it asked for."""
        if self._once is not None:
            now = self._parts.clock()
            kept = KeptAnswer(self._once.request, HTTP_OK, to_wire(answer), now, since=None)
            writer.keep_answer(self._once.key, kept)
        return answer


def _hidden_since(writer: LedgerWriter, answer: Json) -> bool:
    """Whether an answer names an entry that whoever it is for may not see."""
    if writer.access == OWNER:
        return False
    named = set(_ids_in(answer))
    return writer.unrestricted().seen(named) != writer.seen(named)


def _ids_in(value: Json) -> Iterator[UUID]:
    """Every id in an answer, whatever it names."""
    if isinstance(value, dict):
        for one in value.values():
            yield from _ids_in(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _ids_in(one)
    elif isinstance(value, str) and (found := parse_uuid(value)) is not None:
        yield found


def _told(added: Added, show: Show) -> Mapping[str, Json]:
    """What an operation did; nothing of an entry that a later one has erased."""
    try:
        return to_wire(added.told(show))
    except NotFound:
        return {"entry": None}


def _checked(params: Mapping[str, object], reason: str | None) -> Params:
    """An operation of several, which may leave its reason to that of all.

    Raises:
        InvalidInput: ``operation.missing``.
    """
    given = dict(params)
    op = given.pop("op", None)
    if not isinstance(op, str):
        raise InvalidInput("operation.missing", op="transaction", name="op")
    own = given.pop("reason", None)
    made = params_of(op, given, own or reason)
    if own is None:
        made = {name: value for name, value in made.items() if name != "reason"}
    return made
