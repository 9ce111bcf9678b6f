"""The persons of a workspace, and who of them is the one that answers are seen from.

A person says ``relation_to_owner: self`` or ``other`` in its properties. The only one that says
``self`` is the default persona, unless a setting names another.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from damals.app import looking
from damals.app.graph_results import PersonView
from damals.app.ledger_model import At, EntryFilter, Found
from damals.app.ledger_port import LedgerReader
from damals.app.looking import Asked
from damals.app.ports import Clock
from damals.domain.entries import Version
from damals.domain.names import fold

PERSON: Final = "person"
"""Type of persons, and name of the folders whose notes are persons."""

RELATION_TO_OWNER: Final = "relation_to_owner"
SELF: Final = "self"
OWNERSHIP: Final = (SELF, "other")
"""What a person may say of itself: it is the owner of the knowledge, or someone else."""


@dataclass(frozen=True, slots=True)
class FoundPeople:
    """The persons that hold now.

    Attributes:
        persona: id of the default persona, or ``None``.
        caveats: message key and values of what is not clear.
    """

    people: tuple[PersonView, ...]
    persona: str | None
    caveats: tuple[tuple[str, Mapping[str, object]], ...]


def people(reader: LedgerReader, clock: Clock, chosen: str | None = None) -> FoundPeople:
    """The persons that hold now, by title.

    Args:
        reader: of the workspace.
        clock: tells now.
        chosen: id or external id of the persona that the settings name.
    """
    at = looking.pair(reader, looking.present(reader, clock), Asked())
    found = _persons(reader, at)
    ids = [one.version.entry_id for one in found]
    counts = Counter(str(one.entry_id) for one in reader.relations_at(ids, at))
    views = [_person(one, counts[str(one.version.entry_id)]) for one in found]
    persona, caveats = _chosen(reader, at, chosen) if chosen else _only_self(views)
    marked = (replace(one, persona=one.id == persona) for one in views)
    ordered = sorted(marked, key=lambda one: (fold(one.title), one.id))
    return FoundPeople(tuple(ordered), persona, caveats)


def chosen_at(reader: LedgerReader, at: At, chosen: str) -> str | None:
    """The id of the persona that the settings name, or ``None`` when it is not there at a pair.

    Args:
        reader: of the workspace.
        at: the asked pair.
        chosen: its id or external id.
    """
    return _chosen(reader, at, chosen)[0]


def self_among(reader: LedgerReader, at: At, candidates: Sequence[UUID]) -> str | None:
    """The id of the only person that says to be the owner at a pair, or ``None``.

    Args:
        reader: of the workspace.
        at: the asked pair.
        candidates: all entries that may say so.
    """
    if not candidates:
        return None
    archived = reader.archived_at(candidates, at)
    held = reader.versions_at([one for one in candidates if one not in archived], at)
    return _only_self([_person(one, 0) for one in held.values() if is_person(one.version)])[0]


def is_person(version: Version) -> bool:
    """Whether a version is of a person: its type, or the folder it lies in, says so."""
    has = version.attributes
    if has.type == PERSON:
        return True
    return has.source.name is not None and f"/{PERSON}/" in f"/{(has.source.path or '').lower()}"


def _persons(reader: LedgerReader, at: At) -> Sequence[Found]:
    typed = reader.list_at(at, EntryFilter(types=(PERSON,), limit=None))
    known = {one.version.entry_id for one in typed}
    placed = [one for one in reader.placed_in(PERSON, at) if one not in known]
    archived = reader.archived_at(placed, at)
    held = reader.versions_at([one for one in placed if one not in archived], at)
    return [*typed, *held.values()]


def _person(found: Found, relations: int) -> PersonView:
    has = found.version.attributes
    return PersonView(
        id=str(found.version.entry_id),
        title=has.title,
        type=has.type,
        path=has.source.path,
        relation_to_owner=ownership(has.properties.get(RELATION_TO_OWNER)),
        persona=False,
        relations=relations,
    )


def ownership(value: object) -> str | None:
    """What a property says of the owner; ``None`` when it says nothing that is known."""
    said = value.strip().casefold() if isinstance(value, str) else None
    return said if said in OWNERSHIP else None


_Persona = tuple[str | None, tuple[tuple[str, Mapping[str, object]], ...]]
"""Id of the default persona, and what is not clear about it."""


def _chosen(reader: LedgerReader, at: At, name: str) -> _Persona:
    info = reader.find_entry(name)
    if info is None or info.erased:
        return None, (("people.persona_unknown", {"id": name}),)
    if not reader.versions_at([info.id], at) or reader.archived_at([info.id], at):
        return None, (("people.persona_gone", {"id": name}),)
    return str(info.id), ()


def _only_self(persons: Sequence[PersonView]) -> _Persona:
    own = [one for one in persons if one.relation_to_owner == SELF]
    if len(own) > 1:
        named = ", ".join(sorted(f"{one.title} ({one.id})" for one in own))
        return None, (("people.several_selves", {"people": named}),)
    return (own[0].id if own else None), ()
