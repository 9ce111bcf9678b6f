"""The part of ``RemoteDamals`` that minds how old research is."""

from collections.abc import Sequence

from damals.api_params import Instant
from damals.app.gating_results import GateReport
from damals.remote.asking import Asking


class RemoteGate(Asking):
    """The research gate; see :class:`damals.api_gate.Gate`."""

    def gate(
        self,
        ids: Sequence[str] | str | None = None,
        query: str | None = None,
        *,
        accept: bool = False,
        reason: str | None = None,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
    ) -> GateReport:
        """See :meth:`damals.api_gate.Gate.gate`."""
        asked = {
            "ids": ids, "query": query, "accept": accept, "reason": reason, "as_of": as_of,
            "known_at": known_at,
        }  # fmt: skip
        given = {name: value for name, value in asked.items() if value is not None}
        with self._alone():
            told = self._post(self._path("gate"), given).document
        return self._read(GateReport, told)
