"""Resources: whole entries and notes, for what a tool has cut."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from damals.api import Damals
from damals.app.errors import InvalidInput, NotFound
from damals.app.results import Entry
from damals.app.seen_results import SeenEntry
from damals.interfaces.mcp.compact import address

ENTRY, NOTE = "entry", "note"

TEMPLATES: Final = {
    ENTRY: ("entry://{id}{?as_of,known_at}", "application/json"),
    NOTE: ("note://{+path}{?as_of,known_at}", "text/markdown"),
}
"""Address and media type of each kind; what they are is in the catalogues."""

INSTANTS: Final = ("as_of", "known_at")

LISTED: Final = 50
"""How many entries a page of the listing has."""

SEARCHED: Final = 20
"""How many results are looked through for the note of a path, before all entries are."""


@dataclass(frozen=True, slots=True)
class Text:
    """What a resource holds."""

    mime_type: str
    text: str


@dataclass(frozen=True, slots=True)
class Listed:
    """A resource as it is listed."""

    uri: str
    name: str
    mime_type: str


def read(memory: Damals, uri: str) -> list[Text]:
    """What is at an address: one text, or those of all notes that have this path.

    Raises:
        NotFound: nothing is there.
        InvalidInput: ``mcp.uri`` for an address of another kind.
    """
    try:
        parts = urlsplit(uri)
        pair = dict(parse_qsl(parts.query, strict_parsing=True)) if parts.query else {}
    except ValueError as error:
        raise InvalidInput("mcp.uri", uri=uri) from error
    name = unquote(parts.netloc + parts.path)
    if parts.scheme not in TEMPLATES or not name or not set(pair) <= set(INSTANTS):
        raise InvalidInput("mcp.uri", uri=uri)
    mime_type = TEMPLATES[parts.scheme][1]
    if parts.scheme == ENTRY:
        return [Text(mime_type, _document(memory.get(name, **pair)))]
    return [Text(mime_type, entry.content) for entry in _notes(memory, name, pair)]


def listing(memory: Damals, cursor: str | None) -> tuple[list[Listed], str | None]:
    """A page of the entries that hold now, and the cursor of the next; none without a home."""
    try:
        page = memory.entries(limit=LISTED, cursor=cursor)
    except NotFound as error:
        if error.key != "home.missing":
            raise
        return [], None
    return [_listed(entry) for entry in page], page.next


def _listed(entry: Entry) -> Listed:
    if entry.source.kind == "vault" and entry.source.path:
        return Listed(f"note://{quote(entry.source.path)}", entry.title, TEMPLATES[NOTE][1])
    return Listed(address(entry.id), entry.title, TEMPLATES[ENTRY][1])


def _document(entry: SeenEntry) -> str:
    """An entry, and in it what is to be minded."""
    minded = {"caveats": list(entry.caveats)} if entry.caveats else {}
    return json.dumps(entry.to_dict() | minded, ensure_ascii=False)


def _notes(memory: Damals, path: str, pair: dict[str, str]) -> list[Entry]:
    """The notes of a path: found by their name, or else looked for among all entries."""
    query = PurePosixPath(path).stem
    hits = memory.recall(query, path=path, limit=SEARCHED, **pair)  # pyright: ignore[reportArgumentType] -- instants by their names
    found = [hit.entry for hit in hits if hit.entry.source.path == path]
    found = found or [e for e in _all(memory, pair) if e.source.path == path]
    if not found:
        raise NotFound("mcp.note_unknown", path=path)
    return found


def _all(memory: Damals, pair: dict[str, str]) -> Iterator[Entry]:
    for page in memory.pages(limit=1_000, **pair):
        yield from page
