"""The part of ``Damals`` that minds how old research is."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypedDict, Unpack

from damals.api.params import Instant
from damals.app.gating_results import GateReport


class GateOptions(TypedDict, total=False):
    """How the research gate is asked.

    Attributes:
        as_of: the day that counts as today; now by default.
        known_at: what was known by then; all by default.
        limit: so many findings are told, the stalest first, 100 by default; ``None`` for all. What
            is accepted is told in full.
    """

    as_of: Instant | None
    known_at: Instant | None
    limit: int | None


class Gate(ABC):
    """What is to be minded before something is built on research."""

    @abstractmethod
    def gate(
        self,
        ids: Sequence[str] | str | None = None,
        query: str | None = None,
        *,
        accept: bool = False,
        reason: str | None = None,
        **options: Unpack[GateOptions],
    ) -> GateReport:
        """Flag what was looked up longer ago than the half-life of its domain. It never blocks.

        Stable entries and planning artefacts are skipped. The age of what was looked up counts
        from ``retrieved_at``, else from what its text gives away, else from ``created``, the start
        of its validity, or its recorded start; each finding says which.

        Args:
            ids: ids or external ids; without them and without a query everything that holds.
            query: what words or meaning find for it is looked at, instead of entries that are
                named.
            accept: build on what is flagged all the same. That is recorded, and every answer that
                uses it, or what is built on it, says so until it is verified.
            reason: why it is accepted.
            options: see :class:`GateOptions`.

        Raises:
            InvalidInput: ``gate.which`` for entries and a query at once, ``gate.nothing`` for an
                acceptance that names neither, ``gate.past`` for one as of another day,
                ``limit.invalid``.
            NotFound: ``entry.unknown``, ``entry.erased``, ``entry.not_then``.
            Denied: ``access.right`` for an acceptance by who may only read.
        """
