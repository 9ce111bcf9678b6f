"""Export: all that is known, written down as events.

Imported into another home, they give the same answers at every pair of instants.
"""

import errno
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from damals.app.ledger_model import StoredTransaction
from damals.app.ledger_port import LedgerReader
from damals.app.paths import UNWRITABLE, given_path, path_error
from damals.app.redaction import Redaction
from damals.app.results import ExportReport
from damals.domain.errors import InvalidInput
from damals.domain.instants import format_instant


def write_events(reader: LedgerReader, path: str | Path) -> ExportReport:
    """Write every transaction to a file, which appears when it is whole.

    Of erased entries it keeps the shape of their operations and nothing of what they said.

    Raises:
        InvalidInput: ``path.unwritable``, ``path.invalid``.
        NotFound: ``path.missing`` for a folder that does not exist.
    """
    location = given_path(path)
    count = 0
    try:
        if not location.name or location.is_dir():
            raise InvalidInput(UNWRITABLE, path=str(path), cause=os.strerror(errno.EISDIR))
        draft = location.with_name(f"{location.name}.part")
        with draft.open("w", encoding="utf-8") as file:
            for line in _lines(Redaction(reader).for_replay(reader.log())):
                file.write(line)
                count += 1
            file.flush()
            os.fsync(file.fileno())
        draft.replace(location)
    except OSError as error:
        raise path_error(UNWRITABLE, location, error) from error
    return ExportReport(str(location), count)


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
