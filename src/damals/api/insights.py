"""The part of ``Damals`` that looks at what is known over time."""

from abc import ABC, abstractmethod
from typing import TypedDict, Unpack

from damals.api.params import Instant
from damals.app.calibration_results import Calibration
from damals.app.pattern_results import Pattern
from damals.app.planning_results import Planning
from damals.app.span_results import TimeSpan
from damals.app.timeline_results import Timeline
from damals.app.tracing_results import Trace
from damals.domain.planning import USUAL_FOLDER


class Span(TypedDict, total=False):
    """From when to when, as known when.

    Attributes:
        start: both clocks at the start of the way.
        end: both clocks at its end.
        as_of: when it holds; now by default.
        known_at: what was known by then; all by default.
    """

    start: Instant
    end: Instant
    as_of: Instant
    known_at: Instant


class TimelinePart(TypedDict, total=False):
    """Which part of a timeline is told.

    Attributes:
        axis: only what happened (``valid``) or what became known (``known``).
        step: number of an event, from 1: its page is told, and what held at it.
        limit: so many events, 50 by default; ``None`` for all.
        after: number of the event behind which they are told; 0 for the beginning.
        as_of: when the state is of that no step is asked for; now by default.
        known_at: what was known by then; all by default.
    """

    axis: str | None
    step: int | None
    limit: int | None
    after: int
    as_of: Instant | None
    known_at: Instant | None


class CalibrationSpan(Span, total=False):
    """As :class:`Span`, for measured values.

    Attributes:
        axis: of the drift: ``valid`` between instants at which values hold, ``known`` between
            instants at which they were known.
        unit: only values in this unit.
    """

    axis: str
    unit: str


class Insights(ABC):
    """What knowledge over time tells: due plans, traces, patterns, timelines, calibrations."""

    @abstractmethod
    def planning(
        self,
        folder: str = USUAL_FOLDER,
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
    ) -> Planning:
        """Whether the vision and the roadmap of a folder are due for review and fit each other.

        Nothing is ever blocked by it.

        Args:
            folder: with ``vision.md`` and ``roadmap.md``: a folder of this machine, read as it is
                when no instant is given; or one of an imported vault (``wiki``, ``NAME/wiki``,
                ``NAME``). Only the owner's questions open files.
            as_of: the day that counts as today; now by default.
            known_at: what the notes said by then; all by default.

        Raises:
            NotFound: ``planning.missing``, ``planning.not_imported``.
            InvalidInput: ``planning.several``, ``path.unreadable``, ``path.invalid``.
        """

    @abstractmethod
    def trace(self, what: str, *, limit: int | None = 10, **span: Unpack[Span]) -> Trace:
        """Where a belief came from, what was known before it, and what was wrong like it.

        Args:
            what: id or external id, else words that an entry says or once said.
            limit: entries at most; ``None`` for all.
            **span: by default changes are told from when it entered to now.

        Raises:
            NotFound: ``trace.nothing``, ``entry.erased``.
            InvalidInput: ``field.empty``, ``limit.invalid``.
        """

    @abstractmethod
    def patterns(
        self,
        topic: str,
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
    ) -> Pattern:
        """How a topic or a tag came to be what it is, and how stable it is.

        Args:
            topic: a tag, or words that an example must all say, in any inflection.
            as_of: when; now by default.
            known_at: what was known by then; all by default.

        Raises:
            NotFound: ``patterns.nothing``.
            InvalidInput: ``field.empty``.
        """

    @abstractmethod
    def timeline(self, topic: str, **part: Unpack[TimelinePart]) -> Timeline:
        """What happened to a topic, event by event, on both clocks, and what held of it at one.

        Nothing is net, unlike in a diff: what was taken back later is told as well.

        Args:
            topic: a tag, or words that an entry must all say, or once said, in any inflection.
            **part: which part of it is told, and as known when.

        Raises:
            NotFound: ``timeline.nothing``; ``timeline.step`` for an event that there is not.
            InvalidInput: ``field.empty``, ``field.choice`` for the axis, ``limit.invalid``,
                ``log.after``, ``timeline.step.invalid``.
        """

    @abstractmethod
    def calibration(self, name: str, **span: Unpack[CalibrationSpan]) -> Calibration:
        """What was measured under a name: the values, their drift and their trend.

        Values are entries of type ``calibration`` with the properties ``name``, ``value`` and
        ``unit``.

        Args:
            name: however it is written.
            **span: by default the drift is that from the first value to the asked instant.

        Raises:
            NotFound: ``calibration.unknown``.
            InvalidInput: ``calibration.units`` for values in several units; ``field.choice`` for
                the axis, ``field.empty``.
        """

    @abstractmethod
    def span(self) -> TimeSpan:
        """How far what is known reaches on both clocks, whenever it was known."""
