"""``AttachedDamals``: a home of this machine, whoever owns it at the moment.

A call takes the home when it is free, asks the owner when one listens, and waits for one that is
about to finish. When the owner is gone in the middle of a call, the call is repeated: questions
simply, changes under the key that they had, so that what was done is answered and not done again.
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TypeVar, Unpack

from damals.api import Damals
from damals.api.exports import ExportOptions
from damals.api.params import DiffSelection, Instant, ProgressListener
from damals.app.access_results import DenialView, KeyView, NewKey
from damals.app.answering import Answer
from damals.app.audit_results import AuditReport
from damals.app.change_results import Transacted
from damals.app.diff_results import Diff
from damals.app.errors import Conflict, InvalidInput, NotFound
from damals.app.export_results import ExportReport
from damals.app.results import (
    Health,
    History,
    ImportReport,
    Log,
    Page,
    ReindexReport,
    Settings,
    WorkspaceView,
)
from damals.app.seen_results import SeenEntry
from damals.app.sources import ImportedSource
from damals.app.wire import from_wire
from damals.attached.answers import AttachedAnswers
from damals.attached.backups import AttachedBackups
from damals.attached.erasure import AttachedErasure
from damals.attached.gate import AttachedGate
from damals.attached.hygiene import AttachedUpkeep
from damals.attached.insights import AttachedInsights
from damals.attached.owning import Ownership, Ways
from damals.attached.taking_over import import_done, key_made
from damals.domain.access import OWNER
from damals.domain.params import Params
from damals.local import LocalDamals
from damals.remote.admin import KeyOrder, key_parameters
from damals.remote.client import RemoteDamals
from damals.remote.jobs import Errand
from damals.remote.sending import WantedImport
from damals.remote.transactions import Change

A = TypeVar("A", bound=Answer)


class AttachedDamals(
    AttachedAnswers,
    AttachedInsights,
    AttachedUpkeep,
    AttachedGate,
    AttachedBackups,
    AttachedErasure,
):
    """The interface on a home that this process owns or whose owner it asks.

    See :class:`damals.api.Damals`. Any thread may use it.
    """

    def __init__(self, ways: Ways, workspace: str) -> None:
        """Look at a workspace of a home. Nothing is locked before it is first needed."""
        super().__init__()
        self._home = Ownership(ways)
        self._workspace = workspace
        self._near: LocalDamals | None = None
        """The own home while its transaction is open, in the thread whose turn it is."""

    def close(self) -> None:
        """See :meth:`damals.api.Damals.close`."""
        self._home.close()

    # --- changes

    def do(self, params: Params, kind: type[A]) -> A:
        """See :meth:`damals.api.changes.Changes.do`."""
        with self._turn:
            if self._near is not None:
                return self._near.do(params, kind)
            if self._open is not None:
                return super().do(params, kind)
            sent = _Sent(Change([params]), self._workspace)

            def act(memory: Damals) -> A:
                if isinstance(memory, LocalDamals) and not sent.before:
                    return memory.do(params, kind)
                [told] = sent.to(memory).results
                return from_wire(kind, told)

            return self._home.call(act)

    def send(self, change: Change) -> Transacted:
        """See :meth:`damals.remote.transactions.FarChanges.send`."""
        return self._home.call(_Sent(change, self._workspace).to)

    def transact(
        self,
        operations: Sequence[Mapping[str, object]],
        *,
        reason: str | None = None,
        preview: bool = False,
    ) -> Transacted:
        """See :meth:`damals.api.Damals.transact`."""
        with self._turn:
            if self._near is not None:
                raise InvalidInput("transaction.nested")
            return super().transact(operations, reason=reason, preview=preview)

    @contextmanager
    def transaction(self, reason: str | None = None) -> Generator[Damals]:
        """See :meth:`damals.api.Damals.transaction`."""
        with self._turn, ExitStack() as stack:
            if self._near is not None or self._open is not None:
                raise InvalidInput("transaction.nested")

            def begin(memory: Damals) -> LocalDamals | None:
                if not isinstance(memory, LocalDamals):
                    return None
                stack.enter_context(memory.transaction(reason))
                return memory

            self._near = self._home.call(begin)
            try:
                if self._near is None:
                    stack.enter_context(super().transaction(reason))
                yield self
            finally:
                self._near = None

    # --- looking

    def get(
        self, id: str, *, as_of: Instant | None = None, known_at: Instant | None = None
    ) -> SeenEntry:
        """See :meth:`damals.api.Damals.get`."""
        return self._home.call(lambda memory: memory.get(id, as_of=as_of, known_at=known_at))

    def history(
        self,
        id: str | None = None,
        *,
        key: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> History:
        """See :meth:`damals.api.Damals.history`."""
        return self._home.call(
            lambda memory: memory.history(id, key=key, limit=limit, cursor=cursor)
        )

    def log(
        self,
        *,
        entry: str | None = None,
        key: str | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> Log:
        """See :meth:`damals.api.Damals.log`."""
        return self._home.call(
            lambda memory: memory.log(entry=entry, key=key, after=after, limit=limit)
        )

    def entries(  # noqa: PLR0913 -- the documented parameters of a listing
        self,
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        certain: bool = False,
        type: Sequence[str] | str | None = None,
        tag: Sequence[str] | str | None = None,
        status: str | None = None,
        limit: int | None = 100,
        cursor: str | None = None,
    ) -> Page:
        """See :meth:`damals.api.Damals.entries`."""
        return self._home.call(
            lambda memory: memory.entries(
                as_of=as_of, known_at=known_at, certain=certain, type=type, tag=tag,
                status=status, limit=limit, cursor=cursor,
            )
        )  # fmt: skip

    def diff(
        self,
        topic: str | None = None,
        *,
        start: Instant,
        end: Instant,
        axis: str | None = None,
        **selection: Unpack[DiffSelection],
    ) -> Diff:
        """See :meth:`damals.api.Damals.diff`."""
        return self._home.call(
            lambda memory: memory.diff(topic, start=start, end=end, axis=axis, **selection)
        )

    # --- sources, index, health

    def import_(  # noqa: PLR0913 -- the documented parameters of an import
        self,
        path: str | Path,
        *,
        source: str = "auto",
        name: str | None = None,
        dry_run: bool = False,
        prune: bool = False,
        history: bool = False,
        readmit: bool = False,
        wait: bool = False,
        progress: ProgressListener | None = None,
    ) -> ImportReport:
        """See :meth:`damals.api.Damals.import_`."""
        given = WantedImport(
            source=source, name=name, dry_run=dry_run, prune=prune, history=history,
            readmit=readmit, wait=wait,
        )  # fmt: skip
        errand = Errand()

        def act(memory: Damals) -> ImportReport:
            if isinstance(memory, RemoteDamals):
                return memory.imported(path, given, progress, errand)
            done = import_done(memory, self._workspace, errand) if errand.ordered else None
            return done or memory.import_(path, **given, progress=progress)

        with self._alone():
            return self._home.call(act)

    def sources(self) -> Sequence[ImportedSource]:
        """See :meth:`damals.api.sources.SourceList.sources`."""
        return self._home.call(lambda memory: memory.sources())

    def export(self, path: str | Path, **options: Unpack[ExportOptions]) -> ExportReport:
        """See :meth:`damals.api.exports.Exports.export`."""
        return self._home.call(lambda memory: memory.export(path, **options))

    def reindex(self, *, progress: ProgressListener | None = None) -> ReindexReport:
        """See :meth:`damals.api.Damals.reindex`."""
        errand = Errand()

        def act(memory: Damals) -> ReindexReport:
            if isinstance(memory, RemoteDamals):
                return memory.reindexed(progress, errand)
            return memory.reindex(progress=progress)

        with self._alone():
            return self._home.call(act)

    def doctor(self, *, repair: bool = False) -> Health:
        """See :meth:`damals.api.Damals.doctor`."""
        with self._alone():
            return self._home.call(lambda memory: memory.doctor(repair=repair))

    def audit(self) -> AuditReport:
        """See :meth:`damals.api.Damals.audit`."""
        return self._home.call(lambda memory: memory.audit())

    @contextmanager
    def _alone(self) -> Generator[None]:
        with self._turn:
            if self._near is not None:
                raise InvalidInput("transaction.open")
            with super()._alone():
                yield

    # --- who may use it

    def config(self) -> Settings:
        """See :meth:`damals.api.admin.Administration.config`."""
        return self._home.call(lambda memory: memory.config())

    def workspaces(self) -> Sequence[WorkspaceView]:
        """See :meth:`damals.api.admin.Administration.workspaces`."""
        return self._home.call(lambda memory: memory.workspaces())

    def create_workspace(self, name: str, *, timezone: str | None = None) -> WorkspaceView:
        """See :meth:`damals.api.admin.Administration.create_workspace`."""
        asked_before = False

        def act(memory: Damals) -> WorkspaceView:
            nonlocal asked_before
            before, asked_before = asked_before, isinstance(memory, RemoteDamals)
            try:
                return memory.create_workspace(name, timezone=timezone)
            except Conflict:
                made = [one for one in memory.workspaces() if before and one.name == name]
                if not made or timezone not in (None, made[0].timezone):
                    raise
                return made[0]  # by the owner that was lost before it could say so

        return self._home.call(act)

    def create_key(
        self,
        name: str,
        *,
        roles: Sequence[str] = ("reader",),
        workspaces: Sequence[str] | None = None,
        visibility: str = "internal",
        sensitivity: int = 0,
    ) -> NewKey:
        """See :meth:`damals.api.admin.Administration.create_key`.

        A key whose secret was lost with its owner is revoked, and another one is made. If the
        owner was lost just before it had noted that it made the key, this raises ``key.exists``.
        """
        order = KeyOrder(key_parameters(name, roles, workspaces, visibility, sensitivity))

        def act(memory: Damals) -> NewKey:
            if isinstance(memory, RemoteDamals):
                try:
                    return memory.send_key(order)
                except Conflict as error:
                    if error.key != "request.secret":
                        raise
            elif not (order.sent and key_made(memory, order)):
                return memory.create_key(
                    name, roles=roles, workspaces=workspaces, visibility=visibility,
                    sensitivity=sensitivity,
                )  # fmt: skip
            with suppress(NotFound):  # it may be revoked already, by this very call
                memory.revoke_key(name)
            order.begin_anew()
            return act(memory)

        return self._home.call(act)

    def keys(self) -> Sequence[KeyView]:
        """See :meth:`damals.api.admin.Administration.keys`."""
        return self._home.call(lambda memory: memory.keys())

    def revoke_key(self, name: str) -> KeyView:
        """See :meth:`damals.api.admin.Administration.revoke_key`."""
        asked_before = False

        def act(memory: Damals) -> KeyView:
            nonlocal asked_before
            before, asked_before = asked_before, isinstance(memory, RemoteDamals)
            try:
                return memory.revoke_key(name)
            except NotFound:
                known = memory.keys() if before else ()
                revoked = [one for one in known if one.name == name]
                if not revoked:
                    raise
                return revoked[-1]  # by the owner that was lost before it could say so

        return self._home.call(act)

    def denials(self, *, limit: int = 100) -> Sequence[DenialView]:
        """See :meth:`damals.api.admin.Administration.denials`."""
        return self._home.call(lambda memory: memory.denials(limit=limit))


class _Sent:
    """A change on its way, to one owner after the other if need be.

    Attributes:
        before: an owner was asked that may have done it.
    """

    def __init__(self, change: Change, workspace: str) -> None:
        self._change = change
        self._workspace = workspace
        self.before = False

    def to(self, memory: Damals) -> Transacted:
        """Have it done, once."""
        change = self._change
        if isinstance(memory, RemoteDamals):
            self.before = True
            return memory.send(change)
        if self.before and not change.preview and isinstance(memory, LocalDamals):
            memory = memory.under(OWNER, once=change.once(self._workspace))
        return memory.transact(change.operations, reason=change.reason, preview=change.preview)
