"""Trace: where a belief came from, what was known before it, and what was wrong like it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Final
from uuid import UUID

from damals.app import known
from damals.app.ages import Ages
from damals.app.diff import Words, changes_of
from damals.app.diff_facts import batches
from damals.app.ledger_model import At, Found, StoredTransaction
from damals.app.ledger_port import LedgerReader
from damals.app.looking import Asked, checked_limit, pair, present, understood
from damals.app.ports import Clock
from damals.app.redaction import Redaction
from damals.app.results import Entry, VersionView
from damals.app.sayings_model import Saying
from damals.app.tracing_results import SimilarError, Trace, Traced
from damals.app.views import entry_view, surroundings, version_view
from damals.domain.entries import Version
from damals.domain.errors import NotFound
from damals.domain.fields import needed_text
from damals.domain.instants import BEGINNING, format_instant
from damals.domain.mistakes import (
    ENDING,
    Likeness,
    Mistake,
    edge_of,
    ended,
    given_back,
    mistakes,
    near,
    said,
    since,
    text_of,
    weight,
)
from damals.domain.names import fold
from damals.domain.operations import CONTRADICTS, CUTTING_RELATIONS
from damals.domain.periods import Period

MOST_ERRORS: Final = 10
"""So many similar errors are told."""

MOST_BEFORE: Final = 5
"""So many entries that were about the same before are told."""

_KEPT: Final = 5_000
"""Of so many texts the stems are kept while entries are compared with what was wrong."""

_TIED: Final = frozenset({*CUTTING_RELATIONS, "extends", CONTRADICTS})


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is traced.

    Attributes:
        what: id or external id, else words that an entry says.
        start, end: instants between which changes are told; both clocks.
        limit: entries at most.
    """

    what: object
    start: object = None
    end: object = None
    limit: object = 10


@dataclass(frozen=True)
class _Base:
    """What a trace works with.

    Attributes:
        at: the asked pair.
        span: the asked pairs between which changes are told.
    """

    reader: LedgerReader
    words: Words
    ages: Ages
    at: At
    span: tuple[At | None, At | None]
    memo: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])

    @cached_property
    def sayings(self) -> Sequence[Saying]:
        """What every version says that was recorded by the asked instant."""
        return list(self.reader.sayings(self.at.known_at))

    def read(self, text: str) -> frozenset[str]:
        """The stems of the words of a text that is read once."""
        return frozenset(stem for stem, _, _ in self.words(text))

    def stems(self, text: str) -> frozenset[str]:
        """The same of a text that many are compared with; so many are kept, the last ones."""
        if text not in self.memo:
            if len(self.memo) >= _KEPT:
                del self.memo[next(iter(self.memo))]
            self.memo[text] = self.read(text)
        return self.memo[text]


def trace(
    reader: LedgerReader, clock: Clock, wanted: Wanted, asked: Asked, tools: tuple[Words, Ages]
) -> Trace:
    """Where what an entry says, or what is said in some words, came from.

    Raises:
        NotFound: ``entry.erased``, ``trace.nothing``.
        InvalidInput: ``field.empty``, ``limit.invalid``, and what instants are refused for.
    """
    named = str(wanted.what) if isinstance(wanted.what, UUID) else wanted.what
    what = needed_text("what", named)
    limit = checked_limit(wanted.limit)
    now = present(reader, clock)
    at = pair(reader, now, asked)
    span = (_both(reader, now, wanted.start), _both(reader, now, wanted.end))
    base = _Base(reader, *tools, at, span)
    ids = _meant(base, what)
    history = list(_ended(base)) if ids else []
    told = [_traced(base, entry_id, history) for entry_id in ids[:limit]]
    return Trace(what, understood(reader, at, now), tuple(told), len(ids) - len(told))


def _both(reader: LedgerReader, now: int, instant: object) -> At | None:
    return None if instant is None else pair(reader, now, Asked(instant, instant))


# --- which entries


def _meant(base: _Base, what: str) -> Sequence[UUID]:
    """The entry of that name, else those that ever said all the words, by when they entered."""
    info = base.reader.find_entry(what)
    if info is not None:
        if info.erased:
            raise NotFound("entry.erased", id=what)
        if not base.reader.history(info.id, base.at):
            raise NotFound("trace.nothing", what=what)
        return [info.id]
    wanted = base.stems(what)
    if not wanted:
        raise NotFound("trace.nothing", what=what)
    topic = known.Topic(wanted)
    first: dict[UUID, tuple[int, UUID]] = {}
    for one in known.saying(base.reader, base.at.known_at, topic, base.words):
        place = (one.recorded_from, one.entry_id)
        first[one.entry_id] = min(first.get(one.entry_id, place), place)
    if not first:
        raise NotFound("trace.nothing", what=what)
    return sorted(first, key=lambda entry_id: first[entry_id])


# --- one entry


def _traced(base: _Base, entry_id: UUID, history: Sequence[Mistake]) -> Traced:
    reader, at = base.reader, base.at
    rows = reader.history(entry_id, at)
    shown = (
        reader.version_at(entry_id, at)
        or reader.latest_version(entry_id, at)
        or max((found for found, _ in rows), key=lambda one: one.version.recorded_to)
    )
    first, stored = next(row for row in rows if said(row[0].version) == said(shown.version))
    moment = first.version.recorded_from
    as_of = _inside(shown.version.period, at.as_of)
    before = At(as_of, max(moment - 1, BEGINNING))
    start, end = base.span
    earlier = [one for one in history if one.since < moment]
    view = surroundings(reader, [shown], at, base.ages)
    return Traced(
        entry=entry_view(shown, view),
        entered=_versions(base, [(first, stored)])[0],
        logged_at=format_instant(stored.logged_at),
        before=_before(base, first.version, before),
        changes=changes_of(
            reader,
            entry_id,
            start or At(as_of, moment),
            end or At(as_of, at.known_at),
            base.ages,
        ),
        similar_errors=_similar(base, shown.version, earlier),
    )


