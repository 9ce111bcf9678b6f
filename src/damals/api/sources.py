"""The part of ``Damals`` that tells what was imported."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from damals.app.sources import ImportedSource


class SourceList(ABC):
    """What a memory was filled from."""

    @abstractmethod
    def sources(self) -> Sequence[ImportedSource]:
        """What was imported into the workspace, when, with what result, by name.

        The owner is told how the last import of each source ended. Others are told of sources of
        which they see a note, with the number of these notes and no result. An erasure forgets
        the results of all imports before it.
        """
