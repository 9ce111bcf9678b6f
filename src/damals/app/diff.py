"""Diff: what changed between two pairs of instants, by whom and why."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast
from uuid import UUID

from damals.app.ages import Ages
from damals.app.diff_facts import Collected, batches
from damals.app.diff_results import ChangeView, Diff, PairView, TextPart
from damals.app.ledger_model import At
from damals.app.ledger_port import LedgerReader
from damals.app.looking import Asked, pair, present, several, understood
from damals.app.ports import Clock
from damals.app.results import Entry
from damals.app.views import entry_view, surroundings
from damals.domain.diff import Change, Kind, changes
from damals.domain.diff_rows import Deed
from damals.domain.entries import Version
from damals.domain.errors import InvalidInput, NotFound
from damals.domain.fields import choice, nullable_text
from damals.domain.instants import format_instant
from damals.domain.names import folded_tag, folded_tags
from damals.domain.sections import Sections
from damals.domain.wording import wording

AXES: Final = ("valid", "known")
MAX_TOPIC: Final = 10_000
"""Longest topic, in characters."""

Words = Callable[[str], Sequence[tuple[str, int, int]]]
"""The content words of a text: stem and place, see ``LexicalEncoder.words``."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is to be compared, and which changes are wanted.

    Attributes:
        start, end: instants as asked for.
        known_from, known_to: recorded instants of the two pairs; ``None`` for the same ones.
        axis: ``valid`` moves along valid time as known now, ``known`` along recorded time at now;
            ``None`` moves along both.
        topic: words that must all be said by the entry of a change.
        entry: id or external id of an entry the change must be about.
        tags, types: each of the tags, any of the types.
    """

    start: object
    end: object
    known_from: object = None
    known_to: object = None
    axis: str | None = None
    topic: str | None = None
    entry: str | None = None
    tags: tuple[str, ...] = ()
    types: tuple[str, ...] = ()


def comparison(topic: object, given: Mapping[str, object]) -> Comparison:
    """The comparison that some options ask for.

    Raises:
        InvalidInput: ``operation.unknown_parameter``, ``field.list``, ``field.text``.
    """
    rest = dict(given)
    made = Comparison(
        start=rest.pop("start", None),
        end=rest.pop("end", None),
        known_from=rest.pop("known_from", None),
        known_to=rest.pop("known_to", None),
        axis=cast("str | None", rest.pop("axis", None)),
        topic=cast("str | None", topic),
        entry=cast("str | None", rest.pop("entry", None)),
        tags=several(rest.pop("tag", None)),
        types=several(rest.pop("type", None)),
    )
    if rest:
        names = ", ".join(sorted(rest))
        raise InvalidInput("operation.unknown_parameter", op="diff", name=names)
    return made


def diff(reader: LedgerReader, clock: Clock, words: Words, asked: Comparison, ages: Ages) -> Diff:
    """What changed from one pair of instants to another.

    Raises:
        InvalidInput: ``diff.missing``, ``diff.topic_empty``, ``diff.axis_fixes`` for a recorded
            instant beside an axis, ``field.choice`` for the axis, and what instants are refused
            for.
        NotFound: ``entry.unknown``.
    """
    now = present(reader, clock)
    start = _pair(reader, now, asked.axis, (asked.start, asked.known_from))
    end = _pair(reader, now, asked.axis, (asked.end, asked.known_to))
    wanted = _Wanted(asked, topic_stems(asked.topic, words), words, _named(reader, asked))
    story = Collected(reader, start, end)
    named = wanted.entry
    chosen = reader.moved(start, end) if named is None else [named]
    story.add(chosen, both_ways=named is not None)
    found = [change for change in changes(story.facts()) if wanted.has(change)]
    return Diff(
        topic=asked.topic,
        axis=asked.axis,
        from_=_shown(reader, start, now),
        to=_shown(reader, end, now),
        changes=tuple(_views(story, found, ages)),
        zone=reader.workspace().zone,
    )


def changes_of(
    reader: LedgerReader, entry_id: UUID, start: At, end: At, ages: Ages
) -> tuple[ChangeView, ...]:
    """What changed about one entry from one pair to another, in the order of a diff."""
    story = Collected(reader, start, end)
    story.add([entry_id], both_ways=True)
    found = [change for change in changes(story.facts()) if entry_id in _about(change)]
    return tuple(_views(story, found, ages))


def _about(change: Change) -> set[UUID]:
    """The entries that a change is about."""
    sides = (side for side in (change.before, change.after) if side is not None)
    return {change.entry_id, *(side.entry_id for side in sides)}


def _pair(reader: LedgerReader, now: int, given: str | None, place: tuple[object, object]) -> At:
    """The pair that one end of the way means."""
    instant, recorded = place
    if instant is None or instant == "":
        raise InvalidInput("diff.missing")
    axis = None if given is None else choice("axis", given, AXES)
    if axis is not None and recorded is not None:
        raise InvalidInput("diff.axis_fixes", axis=axis)
    as_of = None if axis == "known" else instant
    known_at = None if axis == "valid" else instant if recorded is None else recorded
    return pair(reader, now, Asked(as_of, known_at))


def _shown(reader: LedgerReader, at: At, now: int) -> PairView:
    read = understood(reader, at, now)
    return PairView(read.as_of, read.known_at)


def topic_stems(topic: str | None, words: Words) -> frozenset[str]:
    """The stems of a topic; nothing when everything is wanted.

    Raises:
        InvalidInput: ``diff.topic_empty`` when it has no word that could be looked for.
    """
    if topic is None:
        return frozenset()
    topic = nullable_text("topic", topic, MAX_TOPIC) or ""
    stems = frozenset(stem for stem, _, _ in words(topic))
    if not stems:
        raise InvalidInput("diff.topic_empty", topic=topic)
    return stems


def _named(reader: LedgerReader, asked: Comparison) -> UUID | None:
    """The entry that is asked about, also when only its tombstone is left."""
    if asked.entry is None:
        return None
    name = nullable_text("entry", asked.entry)
    info = None if name is None else reader.find_entry(name)
    if info is None:
        raise NotFound("entry.unknown", id=asked.entry)
    return info.id


class _Wanted:
    """Which changes are wanted: those of which one side fulfils every condition."""

    def __init__(
        self, asked: Comparison, topic: frozenset[str], words: Words, entry: UUID | None
    ) -> None:
        self.entry = entry
        self._types = asked.types
        self._tags = frozenset(folded_tag(tag) for tag in asked.tags)
        self._topic = topic
        self._words = words

    def has(self, change: Change) -> bool:
        """Whether a change is wanted."""
        sides = [side for side in (change.before, change.after) if side is not None]
        if self.entry is not None and self.entry not in _about(change):
            return False
        if not (self._types or self._tags or self._topic):
            return True
        return any(self._fits(side) for side in sides)

    def _fits(self, version: Version) -> bool:
        has = version.attributes
        if self._types and has.type not in self._types:
            return False
        if not self._tags.issubset(folded_tags(has.tags)):
            return False
        if not self._topic:
            return True
        said = "\n".join((has.title, *has.tags, has.key or "", has.content))
        return self._topic.issubset(stem for stem, _, _ in self._words(said))


def _views(story: Collected, found: Sequence[Change], ages: Ages) -> Iterator[ChangeView]:
    """The changes as they are shown, a batch at a time."""
    for batch in batches(found):
        deeds = story.reader.deeds({(change.edge, change.entry_id) for change in batch})
        sides = _Sides(story, ages)
        placed = [(change, sides.of(change)) for change in batch]
        entries = sides.read()
        for change, (before, after) in placed:
            deed = deeds[change.edge, change.entry_id]
            yield _view(change, deed, entries.get(before), entries.get(after))


_Side = tuple[int, UUID] | None
"""An entry at one of the three pairs, by its place among them."""


class _Sides:
    """The entries that changes show, each read once at its pair."""

    def __init__(self, story: Collected, ages: Ages) -> None:
        self._story = story
        self._ages = ages
        self._asked: tuple[dict[UUID, None], ...] = ({}, {}, {})

    def of(self, change: Change) -> tuple[_Side, _Side]:
        """Where both sides of a change are shown: before and behind it, if they hold there."""
        start, end = (0, 1) if change.phase == 1 else (1, 2)
        before = self._side(change.before, (start, end))
        return before, self._side(change.after, (end, start))

    def _side(self, version: Version | None, places: tuple[int, int]) -> _Side:
        if version is None:
            return None
        for place in places:
            found = self._story.found[place].get(version.entry_id)
            if found is not None and found.version.row == version.row:
                self._asked[place][version.entry_id] = None
                return (place, version.entry_id)
        return None

    def read(self) -> Mapping[_Side, Entry]:
        """Every side that was asked for."""
        shown: dict[_Side, Entry] = {}
        for place, ids in enumerate(self._asked):
            at = self._story.pairs[place]
            found = [self._story.found[place][entry_id] for entry_id in ids]
            around = surroundings(self._story.reader, found, at, self._ages)
            for one in found:
                shown[place, one.version.entry_id] = entry_view(one, around)
        return shown


_REWORDED: Final = frozenset({Kind.CORRECTED, Kind.SUPERSEDED, Kind.REVISED})


def _view(change: Change, deed: Deed, before: Entry | None, after: Entry | None) -> ChangeView:
    return ChangeView(
        kind=change.done_by(deed.kind).kind.value,
        relation=change.relation,
        before=before,
        after=after,
        at=format_instant(change.edge.at),
        reason=deed.reason,
        actor=deed.actor,
        entry_id=str(change.entry_id),
        phase=change.phase,
        text=_text(change),
    )


def _text(change: Change) -> tuple[TextPart, ...] | None:
    """How what is said changed in its content or, if that is the same, in its title.

    Of a correction, and of what took over from another.
    """
    if change.kind not in _REWORDED or change.before is None or change.after is None:
        return None
    old, new = change.before.attributes, change.after.attributes
    pairs = ((old.content, new.content), (old.title, new.title))
    texts = next((pair for pair in pairs if pair[0] != pair[1]), None)
    if texts is None:
        return None
    return tuple(_placed(*texts))


def _placed(old: str, new: str) -> Iterator[TextPart]:
    """The passages of two texts, each change with the headings it stands under."""
    sections = {"delete": Sections(old), "insert": Sections(new)}
    at = {"delete": 0, "insert": 0}
    for part in wording(old, new):
        size, moved = len(part.text), (part.op,) if part.op in at else tuple(at)
        if part.op in at:
            begun = at[part.op] + size - len(part.text.lstrip())
            yield TextPart(part.op, part.text, sections[part.op].at(begun))
        else:
            yield TextPart(part.op, part.text)
        for op in moved:
            at[op] += size
