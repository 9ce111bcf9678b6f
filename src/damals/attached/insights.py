"""The part of ``AttachedDamals`` that looks at what is known over time."""

from typing import Unpack

from damals.api.insights import CalibrationSpan, Span, TimelinePart
from damals.api.params import Instant
from damals.app.calibration_results import Calibration
from damals.app.pattern_results import Pattern
from damals.app.planning_results import Planning
from damals.app.span_results import TimeSpan
from damals.app.timeline_results import Timeline
from damals.app.tracing_results import Trace
from damals.attached.owning import Ownership
from damals.domain.planning import USUAL_FOLDER
from damals.remote.transactions import FarChanges


class AttachedInsights(FarChanges):
    """Plans, traces, patterns, calibrations; see :class:`damals.api.insights.Insights`."""

    _home: Ownership

    def planning(
        self,
        folder: str = USUAL_FOLDER,
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
    ) -> Planning:
        """See :meth:`damals.api.insights.Insights.planning`."""
        return self._home.call(
            lambda memory: memory.planning(folder, as_of=as_of, known_at=known_at)
        )

    def trace(self, what: str, *, limit: int | None = 10, **span: Unpack[Span]) -> Trace:
        """See :meth:`damals.api.insights.Insights.trace`."""
        return self._home.call(lambda memory: memory.trace(what, limit=limit, **span))

    def patterns(
        self,
        topic: str,
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
    ) -> Pattern:
        """See :meth:`damals.api.insights.Insights.patterns`."""
        return self._home.call(
            lambda memory: memory.patterns(topic, as_of=as_of, known_at=known_at)
        )

    def timeline(self, topic: str, **part: Unpack[TimelinePart]) -> Timeline:
        """See :meth:`damals.api.insights.Insights.timeline`."""
        return self._home.call(lambda memory: memory.timeline(topic, **part))

    def calibration(self, name: str, **span: Unpack[CalibrationSpan]) -> Calibration:
        """See :meth:`damals.api.insights.Insights.calibration`."""
        return self._home.call(lambda memory: memory.calibration(name, **span))

    def span(self) -> TimeSpan:
        """See :meth:`damals.api.insights.Insights.span`."""
        return self._home.call(lambda memory: memory.span())
