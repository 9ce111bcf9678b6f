"""Where in which source a folder or file lies."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from unicodedata import normalize
from urllib.parse import urlsplit
from urllib.request import url2pathname

from damals.app.ledger_port import LedgerReader
from damals.app.source_model import SourceFile
from damals.app.vault.plan import Scan
from damals.domain.errors import Conflict


@dataclass(frozen=True, slots=True)
class Place:
    """A folder or file and the source that it is, or is a part of.

    Attributes:
        name: of the source.
        root: folder of the source.
        folder: path of the folder that was listed, relative to ``root``; ``""`` is ``root``.
        file: name of the one file that is meant; ``""`` for the whole folder.
    """

    name: str
    root: Path
    folder: str = ""
    file: str = ""

    def scan(self, files: Sequence[SourceFile]) -> Scan:
        """The files that were found here, with their paths in the source."""
        if self.folder:
            files = [replace(file, path=f"{self.folder}/{file.path}") for file in files]
        return Scan(files, self.root, "/".join(part for part in (self.folder, self.file) if part))


def find_place(reader: LedgerReader, path: Path, name: str | None) -> Place:
    """The source of a path: the known one that it lies in, else one of its own.

    Args:
        reader: of the workspace.
        path: an existing folder or file.
        name: of the source, if it was given; a path is a part of a source of this name only.

    Raises:
        Conflict: ``source.name_taken`` when another, existing folder is known under this name;
            ``source.name_used`` when that is hidden from who asks.
    """
    folder = path if path.is_dir() else path.parent
    file = "" if folder is path else _portable(path.name)
    # First without symbolic links: a scan lists what is in the source itself under its own path.
    root_of = cache(partial(_known_root, reader))
    real = folder.resolve()
    for below, root in (*_above(real), *_above(folder.absolute())):
        source = name or root.name
        # Nor does one follow a link that leads out: what it leads to is a source of its own.
        if source and real.is_relative_to(root) and root_of(source) == root.as_uri():
            return Place(source, root, below, file)
    root = real
    source = name or root.name or "vault"
    known = root_of(source)
    taken = _known_root(reader.unrestricted(), source)
    if known is None and taken not in (None, root.as_uri()) and _is_there(taken):
        raise Conflict("source.name_used", name=source)  # by what this asker does not see
    if known is not None and _is_there(known):
        raise Conflict("source.name_taken", name=source, known=known, path=str(root))
    return Place(source, root, "", file)


def _is_there(uri: str) -> bool:
    return Path(url2pathname(urlsplit(uri).path)).is_dir()


def _above(folder: Path) -> Iterator[tuple[str, Path]]:
    """A folder and those it lies in, nearest first, each with the path from there to it.

    What lies in a hidden folder is not a part of what lies above.
    """
    below: list[str] = []
    while True:
        yield _portable("/".join(reversed(below))), folder.resolve()
        if folder.name.startswith(".") or folder.name in ("", ".."):
            return
        below.append(folder.name)
        folder = folder.parent


def _known_root(reader: LedgerReader, source: str) -> str | None:
    """Address of the folder of a source, as its last imported note tells it."""
    notes = [note for note in reader.source_notes(source) if note.attributes.source.uri]
    if not notes:
        return None
    newest = max(notes, key=lambda note: note.attributes.source.imported_at or 0)
    return newest.attributes.source.uri


def _portable(path: str) -> str:
    """A path as it is stored; see the scan of a vault."""
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return normalize("NFC", text)
