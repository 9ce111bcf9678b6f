"""The part of ``RemoteDamals`` that looks at what is known over time."""

from typing import Unpack

from damals.api.insights import CalibrationSpan, Span, TimelinePart
from damals.api.params import Instant
from damals.app.calibration_results import Calibration
from damals.app.paths import given_path
from damals.app.pattern_results import Pattern
from damals.app.planning_results import Planning
from damals.app.span_results import TimeSpan
from damals.app.timeline_results import Timeline
from damals.app.tracing_results import Trace
from damals.domain.planning import USUAL_FOLDER
from damals.remote.asking import Asking
from damals.remote.encoding import all_or, named


class RemoteInsights(Asking):
    """Plans, traces, patterns, calibrations; see :class:`damals.api.insights.Insights`."""

    _here: bool

    def planning(
        self,
        folder: str = USUAL_FOLDER,
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
    ) -> Planning:
        """See :meth:`damals.api.insights.Insights.planning`."""
        path = given_path(folder)
        # A folder is meant as this process sees it, wherever the owner of the home stands.
        meant = str(path.absolute()) if self._here and path.is_dir() else str(folder)
        asked = {"folder": meant, "as_of": as_of, "known_at": known_at}
        return self._read(Planning, self._get(self._path("planning"), asked))

    def trace(self, what: str, *, limit: int | None = 10, **span: Unpack[Span]) -> Trace:
        """See :meth:`damals.api.insights.Insights.trace`."""
        asked = {"limit": all_or(limit), **span}
        path = self._path("entries", named(what, "what"), "trace")
        return self._read(Trace, self._get(path, asked))

    def patterns(
        self,
        topic: str,
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
    ) -> Pattern:
        """See :meth:`damals.api.insights.Insights.patterns`."""
        asked = {"topic": topic, "as_of": as_of, "known_at": known_at}
        return self._read(Pattern, self._get(self._path("patterns"), asked))

    def timeline(self, topic: str, **part: Unpack[TimelinePart]) -> Timeline:
        """See :meth:`damals.api.insights.Insights.timeline`."""
        asked = {"topic": topic, **part, "limit": all_or(part.get("limit", 50))}
        return self._read(Timeline, self._get(self._path("timeline"), asked))

    def calibration(self, name: str, **span: Unpack[CalibrationSpan]) -> Calibration:
        """See :meth:`damals.api.insights.Insights.calibration`."""
        path = self._path("calibration", named(name, "name"))
        return self._read(Calibration, self._get(path, dict(span)))

    def span(self) -> TimeSpan:
        """See :meth:`damals.api.insights.Insights.span`."""
        return self._read(TimeSpan, self._get(self._path("span")))
