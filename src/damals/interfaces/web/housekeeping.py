"""What the pages about entries, the graph, imports and settings share."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from damals.app.access import check_home
from damals.app.errors import Denied, NotFound
from damals.domain.access import Right
from damals.domain.instants import format_instant, instant_of
from damals.domain.parsing import parse_instant
from damals.domain.zones import load_zone
from damals.interfaces.rest.caller import Caller
from damals.interfaces.web.clocks import Pair
from damals.interfaces.web.visitor import Visitor
from damals.interfaces.web.zoned import Zoned

NO_HOME: Final = "home.missing"


@dataclass(frozen=True, slots=True)
class Tab:
    """One of the pages of settings."""

    name: str
    path: str


def tabs_of(visitor: Visitor) -> tuple[Tab, ...]:
    """The pages of settings that a visitor may look at."""
    named = [("settings", ("settings",)), ("sources", ("settings", "sources"))]
    if may_keep_home(visitor):
        named += [
            ("health", ("settings", "health")),
            ("backups", ("settings", "backups")),
        ]
    if visitor.may(Right.ADMINISTER):
        named.append(("keys", ("settings", "keys")))
    named.append(("workspaces", ("workspaces",)))
    return tuple(Tab(name, visitor.path(*parts)) for name, parts in named)


def may_keep_home(visitor: Visitor) -> bool:
    """Whether a visitor may administer the whole home; others are not shown how."""
    try:
        check_home(visitor.principal)
    except Denied:
        return False
    return True


def caller_of(visitor: Visitor) -> Caller:
    """A visitor, as routes know those who ask."""
    return Caller(visitor.server, visitor.principal, visitor.workspace)


def words(text: str) -> tuple[str, ...]:
    """What stands between the commas of a field."""
    return tuple(word for part in text.split(",") if (word := part.strip()))


def of_missing_home(error: NotFound) -> None:
    """Go on where there is only no home yet, which a page teaches how to make.

    Raises:
        NotFound: it is about something else.
    """
    if error.key != NO_HOME:
        raise error


def read_back(visitor: Visitor, pair: Pair) -> Mapping[str, str] | None:
    """How a pair of instants was understood, in the zone of the workspace; none for now and now.

    Raises:
        InvalidInput: one of them cannot be read.
    """
    if pair.as_of is None and pair.known_at is None:
        return None
    told = visitor.memory.span()
    zone, now = load_zone(told.zone), instant_of(told.now)

    def read(text: str | None) -> str:
        return format_instant(now if text is None else parse_instant(text, zone=zone, now=now))

    return shown_pair(read(pair.as_of), read(pair.known_at), told.zone)


def shown_pair(as_of: str, known_at: str, zone: str) -> Mapping[str, str]:
    """A pair of instants as people of a zone read it."""
    local = Zoned.of(zone)
    return {"as_of": local.moment(as_of), "known_at": local.moment(known_at), "zone": zone}
