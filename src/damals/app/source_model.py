"""What use cases and source adapters say to each other: files and parsed notes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
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
        data: its bytes, when they are those of a time at which they lay elsewhere.
    """

    path: str
    location: Path
    digest: str
    failure: str | None = None
    data: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a note to another, as written.

    Attributes:
        target: the name it points at, trimmed, without heading, block or alias; ``""`` is the
            note itself.
        fragment: heading path or ``^block`` behind ``#``, else ``None``.
        embed: ``![[…]]``.
        start, end: offsets of the whole link in the note's body, in characters; of a link in a
            field of the frontmatter, in that text.
        line: its line in the file, from 1; of a link in a field, in that text.
        markdown: written ``[text](path)``, so it is relative to its note first.
        label: what stands in front of it as the name of a relation, as written, else ``None``;
            whether there is a relation of that name is another question.
        hidden: it stands in a comment (``%%…%%``), so it has no label: a comment states nothing.
        quoted: it names the source of a quote.
    """

    target: str
    fragment: str | None
    embed: bool
    start: int
    end: int
    line: int
    markdown: bool = False
    label: str | None = None
    hidden: bool = False
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class FieldLinks:
    """Links in the value of a frontmatter field.

    Attributes:
        links: of all its items, in order.
        rest: the items that say more than links, as the field's value would be without the others;
            ``None`` when nothing is left.
    """

    links: tuple[Link, ...]
    rest: Json = None


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow of a canvas between two notes.

    Attributes:
        start, end: their paths below the root, without suffix.
        label: what stands on it; ``""`` for nothing.
    """

    start: str
    end: str
    label: str


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
        links: wikilinks and Markdown links to notes in the body, in order.
        tags: of frontmatter and text, as written without ``#``, each once (compared folded).
        warnings: problems that did not stop it: (message key, line or ``None``).
        field_links: of each of the ``properties``, and of ``source_id``, in which there are any.
        arrows: of a canvas; ``None`` for a note that is none.
        unsure: its frontmatter may say who may see it, but not in a way that can be relied on: it
            cannot be read, or says it twice.
        digest: as :attr:`SourceFile.digest`, of the bytes that were read just now: somebody may
            have saved the file since it was listed. Empty when its bytes were given.
    """

    title: str
    body: str
    body_line: int
    fields: Mapping[str, Json]
    properties: Mapping[str, Json]
    links: tuple[Link, ...]
    tags: tuple[str, ...]
    warnings: tuple[tuple[str, int | None], ...] = ()
    field_links: Mapping[str, FieldLinks] = field(default_factory=dict[str, FieldLinks])
    arrows: tuple[Arrow, ...] | None = None
    digest: str = ""
    unsure: bool = False
