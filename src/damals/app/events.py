"""Events: history from elsewhere, replayed.

A file has one JSON object a line: an operation with its ``recorded_at``, or a transaction with
``recorded_at`` and ``ops``. It is stored whole or not at all.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from damals.app.access import check_operations
from damals.app.collecting import collecting_rarely
from damals.app.indexing import Listener
from damals.app.ledger_port import LedgerReader, LedgerWriter
from damals.app.paths import existing, path_error
from damals.app.ports import Clock
from damals.app.record import Recorded, Request, Tools, record
from damals.app.results import ImportReport, Progress
from damals.domain.access import Principal
from damals.domain.errors import DamalsError, InvalidInput
from damals.domain.params import Params
from damals.domain.parsing import parse_moment
from damals.domain.zones import load_zone

REPORT_EVERY = 500
"""Lines between two reports of progress."""


def import_events(
    writer: LedgerWriter, tools: Tools, path: Path, listen: Listener, asker: Principal
) -> ImportReport:
    """Replay a file of events.

    Args:
        writer: of the workspace.
        tools: what recording needs.
        path: the file.
        listen: is told how far it is.
        asker: who replays it. Only the owner does so in the name of those that the file names;
            what anybody else replays is their own doing, and within their rights.

    Raises:
        NotFound: ``path.missing``.
        InvalidInput, NotFound, Conflict, Denied: of a line, with ``line`` and the cause; nothing
            is kept.
    """
    started = tools.clock()
    counts: Counter[str] = Counter()
    with collecting_rarely():
        for number, line in _lines(path):
            try:
                request = _request(line, writer, asker)
                _count(counts, request, record(writer, tools, request))
            except DamalsError as error:
                problem = type(error)("events.line", path=str(path), line=number, cause=error)
                raise problem from error
            if number % REPORT_EVERY == 0:
                listen(Progress("events", number, None, "lines"))
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


def _request(line: str, reader: LedgerReader, asker: Principal) -> Request:
    """The transaction that a line stands for."""
    try:
        event: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("events.not_json", cause=str(error)) from error
    if not isinstance(event, dict):
        raise InvalidInput("events.not_an_object")
    fields = cast("dict[str, object]", event)
    if "recorded_at" not in fields:
        raise InvalidInput("events.no_instant")
    zone = fields.pop("zone", None) or reader.workspace().zone
    recorded_at = parse_moment(fields.pop("recorded_at"), zone=load_zone(str(zone)))
    logged = fields.pop("logged_at", None)
    del logged  # it says when another home logged it; this home notes its own
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
    return Request(params, actor, reason, recorded_at, str(zone))


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
