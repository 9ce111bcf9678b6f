"""Least visibilities of relations that vaults ask for, beside those of the home.

An import notes them before it states anything, so they hold for every reader of the workspace from
its first relation on, and while the vault is elsewhere.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, Protocol

from damals.app.index_model import AccessFilter
from damals.domain.access import VISIBILITIES
from damals.domain.operations import CONTRADICTS, CUTTING_RELATIONS
from damals.domain.types import TypeCatalogue

SHOWN_ANYWAY: Final = CUTTING_RELATIONS | {CONTRADICTS}
"""What these relations say shows in validity and status of the entries themselves."""

DERIVED: Final = "\x1fderived"
"""In the place of a source's name: what rules of one vault give from relations of another."""

Floors = Mapping[str, str]
"""The least visibility that somebody must reach to be shown a relation, by its type."""


class FloorKeeper(Protocol):
    """The part of a writer that notes what sources ask of readers."""

    def put_floors(self, source: str, floors: Floors) -> None:
        """Note what a source asks for; it replaces what it asked for before."""
        ...


def stricter(types: TypeCatalogue, home: TypeCatalogue) -> Floors:
    """What types ask for beyond those of the home. No vault lowers what the home asks for."""
    before = {name: one.min_visibility for name, one in home.relations.items()}
    return {
        name: one.min_visibility
        for name, one in sorted(types.relations.items())
        if _rank(one.min_visibility) > _rank(before.get(name, VISIBILITIES[0]))
    }


def under(access: AccessFilter, floors: Iterable[tuple[str, str]]) -> AccessFilter:
    """An access filter that hides what does not reach the floors.

    Args:
        access: of somebody who may not see everything.
        floors: type and least visibility.
    """
    reached = access.visibilities
    if reached is None:
        return access
    hidden = {name for name, least in floors if least not in reached} - SHOWN_ANYWAY
    more = hidden.difference(access.hidden_relations)
    if not more:
        return access
    return replace(access, hidden_relations=tuple(sorted({*access.hidden_relations, *more})))


def _rank(visibility: str) -> int:
    return VISIBILITIES.index(visibility)
