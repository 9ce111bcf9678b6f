"""What may have to do with something that is filed: found by words, and by what was told lately."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from damals.app.index_model import AccessFilter, IndexFilter
from damals.app.ledger_port import Ledger
from damals.app.search import Search
from damals.domain.errors import DamalsError
from damals.domain.instants import DAY, FOREVER
from damals.domain.likeness import plain
from damals.domain.params import Params
from damals.domain.parsing import parse_instant
from damals.domain.zones import load_zone

PER_TEXT: Final = 12
"""So many chunks are looked at for each text that is looked for."""
MOST: Final = 60
"""So many entries are compared with what is filed."""
TEXTS: Final = 8
"""So many parts of what is filed are looked for."""
PART_CHARS: Final = 600
LATELY: Final = 7 * DAY
"""What was told in the last week is looked at, whether it still holds or not."""


@dataclass(frozen=True, slots=True)
class Where:
    """Where neighbours are looked for, and by whom.

    Attributes:
        now: the instant of the clock.
        caught_up: nothing may be written meanwhile, or the index is as it is.
    """

    workspace: str
    access: AccessFilter
    now: int
    caught_up: bool


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Entries that may have to do with what is filed, the nearest first.

    Attributes:
        complete: the index answered; else some may be missing.
    """

    ids: tuple[UUID, ...] = ()
    complete: bool = True


def neighbours(ledger: Ledger, search: Search, where: Where, params: Params) -> Neighbours:
    """Look for what may have to do with something that is filed; the write lock is not needed.

    An index that does not answer is no reason not to file: what it would have found is missing.
    """
    recent = _recent(ledger, where)
    found: dict[UUID, None] = {}
    try:
        if not where.caught_up:
            search.catch_up_words()
        zone = next((one.zone for one in ledger.workspaces() if one.name == where.workspace), None)
        for as_of in _instants(params, where.now, zone):
            scope = IndexFilter(where.workspace, as_of, FOREVER - 1, where.access)
            for text in _texts(params):
                hits = search.by_words(scope, text, PER_TEXT)
                found |= dict.fromkeys(hit.entry_id for hit in hits)
    except DamalsError:
        return Neighbours(tuple(recent), complete=False)
    return Neighbours(tuple(dict.fromkeys((*found, *recent)))[: MOST + len(recent)])


def _recent(ledger: Ledger, where: Where) -> Sequence[UUID]:
    with suppress(DamalsError):
        return ledger.accesses.recent(where.workspace, where.now - LATELY, MOST)
    return ()


def _instants(params: Params, now: int, zone: str | None) -> Iterator[int]:
    """The instants at which neighbours hold: now, and when what is filed begins."""
    yield now
    given = params.get("valid_from")
    if given and zone is not None:
        with suppress(DamalsError):
            begins = parse_instant(given, zone=load_zone(zone), now=now)
            if begins != now:
                yield begins


def _texts(params: Mapping[str, object]) -> Iterator[str]:
    """What is looked for: title with the beginning of the text, then its further parts."""
    title, content = (plain(str(params.get(name) or "")) for name in ("title", "content"))
    yield f"{title}\n{content[:PART_CHARS]}"
    parts = [one.strip() for one in content.splitlines() if one.strip()]
    if len(parts) == 1:
        parts = [content[at : at + PART_CHARS] for at in range(0, len(content), PART_CHARS)]
    if len(parts) > 1:
        yield from parts[: TEXTS - 1]
    elif content:
        yield content[:PART_CHARS]
