"""The erasure journal as a file of JSON lines beside the backups.

A line that a killed process left unfinished was never acknowledged and is cut off by the next one.
Every other line carries a digest of itself: one that was damaged is an error, since an erasure that
nobody can read would bring the erased back.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final, cast
from uuid import UUID

from damals.adapters.backups.durable import (
    PRIVATE_FILE,
    locked,
    make_folder,
    unreadable,
    unwritable,
)
from damals.app.erasures_journal import ErasureRecord
from damals.domain.errors import Corrupt
from damals.folders import sync_folder

FILE: Final = "erasures.jsonl"
_LOCK: Final = ".erasures.lock"
_FORMAT: Final = 1


class JournalFile:
    """An ``ErasureJournal`` in a folder, which is made by the first erasure."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE

    @property
    def place(self) -> str:
        """The path of the file."""
        return str(self._path)

    def append(self, record: ErasureRecord) -> None:
        """See :meth:`damals.app.erasures_journal.ErasureJournal.append`."""
        folder = self._path.parent
        make_folder(folder)
        with locked(folder / _LOCK):
            try:
                handle = os.open(self._path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
                with os.fdopen(handle, "r+b") as file:
                    _cut(file)
                    file.write(_line(record))
                    file.flush()
                    os.fsync(file.fileno())
                sync_folder(folder, forgiving=True)
            except OSError as error:
                raise unwritable(self._path, error) from error

    def records(self) -> Sequence[ErasureRecord]:
        """See :meth:`damals.app.erasures_journal.ErasureJournal.records`."""
        found: dict[UUID, ErasureRecord] = {}
        try:
            with self._path.open("rb") as file:
                for number, line in enumerate(file, start=1):
                    if line.endswith(b"\n") or _is_trusted(line):
                        record = self._read(line, number)
                        found.setdefault(record.erasure_id, record)
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise unreadable(self._path, error) from error
        return tuple(found.values())

    def _read(self, line: bytes, number: int) -> ErasureRecord:
        """What a line says.

        Raises:
            Corrupt: ``backup.journal``.
        """
        try:
            told = _trusted(json.loads(line))
            return ErasureRecord(
                erasure_id=UUID(told["erasure"]),
                home=told["home"],
                workspace=told["workspace"],
                workspace_made=told["workspace_made"],
                kind=told["kind"],
                entries=tuple(UUID(one) for one in told["entries"]),
                marks=tuple(bytes.fromhex(one) for one in told["marks"]),
                number=told["number"],
                erased_at=told["erased_at"],
                actor=told["actor"],
                target=_bytes(told.get("target")),
                salt=_bytes(told.get("salt")),
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise Corrupt("backup.journal", path=str(self._path), line=number) from error


def _line(record: ErasureRecord) -> bytes:
    told: dict[str, object] = {
        "format": _FORMAT,
        "erasure": str(record.erasure_id),
        "home": record.home,
        "workspace": record.workspace,
        "workspace_made": record.workspace_made,
        "kind": record.kind,
        "entries": [str(one) for one in record.entries],
        "marks": [one.hex() for one in record.marks],
        "number": record.number,
        "erased_at": record.erased_at,
        "actor": record.actor,
    }
    if record.target is not None and record.salt is not None:
        told |= {"target": record.target.hex(), "salt": record.salt.hex()}
    return _canonical(told | {"digest": _digest(told)}) + b"\n"


def _bytes(told: str | None) -> bytes | None:
    return None if told is None else bytes.fromhex(told)


def _trusted(told: Any) -> dict[str, Any]:  # noqa: ANN401 -- what a file says that may be damaged
    """A line that says what was written.

    Raises:
        ValueError: it does not, or a newer program wrote it.
    """
    said = cast("dict[str, Any]", dict(told))
    if said.pop("digest") != _digest(said) or said["format"] != _FORMAT:
        raise ValueError
    return said


def _digest(told: Mapping[str, object]) -> str:
    return hashlib.sha256(_canonical(told)).hexdigest()


def _canonical(told: Mapping[str, object]) -> bytes:
    return json.dumps(told, sort_keys=True, separators=(",", ":")).encode("ascii")


def _is_trusted(line: bytes) -> bool:
    """Whether a line without an end is whole all the same: an editor has taken the end away."""
    try:
        return bool(_trusted(json.loads(line)))
    except (ValueError, KeyError, TypeError, RecursionError):
        return False


def _cut(file: BinaryIO) -> None:
    """Go to where the next line begins; what a killed process left of one goes."""
    end = _whole_until(file)
    file.seek(end)
    if _is_trusted(file.read()):
        file.write(b"\n")
    else:
        file.seek(end)
        file.truncate()


def _whole_until(file: BinaryIO) -> int:
    """Where the last whole line ends."""
    end = file.seek(0, os.SEEK_END)
    step = 65536
    while end > 0:
        begin = max(0, end - step)
        file.seek(begin)
        found = file.read(end - begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        end = begin
    return 0
