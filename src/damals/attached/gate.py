"""The part of ``AttachedDamals`` that minds how old research is."""

from collections.abc import Sequence
from typing import Unpack

from damals.api.gate import GateOptions
from damals.app.gating_results import GateReport
from damals.attached.owning import Ownership
from damals.remote.transactions import FarChanges


class AttachedGate(FarChanges):
    """The research gate; see :class:`damals.api.gate.Gate`."""

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
        """See :meth:`damals.api.gate.Gate.gate`."""
        with self._alone():
            return self._home.call(
                lambda memory: memory.gate(ids, query, accept=accept, reason=reason, **options)
            )
