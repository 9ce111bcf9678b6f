"""Vision and roadmap: when they are due for review, and whether they fit each other.

They are notes with a staleness of their own: a vision is reviewed within 60 days, a roadmap within
30. Days are those of the calendar, so neither a summer time nor the hour of a question moves a
boundary. Source: the project's temporal design, "Planning Artifact Staleness".
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from typing import Final, Literal
from zoneinfo import ZoneInfo

from damals.domain.ageing import Staleness, severity
from damals.domain.entries import Json
from damals.domain.errors import InvalidInput
from damals.domain.instants import FOREVER, to_datetime
from damals.domain.names import fold
from damals.domain.parsing import parse_end, parse_moment
from damals.domain.planning_versions import parse_version

Artefact = Literal["vision", "roadmap"]

FILES: Final[Mapping[Artefact, str]] = {"vision": "vision.md", "roadmap": "roadmap.md"}
HALF_LIFE_DAYS: Final[Mapping[Artefact, int]] = {"vision": 60, "roadmap": 30}
USUAL_FOLDER: Final = "wiki"

VERSION: Final = "version"
LINKED: Final = "linked_vision_version"
HORIZON: Final = "horizon_end"
PHASES: Final = "phases"
REVIEWED: Final = "last_reviewed"
IN_PROGRESS: Final = "in_progress"
STAGNANT_FACTOR: Final = 2
"""A phase stagnates when it is in progress for longer than so many expected durations."""

_SAID_BY: Final[Mapping[Artefact, tuple[str, ...]]] = {
    "vision": (VERSION,),
    "roadmap": (LINKED, HORIZON, PHASES),
}


def artefact_of(path: str | None) -> Artefact | None:
    """What a note is by the name of its file, in whatever case; ``None`` for any other."""
    name = fold((path or "").rpartition("/")[2])
    return next((kind for kind, file in FILES.items() if file == name), None)


def is_planning_artefact(
    path: str | None, properties: Mapping[str, Json], last_reviewed: int | None = None
) -> bool:
    """Whether a note is a vision or a roadmap, which research never makes stale.

    By the name of its file, and because it lies in a folder ``wiki`` or says what only such a note
    says: a note ``Vision.md`` about eyes is none.

    Args:
        path: of its file inside its source; ``None`` for what came from none.
        properties: fields of its frontmatter.
        last_reviewed: instant; ``None`` when it gives none.
    """
    kind = artefact_of(path)
    if path is None or kind is None:
        return False
    folders = fold(path).split("/")[:-1]
    said = last_reviewed is not None or any(name in properties for name in _SAID_BY[kind])
    return said or folders[-1:] == [USUAL_FOLDER]


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to be said of a planning artefact.

    Attributes:
        about: which of both it is about.
        key, values: of its message.
        repair: the frontmatter field that repairs it, and what it is to say; ``None`` where only a
            person knows.
    """

    kind: str
    severity: Staleness
    about: Artefact
    key: str
    values: Mapping[str, object] = field(default_factory=dict[str, object])
    repair: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """What one of both says of itself.

    Attributes:
        reviewed: when it was reviewed: an instant that was read already, or what is written.
        properties: the fields of its frontmatter beside.
    """

    kind: Artefact
    reviewed: Json = None
    properties: Mapping[str, Json] = field(default_factory=dict[str, Json])

    @property
    def file(self) -> str:
        """Name of its file."""
        return FILES[self.kind]


@dataclass(frozen=True, slots=True)
class Today:
    """The day of a question.

    Attributes:
        instant: UTC microseconds.
        zone: whose days count.
    """

    instant: int
    zone: ZoneInfo

    @property
    def day(self) -> date:
        """The day."""
        return self.day_of(self.instant)

    def day_of(self, instant: int) -> date:
        """The day on which an instant lies.

        Raises:
            InvalidInput: ``time.out_of_range``.
        """
        try:
            return to_datetime(instant).astimezone(self.zone).date()
        except OverflowError:
            raise InvalidInput("time.out_of_range", text=str(instant)) from None


