"""Export: all that is known, written down as events.

Imported into another home, they give the same answers at every pair of instants.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from damals.app.export_results import ExportReport
from damals.app.index_model import OWNER
from damals.app.ledger_model import StoredTransaction
from damals.app.ledger_port import LedgerReader
from damals.app.redaction import Redaction
from damals.app.reducing import Reduction
from damals.app.writing import Begun, nothing_else, replaced
from damals.domain.instants import format_instant


def write_events(
    reader: LedgerReader, path: str | Path, begun: Begun = nothing_else
) -> ExportReport:
    """Write every transaction to a file, which appears when it is whole.

    Of erased and hidden entries it keeps the shape of operations and nothing of what they said.

    Raises:
        InvalidInput: ``path.unwritable``, ``path.invalid``.
        NotFound: ``path.missing`` for a folder that does not exist.
    """
    count = 0
    with replaced(path) as (location, file):
        begun(location)
        for line in _lines(_replayable(reader)):
            file.write(line.encode())
            count += 1
    return ExportReport(str(location), count)


def _replayable(reader: LedgerReader) -> Iterator[StoredTransaction]:
    if reader.access == OWNER:
        return Redaction(reader).for_replay(reader.log())
    return Reduction(reader).for_replay()


def _lines(transactions: Iterable[StoredTransaction]) -> Iterator[str]:
    """Each transaction as one line of an events file."""
    for stored in transactions:
        event: dict[str, object] = {
            "recorded_at": format_instant(stored.recorded_at),
            "logged_at": format_instant(stored.logged_at),
            "zone": stored.zone,
            "actor": stored.actor,
        }
        if stored.reason is not None:
            event["reason"] = stored.reason
        event["ops"] = [dict(sorted(operation.params.items())) for operation in stored.operations]
        yield json.dumps(event, ensure_ascii=False, separators=(",", ":")) + "\n"
