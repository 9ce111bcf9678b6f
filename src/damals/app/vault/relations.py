"""The relations that a note states: typed links in frontmatter and text, plain links, and arrows.

A link states the relation whose name stands in front of it, if ``types.yaml`` declares one of that
name; every other link is ``links_to``. A name that is declared as the inverse of another is a
relation of its own: it is not turned round, since a relation belongs to the note that states it,
and goes when that note no longer does.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from damals.app.linking import LinkResolver, Resolution
from damals.app.ports import Chunker
from damals.app.source_model import FieldLinks, Link, ParsedNote
from damals.app.translations import TRANSLATION_OF, originals
from damals.domain.chunks import Chunk
from damals.domain.entries import Json
from damals.domain.ids import placeholder_id
from damals.domain.operations import CUTTING_RELATIONS
from damals.domain.types import LINKS_TO, TypeCatalogue


@dataclass(frozen=True, slots=True)
class Said:
    """A link of a note, and what it states.

    Attributes:
        in_body: it stands in the text, which then is its evidence.
        drawn: it is an arrow that leads from the note on a canvas.
    """

    relation: str
    link: Link
    in_body: bool = True
    drawn: bool = False


@dataclass(frozen=True, slots=True)
class Stated:
    """What a note states.

    Attributes:
        said: its links, those of the frontmatter first.
        properties: its properties, without what is a relation.
        unread: fields that are relations, and say something that is no link.
    """

    said: tuple[Said, ...]
    properties: Mapping[str, Json]
    unread: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Relations:
    """The relations of a note, resolved.

    Attributes:
        params: as an operation takes them, one for each relation to each other note.
        warnings: what about its links is doubtful: message key, values.
    """

    params: tuple[Mapping[str, object], ...]
    warnings: tuple[tuple[str, Mapping[str, object]], ...] = ()

    @property
    def cut(self) -> bool:
        """Whether one of them takes over from another note."""
        return any(one["type"] in CUTTING_RELATIONS for one in self.params)


def stated(parsed: ParsedNote, types: TypeCatalogue) -> Stated:
    """The links of a parsed note with their relations."""
    said: list[Said] = []
    unread: list[str] = []
    properties = dict(parsed.properties)
    for name, value in parsed.properties.items():
        relation = types.find_relation(name)
        found = parsed.field_links.get(name) or FieldLinks((), value)
        if relation is None:
            said += [Said(LINKS_TO, link, in_body=False) for link in found.links]
            continue
        said += [Said(relation.name, link, in_body=False) for link in found.links]
        del properties[name]
        if found.rest not in (None, "", [], {}):
            properties[name] = found.rest
            unread.append(name)
    said += [Said(TRANSLATION_OF, link, in_body=False) for link in originals(parsed, types)]
    said += [Said(_relation(link, types), link) for link in parsed.links]
    return Stated(tuple(said), properties, tuple(unread))


def _relation(link: Link, types: TypeCatalogue) -> str:
    found = types.find_relation(link.label) if link.label else None
    return found.name if found else LINKS_TO


@dataclass(frozen=True, slots=True)
class Linking:
    """What links are resolved with.

    Attributes:
        workspace: whose placeholders unresolved links point at.
    """

    workspace: str
    resolver: LinkResolver
    chunker: Chunker


def resolved(
    said: tuple[Said, ...], path: str, linking: Linking
) -> Iterator[tuple[Said, UUID, Resolution]]:
    """Each link with the entry or placeholder it means, and how that was found."""
    for one in said:
        link = one.link
        if link.target:
            means = linking.resolver.resolve(link.target, path, relative_first=link.markdown)
            if means.entry_id is None and one.relation == TRANSLATION_OF:
                means = linking.resolver.by_id(link.target)
            yield one, means.entry_id or placeholder_id(linking.workspace, link.target), means


def relations_of(
    said: tuple[Said, ...], body: str, note: tuple[UUID, str], linking: Linking
) -> Relations:
    """The links of a note as declared relations, one for each relation to each note.

    Args:
        said: its links.
        body: its text, in which the chunks that show them are found.
        note: its id and path.
        linking: what the links are resolved with.
    """
    entry_id, path = note
    places = _Places(linking.chunker.split(body) if any(one.in_body for one in said) else ())
    found: dict[tuple[str, UUID], _Stating] = {}
    warnings: dict[tuple[str, str], Mapping[str, object]] = {}
    for one, dst, means in resolved(said, path, linking):
        if means.ambiguous:
            line = one.link.line if one.in_body else None
            values = {"path": path, "line": line, "target": one.link.target, "taken": means.path}
            warnings.setdefault(("vault.ambiguous", one.link.target), values)
        if dst == entry_id:
            if one.relation != LINKS_TO and not one.drawn:
                values = {"path": path, "field": one.relation}
                warnings.setdefault(("vault.relation_itself", one.relation), values)
            continue
        stating = found.setdefault((one.relation, dst), _Stating(one, means.entry_id is None))
        stating.take(one, means, quoted=one.in_body and one.link.quoted)
        if one.in_body and (chunk := places.at(one.link.start)):
            stating.evidence[str(chunk.id_in(entry_id))] = None
    params = tuple(stating.params(dst) for (_, dst), stating in found.items())
    return Relations(params, tuple((key, values) for (key, _), values in warnings.items()))


class _Places:
    """Finds the chunk at a place of a text."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        self._starts = [chunk.start for chunk in chunks]

    def at(self, place: int) -> Chunk | None:
        """The chunk in which a place is; a heading is in none."""
        index = bisect_right(self._starts, place) - 1
        inside = index >= 0 and place < self._chunks[index].end
        return self._chunks[index] if inside else None


@dataclass(slots=True)
class _Stating:
    """What all links of a note to another one with one relation state together.

    A relation is flagged as what each of its links is; that it is an embed or names
    the source of a quote, as soon as one does.
    """

    first: Said
    unresolved: bool
    evidence: dict[str, None] = field(default_factory=dict[str, None])
    flags: frozenset[str] | None = None

    def take(self, one: Said, means: Resolution, *, quoted: bool) -> None:
        """Add a link."""
        told = {
            "alias": means.via == "alias",
            "ambiguous": means.ambiguous,
            "drawn": one.drawn,
            "embed": one.link.embed,
            "hidden": one.link.hidden,
            "quoted": quoted,
        }
        flags = frozenset(name for name, holds in told.items() if holds)
        before = flags if self.flags is None else self.flags
        self.flags = (before & flags) | ((before | flags) & {"embed", "quoted"})

    def params(self, dst: UUID) -> dict[str, object]:
        """The relation as an operation takes it."""
        row: dict[str, object] = {
            "type": self.first.relation,
            "dst": str(dst),
            "target": self.first.link.target,
            "unresolved": self.unresolved,
            "evidence": list(self.evidence),
        }
        return row | {"flags": sorted(self.flags)} if self.flags else row