@dataclass(frozen=True, slots=True)
class Review:
    """How one of both stands.

    Attributes:
        version: of a vision its own, of a roadmap that of the vision it was written against.
        reviewed: the day of its last review.
        days: since then.
    """

    version: str | None = None
    reviewed: date | None = None
    days: int | None = None
    remarks: tuple[Remark, ...] = ()


def review(note: Note, today: Today) -> Review:
    """How a vision or a roadmap stands on a day, and what is to be said of it."""
    remarks: list[Remark] = []
    version = _version(note, remarks)
    reviewed = _reviewed(note, today, remarks)
    days = None if reviewed is None else (today.day - reviewed).days
    if days is not None:
        remarks += _overdue(note.kind, days, today)
    if note.kind == "roadmap":
        remarks += _phases(note, today, reviewed)
    return Review(version, reviewed, days, tuple(remarks))


def _overdue(kind: Artefact, days: int, today: Today) -> Iterator[Remark]:
    severe = severity(days / HALF_LIFE_DAYS[kind])
    if severe is not None:
        key = f"planning.{kind}_{severe.lower()}"
        repair = (REVIEWED, today.day.isoformat())
        yield Remark(f"{kind}_overdue", severe, kind, key, {"days": days}, repair)


def alignment(vision: str | None, roadmap: str | None) -> Remark | None:
    """What is to be said of the version that a roadmap was written against.

    Args:
        vision: version of the vision.
        roadmap: the version that the roadmap names.
    """
    current, linked = parse_version(vision), parse_version(roadmap)
    if current is None or linked is None or current == linked:
        return None
    values = {"linked": linked.text, "current": current.text}
    if linked > current:  # nobody knows which of both is wrong
        return Remark("planning_field_odd", "LOW", "roadmap", "planning.ahead", values)
    repair = (LINKED, current.text)
    return Remark("roadmap_behind_vision", "LOW", "roadmap", "planning.behind", values, repair)


# --- fields


def _version(note: Note, remarks: list[Remark]) -> str | None:
    name = VERSION if note.kind == "vision" else LINKED
    value = note.properties.get(name)
    if _is_empty(value):
        remarks.append(_missing(note, name))
        return None
    version = parse_version(value)
    if version is None:
        remarks.append(_odd(note, name, value, InvalidInput("planning.no_version")))
        return None
    return version.text


def _reviewed(note: Note, today: Today, remarks: list[Remark]) -> date | None:
    repair = (REVIEWED, today.day.isoformat())
    if _is_empty(note.reviewed):
        remarks.append(_missing(note, REVIEWED, repair))
        return None
    try:
        day = _past(note.reviewed, today)
    except InvalidInput as error:
        remarks.append(_odd(note, REVIEWED, note.reviewed, error, repair))
        return None
    return day


def _past(value: Json, today: Today) -> date:
    """A day that has come.

    Raises:
        InvalidInput: ``planning.future``, and what instants are refused for.
    """
    # A number is an instant that the ledger has read before; what is written is never one.
    instant = value if type(value) is int else parse_moment(value, zone=today.zone)
    day = today.day_of(instant)
    if day > today.day:
        raise InvalidInput("planning.future", day=day.isoformat(), today=today.day.isoformat())
    return day


def _is_empty(value: Json) -> bool:
    return value in (None, "", []) or (isinstance(value, str) and not value.strip())


def _missing(note: Note, name: str, repair: tuple[str, str] | None = None) -> Remark:
    values = {"file": note.file, "field": name}
    return Remark(
        "planning_field_missing", "LOW", note.kind, f"planning.missing.{name}", values, repair
    )


def _odd(
    note: Note,
    name: str,
    value: Json,
    cause: InvalidInput,
    repair: tuple[str, str] | None = None,
) -> Remark:
    values = {"file": note.file, "field": name, "value": value, "cause": cause}
    return Remark("planning_field_odd", "LOW", note.kind, "planning.odd", values, repair)


