"""Reading ``types.yaml``: the packaged file, then that of the home, then that of the vault.

Each file is checked as it is put onto those before it, so whatever is wrong afterwards was said by
this file, and is reported with its line.
"""

from importlib.resources import files
from pathlib import Path
from typing import Final

from damals.adapters.files.types_keys import SECTIONS, TypesFile, read_derive, read_names
from damals.adapters.files.types_merge import Merged
from damals.adapters.files.yaml_nodes import Node, read_nodes
from damals.app.types_model import LoadedTypes, TypesOrigin
from damals.domain.errors import InvalidInput

FOLDER: Final = ".damals"
FILE: Final = "types.yaml"
MAX_BYTES: Final = 256 * 1024


class TypeFiles:
    """The types of a home, and of vaults (port ``Types``)."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._read: dict[tuple[Path | None, ...], LoadedTypes] = {}
        self._stamps: dict[tuple[Path | None, ...], tuple[_Stamp, ...]] = {}

    def load(self, vault: Path | None = None) -> LoadedTypes:
        """The types in force; see :meth:`damals.app.types_model.Types.load`.

        Files that are as they were when they were read last are not read again: every request
        asks which relations its asker may see.
        """
        known = self._home / FOLDER / FILE
        own = vault if vault is None or vault.is_file() else vault / FOLDER / FILE
        if own is not None and own.absolute() == known.absolute():
            own = None
        stamps = (_stamp(known), _stamp(own))
        if self._stamps.get((known, own)) != stamps or (known, own) not in self._read:
            self._read[known, own] = _merged(known, own)
            self._stamps[known, own] = stamps
        return self._read[known, own]


_Stamp = tuple[int, ...] | None
"""By which it shows that a file was changed; ``None`` when there is none."""


def _stamp(path: Path | None) -> _Stamp:
    if path is None:
        return None
    try:
        found = path.stat()
    except OSError:  # whatever is wrong with it is said when it is read
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _merged(known: Path, own: Path | None) -> LoadedTypes:
    merged = Merged()
    packaged = files("damals").joinpath(FILE)
    _add(merged, "packaged", str(packaged), packaged.read_text(encoding="utf-8"))
    _add_file(merged, "home", known)
    if own is not None:
        _add_file(merged, "vault", own)
    return merged.loaded()


def _add_file(merged: Merged, origin: TypesOrigin, path: Path) -> None:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        cause = error.strerror or type(error).__name__
        raise InvalidInput("types.unreadable", path=str(path), cause=cause) from error
    if len(data) > MAX_BYTES:
        raise InvalidInput("types.too_large", path=str(path), limit_kib=MAX_BYTES // 1024)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput("types.yaml", path=str(path), line=line, reason="UTF-8") from error
    _add(merged, origin, str(path), text)


def _add(merged: Merged, origin: TypesOrigin, path: str, text: str) -> None:
    file = TypesFile(path)
    merged.begin(origin, path)
    said = _sections(file, read_nodes(text, path))
    # Layers first: types name them.
    if "layers" in said:
        merged.add_layers(read_names(file, said["layers"], "layers"))
    for name in ("types", "relations", "domains"):
        if name in said:
            merged.add_section(file, name, said[name])
    if "derive" in said:
        merged.derive = read_derive(file, said["derive"])
    merged.check(file)


def _sections(file: TypesFile, document: Node | None) -> dict[str, Node]:
    if document is None or document.null:
        return {}
    found = {name: node for name, _, node in file.pairs(document, "", SECTIONS)}
    return {name: node for name, node in found.items() if not node.null}
