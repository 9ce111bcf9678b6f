"""Looking: an entry, a listing, a history, the log, each at the asked pair of instants."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import cast
from uuid import UUID

from damals.app.ages import Ages, Events, clock_of, life_of
from damals.app.building import Known, caveats
from damals.app.ledger_model import At, EntryFilter, Found, StoredTransaction, Stretch
from damals.app.ledger_port import LedgerReader
from damals.app.paging import checked_after, cursor_behind, stretch_of
from damals.app.ports import Clock
from damals.app.redaction import Redaction
from damals.app.results import Entry, History, Log, LogTransaction, Page, Understood
from damals.app.seen_results import SeenEntry
from damals.app.views import entry_view, surroundings, version_view
from damals.domain.ageing import Status, half_lives, lifecycle
from damals.domain.errors import InvalidInput, NotFound
from damals.domain.fields import choice, nullable_text
from damals.domain.instants import FOREVER, format_instant
from damals.domain.names import folded_tag
from damals.domain.parsing import parse_instant
from damals.domain.zones import load_zone

ALL = 2**31
"""A limit that no home reaches."""

STATUSES = tuple(one.value for one in Status)

_VERIFIED = {
    Status.ACQUIRED: False,
    Status.ACTIVE: False,
    Status.CONSOLIDATED: True,
    Status.REINFORCED: True,
}
"""Whether what has a status was ever verified, where that follows."""

_LOOKED_AT = 500
"""So many entries at least are looked at together for those of a status."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A pair of instants as it was asked for; ``None`` for not given."""

    as_of: object = None
    known_at: object = None

    @property
    def nothing(self) -> bool:
        """Whether neither clock was given."""
        return self.as_of is None and self.known_at is None


def present(reader: LedgerReader, clock: Clock) -> int:
    """Now, or the last recorded instant when the clock is behind it."""
    return max(clock(), reader.head().recorded_at)


def pair(reader: LedgerReader, now: int, asked: Asked) -> At:
    """The pair of instants that is meant.

    ``as_of`` defaults to ``now``, see :func:`present`, so a write is visible to the next read;
    ``known_at`` defaults to all that was ever recorded.
    """
    zone = load_zone(reader.workspace().zone)
    as_of = now if asked.as_of is None else parse_instant(asked.as_of, zone=zone, now=now)
    known_at = (
        FOREVER - 1 if asked.known_at is None else parse_instant(asked.known_at, zone=zone, now=now)
    )
    # The sentinel of an open end is the last instant there is, and nothing open ends there.
    return At(min(as_of, FOREVER - 1), min(known_at, FOREVER - 1))


def understood(reader: LedgerReader, at: At, now: int) -> Understood:
    """What was understood, to be shown back; an open ``known_at`` reads as now."""
    return Understood(
        as_of=format_instant(at.as_of),
        known_at=format_instant(min(at.known_at, now)),
        zone=reader.workspace().zone,
    )


def shown(reader: LedgerReader, clock: Clock, name: str, asked: Asked, ages: Ages) -> SeenEntry:
    """As :func:`get`, with what is to be minded before it is used."""
    found, at = _named(reader, clock, name, asked)
    around = surroundings(reader, [found], at, ages)
    entry_id = found.version.entry_id
    known = {entry_id: Known(found, life_of(found, around.events(entry_id)))}
    related = around.relations.get(found.version.row, ())
    said = caveats(reader, known, related, at, around.types)
    return SeenEntry.of(entry_view(found, around), said.get(entry_id))


def get(reader: LedgerReader, clock: Clock, name: str, asked: Asked, ages: Ages) -> Entry:
    """The entry of this id or external id at a pair.

    Raises:
        NotFound: ``entry.unknown``, ``entry.erased`` or, at that pair, ``entry.not_then``.
    """
    found, at = _named(reader, clock, name, asked)
    return entry_view(found, surroundings(reader, [found], at, ages))


