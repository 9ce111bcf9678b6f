"""What a check needs of a ledger beside what everybody does."""

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID


class Examined(Protocol):
    """A ledger that tells of its files."""

    @property
    def engine(self) -> str:
        """The database that answers, and its version."""
        ...

    def check(self) -> Sequence[str]:
        """Problems of the files themselves, one line each; empty when sound."""
        ...

    def crowded(self, most: int) -> Sequence[tuple[str, UUID]]:
        """Workspace and entry of each that lists more than ``most`` tags or names of an acl.

        Tags count with those above them; only what is known today is looked at.
        """
        ...
