"""The folder of an export: made once, and brought up to date by every later one.

A marker file in it says which notes were written, each with the digest of its bytes. A note whose
bytes are others now was edited by somebody, and is left as it is. What is about to be written is
noted before, so that a run that was killed leaves nothing that looks like somebody's edit.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final, cast

from damals.app.export_results import ExportReport
from damals.app.markdown_export.model import FORMAT, Head, NoteFile
from damals.app.paths import UNWRITABLE, given_path, path_error
from damals.app.vault.exported import OVERVIEW
from damals.app.writing import replaced
from damals.domain.errors import Conflict, InvalidInput

MARKER: Final = ".damals-export.json"
_JOURNAL: Final = ".damals-export.part"

Digests = dict[str, set[str]]


@dataclass(slots=True)
class _Tally:
    written: int = 0
    unchanged: int = 0
    removed: int = 0
    notes: int = 0
    kept: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Folder:
    """A folder that an export may write to.

    Attributes:
        root: where it is.
        known: digests that each note had when an export wrote it, by path.
    """

    root: Path
    known: Digests

    @classmethod
    def at(cls, path: str | Path, head: Head) -> "Folder":
        """The folder at a path, which is made when it is not there.

        Raises:
            InvalidInput: ``path.invalid``, ``path.unwritable``, ``export.marker`` for a marker
                that cannot be read.
            NotFound: ``path.missing`` for the folder above.
            Conflict: ``export.not_ours`` for a folder with something else in it,
                ``export.other`` for one that another workspace was exported to.
        """
        root = given_path(path)
        try:
            root.mkdir(exist_ok=True)
            if not (root / MARKER).exists():
                if any(root.iterdir()):
                    raise Conflict("export.not_ours", path=str(root))
                return cls(root, {})
            told = _read(root / MARKER)
            known = _journal(root / _JOURNAL)
        except FileExistsError as error:
            raise InvalidInput(UNWRITABLE, path=str(root), cause=error.strerror) from error
        except OSError as error:
            raise path_error(UNWRITABLE, root, error) from error
        if told["base"] != head.base:
            raise Conflict("export.other", path=str(root), workspace=str(told.get("workspace")))
        for name, digest in cast("Mapping[str, str]", told["notes"]).items():
            known.setdefault(name, set()).add(digest)
        return cls(root, known)

    def bring_up_to_date(self, files: Iterable[NoteFile], head: Head) -> ExportReport:
        """Write what is new or changed, and remove the notes of what is no more.

        Raises:
            InvalidInput: ``path.unwritable``.
        """
        tally, now = _Tally(), dict[str, str]()
        try:
            if not (self.root / MARKER).exists():
                self._mark(head, {})
            with (self.root / _JOURNAL).open("a", encoding="utf-8") as journal:
                for file in files:
                    data = file.text.encode()
                    now[file.path] = digest = sha256(data).hexdigest()
                    tally.notes += file.path != OVERVIEW
                    if self._is_free(file.path, digest, tally):
                        journal.write(json.dumps([file.path, digest]) + "\n")
                        journal.flush()
                        self._write(file.path, data)
                        tally.written += 1
            notes = self._left(now, tally)
            self._mark(head, notes)
            (self.root / _JOURNAL).unlink()
        except OSError as error:
            raise path_error(UNWRITABLE, self.root, error) from error
        return ExportReport(
            str(self.root), head.transactions, format="markdown", notes=tally.notes,
            written=tally.written, unchanged=tally.unchanged, removed=tally.removed,
            kept=tuple(tally.kept),
        )  # fmt: skip

    def _is_free(self, path: str, digest: str, tally: _Tally) -> bool:
        """Whether a note is to be written, and nothing of somebody else's stands in its place."""
        place = self.root / path
        if not self._is_inside(place):
            tally.kept.append(path)
            return False
        found = _digest(place)
        if found is None:
            return True
        if found == digest:
            tally.unchanged += 1
        elif found not in self.known.get(path, ()):
            tally.kept.append(path)
        else:
            return True
        return False

    def _is_inside(self, place: Path) -> bool:
        """Whether no link on the way leads elsewhere."""
        if place.is_symlink():
            return False
        return place.parent.resolve().is_relative_to(self.root.resolve())

    def _write(self, path: str, data: bytes) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        with replaced(place) as (_, file):
            file.write(data)

    def _left(self, now: Mapping[str, str], tally: _Tally) -> dict[str, str]:
        """Remove what is no more; what the marker is to say of each note that is left."""
        notes = dict(now)
        for path in tally.kept:  # what was written there before is still all that is ours
            digests = sorted(self.known.get(path, ()))
            notes.pop(path)
            notes |= {path: digests[0]} if digests else {}
        for path in self.known.keys() - now.keys():
            place = self.root / path
            found = _digest(place) if self._is_inside(place) else None
            if found is None or self._is_also(place, now):
                continue
            if found not in self.known[path]:
                tally.kept.append(path)
                notes[path] = min(self.known[path])
                continue
            place.unlink()
            tally.removed += 1
            self._remove_empty(place.parent)
        return notes

    def _is_also(self, place: Path, now: Mapping[str, str]) -> bool:
        """Whether it is, on a system that ignores case, a note that was written just now."""
        name = place.name.casefold()
        same = (one for one in now if one.rpartition("/")[2].casefold() == name)
        return any((self.root / one).exists() and place.samefile(self.root / one) for one in same)

    def _remove_empty(self, folder: Path) -> None:
        while folder != self.root and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent

    def _mark(self, head: Head, notes: Mapping[str, str]) -> None:
        told = {"format": FORMAT, **asdict(head), "notes": dict(sorted(notes.items()))}
        with replaced(self.root / MARKER) as (_, file):
            file.write(json.dumps(told, ensure_ascii=False, indent=1).encode())


def _digest(place: Path) -> str | None:
    """That of a file; ``None`` where there is none."""
    try:
        return sha256(place.read_bytes()).hexdigest()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _read(marker: Path) -> dict[str, object]:
    try:
        told: object = json.loads(marker.read_bytes())
    except ValueError as error:
        raise InvalidInput("export.marker", path=str(marker)) from error
    known = cast("dict[str, object]", told) if isinstance(told, dict) else {}
    if known.get("format") != FORMAT or not isinstance(known.get("notes"), dict):
        raise InvalidInput("export.marker", path=str(marker))
    return known


def _journal(path: Path) -> Digests:
    """What a run that did not end may have written."""
    found: Digests = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                name, digest = json.loads(line)
            except ValueError:  # the kill came in the middle of it, before the note was written
                continue
            found.setdefault(str(name), set()).add(str(digest))
    return found
