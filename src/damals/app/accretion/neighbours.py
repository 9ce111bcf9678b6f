"""What may have to do with something that is filed: found by words, and by what was told lately."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from damals.app.index_model import AccessFilter, IndexFilter
from damals.app.ledger_port import LedgerReader
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
        access: what they may see.
        zone: of the workspace.
        now: the instant of the clock.
        caught_up: nothing may be written meanwhile, or the index is as it is.
        told: the entries that were told to somebody lately, the newest first.
    """

    workspace: str
    access: AccessFilter
    zone: str
    now: int
    caught_up: bool
    told: tuple[UUID, ...] = ()

    @staticmethod
    def of(reader: LedgerReader, now: int, *, caught_up: bool) -> "Where":
        """A workspace as somebody sees it: what they do not see was told to nobody."""
        workspace = reader.workspace()
        told = tuple(reader.lately_accessed(now - LATELY, MOST))
        return Where(workspace.name, reader.access, workspace.zone, now, caught_up, told)


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Entries that may have to do with what is filed, the nearest first.

    Attributes:
        complete: the index answered; else some may be missing.
        told: those that were told to somebody lately.
    """

    ids: tuple[UUID, ...] = ()
    complete: bool = True
    told: tuple[UUID, ...] = ()


def neighbours(search: Search, where: Where, params: Params) -> Neighbours:
    """Look for what may have to do with something that is filed; the write lock is not needed.

    An index that does not answer is no reason not to file: what it would have found is missing.
    """
    found: dict[UUID, None] = {}
    try:
        if not where.caught_up:
            search.catch_up_words()
        for as_of in _instants(params, where):
            scope = IndexFilter(where.workspace, as_of, FOREVER - 1, where.access)
            for text in _texts(params):
                hits = search.by_words(scope, text, PER_TEXT)
                found |= dict.fromkeys(hit.entry_id for hit in hits)
    except DamalsError:
        return Neighbours(where.told, complete=False, told=where.told)
    near = tuple(dict.fromkeys((*found, *where.told)))[: MOST + len(where.told)]
    return Neighbours(near, told=where.told)


def _instants(params: Params, where: Where) -> Iterator[int]:
    """The instants at which neighbours hold: now, and when what is filed begins."""
    yield where.now
    given = params.get("valid_from")
    if given:
        with suppress(DamalsError):
            begins = parse_instant(given, zone=load_zone(where.zone), now=where.now)
            if begins != where.now:
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
