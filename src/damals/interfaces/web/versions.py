"""The versions of an entry as pages show them: numbered, in local time, and on the plane."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo

from damals.app.errors import InvalidInput, NotFound
from damals.app.results import BoundRange, VersionView
from damals.app.span_results import TimeSpan
from damals.domain.instants import BEGINNING, FOREVER, format_instant, instant_of
from damals.domain.parsing import parse_instant
from damals.domain.wording import Passage, wording
from damals.domain.zones import load_zone, to_local
from damals.interfaces.web.clocks import Pair
from damals.interfaces.web.drawing.plane import Extent
from damals.interfaces.web.drawing.scale import told
from damals.interfaces.web.reading import LINK
from damals.interfaces.web.rendering import short
from damals.local import LocalDamals

MOST_READ: Final = 200
"""Versions of a key, or of an entry beside the one that a page is about."""

LABEL_CHARS: Final = 120
"""Of what is written into a rectangle, at most."""

MOST_DRAWN: Final = 60
"""Versions on one plane: more could not be told apart."""

MOST_BESIDE: Final = 12
"""Entries that are drawn beside the one that a page is about."""

CUTTING: Final = frozenset({"supersedes", "revises"})


@dataclass(frozen=True, slots=True)
class Numbered:
    """A version with its number, by which people name it: 1 is what was said first.

    Attributes:
        own: it is of the entry that the page is about.
        extent: where it lies on both clocks.
    """

    number: int
    view: VersionView
    own: bool
    extent: Extent

    @property
    def name(self) -> str:
        """What addresses call it."""
        return str(self.number) if self.own else f"{self.number}@{self.view.id}"


@dataclass(frozen=True, slots=True)
class Moment:
    """What a pair of instants means here.

    Attributes:
        as_of, known_at, now: UTC microseconds; the present where nothing is asked for.
        zone: of the workspace.
    """

    as_of: int
    known_at: int
    now: int
    zone: ZoneInfo

    def local(self, instant: str | int | None) -> str:
        """An instant in the zone of the workspace, to the second; a bound as it was given."""
        if instant is None:
            return ""
        if isinstance(instant, str):
            try:
                instant = instant_of(instant)
            except (ValueError, InvalidInput):
                return instant
        try:
            shown = to_local(instant, self.zone).replace(microsecond=0, tzinfo=None)
        except InvalidInput:
            return format_instant(instant)
        return shown.isoformat(" ")


def moment(span: TimeSpan, pair: Pair) -> Moment:
    """What the clocks of a page say.

    Raises:
        InvalidInput: ``time.*`` for what is no instant.
    """
    zone, now = load_zone(span.zone), instant_of(span.now)
    given = [
        now if text is None else parse_instant(text, zone=zone, now=now)
        for text in (pair.as_of, pair.known_at)
    ]
    return Moment(given[0], given[1], now, zone)


def versions(memory: LocalDamals, id: str, at: Moment) -> tuple[Numbered, ...]:
    """All that an entry ever said, in the order of history.

    Raises:
        NotFound: ``entry.unknown``, ``entry.erased``.
    """
    return _numbered(memory.history(id).versions, at, own=True)


def beside(memory: LocalDamals, own: Sequence[Numbered], at: Moment) -> tuple[Numbered, ...]:
    """Versions of the entries that take turns with one: of its key, or that one superseded."""
    about, key = own[-1].view.id, own[-1].view.key
    views: Mapping[str, list[VersionView]] = {}
    if key is not None:
        found = memory.history(key=key, limit=MOST_READ).versions
        views = _by_entry(one for one in found if one.id != about)
    others = {
        related.entry_id
        for one in own
        for related in one.view.relations
        if related.type in CUTTING and related.entry_id not in views
    }
    for other in sorted(others)[:MOST_BESIDE]:
        try:
            views = {**views, other: list(memory.history(other, limit=MOST_READ).versions)}
        except NotFound:  # erased, or known by its name only
            continue
    taken = list(views.values())[:MOST_BESIDE]
    return tuple(one for some in taken for one in _numbered(some, at, own=False))


def _by_entry(views: Iterator[VersionView] | Sequence[VersionView]) -> dict[str, list[VersionView]]:
    found: dict[str, list[VersionView]] = {}
    for one in views:
        found.setdefault(one.id, []).append(one)
    return found


def _numbered(views: Sequence[VersionView], at: Moment, *, own: bool) -> tuple[Numbered, ...]:
    # An unknown bound keeps the instant at which it was first recorded.
    starts = [one.recorded_from for one in views if _unknown_start(one)]
    ends = [one.recorded_from for one in views if one.valid_to == "unknown"]
    unknown = tuple(instant_of(some[0]) if some else 0 for some in (starts, ends))
    return tuple(
        Numbered(number, one, own, _extent(one, number, at, own, unknown))
        for number, one in enumerate(views, start=1)
    )


def _unknown_start(view: VersionView) -> bool:
    return view.bounds.from_.latest is None


def _extent(
    view: VersionView, number: int, at: Moment, own: bool, unknown: tuple[int, ...]
) -> Extent:
    start = (BEGINNING, unknown[0]) if _unknown_start(view) else _bound(view.bounds.from_)
    if view.bounds.to.latest is not None:
        end = _bound(view.bounds.to)
    else:
        end = (FOREVER, FOREVER) if view.valid_to is None else (BEGINNING, unknown[1])
    to = FOREVER if view.recorded_to is None else instant_of(view.recorded_to)
    known = (instant_of(view.recorded_from), to)
    asked = known[0] <= at.known_at < known[1] and start[0] <= at.as_of < end[1]
    said = short(plain_text(view) or view.title, LABEL_CHARS)
    return Extent(start, end, known, own, asked and own, f"{number} {said}" if own else said)


def plain_text(view: VersionView) -> str:
    """What a version says beyond its title, as one line of words."""
    text = view.content.lstrip("# \n").removeprefix(view.title)
    return " ".join(LINK.sub(lambda found: found[3] or found[1], text).replace("#", "").split())


def _bound(given: BoundRange) -> tuple[int, int]:
    latest = instant_of(given.latest or "")
    return (BEGINNING if given.earliest is None else instant_of(given.earliest), latest)


def _written(instant: int, zone: ZoneInfo) -> str:
    """An instant for an address, exactly: its day where that means it."""
    day = told(instant, zone, whole=True)
    means_it = len(day) == len("2024-06-01")
    return day if means_it else format_instant(instant)


def inside(one: Numbered, at: Moment) -> dict[str, str | None]:
    """A pair of instants at which a version is what holds, for an address."""
    start, end, known = one.extent.start, one.extent.end, one.extent.known
    instant = start[1] if start[1] < end[1] else start[0]
    if instant <= BEGINNING:
        instant = end[1] - 1
    if start[0] <= at.now < end[1] and one.extent.current and one.own:
        return {"as_of": None, "known_at": None}
    return {
        "as_of": _written(instant, at.zone),
        "known_at": None if one.extent.current else format_instant(known[0]),
    }


def drawn(shown: Sequence[Numbered]) -> tuple[Sequence[Numbered], int]:
    """Those that find room on a plane, first the newest own ones, and how many are left out."""
    newest = sorted(shown, key=lambda one: (one.own, one.extent.known[0]))[-MOST_DRAWN:]
    return newest, len(shown) - len(newest)


COMPARED: Final = (
    "title", "content", "valid_from", "valid_to", "type", "tags", "properties", "key", "importance",
    "pinned", "domain", "staleness_risk", "visibility", "sensitivity", "acl", "lang",
)  # fmt: skip
"""Fields by which versions are told apart, in the order in which they are named."""


def changed_fields(old: VersionView, new: VersionView) -> tuple[str, ...]:
    """The fields in which two versions differ."""
    return tuple(name for name in COMPARED if getattr(old, name) != getattr(new, name))


def texts_apart(old: VersionView, new: VersionView) -> Mapping[str, Sequence[Passage]]:
    """How title and content of one version became those of the other, word by word."""
    return {
        "title": wording(old.title, new.title),
        "content": wording(old.content, new.content),
    }


def of_name(every: Sequence[Numbered], name: str) -> Numbered:
    """The version that an address means: a number, of another entry with ``@`` and its id.

    Raises:
        NotFound: ``web.entry.no_version``.
    """
    for one in every:
        if name in (one.name, f"{one.number}@{one.view.id}"):
            return one
    raise NotFound("web.entry.no_version", name=name[:80])
