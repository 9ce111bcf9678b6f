"""Links between the notes of a source, as they are after an import."""

from collections.abc import Iterable, Mapping, Sequence
from typing import cast
from uuid import UUID

from damals.app.ledger_model import DeclaredLink
from damals.app.linking import LinkResolver, link_names, note_names
from damals.app.source_model import ParsedNote
from damals.app.translations import TRANSLATION_OF
from damals.app.vault.drawings import Drawings, drawings
from damals.app.vault.notes import Identity, aliases_of
from damals.app.vault.plan import Plan
from damals.app.vault.relations import Linking, resolved, stated
from damals.domain.operations import CUTTING_RELATIONS
from damals.domain.types import TypeCatalogue

Names = Mapping[UUID, tuple[str, tuple[str, ...]]]
"""Path and other names of each note."""


class LinkPlan:
    """Resolves links among the notes as they will be, and finds those that mean another note now.

    What a link means follows from the notes there are, never from the order they were imported
    in: when notes come, go, move or get other names, links of unchanged notes are looked at too.
    """

    def __init__(
        self, plan: Plan, links: Iterable[DeclaredLink], types: TypeCatalogue, *, prune: bool
    ) -> None:
        """Compare the names before and after.

        Args:
            plan: with all its files read.
            links: of the source, as the ledger knows them.
            types: which relations there are.
            prune: vanished notes stop being known, so no link can mean them.
        """
        before = _names_before(plan)
        gone = {note.entry_id for note in plan.vanished}
        after = {key: names for key, names in before.items() if key not in gone or not prune}
        read = {
            identity.entry_id: (path, tuple(aliases_of(parsed.fields)))
            for path, parsed, identity in plan.identified
        }
        after |= read
        # A vanished note that stays known leaves its path to the file that is there now.
        paths = {after[key][0]: key for key in sorted(after, key=lambda key: key not in gone)}
        aliases = [(alias, key) for key, (_, names) in after.items() for alias in names]
        named = {name: key for name, key in _own_names(plan).items() if key in after}

        def ids() -> dict[str, UUID]:
            return {str(key): key for key in after} | named

        self.resolver = LinkResolver(paths, aliases, ids)
        self.drawings = drawings(plan, self.resolver, types, prune=prune)
        self._plan = plan
        self._links: dict[UUID, list[DeclaredLink]] = {}
        for link in links:
            self._links.setdefault(link.entry_id, []).append(link)
        self._doubtful = self._find_doubtful(before, after)

    def _find_doubtful(self, before: Names, after: Names) -> list[UUID]:
        changed = _changed(before, after)
        turned = frozenset(self.drawings.turned())
        renamed = {key for key, names in before.items() if not changed.isdisjoint(_all(names))}
        return [
            entry_id
            for entry_id, file in self._plan.unchanged.items()
            # A link of a note to itself is not known; one of the same name may mean another now.
            if entry_id in renamed
            or entry_id in turned
            or any(
                # Of several links that meant one note only the first is known by its target.
                link.dst in renamed
                or (changed and not changed.isdisjoint(link_names(link.target, file.path)))
                or not self._holds(link, file.path)
                for link in self._links.get(entry_id, ())
            )
        ]

    def _holds(self, link: DeclaredLink, path: str) -> bool:
        """Whether a link means what it meant; a past run may not have seen its note, or broken off.

        How it was written is not known, so it may be read in either way.
        """
        known = None if link.unresolved else link.dst
        found = [
            self.resolver.resolve(link.target, path, relative_first=relative).entry_id
            for relative in (False, True)
        ]
        if link.relation == TRANSLATION_OF:
            by_id = self.resolver.by_id(link.target).entry_id
            found = [one or by_id for one in found]
        return known in found

    @property
    def doubtful(self) -> Sequence[UUID]:
        """Unchanged notes of which a link may mean another note than before."""
        return self._doubtful

    def is_said(self, entry_id: UUID, relations: Sequence[Mapping[str, object]]) -> bool:
        """Whether the ledger already knows exactly these relations of a note."""
        known = {
            (one.relation, str(one.dst), one.target, one.unresolved, one.flags)
            for one in self._links.get(entry_id, ())
        }
        said = {
            (one["type"], one["dst"], one["target"], one["unresolved"], _flags(one))
            for one in relations
        }
        return known == said


def taken_over_first(
    notes: Sequence[tuple[str, ParsedNote, Identity]],
    types: TypeCatalogue,
    linking: Linking,
    drawings: Drawings,
) -> Mapping[UUID, int]:
    """An order of notes in which one that takes over from another comes behind it.

    Only what is there already can be cut. Notes that take over from each other keep their order,
    and one of them will be refused.

    Args:
        notes: path, text and identity of each, in order.
        types: which relations there are.
        linking: what links are resolved with.
        drawings: what notes state by arrows.
    """
    ids = {identity.entry_id for _, _, identity in notes}
    below: dict[UUID, list[UUID]] = {}
    for path, parsed, identity in notes:
        drawn = drawings.said_by(identity.entry_id)
        if not drawn and not parsed.field_links and not any(link.label for link in parsed.links):
            continue
        told = (*stated(parsed, types).said, *drawn)
        said = tuple(one for one in told if one.relation in CUTTING_RELATIONS)
        taken = [dst for _, dst, _ in resolved(said, path, linking) if dst in ids]
        if taken:
            below[identity.entry_id] = taken
    rank: dict[UUID, int] = {}
    entered: set[UUID] = set()
    for _, _, identity in notes:
        waiting = [identity.entry_id]
        while waiting:
            one = waiting[-1]
            deeper = (
                [] if one in entered else [dst for dst in below.get(one, ()) if dst not in rank]
            )
            entered.add(one)
            waiting.extend(dst for dst in reversed(deeper) if dst not in entered)
            if waiting[-1] == one:
                waiting.pop()
                rank.setdefault(one, len(rank))
    return rank


def _flags(relation: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(cast("Sequence[str]", relation.get("flags", ())))


def _own_names(plan: Plan) -> dict[str, UUID]:
    """The notes that give themselves an id that is none, by it."""
    found = [(note.external_id, key) for key, note in plan.before.items()]
    found += [(one.external_id, one.entry_id) for _, _, one in plan.identified]
    return {name: key for name, key in found if name is not None}


def _names_before(plan: Plan) -> dict[UUID, tuple[str, tuple[str, ...]]]:
    return {
        key: (note.path, tuple(aliases_of(note.attributes.properties)))
        for key, note in plan.before.items()
    }


def _changed(before: Names, after: Names) -> frozenset[str]:
    """All names of notes that came, went, moved or are called otherwise."""
    keys = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    sides = (names for key in keys for names in (before.get(key), after.get(key)) if names)
    return frozenset(name for names in sides for name in _all(names))


def _all(names: tuple[str, tuple[str, ...]]) -> frozenset[str]:
    return note_names(*names)