def _named(reader: LedgerReader, clock: Clock, name: str, asked: Asked) -> tuple[Found, At]:
    now = present(reader, clock)
    at = pair(reader, now, asked)
    entry_id = entry_named(reader, name)
    found = reader.version_at(entry_id, at)
    if found is None and asked.nothing:
        found = reader.latest_version(entry_id, at) or _last_known(reader, entry_id, at)
    if found is None:
        raise NotFound(
            "entry.not_then",
            id=name,
            as_of=format_instant(at.as_of),
            known_at=understood(reader, at, now).known_at,
        )
    return found, at


def _last_known(reader: LedgerReader, entry_id: UUID, at: At) -> Found | None:
    """The rectangle that was known last, of an entry that was retracted since."""
    versions = [found for found, _ in reader.history(entry_id, at)]
    return max(versions, key=lambda f: f.version.recorded_to, default=None)


def entry_named(reader: LedgerReader, name: str) -> UUID:
    """The id of the entry with this id or external id.

    Raises:
        NotFound: ``entry.unknown`` or ``entry.erased``.
    """
    text = nullable_text("id", str(name) if isinstance(name, UUID) else name)
    if text is None:
        raise InvalidInput("field.empty", name="id")
    info = reader.find_entry(text)
    if info is None:
        raise NotFound("entry.unknown", id=name)
    if info.erased:
        raise NotFound("entry.erased", id=name)
    return info.id


@dataclass(frozen=True, slots=True)
class Listing:
    """What to list."""

    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    certain: bool = False
    status: str | None = None
    limit: int | None = 100
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """Which part of a history is told: so many behind a cursor; ``None`` is everything."""

    limit: int | None = None
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class LogPart:
    """Which part of a log is told: so many behind a number; ``None`` is everything."""

    limit: int | None = None
    after: int = 0


def entries(reader: LedgerReader, clock: Clock, asked: Asked, listing: Listing, ages: Ages) -> Page:
    """What holds at a pair, by id, a page at a time."""
    at = pair(reader, present(reader, clock), asked)
    status = _status(listing.status)
    limit = checked_limit(listing.limit)
    where = EntryFilter(
        types=listing.types,
        tags=tuple(folded_tag(tag) for tag in listing.tags),
        certain=listing.certain,
        superseded=status is Status.SUPERSEDED,
        archived=status is Status.ARCHIVED,
        verified=None if status is None else _VERIFIED.get(status),
        after=_after(listing.cursor),
        limit=None if limit is None else limit + 1,
    )
    if status in (None, Status.SUPERSEDED, Status.ARCHIVED):
        found = reader.list_at(at, where)
    else:
        found = _of_status(reader, at, where, status, ages)
    more = limit is not None and len(found) > limit
    page = found[:limit] if more else found
    shown = _views(reader, page, at, ages)
    return Page(shown, _cursor(page[-1].version.entry_id) if more else None)


def _status(given: str | None) -> Status | None:
    return None if given is None else Status(choice("status", given, STATUSES))


def _of_status(
    reader: LedgerReader, at: At, where: EntryFilter, status: Status, ages: Ages
) -> Sequence[Found]:
    """Of what holds, what has a status that follows from time, by id."""
    wanted, types = where.limit, ages.types(reader)
    where = replace(where, limit=None if wanted is None else max(wanted, _LOOKED_AT))
    chosen: list[Found] = []
    while True:
        page = reader.list_at(at, where)
        checks = reader.verifications_at([one.version.entry_id for one in page], at)
        for one in page:
            life = life_of(one, Events(checks.get(one.version.entry_id, ())))
            if lifecycle(life, half_lives(types, life.has), clock_of(at)) is status:
                chosen.append(one)
        if where.limit is None or len(page) < where.limit or len(chosen) >= (wanted or 0):
            return chosen[:wanted]
        where = replace(where, after=page[-1].version.entry_id)


def _views(reader: LedgerReader, found: Sequence[Found], at: At, ages: Ages) -> tuple[Entry, ...]:
    around = surroundings(reader, found, at, ages)
    return tuple(entry_view(one, around) for one in found)


