"""What use cases and source adapters say to each other: files and parsed notes."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from damals.domain.entries import Json


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of a source, before it is parsed.

    Attributes:
        path: relative to the source's root, ``/``-separated, NFC.
        location: where its bytes are.
        digest: SHA-256 of its bytes, hex; empty when it could not be read.
        failure: key of the message that says why it could not be read, else ``None``.
    """

    path: str
    location: Path
    digest: str
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a note to another, as written.

    Attributes:
        target: the name it points at, trimmed, without heading, block or alias; ``""`` is the
            note itself.
        fragment: heading path or ``^block`` behind ``#``, else ``None``.
        embed: ``![[…]]``.
        start, end: offsets of the whole link in the note's body, in characters.
        line: its line in the file, from 1.
    """

    target: str
    fragment: str | None
    embed: bool
    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class ParsedNote:
    """What one file says.

    Attributes:
        title: of the frontmatter, else the first heading, else the file's stem.
        body: the text behind the frontmatter, exactly as it stands (line ends are line feeds).
        body_line: line of the file at which the body begins, from 1.
        fields: the frontmatter's fields that mean something to damals, values as text, list or
            mapping, never converted to dates or numbers by YAML; keys as written, casefolded.
        properties: all other frontmatter fields.
        links: wikilinks and Markdown links to notes, in order.
        tags: of frontmatter and text, as written without ``#``, each once (compared folded).
        warnings: problems that did not stop it: (message key, line or ``None``).
    """

    title: str
    body: str
    body_line: int
    fields: Mapping[str, Json]
    properties: Mapping[str, Json]
    links: tuple[Link, ...]
    tags: tuple[str, ...]
    warnings: tuple[tuple[str, int | None], ...] = ()