def _inside(period: Period, as_of: int) -> int:
    """The instant nearest to the asked one at which something may hold."""
    if period.possible_at(as_of):
        return as_of
    return period.inside if as_of < period.start.earliest else period.end.latest - 1


def _versions(
    base: _Base, rows: Sequence[tuple[Found, StoredTransaction]]
) -> Sequence[VersionView]:
    around = surroundings(base.reader, [found for found, _ in rows], base.at, base.ages)
    told = Redaction(base.reader).for_people(stored for _, stored in rows)
    pairs = zip((found for found, _ in rows), told, strict=True)
    return [version_view(found, around, stored) for found, stored in pairs]


def _before(base: _Base, entered: Version, at: At) -> tuple[Entry, ...]:
    """What was known of the matter at a pair: of the entry, its key, and what it was told with.

    Where that is nothing, what had its title or said nearly the same.
    """
    ids = {entered.entry_id: None}
    key = entered.attributes.key
    holder = None if key is None else base.reader.holder_at(key, at)
    if holder is not None:
        ids[holder.version.entry_id] = None
    moment = entered.recorded_from
    for row in base.reader.relations_between([entered.entry_id], moment, moment):
        told_with = row.opened_by == entered.opened_by and row.src_id == entered.entry_id
        if told_with and row.relation in _TIED and not row.unresolved:
            ids[row.dst_id] = None
    found = base.reader.versions_at(list(ids), at)
    if not found:
        ids = dict.fromkeys(_alike(base, entered, at))
        found = base.reader.versions_at(list(ids), at)
    shown = [found[entry_id] for entry_id in ids if entry_id in found]
    around = surroundings(base.reader, shown, at, base.ages)
    return tuple(entry_view(one, around) for one in shown)


def _alike(base: _Base, entered: Version, at: At) -> Sequence[UUID]:
    """The entries that were about the same at a pair, the nearest first."""
    has = entered.attributes
    subject, stems = fold(has.title), base.read(text_of(has))
    rows: list[tuple[bool, float, UUID]] = []
    for one in base.sayings:
        if one.recorded_from <= at.known_at and one.entry_id != entered.entry_id:
            same, other = subject == fold(one.title), base.stems(f"{one.title}\n{one.content}")
            if same or near(stems, other):
                rows.append((not same, -len(stems & other), one.entry_id))
    held = base.reader.versions_at([one for _, _, one in sorted(rows)], at)
    return list(held)[:MOST_BEFORE]


# --- what was wrong


def _ended(base: _Base) -> Iterator[Mistake]:
    """Everything that turned out to be wrong by the asked instant."""
    for versions in known.versions_by(base.reader, base.at.known_at, ENDING):
        closed = ended(versions, base.at.known_at)
        begun, back = since(versions), given_back(versions)
        places = {(edge_of(one), one.entry_id) for one in closed}
        for batch in batches(sorted(places, key=lambda place: (place[0].number, place[1]))):
            group = set(batch)
            deeds = base.reader.deeds(group)
            here = [one for one in closed if (edge_of(one), one.entry_id) in group]
            yield from mistakes(here, deeds, begun, back)


def _similar(base: _Base, shown: Version, history: Sequence[Mistake]) -> tuple[SimilarError, ...]:
    likeness = Likeness.of(shown.attributes, base.stems)
    found = [
        (one, alike)
        for one in history
        if not _is_itself(one, shown)
        and (alike := likeness.alike(one.version.attributes, base.stems))
    ]
    found.sort(key=lambda pair: _rank(*pair))
    chosen = found[:MOST_ERRORS]
    views = _views(base, [one for one, _ in chosen])
    return tuple(
        _error(views[one.version.row], one, alike)
        for one, alike in chosen
        if one.version.row in views
    )


def _is_itself(one: Mistake, shown: Version) -> bool:
    """Whether what was taken back is the traced belief, which is not like itself."""
    same = (one.version.entry_id, said(one.version)) == (shown.entry_id, said(shown))
    return same and one.deed.kind == "retract"


def _rank(one: Mistake, alike: Sequence[str]) -> tuple[object, ...]:
    return (weight(alike), -one.version.recorded_to, -one.version.recorded_from, one.version.row)


def _views(base: _Base, wrong: Sequence[Mistake]) -> Mapping[int, VersionView]:
    """Rectangles as a history shows them, by row."""
    wanted = {one.version.row for one in wrong}
    rows: list[tuple[Found, StoredTransaction]] = []
    for entry_id in dict.fromkeys(one.version.entry_id for one in wrong):
        history = base.reader.history(entry_id, base.at)
        rows += [row for row in history if row[0].version.row in wanted]
    views = _versions(base, rows) if rows else ()
    return {row[0].version.row: view for row, view in zip(rows, views, strict=True)}


def _error(view: VersionView, one: Mistake, alike: tuple[str, ...]) -> SimilarError:
    shown = {known.name: getattr(view, known.name) for known in fields(VersionView)}
    return SimilarError(
        **shown,
        alike=alike,
        ended_by=one.deed.kind or "",
        ended_at=format_instant(one.edge.at),
        ended_reason=one.deed.reason,
        ended_actor=one.deed.actor,
    )
