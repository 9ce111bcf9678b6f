"""Notes of an export on their way to another process: one JSON document a line."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import cast

from damals.app.markdown_export.model import FORMAT, Head, NoteFile


def lines_of(head: Head, files: Iterable[NoteFile]) -> Iterator[bytes]:
    """The head, each note, and an end that says that nothing is missing."""
    yield _line({"format": FORMAT, **asdict(head)})
    for file in files:
        yield _line(asdict(file))
    yield _line({"end": True})


def _line(told: object) -> bytes:
    return json.dumps(told, ensure_ascii=False).encode() + b"\n"


class CutShort(Exception):
    """The end did not come, or what came was no export."""


def head_in(line: str) -> Head:
    """The head that the first line tells.

    Raises:
        CutShort: it tells none.
    """
    told = _told(line)
    try:
        told.pop("format")
        return Head(**told)  # pyright: ignore[reportArgumentType] -- checked by name
    except (KeyError, TypeError) as error:
        raise CutShort from error


def files_in(lines: Iterable[str]) -> Iterator[NoteFile]:
    """The notes that the other lines tell.

    Raises:
        CutShort: they do not end as they should.
    """
    for line in lines:
        told = _told(line)
        if "end" in told:
            return
        try:
            yield NoteFile(**told)  # pyright: ignore[reportArgumentType] -- checked by name
        except TypeError as error:
            raise CutShort from error
    raise CutShort


def _told(line: str) -> dict[str, object]:
    try:
        told: object = json.loads(line)
    except ValueError as error:
        raise CutShort from error
    if not isinstance(told, dict):
        raise CutShort
    return cast("dict[str, object]", told)
