"""What was returned to someone, in memory, and what else lives are derived from."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from uuid import UUID

from damals.adapters.memory.space import Space
from damals.app.accesses_model import AccessNote
from damals.app.ledger_model import At
from damals.domain.entries import Verification, Version
from damals.domain.errors import NotFound
from damals.domain.instants import FOREVER


class MemoryAccesses:
    """Port ``Accesses`` over the spaces of a ledger."""

    def __init__(
        self, spaces: Mapping[str, Space], locked: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._spaces = spaces
        self._locked = locked

    def note(self, workspace: str, note: AccessNote) -> None:
        """Note an access; the first of an hour stays.

        Raises:
            NotFound: ``workspace.unknown``.
            Unavailable: ``ledger.busy``.
        """
        with self._locked():
            write_note(self._space(workspace), note)

    def of(self, workspace: str, entry_id: UUID) -> Sequence[AccessNote]:
        """The accesses of an entry, oldest first."""
        found = (one for one in self._space(workspace).accesses if one.entries == (entry_id,))
        return sorted(found, key=lambda one: one.accessed_at)

    def _space(self, workspace: str) -> Space:
        space = self._spaces.get(workspace)
        if space is None:
            raise NotFound("workspace.unknown", name=workspace)
        return space


def write_note(space: Space, note: AccessNote) -> None:
    """Note an access, as :meth:`MemoryAccesses.note` does, in a write that others have begun."""
    noted = {
        one.entries[0]
        for one in space.accesses
        if (one.hour, one.channel, one.principal) == (note.hour, note.channel, note.principal)
    }
    there = (one for one in dict.fromkeys(note.entries) if one in space.names)
    new = (one for one in there if one not in noted and one not in space.tombstones)
    space.accesses.extend(replace(note, entries=(one,)) for one in new)


class LifeReader:
    """The part of a reader that gives what the life of an entry is derived from."""

    _space: Space

    def verifications_at(
        self, entry_ids: Sequence[UUID], at: At
    ) -> Mapping[UUID, tuple[Verification, ...]]:
        """The verifications of each entry at instants that both clocks have reached, in order."""
        wanted = self._wanted(entry_ids)
        found: dict[UUID, list[Verification]] = {}
        for one in self._space.verifications.values():
            reached = one.recorded_from <= min(at.as_of, at.known_at)
            if reached and at.known_at < one.recorded_to and one.entry_id in wanted:
                found.setdefault(one.entry_id, []).append(_as_known(one, at.known_at))
        return {entry_id: tuple(them) for entry_id, them in found.items()}

    def accessed_at(self, entry_ids: Sequence[UUID], at: At) -> Mapping[UUID, int]:
        """When each entry was last returned to someone, at an instant both clocks have reached."""
        wanted = self._wanted(entry_ids)
        found: dict[UUID, int] = {}
        for one in self._space.accesses:
            entry_id, then = one.entries[0], one.accessed_at
            if entry_id in wanted and then <= min(at.as_of, at.known_at):
                found[entry_id] = max(then, found.get(entry_id, then))
        return found

    def lately_accessed(self, since: int, limit: int) -> Sequence[UUID]:
        """The entries that were returned to someone last, at or after an instant, newest first."""
        newest: dict[UUID, int] = {}
        for one in self._space.accesses:
            if one.accessed_at >= since:
                entry_id = one.entries[0]
                newest[entry_id] = max(one.accessed_at, newest.get(entry_id, since))
        seen = self._wanted(newest)
        found = ((-at, one) for one, at in newest.items() if one in seen)
        return [one for _, one in sorted(found)[:limit]]

    def worded_since(self, recorded: Mapping[UUID, int]) -> Mapping[UUID, int]:
        """Since when the words of some entries, in the version recorded then, are recorded."""
        found: dict[UUID, int] = {}
        for entry_id in self._wanted(recorded):
            known = self._space.versions_of(entry_id)
            meant = {_words(one) for one in known if one.recorded_from == recorded[entry_id]}
            if meant:
                found[entry_id] = min(one.recorded_from for one in known if _words(one) in meant)
        return found

    def logged_at(self, entry_ids: Sequence[UUID]) -> Mapping[UUID, int]:
        """When the first transaction of each entry was really logged."""
        space = self._space
        return {
            one: space.transactions[space.touches[one][0]].logged_at
            for one in self._wanted(entry_ids)
            if one in space.touches
        }

    def _wanted(self, entry_ids: Iterable[UUID]) -> Collection[UUID]:
        raise NotImplementedError


def _words(version: Version) -> tuple[str, str]:
    return version.attributes.title, version.attributes.content


def _as_known(verification: Verification, known_at: int) -> Verification:
    """As known at an instant: a later closing is not known yet."""
    if verification.recorded_to <= known_at:
        return verification
    return replace(verification, recorded_to=FOREVER, closed_by=None)
