"""Timeline: what happened to a topic, event by event, and what held of it at each."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from damals.app import known
from damals.app.ages import Ages
from damals.app.diff import AXES, Words
from damals.app.diff_facts import batches
from damals.app.ledger_model import At, Found
from damals.app.ledger_port import LedgerReader
from damals.app.looking import Asked, checked_limit, pair, present, understood
from damals.app.paging import checked_after
from damals.app.ports import Clock
from damals.app.results import Entry
from damals.app.timeline_results import EventView, Timeline
from damals.app.views import entry_view, given, surroundings
from damals.domain.diff_rows import Deed, Place, Rows
from damals.domain.entries import Archiving, Relation, Verification, Version
from damals.domain.errors import InvalidInput, NotFound
from damals.domain.fields import choice, needed_text
from damals.domain.instants import BEGINNING, FOREVER, format_instant
from damals.domain.names import folded_tag
from damals.domain.operations import CUTTING_RELATIONS
from damals.domain.timeline import Event, events

MOST_HELD: Final = 50
"""So many entries of a state are told."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which timeline is wanted, and which part of it.

    Attributes:
        topic: a tag, or words that an entry must all say, at any time.
        axis: only events of one clock: ``valid`` or ``known``.
        step: number of the event to look at, from 1; its page is told.
        limit: events at most.
        after: number of the event behind which they are told.
    """

    topic: object
    axis: str | None = None
    step: object = None
    limit: object = 50
    after: object = 0


def timeline(
    reader: LedgerReader, clock: Clock, wanted: Wanted, asked: Asked, tools: tuple[Words, Ages]
) -> Timeline:
    """What happened to a topic, as known at a pair of instants.

    Raises:
        NotFound: ``timeline.nothing``; ``timeline.step`` for an event that there is not.
        InvalidInput: ``field.empty``, ``field.choice``, ``limit.invalid``, ``log.after``, and what
            instants are refused for.
    """
    words, ages = tools
    topic, limit = needed_text("topic", wanted.topic), checked_limit(wanted.limit)
    axis = None if wanted.axis is None else choice("axis", wanted.axis, AXES)
    now = present(reader, clock)
    at = pair(reader, now, asked)
    members = _members(reader, at, topic, words)
    told = [
        one
        for one in events(_rows(reader, members, at.known_at), members, at.known_at)
        if axis is None or one.clock == axis
    ]
    if not told:
        raise NotFound("timeline.nothing", topic=topic)
    step = _step(wanted.step, len(told))
    after = checked_after(wanted.after)
    if step is not None and limit is not None:
        after = (step - 1) // limit * limit
    page = told[after:] if limit is None else told[after : after + limit]
    shown = at if step is None else _pair_of(told[step - 1], at)
    held, count = _held(reader, members, shown, ages)
    there = understood(reader, shown, now)
    return Timeline(
        topic=topic,
        axis=axis,
        understood=understood(reader, at, now),
        events=_views(reader, page, after, now),
        count=len(told),
        next=after + len(page) if after + len(page) < len(told) else None,
        step=step,
        as_of=there.as_of,
        known_at=there.known_at,
        held=held,
        held_count=count,
    )


def _step(given: object, count: int) -> int | None:
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise InvalidInput("timeline.step.invalid", step=given)
    if given > count:
        raise NotFound("timeline.step", step=given, count=count)
    return given


def _pair_of(event: Event, at: At) -> At:
    return At(min(event.pair.as_of, FOREVER - 1), min(event.pair.known_at, at.known_at))


def _members(reader: LedgerReader, at: At, topic: str, words: Words) -> Sequence[UUID]:
    """The entries that carry a tag of this name or once said all its words.

    With those that took over from them, or from which they took over.
    """
    stems = frozenset(stem for stem, _, _ in words(topic))
    wanted = known.Topic(stems, folded_tag(topic) or "")
    waiting = {one.entry_id for one in known.saying(reader, at.known_at, wanted, words)}
    seen: set[UUID] = set()
    while waiting:
        seen |= waiting
        found: set[UUID] = set()
        for batch in batches(sorted(waiting)):
            for row in reader.relations_between(batch, BEGINNING, at.known_at):
                if row.relation in CUTTING_RELATIONS and not row.unresolved:
                    found |= {row.src_id, row.dst_id}
        waiting = reader.seen(found - seen) - seen
    return sorted(seen)


def _rows(reader: LedgerReader, members: Sequence[UUID], known_at: int) -> Rows:
    """All that was known of some entries, each row once."""
    versions: dict[int, Version] = {}
    relations: dict[int, Relation] = {}
    archivings: dict[int, Archiving] = {}
    verifications: dict[int, Verification] = {}
    for batch in batches(members):
        rows = reader.rows_between(batch, BEGINNING, known_at)
        versions |= {one.row: one for one in rows.versions}
        relations |= {one.row: one for one in rows.relations}
        archivings |= {one.row: one for one in rows.archivings}
        verifications |= {one.row: one for one in rows.verifications}
    ends = {end for row in relations.values() for end in (row.src_id, row.dst_id)}
    seen = reader.seen(ends - set(members)) | set(members)
    return Rows(
        tuple(versions.values()),
        # What a hidden entry took is told as an end: by whom, and that it was taken, is not.
        tuple(row for row in relations.values() if {row.src_id, row.dst_id} <= seen),
        tuple(archivings.values()),
        tuple(verifications.values()),
    )


def _held(
    reader: LedgerReader, members: Sequence[UUID], at: At, ages: Ages
) -> tuple[tuple[Entry, ...], int]:
    """What holds of some entries at a pair, by when it began, and how many they are."""
    found: list[Found] = []
    for batch in batches(members):
        archived = reader.archived_at(batch, at)
        held = reader.versions_at(batch, at)
        found += [one for entry_id, one in held.items() if entry_id not in archived]
    found.sort(key=lambda one: (-one.version.period.start.earliest, one.version.entry_id))
    shown = found[:MOST_HELD]
    around = surroundings(reader, shown, at, ages)
    return tuple(entry_view(one, around) for one in shown), len(found)


def _views(
    reader: LedgerReader, page: Sequence[Event], after: int, now: int
) -> tuple[EventView, ...]:
    places: set[Place] = {(one.edge, one.entry_id) for one in page}
    deeds: Mapping[Place, Deed] = reader.deeds(places) if places else {}
    titles = _titles(reader, {one.other_id for one in page if one.other_id is not None}, now)
    return tuple(
        _view(one, (step, now), deeds[one.edge, one.entry_id], titles)
        for step, one in enumerate(page, start=after + 1)
    )


def _titles(reader: LedgerReader, ids: Collection[UUID], now: int) -> Mapping[UUID, str]:
    """The last titles of entries that the asker may see."""
    found: dict[UUID, str] = {}
    for batch in batches(sorted(reader.seen(ids))):
        for entry_id, one in reader.latest_versions(batch, At(now, FOREVER - 1)).items():
            found[entry_id] = one.version.attributes.title
    return found


def _view(one: Event, at: tuple[int, int], deed: Deed, titles: Mapping[UUID, str]) -> EventView:
    """An event as it is told: its number, and when, which is as far as is known."""
    step, now = at
    other = None if one.other_id is None else titles.get(one.other_id)
    start, end = one.version.period.start, one.version.period.end
    return EventView(
        step=step,
        kind=one.done_by(deed.kind).kind.value,
        clock=one.clock,
        at=format_instant(one.at),
        entry_id=str(one.entry_id),
        title=one.version.attributes.title,
        type=one.version.attributes.type,
        valid_from=given(start),
        valid_to=given(end),
        relation=one.relation,
        other_id=None if other is None else str(one.other_id),
        other_title=other,
        reason=deed.reason,
        actor=deed.actor,
        operation=deed.kind,
        transaction=one.edge.number,
        as_of=format_instant(one.pair.as_of),
        known_at=format_instant(min(one.pair.known_at, now)),
    )
