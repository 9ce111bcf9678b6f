"""The part of ``LocalDamals`` that minds how old research is."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from damals.api.gate import GateOptions
from damals.app import asking, gating, looking
from damals.app.gating import LIMIT, GateAsked
from damals.app.gating_results import GateReport
from damals.app.looking import Asked, several
from damals.domain.access import Right
from damals.domain.errors import InvalidInput
from damals.local.answers import LocalAnswers
from damals.local.changes import LocalChanges


class LocalGate(LocalChanges, LocalAnswers):
    """The research gate; see :class:`damals.api.gate.Gate`."""

    def gate(
        self,
        ids: Sequence[str] | str | None = None,
        query: str | None = None,
        *,
        accept: bool = False,
        reason: str | None = None,
        **options: Unpack[GateOptions],
    ) -> GateReport:
        """See :meth:`damals.api.gate.Gate.gate`."""
        named = several(ids)
        gating.checked_choice(named, query)
        at = Asked(options.get("as_of"), options.get("known_at"))
        if accept:
            self._require(Right.WRITE)
            _check_acceptance(at, named=bool(named) or query is not None)
        limit = looking.checked_limit(options.get("limit", LIMIT))
        limit = None if accept else limit  # what is accepted is told
        found = self._gated(query, GateAsked(named or None, at, limit))
        return self._accepted(found, reason) if accept else found

    def _gated(self, query: str | None, asked: GateAsked) -> GateReport:
        parts = self._parts
        if query is not None:
            named, at = self._found_for(query, asked.at)
            asked = replace(asked, ids=named, at=at)
        with self._reader() as reader:
            return gating.gate(reader, looking.present(reader, parts.clock), asked, parts.ages)

    def _found_for(self, query: str, at: Asked) -> tuple[Sequence[str], Asked]:
        """What answers a query, and as of when. It is looked at, not returned: no access."""
        options = {"as_of": at.as_of, "known_at": at.known_at}
        given = {name: value for name, value in options.items() if value is not None}
        asked = self._asked(query, gating.MOST_FOUND, given, self._parts.weights)
        search = self._search()
        lag = self._caught_up(search)
        with self._reader() as reader:
            explained = replace(asked, explain=True)
            found = search.recall(reader, self._parts.clock, explained, lag)
        answering = asking.relevant(found, self._reading(search))
        return [hit.entry.id for hit in answering], Asked(found.as_of, at.known_at)

    def _accepted(self, found: GateReport, reason: str | None) -> GateReport:
        """The same with what was flagged accepted, in one transaction."""
        wanted = tuple(one.entries[0] for one in found.findings if not one.accepted)
        if not wanted:
            return replace(found, accepted=())
        done = self.transact([{"op": "accept", "target": one} for one in wanted], reason=reason)
        findings = tuple(replace(one, accepted=True) for one in found.findings)
        return replace(found, findings=findings, accepted=wanted, transaction=done.transaction)


def _check_acceptance(at: Asked, *, named: bool) -> None:
    """An acceptance names what it is about, and is of now.

    Raises:
        InvalidInput: ``gate.nothing``, ``gate.past``.
    """
    if not named:
        raise InvalidInput("gate.nothing")
    if not at.nothing:
        raise InvalidInput("gate.past")
