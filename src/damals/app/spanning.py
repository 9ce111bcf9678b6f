"""Spans: how far what is known reaches on both clocks."""

import threading
from collections import OrderedDict
from typing import Final
from zoneinfo import ZoneInfo

from damals.app.index_model import AccessFilter
from damals.app.ledger_model import Head
from damals.app.ledger_port import LedgerReader
from damals.app.looking import present
from damals.app.ports import Clock
from damals.app.span_model import Extent
from damals.app.span_results import Reach, TimeSpan
from damals.domain.errors import InvalidInput
from damals.domain.instants import format_instant, to_datetime
from damals.domain.zones import load_zone, to_local

_KEPT: Final = 64


class Extents:
    """Extents that were read, until the next transaction. Any thread may use it.

    Whoever shows the clocks asks for one each time, and it takes a look at every version.
    """

    def __init__(self) -> None:
        """None yet."""
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, int, AccessFilter], tuple[Head, Extent]] = OrderedDict()

    def of(self, reader: LedgerReader) -> Extent:
        """That of what a reader may see."""
        workspace, head = reader.workspace(), reader.head()
        key = (workspace.name, workspace.created_at, reader.access)
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None and kept[0] == head:
            return kept[1]
        extent = reader.extent()
        with self._lock:
            self._kept[key] = (head, extent)
            self._kept.move_to_end(key)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return extent


def span(reader: LedgerReader, clock: Clock, extents: Extents) -> TimeSpan:
    """The outermost instants of what the reader may see, and now."""
    name = reader.workspace().zone
    zone, now, extent = load_zone(name), present(reader, clock), extents.of(reader)
    begun = extent.recorded_first
    return TimeSpan(
        valid=_reach(extent.valid_first, extent.valid_last, zone),
        recorded=_reach(begun, None if begun is None else now, zone),
        now=format_instant(now),
        today=_day(now, zone),
        zone=name,
    )


def _reach(first: int | None, last: int | None, zone: ZoneInfo) -> Reach:
    told = [None if one is None else format_instant(one) for one in (first, last)]
    days = [None if one is None else _day(one, zone) for one in (first, last)]
    return Reach(*told, *days)


def _day(instant: int, zone: ZoneInfo) -> str:
    try:
        local = to_local(instant, zone)
    except InvalidInput:  # the first or the last day that there is
        local = to_datetime(instant)
    return local.date().isoformat()
