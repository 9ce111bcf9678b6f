"""Events: history from elsewhere, replayed.

A file has one JSON object a line: an operation with its ``recorded_at``, or a transaction with
``recorded_at`` and ``ops``. It is stored whole or not at all.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, cast

from damals.app.access import check_operations
from damals.app.collecting import collecting_rarely
from damals.app.indexing import Listener
from damals.app.ledger_port import LedgerReader, LedgerWriter
from damals.app.paths import existing, path_error
from damals.app.ports import Clock
from damals.app.readmitting import REASON, Readmission, Renaming
from damals.app.record import Recorded, Request, Tools, record
from damals.app.results import ImportReport, Progress
from damals.domain.access import Principal
from damals.domain.errors import Conflict, DamalsError, InvalidInput
from damals.domain.params import Params
from damals.domain.parsing import parse_moment
from damals.domain.zones import load_zone

_Event = dict[str, object] | InvalidInput

_AHEAD: Final = 250
_AHEAD_CHARACTERS: Final = 1_000_000
"""So many lines or characters are read before the first of them is stored."""
_NAMES: Final = ("ref", "external_id", "target", "src", "dst", "a", "b")

REPORT_EVERY = 500
"""Lines between two reports of progress."""


def import_events(
    writer: LedgerWriter,
    tools: Tools,
    path: Path,
    listen: Listener,
    asker: Principal,
    *,
    readmit: bool = False,
) -> ImportReport:
    """Replay a file of events.

    Args:
        writer: of the workspace.
        tools: what recording needs.
        path: the file.
        listen: is told how far it is.
        asker: who replays it. Only the owner does so in the name of those that the file names;
            what anybody else replays is their own doing, and within their rights.
        readmit: what it says of erased entries is stored again, as of others, and what it says of
            erased sources as well.

    Raises:
        NotFound: ``path.missing``.
        Conflict: ``source.erased_before``; nothing is kept.
        InvalidInput, NotFound, Conflict, Denied: of a line, with ``line`` and the cause; nothing
            is kept.
    """
    started = tools.clock()
    counts: Counter[str] = Counter()
    renaming = _renaming(writer) if readmit else None
    sources = _Sources(writer, tools.clock, asker, readmit=readmit)
    with collecting_rarely():
        for number, event in _expected(writer, _lines(path)):
            sources.check(event)
            try:
                if renaming is not None and isinstance(event, dict):
                    event = _readmitted(event, renaming, asker)  # noqa: PLW2901 -- the same, of others
                request = _request(event, writer, asker)
                _count(counts, request, record(writer, tools, request))
            except DamalsError as error:
                problem = type(error)("events.line", path=str(path), line=number, cause=error)
                raise problem from error
            if number % REPORT_EVERY == 0:
                listen(Progress("events", number, None, "lines"))
    if renaming is not None:
        writer.readmit(Readmission(renaming.used), tools.clock(), asker.name)
    return ImportReport(
        source=path.name,
        added=counts["added"],
        changed=counts["changed"],
        moved=0,
        removed=counts["removed"],
        unchanged=counts["unchanged"],
        failed=(),
        late=(),
        chunks=counts["chunks"],
        edges=counts["edges"],
        pending_vectors=0,
        seconds=seconds_since(started, tools.clock),
    )


class _Sources:
    """Keeps out what comes from erased sources, or lets them in again."""

    def __init__(
        self, writer: LedgerWriter, clock: Clock, asker: Principal, *, readmit: bool
    ) -> None:
        self._writer = writer
        self._clock = clock
        self._asker = asker
        self._readmit = readmit
        self._checked: set[str] = set()

    def check(self, event: _Event) -> None:
        """See that none of the sources in an event was erased.

        Raises:
            Conflict: ``source.erased_before``, unless they may return.
        """
        if isinstance(event, InvalidInput):
            return
        for fields in _said(event):
            source = cast("dict[str, object] | None", fields.get("source"))
            name = source.get("name") if isinstance(source, dict) else None
            if isinstance(name, str) and name not in self._checked:
                self._checked.add(name)
                if self._readmit:
                    self._writer.readmit_source(name, self._clock(), self._asker.name)
                elif self._writer.erased_source(name) is not None:
                    raise Conflict("source.erased_before", name=name)


def _renaming(reader: LedgerReader) -> Renaming:
    everything = reader.unrestricted()
    gone = everything.tombstones().keys() | everything.barred()
    return Renaming(reader.workspace().name, gone)


def _readmitted(
    event: dict[str, object], renaming: Renaming, asker: Principal
) -> dict[str, object]:
    """An event without erased entries. Where it names one, its reason says who let that in."""
    before = len(renaming.used)
    told = renaming.renamed(event)
    if len(renaming.used) > before and "ops" in told:
        told.setdefault("reason", f"{REASON} ({asker.name})")
    return told


def seconds_since(started: int, clock: Clock) -> float:
    """Seconds from an instant to now, to the millisecond."""
    return round(max(clock() - started, 0) / 1_000_000, 3)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Number and text of each line that is not blank."""
    if existing(path).is_dir():
        raise InvalidInput("events.not_a_file", path=str(path))
    try:
        with path.open("rb") as lines:
            for number, raw in enumerate(lines, start=1):
                line = _decoded(path, number, raw)
                if line.strip():
                    yield number, line
    except OSError as error:
        raise path_error("path.unreadable", path, error) from error


