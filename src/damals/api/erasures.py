"""The part of ``Damals`` that tells what was erased; erasing itself is a change."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from damals.app.change_results import Erased
from damals.app.erasing.results import ErasureView


class ErasureRecords(ABC):
    """What is kept of erasures: ids, and no text of what was erased."""

    @abstractmethod
    def erasures(self) -> Sequence[ErasureView]:
        """The erasures of the home, newest first, also of workspaces that are gone.

        Who is limited to some workspaces is told of those in them.

        Raises:
            Denied: ``access.right`` for who may not administer.
        """

    @abstractmethod
    def certificate(self, id: str) -> Erased:
        """What an erasure has told when it was done.

        The name of an erased workspace is gone as well: the id of its erasure stands in its place.
        Who mentions an erased person is told only once, when it is erased.

        Args:
            id: of the erasure, as in ``certificate.id``.

        Raises:
            NotFound: ``erase.unknown``.
            Denied: ``access.right`` for who may not administer.
        """