def several(value: object) -> tuple[str, ...]:
    """One text or many, as many; those that are empty are left out."""
    if value is None:
        return ()
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list | tuple | set | frozenset):
        raise InvalidInput("field.list", name="type, tag", value=value)
    texts = [nullable_text("type, tag", item) for item in cast("list[object]", value)]
    return tuple(text.strip() for text in texts if text and text.strip())


def checked_limit(limit: object) -> int | None:
    """A page size; ``None`` is everything.

    Raises:
        InvalidInput: ``limit.invalid`` below 1.
    """
    if limit is None:
        return None
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise InvalidInput("limit.invalid", limit=limit)
    return min(limit, ALL)


def _cursor(entry_id: UUID) -> str:
    return urlsafe_b64encode(entry_id.bytes).decode("ascii").rstrip("=")


def _after(cursor: str | None) -> UUID | None:
    if cursor is None:
        return None
    try:
        return UUID(bytes=urlsafe_b64decode(cursor + "=="))
    except (TypeError, ValueError, Base64Error):
        raise InvalidInput("cursor.invalid", cursor=cursor) from None


@dataclass(frozen=True, slots=True)
class Of:
    """Of what a history is told: of an entry or of a key."""

    entry: str | None = None
    key: str | None = None


def history(reader: LedgerReader, clock: Clock, of: Of, part: Part, ages: Ages) -> History:
    """Every rectangle of an entry or of a key, or a page of them.

    Raises:
        InvalidInput: ``history.which`` unless exactly one of both is given; ``limit.invalid``,
            ``cursor.invalid``.
        NotFound: ``entry.unknown`` or ``key.unknown``.
    """
    at, name, key = pair(reader, present(reader, clock), Asked()), of.entry, of.key
    if (name is None) == (key is None):
        raise InvalidInput("history.which")
    limit = checked_limit(part.limit)
    stretch = stretch_of(limit, part.cursor)
    if name is not None:
        entry_id = entry_named(reader, name)
        rows = reader.history(entry_id, at, stretch)
        shown = str(entry_id)
    else:
        shown = str(key)
        rows = reader.key_history(shown, at, stretch)
        if not rows and not (part.cursor and reader.key_history(shown, at, Stretch(limit=1))):
            raise NotFound("key.unknown", key=key)
    page = rows[:limit]
    following = cursor_behind(page[-1][0]) if len(rows) > len(page) else None
    around = surroundings(reader, [found for found, _ in page], at, ages)
    told = Redaction(reader).for_people(stored for _, stored in page)
    pairs = zip((found for found, _ in page), told, strict=True)
    views = tuple(version_view(found, around, stored) for found, stored in pairs)
    return History(shown, views, following)


def log(reader: LedgerReader, entry: str | None, key: str | None, part: LogPart) -> Log:
    """The transactions with all their operations, of an entry or a key if one is given.

    No more are read than are told, but for the rest of what the ledger reads at once.

    Raises:
        InvalidInput: ``log.which`` when both are given; ``limit.invalid``, ``log.after``.
        NotFound: ``entry.unknown`` or ``key.unknown``.
    """
    if entry is not None and key is not None:
        raise InvalidInput("log.which")
    limit, after = checked_limit(part.limit), checked_after(part.after)
    entry_id = None if entry is None else entry_named(reader, entry)
    rest = reader.log(entry_id=entry_id, key=key, after=after)
    page = list(rest if limit is None else islice(rest, limit))
    known = page or (after and next(reader.log(key=key), None))
    if key is not None and not known:
        raise NotFound("key.unknown", key=key)
    more = len(page) == limit and next(rest, None) is not None
    told = Redaction(reader).for_people(page)
    return Log(tuple(map(_logged, told)), page[-1].number if more else None)


def _logged(stored: StoredTransaction) -> LogTransaction:
    return LogTransaction(
        number=stored.number,
        recorded_at=format_instant(stored.recorded_at),
        logged_at=format_instant(stored.logged_at),
        actor=stored.actor,
        reason=stored.reason,
        ops=tuple({**operation.params} for operation in stored.operations),
    )
