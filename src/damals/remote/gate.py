"""The part of ``RemoteDamals`` that minds how old research is."""

from collections.abc import Sequence
from typing import Unpack

from damals.api.gate import GateOptions
from damals.app.gating_results import GateReport
from damals.remote.asking import Asking
from damals.remote.encoding import all_or


class RemoteGate(Asking):
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
        said = {"ids": ids, "query": query, "accept": accept, "reason": reason, **options}
        given = {name: value for name, value in said.items() if value is not None}
        if "limit" in options:
            given["limit"] = all_or(options["limit"])
        with self._alone():
            told = self._post(self._path("gate"), given).document
        return self._read(GateReport, told)
