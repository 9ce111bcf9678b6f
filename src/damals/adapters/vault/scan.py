"""Walking a folder for notes: which files there are, under which path, with which digest."""

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from unicodedata import normalize

from damals.adapters.vault.digests import file_digest
from damals.app.source_model import SourceFile
from damals.app.vault.file_kinds import is_note
from damals.domain.errors import InvalidInput, NotFound


@dataclass(slots=True)
class _Walk:
    """What has been met so far. Real folders and files win over links to them.

    Attributes:
        root: the folder of the vault, without symbolic links.
    """

    root: str
    found: list[tuple[str, Path, str | None]] = field(
        default_factory=list[tuple[str, Path, str | None]]
    )
    folders: set[str] = field(default_factory=set[str])
    files: set[str] = field(default_factory=set[str])
    linked: list[tuple[Path, tuple[str, ...]]] = field(
        default_factory=list[tuple[Path, tuple[str, ...]]]
    )


def scan_notes(root: Path, digest_of: Callable[[Path], str] = file_digest) -> Iterator[SourceFile]:
    """The notes below ``root`` in the order of their paths, or ``root`` itself if it is one.

    Hidden files and folders are left out, every folder and file is listed once however many
    symbolic links lead to it. What cannot be read is listed with its failure: also folders, links
    that lead nowhere, for there may be notes behind them, and links that lead out of ``root``,
    which are not followed: what lies there nobody has named.

    Raises:
        NotFound: ``source.missing``.
        InvalidInput: ``source.not_a_folder``, or ``vault.unreadable`` for ``root`` itself.
    """
    if not root.exists():
        raise NotFound("source.missing", path=str(root))
    found: list[tuple[str, Path, str | None]]
    if root.is_dir():
        found = _walk(root)
    elif root.is_file() and is_note(root.name):
        found = [(_portable((root.name,)), root, None)]
    else:
        raise InvalidInput("source.not_a_folder", path=str(root))
    return _with_digests(found, digest_of)


def _walk(root: Path) -> list[tuple[str, Path, str | None]]:
    walk = _Walk(os.path.realpath(root))
    pending: list[tuple[Path, tuple[str, ...]]] = [(root, ())]
    while pending or walk.linked:
        if not pending:
            _visit_linked(walk, pending)
            continue
        folder, parts = pending.pop()
        real = os.path.realpath(folder)
        if real not in walk.folders:
            walk.folders.add(real)
            _list_folder(walk, (folder, real), parts, pending)
    return sorted(walk.found, key=lambda item: (item[0], str(item[1])))


def _list_folder(
    walk: _Walk,
    place_of: tuple[Path, str],
    parts: tuple[str, ...],
    pending: list[tuple[Path, tuple[str, ...]]],
) -> None:
    """List a folder that lies at a path, and really at another."""
    folder, real = place_of
    try:
        with os.scandir(folder) as entries:
            listed = sorted(entries, key=lambda entry: entry.name, reverse=True)
    except OSError as error:
        if not parts:
            raise InvalidInput("vault.unreadable", path=str(folder)) from error
        walk.found.append((_portable(parts), folder, "vault.unreadable"))
        return
    for entry in listed:
        if entry.name.startswith("."):
            continue
        place = (folder / entry.name, (*parts, entry.name))
        if entry.is_symlink():
            walk.linked.append(place)
        elif entry.is_dir(follow_symlinks=False):
            pending.append(place)
        elif entry.is_file(follow_symlinks=False) and is_note(entry.name):
            walk.files.add(os.path.join(real, entry.name))  # noqa: PTH118 -- a text, as realpath gives
            walk.found.append((_portable(place[1]), place[0], None))


def _visit_linked(walk: _Walk, pending: list[tuple[Path, tuple[str, ...]]]) -> None:
    """Follow the next symbolic link, after everything that is no link has been met."""
    path, parts = walk.linked.pop()
    try:
        mode = path.stat().st_mode
    except OSError:  # a dangling link, or one that leads to itself
        walk.found.append((_portable(parts), path, "vault.unreadable"))
        return
    real = os.path.realpath(path)
    listed = stat.S_ISDIR(mode) or (stat.S_ISREG(mode) and is_note(path.name))
    if listed and not lies_in(walk.root, real):
        walk.found.append((_portable(parts), path, "vault.outside"))
    elif stat.S_ISDIR(mode):
        pending.append((path, parts))
    elif listed and real not in walk.files:
        walk.files.add(real)
        walk.found.append((_portable(parts), path, None))


def lies_in(folder: str, path: str) -> bool:
    """Whether a path is a folder or lies in it; both without symbolic links."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _with_digests(
    found: list[tuple[str, Path, str | None]], digest_of: Callable[[Path], str]
) -> Iterator[SourceFile]:
    previous = None
    for path, location, known_failure in found:
        digest, failure = "", known_failure
        if failure is None and path == previous:
            failure = "vault.same_path"
        if failure is None:
            try:
                digest = digest_of(location)
            except OSError:
                failure = "vault.unreadable"
        previous = path
        yield SourceFile(path=path, location=location, digest=digest, failure=failure)


def note_path(parts: Sequence[str]) -> str | None:
    """The path under which a file at these names below a root is stored; ``None`` for no note.

    Names as :func:`os.fsdecode` gives them.
    """
    hidden = any(part.startswith(".") for part in parts)
    return None if hidden or not parts or not is_note(parts[-1]) else _portable(tuple(parts))


def _portable(parts: tuple[str, ...]) -> str:
    """Path as stored: ``/`` between the parts, NFC, bytes that are no UTF-8 written out."""
    path = "/".join(parts).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return normalize("NFC", path)
