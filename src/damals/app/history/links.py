"""Which links mean which notes, kept up while the notes change commit by commit.

What a commit costs follows from the names that it changes: of the other notes only those are
looked at that have a link of such a name.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import cast
from uuid import UUID

from damals.app.ledger_model import DeclaredLink
from damals.app.linking import LinkResolver, link_names, note_names
from damals.app.vault.relations import Said
from damals.domain.ids import parse_uuid
from damals.domain.names import fold
from damals.domain.operations import CUTTING_RELATIONS

Params = Sequence[Mapping[str, object]]
Told = frozenset[tuple[object, ...]]


class LinkState:
    """The names of all notes, and the links that name them."""

    def __init__(self, links: Iterable[DeclaredLink]) -> None:
        """Begin with no notes.

        Args:
            links: of the source, as the ledger knows them.
        """
        self._names: dict[UUID, tuple[str, tuple[str, ...]]] = {}
        self._paths: dict[str, UUID] = {}
        self._ids: dict[str, UUID] = {}
        self._called: dict[UUID, tuple[str, ...]] = {}
        self._linked: dict[UUID, frozenset[str]] = {}
        self._linking: dict[str, set[UUID]] = {}
        self._told: dict[UUID, Told] = {}
        self._refused: set[UUID] = set()
        self._changed: set[str] = set()
        self._unread: set[UUID] = set()
        self._resolver: LinkResolver | None = None
        known: dict[UUID, list[tuple[object, ...]]] = {}
        for one in links:
            row = (one.relation, str(one.dst), one.target, one.unresolved, tuple(one.flags))
            known.setdefault(one.entry_id, []).append(row)
        self._told.update({entry_id: frozenset(rows) for entry_id, rows in known.items()})

    @property
    def resolver(self) -> LinkResolver:
        """Resolves links among the notes as they are."""
        if self._resolver is None:
            aliases = [(name, key) for key in self._paths.values() for name in self._names[key][1]]
            self._resolver = LinkResolver(self._paths, aliases, lambda: self._ids)
        return self._resolver

    def put(
        self, entry_id: UUID, path: str, aliases: Sequence[str], external_id: str | None = None
    ) -> None:
        """A note goes by these names."""
        names = (path, tuple(aliases))
        if self._names.get(entry_id) != names:
            self.drop(entry_id)
            self._call(entry_id, (str(entry_id), external_id))
            self._displace(path)
            self._names[entry_id] = names
            self._paths[path] = entry_id
            self._changed |= note_names(*names)
            if self._resolver is not None:
                self._resolver.put(path, entry_id, names[1])
        if entry_id not in self._linked:
            self._unread.add(entry_id)

    def drop(self, entry_id: UUID) -> None:
        """A note is there no more."""
        names = self._names.pop(entry_id, None)
        if names is not None:
            self._changed |= note_names(*names)
            self._unread.discard(entry_id)
            for name in self._called.pop(entry_id):
                self._ids.pop(name, None)
                self._changed.add(fold(name))
            if self._paths.get(names[0]) == entry_id:
                del self._paths[names[0]]
                if self._resolver is not None:
                    self._resolver.drop(names[0], entry_id, names[1])

    def _call(self, entry_id: UUID, names: Iterable[str | None]) -> None:
        """A note can be named by these ids."""
        self._called[entry_id] = tuple(name for name in names if name)
        for name in self._called[entry_id]:
            self._ids[name] = entry_id
            self._changed.add(fold(name))

    def _displace(self, path: str) -> None:
        """Whoever is at a path makes way for the note that is there now."""
        other = self._paths.pop(path, None)
        if other is not None and self._resolver is not None:
            self._resolver.drop(path, other, self._names[other][1])

    def settle(self) -> None:
        """The links mean what they should."""
        self._changed.clear()

    @property
    def unread(self) -> Sequence[UUID]:
        """Notes of which it is not known what they link to, if that matters now."""
        return sorted(self._unread) if self._changed else ()

    def doubtful(self, but: Collection[UUID], turned: Iterable[UUID] = ()) -> Sequence[UUID]:
        """Notes with a link that may mean another note since names have changed.

        Args:
            but: notes whose links were just read.
            turned: notes that state something else for another reason.
        """
        found = {one for name in self._changed for one in self._linking.get(name, ())}
        found.update(turned)
        return sorted(one for one in found if one not in but and one in self._names)

    def links_of(self, entry_id: UUID, path: str, said: Iterable[Said]) -> None:
        """A note has these links."""
        for name in self._linked.get(entry_id, ()):
            self._linking[name].discard(entry_id)
        targets = {one.link.target for one in said if one.link.target}
        names = frozenset(
            name
            for target in targets
            for name in (*link_names(target, path), str(parse_uuid(target) or ""))
        )
        self._linked[entry_id] = names
        self._unread.discard(entry_id)
        for name in names:
            self._linking.setdefault(name, set()).add(entry_id)

    def is_told(self, entry_id: UUID, relations: Params) -> bool:
        """Whether the ledger already knows exactly these relations of a note."""
        return self._told.get(entry_id, frozenset()) == _told(relations)

    def tell(self, entry_id: UUID, relations: Params, said: Params) -> None:
        """The ledger knows these relations of a note.

        Args:
            entry_id: the note.
            relations: what it knows.
            said: what the note says; some of that may have been refused.
        """
        self._told[entry_id] = _told(relations)
        if len(relations) < len(said):
            self._refused.add(entry_id)
        else:
            self._refused.discard(entry_id)

    def takes_over(self, notes: Iterable[UUID]) -> bool:
        """Whether one of some notes is known to take over from another."""
        told = (row[0] for one in notes for row in self._told.get(one, ()))
        return any(name in CUTTING_RELATIONS for name in told)

    def renames(self, names: Collection[str]) -> bool:
        """Whether notes came, went or were renamed that go, or went, by some of these names."""
        return not self._changed.isdisjoint(names)

    def admissible(self, read: Iterable[UUID]) -> Collection[UUID]:
        """Notes with a relation that was refused, if one of those that were read made the circle.

        Args:
            read: notes that were read, or are gone.
        """
        if not self._refused:
            return ()
        return self._refused if self.takes_over(read) else ()


def _told(relations: Params) -> Told:
    return frozenset(
        (
            *(one["type"], one["dst"], one["target"], one["unresolved"]),
            tuple(_texts(one.get("flags"))),
        )
        for one in relations
    )


def _texts(value: object) -> list[str]:
    return cast("list[str]", value) if isinstance(value, list | tuple) else []
