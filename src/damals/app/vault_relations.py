"""The relations that a note states: typed links in frontmatter and text, and plain links.

A link states the relation whose name stands in front of it, if ``types.yaml`` declares one of that
name; every other link is ``links_to``. A name that is declared as the inverse of another is a
relation of its own: it is not turned round, since a relation belongs to the note that states it,
and goes when that note no longer does.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from uuid import UUID

from damals.app.linking import LinkResolver
from damals.app.ports import Chunker
from damals.app.source_model import FieldLinks, Link, ParsedNote
from damals.domain.entries import Json
from damals.domain.ids import placeholder_id
from damals.domain.operations import CUTTING_RELATIONS
from damals.domain.types import LINKS_TO, TypeCatalogue


@dataclass(frozen=True, slots=True)
class Said:
    """A link of a note, and what it states.

    Attributes:
        in_body: it stands in the text, which then is its evidence.
    """

    relation: str
    link: Link
    in_body: bool = True


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
        to_itself: relations, other than plain links, that lead to the note itself.
    """

    params: tuple[Mapping[str, object], ...]
    to_itself: tuple[str, ...] = ()

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
        if relation is None:
            continue
        found = parsed.field_links.get(name) or FieldLinks((), value)
        said += [Said(relation.name, link, in_body=False) for link in found.links]
        del properties[name]
        if found.rest not in (None, "", [], {}):
            properties[name] = found.rest
            unread.append(name)
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
) -> Iterator[tuple[Said, UUID, bool]]:
    """Each link with the entry it means, and whether that is a placeholder."""
    for one in said:
        link = one.link
        if link.target:
            means = linking.resolver.resolve(link.target, path, relative_first=link.markdown)
            dst = means.entry_id or placeholder_id(linking.workspace, link.target)
            yield one, dst, means.entry_id is None


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
    chunks = linking.chunker.split(body) if any(one.in_body for one in said) else ()
    found: dict[tuple[str, UUID], dict[str, object]] = {}
    evidence: dict[tuple[str, UUID], dict[str, None]] = {}
    to_itself: dict[str, None] = {}
    for one, dst, unresolved in resolved(said, path, linking):
        if dst == entry_id:
            if one.relation != LINKS_TO:
                to_itself[one.relation] = None
            continue
        key = (one.relation, dst)
        row: dict[str, object] = {
            "type": one.relation,
            "dst": str(dst),
            "target": one.link.target,
            "unresolved": unresolved,
        }
        found.setdefault(key, row)
        shown = evidence.setdefault(key, {})
        if one.in_body:
            place = one.link.start
            shown.update((str(c.id_in(entry_id)), None) for c in chunks if c.start <= place < c.end)
    params = tuple(row | {"evidence": list(evidence[key])} for key, row in found.items())
    return Relations(params, tuple(to_itself))
