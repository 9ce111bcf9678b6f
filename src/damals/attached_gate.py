"""The part of ``AttachedDamals`` that minds how old research is."""

from collections.abc import Sequence
from typing import Unpack

from damals.api_gate import GateOptions
from damals.app.gating_results import GateReport
from damals.attaching import Ownership
from damals.remote.transactions import FarChanges


class AttachedGate(FarChanges):
    """The research gate; see :class:`damals.api_gate.Gate`."""

    _home: Ownership

    def gate(
        self,
        ids: Sequence[str] | str | None = None,
        query: str | None = None,
        *,
        accept: bool = False,
        reason: str | None = None,
        **options: Unpack[GateOptions],
    ) -> GateReport:
        """See :meth:`damals.api_gate.Gate.gate`."""
        with self._alone():
            return self._home.call(
                lambda memory: memory.gate(ids, query, accept=accept, reason=reason, **options)
            )
