"""The readings of sources, in a file of the cache."""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, cast
from uuid import UUID

from damals.app.ledger_model import Head
from damals.app.readings import SettledFolder, SourceReading

FILE: Final = "readings.json"
_HEAD: Final = ("number", "recorded_at", "logged_at")
MAX_BYTES: Final = 256 * 1024 * 1024


class ReadingsFile:
    """Readings in one small JSON file (port ``Readings``).

    It names sources by digests and notes by ids, so it tells nothing about anyone. A file that is
    damaged or cannot be written costs no more than reading notes again.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE

    def get(self, source: bytes) -> SourceReading | None:
        """See :meth:`damals.app.readings.Readings.get`."""
        try:
            told: Any = self._read()[source.hex()]
            again = frozenset(UUID(one) for one in told["again"])
            return SourceReading(str(told["key"]), _head(told), again)
        except (KeyError, TypeError, ValueError, AttributeError):
            return None

    def put(self, source: bytes, reading: SourceReading) -> None:
        """See :meth:`damals.app.readings.Readings.put`."""
        again = sorted(str(one) for one in reading.again)
        self._write(source, reading.head, {"key": reading.key, "again": again})

    def settled(self, folder: bytes) -> SettledFolder | None:
        """See :meth:`damals.app.readings.Readings.settled`."""
        try:
            told: Any = self._read()[folder.hex()]
            return SettledFolder(str(told["files"]), _head(told))
        except (KeyError, TypeError, ValueError, AttributeError):
            return None

    def settle(self, folder: bytes, settled: SettledFolder) -> None:
        """See :meth:`damals.app.readings.Readings.settle`."""
        self._write(folder, settled.head, {"files": settled.files})

    def _write(self, name: bytes, head: Head, said: dict[str, Any]) -> None:
        told = self._read()
        told[name.hex()] = said | {one: getattr(head, one) for one in _HEAD}
        beside = self._path.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            beside.write_text(json.dumps(told), encoding="utf-8")
            beside.replace(self._path)

    def _read(self) -> dict[str, Any]:
        try:
            if self._path.stat().st_size > MAX_BYTES:
                return {}
            told: object = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return cast("dict[str, Any]", told) if isinstance(told, dict) else {}


def _head(told: Any) -> Head:  # noqa: ANN401 -- what a file says that may be damaged
    return Head(*(int(told[name]) for name in _HEAD))
