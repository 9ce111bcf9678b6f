"""Changes as parameters: one place that turns each method into an operation, whoever does it."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import TypeVar, Unpack

from damals.api import Damals
from damals.api.params import (
    CorrectFields,
    Instant,
    Keep,
    RelateFields,
    RememberFields,
    UpdateFields,
)
from damals.app.answering import Answer
from damals.app.change_results import (
    ERASABLE,
    ChangedEntries,
    ChangedEntry,
    ChangedRelation,
    Erased,
)
from damals.app.erasing.model import ENTRY
from damals.app.record import PRECONDITION
from damals.domain.errors import InvalidInput
from damals.domain.params import Params

REASONED = frozenset(
    ("update", "correct", "end", "retract", "revert", "contradict", "resolve", "archive")
)
"""Operations that must say why."""

A = TypeVar("A", bound=Answer)


class Changes(Damals):
    """All changes of the interface, as operations that one method does."""

    @abstractmethod
    def do(self, params: Params, kind: type[A]) -> A:
        """Do one operation, alone or as a part of the open transaction."""

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
        return self._changed_entry(params_of("remember", given, reason))

    def update(
        self, id: str, title: str, content: str, *, reason: str, **fields: Unpack[UpdateFields]
    ) -> ChangedEntry:
        """See :meth:`damals.api.Damals.update`."""
        given = {"target": id, "title": title, "content": content, **fields}
        return self._changed_entry(params_of("update", given, reason))

    def correct(self, id: str, *, reason: str, **fields: Unpack[CorrectFields]) -> ChangedEntry:
        """See :meth:`damals.api.Damals.correct`."""
        return self._changed_entry(params_of("correct", {"target": id, **fields}, reason))

    def end(
        self, id: str, at: Instant, *, reason: str, if_transaction: int | None = None
    ) -> ChangedEntry:
        """See :meth:`damals.api.Damals.end`."""
        given = {"target": id, "at": at, "if_transaction": if_transaction}
        return self._changed_entry(params_of("end", given, reason))

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
        return self._changed_entry(params_of("retract", given, reason))

    def revert(
        self, number: int | Instant, *, reason: str, if_transaction: int | None = None
    ) -> ChangedEntries:
        """See :meth:`damals.api.Damals.revert`."""
        given = {"transaction": number, "if_transaction": if_transaction}
        return self._changed_entries(params_of("revert", given, reason))

    # --- relations

    def relate(
        self, src: str, type: str, dst: str, **said: Unpack[RelateFields]
    ) -> ChangedRelation:
        """See :meth:`damals.api.Damals.relate`."""
        given: dict[str, object] = {"src": src, "type": type, "dst": dst, **said}
        reason = given.pop("reason", None)
        return self._changed_relation(params_of("relate", given, reason))

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
        return self._changed_relation(params_of("unrelate", given, reason))

    def contradict(
        self, a: str, b: str, *, reason: str, if_transaction: int | None = None
    ) -> ChangedRelation:
        """See :meth:`damals.api.Damals.contradict`."""
        given = {"a": a, "b": b, "if_transaction": if_transaction}
        return self._changed_relation(params_of("contradict", given, reason))

    def resolve(
        self, a: str, b: str, *, keep: Keep, reason: str, if_transaction: int | None = None
    ) -> ChangedEntries:
        """See :meth:`damals.api.Damals.resolve`."""
        given = {"a": a, "b": b, "keep": keep, "if_transaction": if_transaction}
        return self._changed_entries(params_of("resolve", given, reason))

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
        return self._changed_entry(params_of("verify", given, reason))

    def pin(
        self, id: str, *, reason: str | None = None, if_transaction: int | None = None
    ) -> ChangedEntry:
        """See :meth:`damals.api.Damals.pin`."""
        given = {"target": id, "if_transaction": if_transaction}
        return self._changed_entry(params_of("pin", given, reason))

    def unpin(
        self, id: str, *, reason: str | None = None, if_transaction: int | None = None
    ) -> ChangedEntry:
        """See :meth:`damals.api.Damals.unpin`."""
        given = {"target": id, "if_transaction": if_transaction}
        return self._changed_entry(params_of("unpin", given, reason))

    def archive(self, id: str, *, reason: str, if_transaction: int | None = None) -> ChangedEntry:
        """See :meth:`damals.api.Damals.archive`."""
        given = {"target": id, "if_transaction": if_transaction}
        return self._changed_entry(params_of("archive", given, reason))

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
        if kind != ENTRY:
            if if_transaction is not None:
                raise InvalidInput("erase.precondition", kind=kind)
            return self.erase_whole(kind, id, reason)
        given = {"target": id, "if_transaction": if_transaction}
        return self.do(params_of("erase", given, reason), Erased)

    @abstractmethod
    def erase_whole(self, kind: str, id: str, reason: str | None) -> Erased:
        """Erase a source, a person or a workspace; see :meth:`damals.api.Damals.erase`."""

    # --- kinds of answers

    def _changed_entry(self, params: Params) -> ChangedEntry:
        return self.do(params, ChangedEntry)

    def _changed_entries(self, params: Params) -> ChangedEntries:
        return self.do(params, ChangedEntries)

    def _changed_relation(self, params: Params) -> ChangedRelation:
        return self.do(params, ChangedRelation)


def params_of(op: str, given: Mapping[str, object], reason: object) -> Params:
    """The parameters of an operation.

    Raises:
        InvalidInput: ``operation.missing`` for a reason that must be given.
    """
    if op in REASONED and not (isinstance(reason, str) and reason.strip()):
        raise InvalidInput("operation.missing", op=op, name="reason")
    kept = {k: v for k, v in given.items() if not (k == PRECONDITION and v is None)}
    return {"op": op, **kept} | ({} if reason is None else {"reason": reason})
