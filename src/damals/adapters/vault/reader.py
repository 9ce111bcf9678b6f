"""The reader of Markdown vaults."""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path, PurePosixPath
from unicodedata import normalize

from damals.adapters.vault.canvas import read_canvas
from damals.adapters.vault.digests import file_digest
from damals.adapters.vault.frontmatter import Frontmatter, split_frontmatter
from damals.adapters.vault.links import field_links, find_links
from damals.adapters.vault.markdown import first_title
from damals.adapters.vault.scan import note_path, scan_notes
from damals.app.source_model import FieldLinks, ParsedNote, SourceFile
from damals.app.vault.exported import without_history
from damals.app.vault.fields import HISTORY, ORIGIN, SOURCE_ID
from damals.app.vault.file_kinds import MAX_NOTE_BYTES, is_canvas
from damals.domain.entries import Json
from damals.domain.errors import InvalidInput
from damals.domain.names import is_tag

_LINE_END = re.compile(r"\r\n?")
_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


class VaultReader:
    """Reads Markdown notes the way Obsidian and its relatives write them (a ``NoteReader``)."""

    def __init__(self, digest_of: Callable[[Path], str] = file_digest) -> None:
        """A reader.

        Args:
            digest_of: gives the digest of a file; one that remembers spares reading them all again.
        """
        self._digest_of = digest_of

    def scan(self, root: Path) -> Iterable[SourceFile]:
        """The notes below ``root``; see :func:`damals.adapters.vault.scan.scan_notes`."""
        return scan_notes(root, self._digest_of)

    def note_path(self, parts: Sequence[str]) -> str | None:
        """See :func:`damals.adapters.vault.scan.note_path`."""
        return note_path(parts)

    def parse(self, file: SourceFile) -> ParsedNote:
        """What one file says.

        Raises:
            InvalidInput: ``vault.unreadable``, ``vault.same_path``, ``vault.too_large``,
                ``vault.canvas_shape``, ``vault.canvas``, ``vault.not_utf8`` or ``vault.nul``, with
                ``path`` and, for the last three, ``line``.
        """
        if file.failure is not None:
            raise InvalidInput(file.failure, path=file.path)
        data = _read(file)
        digest = sha256(data).hexdigest() if file.data is None else ""
        text = _decode(file, data)
        if is_canvas(file.path):
            return _canvas_note(text, file.path, digest)
        front = split_frontmatter(text)
        if HISTORY in front.fields:
            front = replace(front, body=without_history(front.body))
        found = find_links(front.body, front.body_line)
        tags, numbers = _front_tags(front)
        told = (("vault.tag_number", 1),) if numbers else ()
        return ParsedNote(
            title=_title(front, file.path),
            body=front.body,
            body_line=front.body_line,
            fields=front.fields,
            properties={**front.properties, "tags": numbers} if numbers else front.properties,
            links=() if front.template else found.links,
            tags=_once((*tags, *found.tags)),
            warnings=(*front.warnings, *told),
            field_links=dict(_field_links({**front.properties, **_original(front.fields)})),
            digest=digest,
            unsure=front.unsure,
        )


def _canvas_note(text: str, path: str, digest: str) -> ParsedNote:
    canvas = read_canvas(text, path)
    return ParsedNote(
        title=PurePosixPath(path).stem,
        body=canvas.text,
        body_line=1,
        fields={},
        properties={},
        links=canvas.links,
        tags=_once(canvas.tags),
        warnings=(("vault.canvas_parts", None),) if canvas.unread else (),
        arrows=canvas.arrows,
        digest=digest,
    )


def _read(file: SourceFile) -> bytes:
    data = file.data
    try:
        if data is None:
            with file.location.open("rb") as stream:
                data = stream.read(MAX_NOTE_BYTES + 1)
    except OSError as error:
        raise InvalidInput("vault.unreadable", path=file.path) from error
    if len(data) > MAX_NOTE_BYTES:
        raise InvalidInput("vault.too_large", path=file.path, limit_mib=MAX_NOTE_BYTES // 1024**2)
    return data


def _decode(file: SourceFile, data: bytes) -> str:
    r"""Text with ``\n`` as its only line end, without byte order mark."""
    encoding = _UTF16.get(data[:2], "utf-8")
    data = data.removeprefix(codecs.BOM_UTF8) if encoding == "utf-8" else data[2:]
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        before = data[: error.start].decode(encoding, "replace")
        raise InvalidInput("vault.not_utf8", path=file.path, line=_line_after(before)) from error
    if (nul := text.find("\0")) >= 0:
        raise InvalidInput("vault.nul", path=file.path, line=_line_after(text[:nul]))
    return _LINE_END.sub("\n", text) if "\r" in text else text


def _line_after(text: str) -> int:
    return _LINE_END.sub("\n", text).count("\n") + 1


def _title(front: Frontmatter, path: str) -> str:
    given = front.fields.get("title")
    if isinstance(given, str) and given.strip():
        return " ".join(given.split())
    heading = None if front.template else first_title(front.body)
    return heading or PurePosixPath(path).stem


def _once(tags: Iterable[str]) -> tuple[str, ...]:
    once: dict[str, str] = {}
    for tag in tags:
        once.setdefault(normalize("NFC", normalize("NFC", tag).casefold()), tag)
    return tuple(once.values())


def _original(fields: Mapping[str, Json]) -> Mapping[str, Json]:
    """The one field that means something and may be a link."""
    return {name: fields[name] for name in (SOURCE_ID,) if name in fields}


def _field_links(properties: Mapping[str, Json]) -> Iterator[tuple[str, FieldLinks]]:
    for name, value in properties.items():
        found = field_links(value)
        if found.links:
            yield name, found


def _front_tags(front: Frontmatter) -> tuple[list[str], list[Json]]:
    """The tags of a frontmatter, and what stands among them and is a number.

    What an export wrote was told as a tag, whatever it says.
    """
    given = list(_listed_tags(front.fields))
    if ORIGIN in front.properties:
        return given, []
    tags = [tag for tag in given if is_tag(tag)]
    return tags, list[Json](tag for tag in given if not is_tag(tag))


def _listed_tags(fields: Mapping[str, Json]) -> Iterator[str]:
    value = fields.get("tags")
    if isinstance(value, str):
        value = list[Json](value.split(","))
    pending: list[Json] = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, list):
            pending.extend(reversed(item))
        elif isinstance(item, str):
            # "#a #b" are two tags, "lange Reise" is one.
            for part in re.split(r"\s+(?=#)", item.strip()):
                if tag := part.lstrip("#").strip().rstrip("/"):
                    yield tag
