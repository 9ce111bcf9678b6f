"""Changes from afar: each is sent as a transaction, which the server knows again by its key.

An open transaction is held here: its operations so far are sent as a preview after each of them,
and once more for good at its end.
"""

import threading
from abc import abstractmethod
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, TypeVar, cast
from uuid import uuid4

from damals.api import Damals
from damals.api.changes import Changes
from damals.app.access_model import Once
from damals.app.answering import Answer
from damals.app.change_results import Transacted
from damals.app.once import once
from damals.app.wire import from_wire
from damals.domain.access import OWNER_NAME
from damals.domain.entries import Json
from damals.domain.errors import Conflict, InvalidInput
from damals.domain.params import Params
from damals.remote.encoding import body, segment

MAKES_ENTRIES: Final = frozenset({"remember", "update"})

A = TypeVar("A", bound=Answer)


@dataclass(frozen=True, slots=True)
class Change:
    """Operations that are sent together, as the same bytes however often they are sent.

    Attributes:
        operations: in order.
        reason: of all that say none of their own.
        preview: store nothing, and tell how it would be.
        key: by which a server knows it again; a preview needs none.
    """

    operations: Sequence[Mapping[str, object]]
    reason: str | None = None
    preview: bool = False
    key: str = field(default_factory=lambda: uuid4().hex)

    @property
    def body(self) -> bytes:
        """The request's body."""
        told: dict[str, object] = {"operations": self.operations}
        told |= {} if self.reason is None else {"reason": self.reason}
        return body({**told, "preview": True} if self.preview else told)

    def once(self, workspace: str) -> Once:
        """What a server calls this request when the owner of the home sends it."""
        call = f"POST {path_of(workspace)}"
        return once(OWNER_NAME, workspace, call, self.key, self.body)


def path_of(workspace: str) -> str:
    """Where transactions of a workspace are sent."""
    return f"/v1/workspaces/{segment(workspace)}/transactions"


class FarChanges(Changes):
    """All changes, done by someone else. Any thread may use it; changes take turns."""

    def __init__(self) -> None:
        self._turn = threading.RLock()
        self._open: _Collected | None = None

    @abstractmethod
    def send(self, change: Change) -> Transacted:
        """Have it done. Sent again, it is answered again and not done twice."""

    def do(self, params: Params, kind: type[A]) -> A:
        """See :meth:`damals.api.changes.Changes.do`."""
        with self._turn:
            if self._open is not None:
                told = self._open.added(params)
            else:
                [told] = self.send(Change([params])).results
        return from_wire(kind, told)

    def transact(
        self,
        operations: Sequence[Mapping[str, object]],
        *,
        reason: str | None = None,
        preview: bool = False,
    ) -> Transacted:
        """See :meth:`damals.api.Damals.transact`."""
        with self._turn:
            if self._open is not None:
                raise InvalidInput("transaction.nested")
            return self.send(Change(list(operations), reason, preview))

    @contextmanager
    def transaction(self, reason: str | None = None) -> Generator[Damals]:
        """See :meth:`damals.api.Damals.transaction`."""
        with self._turn:
            if self._open is not None:
                raise InvalidInput("transaction.nested")
            self._open = collected = _Collected(self, reason)
            try:
                yield self
                collected.finish()
            finally:
                self._open = None

    @contextmanager
    def _alone(self) -> Generator[None]:
        """A turn of long work, which cannot be a part of a transaction."""
        with self._turn:
            if self._open is not None:
                raise InvalidInput("transaction.open")
            yield


class _Collected:
    """The operations of an open transaction."""

    def __init__(self, memory: FarChanges, reason: str | None) -> None:
        self._memory = memory
        self._reason = reason
        self._operations: list[Params] = []
        self._broken = False

    def added(self, params: Params) -> Mapping[str, Json]:
        """What one more operation will do.

        Raises:
            DamalsError: it cannot be done; the whole transaction is off.
        """
        self._refuse_broken()
        self._broken = True
        asked = [*self._operations, params]
        told = self._sent(Change(asked, self._reason, preview=True)).results[-1]
        self._operations.append(_identified(params, told))
        self._broken = False
        return told

    def finish(self) -> None:
        """Do all of them for good.

        Raises:
            DamalsError: they cannot be done any more; nothing is stored.
        """
        self._refuse_broken()
        if self._operations:
            self._sent(Change(self._operations, self._reason))

    def _sent(self, change: Change) -> Transacted:
        return self._memory.send(change)

    def _refuse_broken(self) -> None:
        if self._broken:
            raise Conflict("transaction.failed")


def _identified(params: Params, told: Mapping[str, Json]) -> Params:
    """An operation with the id that its new entry got, so that later ones can name it."""
    if params["op"] not in MAKES_ENTRIES or "id" in params or told.get("unchanged"):
        return params
    entry = cast("Mapping[str, Json]", told["entry"])
    return {**params, "id": entry["id"]}
