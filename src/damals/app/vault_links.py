"""Links between the notes of a source, as they are after an import."""

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from damals.app.ledger_model import DeclaredLink
from damals.app.linking import LinkResolver, link_names, note_names
from damals.app.vault_notes import aliases_of
from damals.app.vault_plan import Plan

Names = Mapping[UUID, tuple[str, tuple[str, ...]]]
"""Path and other names of each note."""


class LinkPlan:
    """Resolves links among the notes as they will be, and finds those that mean another note now.

    What a link means follows from the notes there are, never from the order they were imported
    in: when notes come, go, move or get other names, links of unchanged notes are looked at too.
    """

    def __init__(self, plan: Plan, links: Iterable[DeclaredLink], *, prune: bool) -> None:
        """Compare the names before and after.

        Args:
            plan: with all its files read.
            links: of the source, as the ledger knows them.
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
        self.resolver = LinkResolver(paths, aliases)
        self._plan = plan
        self._links: dict[UUID, list[DeclaredLink]] = {}
        for link in links:
            self._links.setdefault(link.entry_id, []).append(link)
        self._doubtful = self._find_doubtful(before, after)

    def _find_doubtful(self, before: Names, after: Names) -> list[UUID]:
        changed = _changed(before, after)
        renamed = {key for key, names in before.items() if not changed.isdisjoint(_all(names))}
        return [
            entry_id
            for entry_id, file in self._plan.unchanged.items()
            # A link of a note to itself is not known; one of the same name may mean another now.
            if entry_id in renamed
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
        return any(
            self.resolver.resolve(link.target, path, relative_first=relative).entry_id == known
            for relative in (False, True)
        )

    @property
    def doubtful(self) -> Sequence[UUID]:
        """Unchanged notes of which a link may mean another note than before."""
        return self._doubtful

    def is_said(self, entry_id: UUID, relations: Sequence[Mapping[str, object]]) -> bool:
        """Whether the ledger already knows exactly these relations of a note."""
        known = {
            (str(one.dst), one.target, one.unresolved) for one in self._links.get(entry_id, ())
        }
        said = {(one["dst"], one["target"], one["unresolved"]) for one in relations}
        return known == said


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