# --- phases


@dataclass(frozen=True, slots=True)
class _Phase:
    """A phase: ``2 (Beta)``, with what it says."""

    name: str
    said: Mapping[str, Json]

    @property
    def in_progress(self) -> bool:
        status = self.said.get("status")
        return isinstance(status, str) and (
            "_".join(fold(status).replace("-", " ").replace("_", " ").split()) == IN_PROGRESS
        )


def _phases(note: Note, today: Today, reviewed: date | None) -> Iterator[Remark]:
    """What is to be said of the phases of a roadmap, and of how long it reaches."""
    problems: list[Remark] = []
    phases = _listed(note, problems)
    yield from problems
    expected, problem = _expected_days(note, today, reviewed, len(phases))
    if problem is not None:
        yield problem
    for phase in phases:
        yield from _phase(note, today, phase, expected)


def _listed(note: Note, problems: list[Remark]) -> Sequence[_Phase]:
    value = note.properties.get(PHASES)
    if _is_empty(value):
        problems.append(_missing(note, PHASES))
        return ()
    if not isinstance(value, list):
        problems.append(_odd(note, PHASES, value, InvalidInput("planning.no_phases")))
        return ()
    return [_named(number, one) for number, one in enumerate(value, start=1)]


def _named(number: int, said: Json) -> _Phase:
    known: Mapping[str, Json] = said if isinstance(said, dict) else {"name": said}
    name = known.get("name")
    called = f"{number} ({name})" if isinstance(name, str | int) and name != "" else str(number)
    return _Phase(called, known)


def _expected_days(
    note: Note, today: Today, reviewed: date | None, count: int
) -> tuple[Fraction | None, Remark | None]:
    """How long a phase may be expected to take: an approximation from horizon and count.

    Source: ``expected_duration_proxy`` of the design: (horizon end - last reviewed) / phases.
    """
    value = note.properties.get(HORIZON)
    if _is_empty(value):
        return None, _missing(note, HORIZON)
    try:
        end = _end(value, today)
    except InvalidInput as error:
        return None, _odd(note, HORIZON, value, error)
    if reviewed is None or not count:
        return None, None
    if end <= reviewed:
        cause = InvalidInput("planning.horizon", reviewed=reviewed.isoformat())
        return None, _odd(note, HORIZON, value, cause)
    return Fraction((end - reviewed).days, count), None


def _end(value: Json, today: Today) -> date:
    """The day on which a horizon ends; of a month or a year, the first one behind it."""
    latest = parse_end(value, zone=today.zone, now=today.instant).latest
    if latest == FOREVER:
        raise InvalidInput("planning.no_horizon")
    return today.day_of(latest)


def _phase(note: Note, today: Today, phase: _Phase, expected: Fraction | None) -> Iterator[Remark]:
    if _is_empty(phase.said.get("status")):
        yield _of_phase(note, phase, "planning.phase_status")
    if not phase.in_progress:
        return
    since = phase.said.get("since")
    if _is_empty(since):
        yield _of_phase(note, phase, "planning.phase_since")
        return
    try:
        began = _past(str(since), today)
    except InvalidInput as error:
        yield _odd(note, f"since ({phase.name})", since, error)
        return
    days = (today.day - began).days
    if expected is not None and days > STAGNANT_FACTOR * expected:
        values = {"phase": phase.name, "date": began.isoformat()}
        yield Remark("phase_stagnant", "LOW", "roadmap", "planning.stagnant", values)


def _of_phase(note: Note, phase: _Phase, key: str) -> Remark:
    values = {"file": note.file, "phase": phase.name}
    return Remark("planning_field_missing", "LOW", "roadmap", key, values)


def ordered(remarks: Iterable[Remark]) -> tuple[Remark, ...]:
    """Remarks as they are told: what weighs more first, else in their order."""
    return tuple(sorted(remarks, key=lambda one: one.severity != "MEDIUM"))
