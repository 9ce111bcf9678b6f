"""Arrows of canvases, as what the notes at which they begin state.

A relation belongs to the note that states it, and goes when that note no longer does. An arrow
belongs to a canvas, so the note at its beginning states it as long as a canvas shows it: when a
canvas changes, that note is read again. What canvases show is kept among their properties, so a
canvas that did not change, or was not looked at, is not read.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol
from uuid import UUID

from damals.app.arrows import arrows_in
from damals.app.ledger_model import SourceNote
from damals.app.linking import LinkResolver
from damals.app.source_model import Arrow, Link, ParsedNote
from damals.app.vault.file_kinds import is_canvas
from damals.app.vault.notes import Identity
from damals.app.vault.relations import Said
from damals.domain.types import LINKS_TO, TypeCatalogue

Stated = Mapping[UUID, tuple[Said, ...]]


class Compared(Protocol):
    """What has changed in a source, as far as canvases go."""

    @property
    def before(self) -> Mapping[UUID, SourceNote]:
        """The notes that were there."""
        ...

    @property
    def vanished(self) -> Sequence[SourceNote]:
        """Those that are there no more."""
        ...

    @property
    def identified(self) -> Sequence[tuple[str, ParsedNote, Identity]]:
        """Those that were read."""
        ...


class Drawings:
    """What notes state by arrows, before and after an import."""

    def __init__(self, before: Stated, after: Stated) -> None:
        """What they stated, and what they state."""
        self._before = before
        self._after = after

    def said_by(self, entry_id: UUID) -> tuple[Said, ...]:
        """What a note states by arrows."""
        return self._after.get(entry_id, ())

    def turned(self) -> Iterator[UUID]:
        """The notes that state something else by arrows than before."""
        if self._before is not self._after:
            for entry_id in {**self._before, **self._after}:
                if self._before.get(entry_id) != self._after.get(entry_id):
                    yield entry_id


def drawings(
    plan: Compared, resolver: LinkResolver, types: TypeCatalogue, *, prune: bool
) -> Drawings:
    """Look at all canvases of a source.

    Args:
        plan: with all its files read.
        resolver: finds notes by their paths.
        types: which relations there are.
        prune: what vanished canvases show stops being known.
    """
    before = drawn_in(plan.before)
    gone = {note.entry_id for note in plan.vanished} if prune else set[UUID]()
    read = {identity.entry_id: parsed.arrows for _, parsed, identity in plan.identified}
    after = {key: arrows for key, arrows in before.items() if key not in gone}
    after |= {key: list(arrows) for key, arrows in read.items() if arrows is not None}
    if before == after:
        same = stated_by(after.values(), resolver, types)
        return Drawings(same, same)
    return Drawings(
        stated_by(before.values(), resolver, types), stated_by(after.values(), resolver, types)
    )


def drawn_in(notes: Mapping[UUID, SourceNote]) -> dict[UUID, list[Arrow]]:
    """The arrows of those of some notes that are canvases."""
    return {
        key: list(arrows_in(note.attributes.properties))
        for key, note in notes.items()
        if is_canvas(note.path)
    }


def stated_by(
    canvases: Iterable[Iterable[Arrow]], resolver: LinkResolver, types: TypeCatalogue
) -> Stated:
    """What notes state by the arrows of some canvases."""
    found: dict[UUID, dict[tuple[str, str], Said]] = {}
    arrows = {(one.start, one.end, one.label) for canvas in canvases for one in canvas}
    for start, end, label in sorted(arrows):
        source = resolver.resolve(f"/{start}", "").entry_id
        if source is not None:
            relation = types.find_relation(label) if label else None
            name = relation.name if relation else LINKS_TO
            link = Link(f"/{end}", None, embed=False, start=0, end=0, line=0)
            said = Said(name, link, in_body=False, drawn=True)
            found.setdefault(source, {}).setdefault((name, link.target), said)
    return {entry_id: tuple(said.values()) for entry_id, said in found.items()}
