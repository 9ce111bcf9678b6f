"""An export, written to this machine as it comes."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from damals.app.export_results import ExportReport
from damals.app.exporting import Wanted, wanted
from damals.app.markdown_export.folder import Folder
from damals.app.markdown_export.wire import CutShort, files_in, head_in
from damals.app.paths import given_path
from damals.app.person_export.model import PersonExport
from damals.app.person_export.writing import write_person
from damals.app.wire import from_wire
from damals.app.writing import replaced
from damals.remote.connection import Connection, Message
from damals.remote.encoding import query
from damals.remote.failures import Unreachable


def fetched(
    connection: Connection, route: str, path: str | Path, options: Mapping[str, object]
) -> ExportReport:
    """Write the export of a workspace to a file or folder of this machine.

    A file appears when it is whole; of a folder no note is removed before all have come.

    Raises:
        InvalidInput, NotFound, Conflict: as of :meth:`damals.api.exports.Exports.export`.
        Unreachable: the server ended before the export did.
    """
    asked = wanted(options)
    to = str(given_path(path).absolute())  # so that an erasure can name it
    message = Message("GET", route, query({**options, "lang": asked.lang, "to": to}))
    with connection.stream(message) as said:
        try:
            return _written(said, path, asked)
        except (CutShort, KeyError, TypeError, ValueError) as error:
            raise Unreachable("remote.answer", url=connection.url) from error


def _written(said: Any, path: str | Path, asked: Wanted) -> ExportReport:  # noqa: ANN401 -- httpx2 is loaded when needed
    if asked.kind == "markdown":
        lines: Iterator[str] = said.iter_lines()
        head = head_in(next(lines, ""))
        return Folder.at(path, head).bring_up_to_date(files_in(lines), head)
    if asked.kind == "person":
        told = from_wire(PersonExport, json.loads(said.read()))
        return write_person(told, path, asked.lang)
    count, last = 0, b"\n"
    with replaced(path) as (location, file):
        for piece in said.iter_bytes():
            file.write(piece)
            count += piece.count(b"\n")
            last = piece[-1:] or last
        if last != b"\n":
            raise CutShort
    return ExportReport(str(location), count)
