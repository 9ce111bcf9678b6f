"""The notes of an export: one for each entry that holds at a pair of instants, and an overview.

Each note is read back with the reader of vaults as it is made: what its text states need not be
stated in its frontmatter, and what it would state wrongly is put right.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from uuid import UUID

from damals.app.ages import Ages
from damals.app.ledger_model import At, EntryFilter, Found, RelationView
from damals.app.ledger_port import LedgerReader
from damals.app.linking import LinkResolver
from damals.app.looking import Asked, pair, present
from damals.app.markdown_export.fields import Writing, fields_of
from damals.app.markdown_export.links import Rewriting, repaired
from damals.app.markdown_export.model import Head, MarkdownOptions, NoteFile
from damals.app.markdown_export.names import Named, paths_of
from damals.app.markdown_export.overview import link_to, overview
from damals.app.markdown_export.past import past_of
from damals.app.markdown_export.yaml_text import frontmatter
from damals.app.ports import Chunker, Clock, NoteReader
from damals.app.source_model import ParsedNote, SourceFile
from damals.app.vault.exported import OVERVIEW
from damals.app.vault.relations import Linking, resolved, stated
from damals.domain.entries import Json
from damals.domain.instants import format_instant
from damals.domain.types import TypeCatalogue

_PAGE: Final = 500
"""So many entries are read at once."""
_NOT_STATED: Final = ("kept", "ended", "both")
"""Contradictions that somebody has resolved: a note would open them again."""

Stated = set[tuple[str, UUID]]


@dataclass(frozen=True, slots=True)
class Kit:
    """What notes are made with.

    Attributes:
        notes: reads them back.
        types: which relations there are.
        ages: for what the history of an entry tells.
    """

    notes: NoteReader
    chunker: Chunker
    types: TypeCatalogue
    clock: Clock
    ages: Ages


@dataclass(slots=True)
class MarkdownExport:
    """One export of one workspace.

    Attributes:
        reader: of the workspace, with what the asker may see.
        base: see :class:`Head`.
    """

    reader: LedgerReader
    base: str
    kit: Kit
    options: MarkdownOptions
    _at: At = field(init=False)
    _now: int = field(init=False)
    _named: Mapping[UUID, Named] = field(init=False)
    _paths: Mapping[UUID, str] = field(init=False)
    _rewriting: Rewriting = field(init=False)
    _linking: Linking = field(init=False)

    def __post_init__(self) -> None:
        """Find out which notes there will be."""
        reader, options = self.reader, self.options
        self._now = present(reader, self.kit.clock)
        self._at = pair(reader, self._now, Asked(options.as_of, options.known_at))
        self._named = {one.version.entry_id: _named(one) for one in self._found()}
        self._paths = paths_of(self._named.values())
        owners = {path: entry_id for entry_id, path in self._paths.items()}
        resolver = LinkResolver(owners, (), lambda: {str(one): one for one in self._paths})
        self._linking = Linking(reader.workspace().name, resolver, self.kit.chunker)
        sources = sorted({one.source for one in self._named.values() if one.source})
        self._rewriting = Rewriting.of(reader, sources, self._paths)

    @property
    def head(self) -> Head:
        """What all notes have in common."""
        workspace, last = self.reader.workspace(), self.reader.head()
        return Head(
            base=self.base,
            workspace=workspace.name,
            zone=workspace.zone,
            as_of=format_instant(self._at.as_of),
            known_at=format_instant(min(self._at.known_at, self._now)),
            transactions=last.number,
        )

    def files(self) -> Iterator[NoteFile]:
        """All notes, then the overview."""
        writing = Writing(self.reader.workspace().zone, self.kit.types, self.options.history)
        for page in self._pages():
            ids = [one.version.entry_id for one in page]
            told: dict[UUID, list[RelationView]] = {}
            for relation in self.reader.relations_at(ids, self._at):
                told.setdefault(relation.entry_id, []).append(relation)
            for one in page:
                yield self._note(one, told.get(one.version.entry_id, ()), writing)
        yield NoteFile(OVERVIEW, "", overview(self.head, self._named, self._paths, self._lang))

    @property
    def _lang(self) -> str | None:
        return self.options.lang

    def _found(self) -> Iterator[Found]:
        return (one for page in self._pages() for one in page)

    def _pages(self) -> Iterator[Sequence[Found]]:
        after: UUID | None = None
        while True:
            page = self.reader.list_at(self._at, EntryFilter(after=after, limit=_PAGE))
            if page:
                yield page
            if len(page) < _PAGE:
                return
            after = page[-1].version.entry_id

    def _note(self, found: Found, relations: Sequence[RelationView], writing: Writing) -> NoteFile:
        entry_id = found.version.entry_id
        path = self._paths[entry_id]
        wanted = {
            (one.relation, one.other_id): one
            for one in relations
            if one.direction == "out" and one.other_id in self._paths and _is_said(one)
        }
        body = found.version.attributes.content
        fields = fields_of(found, path, writing, frozenset())
        parsed = self._read(path, frontmatter(fields) + body)
        resolver = self._linking.resolver
        mended = repaired(body, parsed.links, self._rewriting, resolver, (entry_id, path))
        if mended != body:
            body, parsed = mended, self._read(path, frontmatter(fields) + mended)
        in_fields, in_text = self._stated(parsed, path)
        if in_fields - wanted.keys():
            apart = frozenset(parsed.field_links)
            fields = fields_of(found, path, writing, apart)
            in_fields, in_text = self._stated(self._read(path, frontmatter(fields) + body), path)
        left = [one for key, one in wanted.items() if key not in in_fields | in_text]
        fields |= self._relations(left, fields)
        past = (
            past_of(self.reader, self.kit, found, self._at, self._lang) if writing.history else ""
        )
        return NoteFile(path, str(entry_id), frontmatter(fields) + body + past)

    def _read(self, path: str, text: str) -> ParsedNote:
        return self.kit.notes.parse(SourceFile(path, Path(path), "", data=text.encode()))

    def _stated(self, parsed: ParsedNote, path: str) -> tuple[Stated, Stated]:
        """The relations that a note states in its frontmatter, and in its text."""
        in_fields: Stated = set()
        in_text: Stated = set()
        said = stated(parsed, self.kit.types).said
        for one, dst, means in resolved(said, path, self._linking):
            if one.in_body:
                in_text.add((one.relation, dst))
            elif means.entry_id is not None or one.link.target:
                in_fields.add((one.relation, dst))
        return in_fields, in_text

    def _relations(
        self, left: Sequence[RelationView], fields: Mapping[str, Json]
    ) -> dict[str, Json]:
        """Relations as fields of the frontmatter: lists of links, by name."""
        made: dict[str, list[Json]] = {}
        for one in left:
            name = one.relation if one.relation not in fields else f"{one.relation} "
            made.setdefault(name, []).append(self.link(one.other_id))
        return {**made}

    def link(self, entry_id: UUID) -> str:
        """A link to a note that is in the export."""
        return link_to(self._paths[entry_id], self._named[entry_id].title)


def _is_said(one: RelationView) -> bool:
    return not one.derived and one.resolution not in _NOT_STATED


def _named(found: Found) -> Named:
    has, version = found.version.attributes, found.version
    source = has.source
    return Named(
        version.entry_id, found.info.created_at, has.title, has.type, source.name, source.path
    )
