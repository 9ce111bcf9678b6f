"""What is kept about a person."""

from collections.abc import Mapping
from dataclasses import dataclass

from damals.app.result import Result
from damals.app.results import VersionView
from damals.domain.entries import Json


@dataclass(frozen=True, slots=True)
class Subject(Result):
    """The person.

    Attributes:
        names: by which they were looked for: titles and aliases, also former ones.
    """

    id: str
    external_id: str | None
    title: str
    type: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RelationOf(Result):
    """A relation of the person, as it was or is known.

    Attributes:
        direction: ``out`` when it leads from the person, else ``in``.
        recorded_to: ``None`` while it is known.
    """

    type: str
    direction: str
    entry_id: str
    title: str | None
    valid_from: str | None
    valid_to: str | None
    recorded_from: str
    recorded_to: str | None
    confidence: float
    derived: bool


@dataclass(frozen=True, slots=True)
class MentionAt(Result):
    """Where a name stands.

    Attributes:
        field: of the entry: ``title``, ``content``, ``tags``, ``properties``, ``key``, …
        line, start: of a content: its line from 1, and the offset in characters.
        quote: the name with what stands around it.
        recorded_from, recorded_to: since when and until when it was known to stand there.
    """

    OPTIONAL = frozenset({"line", "start"})

    field: str
    quote: str
    recorded_from: str
    recorded_to: str | None
    line: int | None = None
    start: int | None = None


@dataclass(frozen=True, slots=True)
class MentionedIn(Result):
    """An entry that mentions the person.

    Attributes:
        source, path: of the file that it came from.
    """

    entry_id: str
    title: str
    type: str
    source: str | None
    path: str | None
    places: tuple[MentionAt, ...]


@dataclass(frozen=True, slots=True)
class Deed(Result):
    """A transaction that changed the person's entry, or names them.

    Attributes:
        operations: on the person's entry.
        why: it is told: ``entry``, ``actor`` or ``reason``.
    """

    number: int
    recorded_at: str
    actor: str
    reason: str | None
    operations: tuple[str, ...]
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Access(Result):
    """That the person's entry was returned to somebody; ``None`` is the owner."""

    accessed_at: str
    channel: str
    principal: str | None


@dataclass(frozen=True, slots=True)
class AnswerKept(Result):
    """An answer that is kept, and names the person's entry or was asked about them."""

    id: str
    kind: str
    created_at: str
    principal: str | None
    question: str | None


@dataclass(frozen=True, slots=True)
class SourceOf(Result):
    """Where the person's entry came from, once or now."""

    kind: str
    name: str | None
    path: str | None
    uri: str | None


@dataclass(frozen=True, slots=True)
class KeyOf(Result):
    """A key of the home that is called like the person."""

    name: str
    roles: tuple[str, ...]
    created_at: str
    revoked_at: str | None


@dataclass(frozen=True, slots=True)
class PersonExport(Result):
    """Everything that is kept about a person, as far as who asks may see it.

    Attributes:
        format: of this document.
        made_for: who asked for it.
        verifications: of the person's entry: when, with what score, against what.
    """

    format: int
    workspace: str
    made_at: str
    made_for: str
    transactions: int
    person: Subject
    versions: tuple[VersionView, ...]
    relations: tuple[RelationOf, ...]
    mentions: tuple[MentionedIn, ...]
    transactions_about: tuple[Deed, ...]
    accesses: tuple[Access, ...]
    answers: tuple[AnswerKept, ...]
    sources: tuple[SourceOf, ...]
    keys: tuple[KeyOf, ...]
    verifications: tuple[Mapping[str, Json], ...] = ()
