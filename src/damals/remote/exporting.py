"""An export, written to a file of this machine as it comes."""

from pathlib import Path

from damals.app.results import ExportReport
from damals.app.writing import replaced
from damals.remote.connection import Connection, Message
from damals.remote.failures import Unreachable


def fetched(connection: Connection, route: str, path: str | Path) -> ExportReport:
    """Write the events of a workspace to a file, which appears when it is whole.

    Raises:
        InvalidInput, NotFound: the file cannot be written.
        Unreachable: the server ended before the export did.
    """
    count, last = 0, b"\n"
    with replaced(path) as (location, file), connection.stream(Message("GET", route)) as said:
        for piece in said.iter_bytes():
            file.write(piece)
            count += piece.count(b"\n")
            last = piece[-1:] or last
        if last != b"\n":
            raise Unreachable("remote.answer", url=connection.url)
    return ExportReport(str(location), count)
