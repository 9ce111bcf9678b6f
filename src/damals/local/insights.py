"""The part of ``LocalDamals`` that looks at what is known over time."""

from typing import Unpack

from damals.api.insights import CalibrationSpan, Span, TimelinePart
from damals.api.params import Instant
from damals.app import calibrating, patterning, planning, spanning, timeline, tracing
from damals.app.calibration_results import Calibration
from damals.app.commands import Where
from damals.app.looking import Asked, pair, present, understood
from damals.app.paths import given_path
from damals.app.pattern_results import Pattern
from damals.app.planning_results import Planning
from damals.app.results import Understood
from damals.app.span_results import TimeSpan
from damals.app.timeline_results import Timeline
from damals.app.tracing_results import Trace
from damals.domain.instants import format_instant
from damals.domain.planning import USUAL_FOLDER, Today
from damals.domain.zones import load_zone
from damals.local.home import OpenHome


class LocalInsights(OpenHome):
    """Plans, traces, patterns, calibrations; see :class:`damals.api.insights.Insights`."""

    def planning(
        self,
        folder: str = USUAL_FOLDER,
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
    ) -> Planning:
        """See :meth:`damals.api.insights.Insights.planning`."""
        asked, path, notes = Asked(as_of, known_at), given_path(folder), self._parts.vaults.notes
        shown, owns = str(folder), self._asker.owns
        here, where = owns and path.is_dir(), Where.of(self._workspace)
        if here and asked.nothing and not self._parts.home.exists():
            now, zone = self._parts.clock(), self._parts.zone
            when = format_instant(now)
            read, today = Understood(when, when, zone), Today(now, load_zone(zone))
            found = planning.in_folder(notes, path, shown)
            return planning.planning(shown, found, today, read, where)
        with self._reader() as reader:
            now = present(reader, self._parts.clock)
            at = pair(reader, now, asked)
            if not here:
                found = planning.named(reader, at, shown, then=not asked.nothing, owns=owns)
            elif asked.nothing:
                found = planning.with_ids(reader, planning.in_folder(notes, path, shown), at)
            else:
                found = planning.of_folder(reader, at, path, shown)
            today = Today(at.as_of, load_zone(reader.workspace().zone))
            read = understood(reader, at, now)
            return planning.planning(shown, found, today, read, where)

    def trace(self, what: str, *, limit: int | None = 10, **span: Unpack[Span]) -> Trace:
        """See :meth:`damals.api.insights.Insights.trace`."""
        asked = Asked(span.get("as_of"), span.get("known_at"))
        wanted = tracing.Wanted(what, span.get("start"), span.get("end"), limit)
        parts = self._parts
        with self._reader() as reader:
            return tracing.trace(reader, parts.clock, wanted, asked, (parts.words, parts.ages))

    def patterns(
        self,
        topic: str,
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
    ) -> Pattern:
        """See :meth:`damals.api.insights.Insights.patterns`."""
        parts = self._parts
        looking = patterning.Looking(parts.words, parts.ages, parts.windows)
        with self._reader() as reader:
            asked = Asked(as_of, known_at)
            return patterning.pattern(reader, parts.clock, topic, asked, looking)

    def timeline(self, topic: str, **part: Unpack[TimelinePart]) -> Timeline:
        """See :meth:`damals.api.insights.Insights.timeline`."""
        asked = Asked(part.get("as_of"), part.get("known_at"))
        wanted = timeline.Wanted(
            topic, part.get("axis"), part.get("step"), part.get("limit", 50), part.get("after", 0)
        )
        parts = self._parts
        with self._reader() as reader:
            tools = (parts.words, parts.ages)
            return timeline.timeline(reader, parts.clock, wanted, asked, tools)

    def calibration(self, name: str, **span: Unpack[CalibrationSpan]) -> Calibration:
        """See :meth:`damals.api.insights.Insights.calibration`."""
        asked = Asked(span.get("as_of"), span.get("known_at"))
        wanted = calibrating.Wanted(
            name, span.get("unit"), span.get("start"), span.get("end"), span.get("axis")
        )
        with self._reader() as reader:
            return calibrating.calibration_of(reader, self._parts.clock, wanted, asked)

    def span(self) -> TimeSpan:
        """See :meth:`damals.api.insights.Insights.span`."""
        with self._reader() as reader:
            return spanning.span(reader, self._parts.clock, self._parts.extents)