def _decoded(path: Path, number: int, raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput("events.not_utf8", path=str(path), line=number) from error


def _expected(
    writer: LedgerWriter, lines: Iterator[tuple[int, str]]
) -> Iterator[tuple[int, _Event]]:
    """What the lines say, after the writer was told the names in the next few of them."""
    for group in _groups(lines):
        events = [(number, _event(line)) for number, line in group]
        names = [name for _, event in events if isinstance(event, dict) for name in _named(event)]
        writer.expect(dict.fromkeys(names))
        yield from events


def _groups(lines: Iterator[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    """Lines in groups. What stands before a line that cannot be read comes before its error."""
    group: list[tuple[int, str]] = []
    size, problem = 0, None
    try:
        for line in lines:
            group.append(line)
            size += len(line[1])
            if len(group) >= _AHEAD or size > _AHEAD_CHARACTERS:
                yield group
                group, size = [], 0
    except DamalsError as error:
        problem = error
    yield group
    if problem is not None:
        raise problem


def _named(event: "dict[str, object]") -> list[str]:
    """The names that the ledger will be asked for."""
    found = [fields[name] for fields in _said(event) for name in _NAMES if name in fields]
    return [name for name in found if isinstance(name, str)]


def _said(event: "dict[str, object]") -> list[dict[str, object]]:
    """The operations in an event, as far as they are some."""
    ops = event.get("ops", [event])
    listed = cast("list[object]", ops) if isinstance(ops, list) else []
    return [cast("dict[str, object]", op) for op in listed if isinstance(op, dict)]


def _event(line: str) -> _Event:
    """The object in a line, or what is wrong with it."""
    try:
        event: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        return InvalidInput("events.not_json", cause=str(error))
    if not isinstance(event, dict):
        return InvalidInput("events.not_an_object")
    return cast("dict[str, object]", event)


def _request(event: _Event, reader: LedgerReader, asker: Principal) -> Request:
    """The transaction that a line stands for."""
    if isinstance(event, InvalidInput):
        raise event
    fields = event
    if "recorded_at" not in fields:
        raise InvalidInput("events.no_instant")
    zone = fields.pop("zone", None) or reader.workspace().zone
    recorded_at = parse_moment(fields.pop("recorded_at"), zone=load_zone(str(zone)))
    # A home logged it once: this one takes what that one took and, of the owner, when it was.
    logged = fields.pop("logged_at", None)
    kept = logged is not None
    actor = _text(fields.pop("actor", None), "actor")
    if "ops" in fields:
        ops, reason = fields.pop("ops"), _text(fields.pop("reason", None), "reason")
        if fields:
            raise InvalidInput(
                "operation.unknown_parameter", op="transaction", name=", ".join(sorted(fields))
            )
    else:
        ops, reason = [fields], None
    params = _operations(ops)
    check_operations(asker, params)
    actor = (actor or "import") if asker.owns else asker.name
    known = parse_moment(logged, zone=load_zone(str(zone))) if kept and asker.owns else None
    return Request(params, actor, reason, recorded_at, str(zone), kept, known)


def _text(value: object, name: str) -> str | None:
    if value is not None and not isinstance(value, str):
        raise InvalidInput("field.text", name=name, value=value)
    return value


def _operations(ops: object) -> tuple[Params, ...]:
    if not isinstance(ops, list) or not ops:
        raise InvalidInput("events.no_operations")
    listed = cast("list[object]", ops)
    if not all(isinstance(op, dict) for op in listed):
        raise InvalidInput("events.not_an_object")
    return tuple(cast("list[Params]", listed))


_COUNTED = {"remember": "added", "update": "added", "retract": "removed"}


def _count(counts: Counter[str], request: Request, recorded: Recorded) -> None:
    for params, outcome in zip(request.params, recorded.outcomes, strict=True):
        what = _COUNTED.get(str(params["op"]), "changed")
        counts["unchanged" if outcome.unchanged else what] += 1
    counts["chunks"] += recorded.chunks
    counts["edges"] += recorded.edges
