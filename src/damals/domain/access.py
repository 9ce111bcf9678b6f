"""Who may see an entry, and who may do what.

An entry is visible when its latest visibility and sensitivity are within the ceilings of the
asker, and its latest ``acl`` is empty or names the asker or one of the asker's roles; whatever
pair of instants is asked for.
"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

VISIBILITIES: Final = ("public", "internal", "restricted")
"""From what everybody may see to what few may."""

SENSITIVITIES: Final = range(4)
"""From harmless (0) to what needs the most care (3)."""

OWNER_NAME: Final = "owner"
"""Name of the local user of a home, and actor of what that user does."""


class Right(IntEnum):
    """What an asker may do; each includes those before it."""

    READ = 0
    WRITE = 1
    ADMINISTER = 2


RIGHTS: Final = {"reader": Right.READ, "writer": Right.WRITE, "admin": Right.ADMINISTER}
"""The roles that give a right. Every other role is a name that an ``acl`` can list."""


@dataclass(frozen=True, slots=True)
class Principal:
    """Someone who asks: the owner of a home, or the holder of a key.

    Attributes:
        name: unique among the keys of a home that are not revoked.
        roles: names that an ``acl`` can list; those of :data:`RIGHTS` say what may be done.
        workspaces: those it may use; ``None`` is all.
        visibility, sensitivity: ceilings of what it may see.
        owns: sees and does everything, whatever the other fields say.
    """

    name: str
    roles: tuple[str, ...] = ()
    workspaces: tuple[str, ...] | None = None
    visibility: str = "internal"
    sensitivity: int = 0
    owns: bool = False

    @property
    def right(self) -> Right:
        """The most it may do: what the highest of its roles allows, and at least to read."""
        if self.owns:
            return Right.ADMINISTER
        return max((RIGHTS[role] for role in self.roles if role in RIGHTS), default=Right.READ)

    @property
    def names(self) -> tuple[str, ...]:
        """What an ``acl`` can call it: its name and its roles."""
        return (self.name, *self.roles)

    def reaches(self, workspace: str) -> bool:
        """Whether it may use a workspace."""
        return self.owns or self.workspaces is None or workspace in self.workspaces

    def sees(self, visibility: str, sensitivity: int, acl: Collection[str]) -> bool:
        """Whether it may see an entry whose newest version says this."""
        if self.owns:
            return True
        within = visibility in self.visibilities and sensitivity <= self.sensitivity
        return within and (not acl or not set(acl).isdisjoint(self.names))

    def covers(self, other: "Principal") -> bool:
        """Whether it may see and do everything that another one may."""
        if self.owns:
            return True
        reach = self.workspaces is None or (
            other.workspaces is not None and set(other.workspaces) <= set(self.workspaces)
        )
        roles = {role for role in other.roles if role not in RIGHTS}
        ceilings = other.visibility in self.visibilities and other.sensitivity <= self.sensitivity
        return reach and ceilings and other.right <= self.right and roles <= set(self.roles)

    @property
    def visibilities(self) -> tuple[str, ...]:
        """The visibilities within its ceiling."""
        return VISIBILITIES[: VISIBILITIES.index(self.visibility) + 1]


OWNER: Final = Principal(OWNER_NAME, owns=True)
"""The local user of an embedded home."""
