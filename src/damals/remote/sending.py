"""What is to be imported: named to the server, or sent to it."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, TypedDict

from damals.app.errors import InvalidInput
from damals.app.paths import existing, path_error
from damals.app.vault.file_kinds import is_events
from damals.remote.connection import Message
from damals.remote.encoding import body, segment

NDJSON: Final = "application/x-ndjson"
PIECE_BYTES: Final = 1 << 16


class WantedImport(TypedDict):
    """The parameters of an import beside its path; see :meth:`damals.api.Damals.import_`."""

    source: str
    name: str | None
    dry_run: bool
    prune: bool
    history: bool
    readmit: bool
    wait: bool


def imports_of(workspace: str) -> str:
    """Where imports into a workspace are asked for."""
    return f"/v1/workspaces/{segment(workspace)}/imports"


def import_request(route: str, path: str | Path, given: WantedImport, *, here: bool) -> Message:
    """The request that asks for an import.

    Args:
        route: path of the imports of a workspace.
        path: what is to be imported.
        given: the other parameters.
        here: the server sees the same files as this process.

    Raises:
        InvalidInput, NotFound: the path leads to nothing that can be read.
    """
    if here:
        location = os.path.abspath(existing(path))  # noqa: PTH100 -- links stay as they were given
        return Message("POST", route, content=body({"path": location, **_said(given)}))
    source = given["source"]
    if source == "events" or (source == "auto" and is_events(Path(path))):
        return _upload(route, path, given)
    return Message("POST", route, content=body({"path": str(path), **_said(given)}))


def _upload(route: str, path: str | Path, given: WantedImport) -> Message:
    location = existing(path)
    if location.is_dir():
        raise InvalidInput("events.not_a_file", path=str(path))
    if given["dry_run"] or given["prune"] or given["history"]:
        raise InvalidInput("import.events_options")
    asked = (("readmit", "true"),) if given["readmit"] else ()
    return Message("POST", route, asked, upload=lambda: _pieces(location), content_type=NDJSON)


def _pieces(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while piece := file.read(PIECE_BYTES):
                yield piece
    except OSError as error:
        raise path_error("path.unreadable", path, error) from error


def _said(given: Mapping[str, object]) -> dict[str, object]:
    """The parameters that say anything."""
    return {name: value for name, value in given.items() if value not in (None, False)}
