"""How reserved knowledge is: whoever sees one thing, does that one see another as well?"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from damals.domain.access import VISIBILITIES


@dataclass(frozen=True, slots=True)
class Reserve:
    """What somebody must be to see all of some entries.

    Attributes:
        visibility, sensitivity: ceilings that are needed.
        acls: of each list of names, one must be theirs.
    """

    visibility: str = VISIBILITIES[0]
    sensitivity: int = 0
    acls: frozenset[frozenset[str]] = frozenset()

    def beside(self, other: "Reserve") -> "Reserve":
        """What is needed to see both."""
        return Reserve(
            max(self.visibility, other.visibility, key=VISIBILITIES.index),
            max(self.sensitivity, other.sensitivity),
            self.acls | other.acls,
        )

    def within(self, other: "Reserve") -> bool:
        """Whether everybody who may see the other may see this."""
        visible = VISIBILITIES.index(self.visibility) <= VISIBILITIES.index(other.visibility)
        listed = all(any(theirs <= own for theirs in other.acls) for own in self.acls)
        return visible and self.sensitivity <= other.sensitivity and listed


OPEN: Final = Reserve()
"""Of what everybody may see."""


def reserve_of(visibility: str, sensitivity: int, acl: Collection[str]) -> Reserve:
    """Of an entry that says this of itself."""
    return Reserve(visibility, sensitivity, frozenset([frozenset(acl)] if acl else []))
