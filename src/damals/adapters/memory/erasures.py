"""The erasures of a ledger in memory: nothing of it is in any file."""

from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from uuid import UUID

from damals.adapters.memory.space import Space
from damals.app.erasing.model import Erasure, Rewriting, StoredErasure
from damals.app.erasures_journal import ErasureRecord
from damals.domain.entries import Json
from damals.domain.errors import NotFound


class MemoryErasures:
    """Port ``Erasures`` where an erasure is finished as soon as it is recorded.

    Args:
        spaces: the workspaces by name.
        locked: takes the write lock.
    """

    def __init__(
        self, spaces: MutableMapping[str, Space], locked: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._spaces = spaces
        self._locked = locked

    home = ""
    afar = False

    def alone(self, wait_s: float) -> AbstractContextManager[bool]:
        """There is nobody else."""
        del wait_s
        return nullcontext(True)

    def introduce(self) -> None:
        """There is nobody else."""

    def behind(self) -> Sequence[Erasure]:
        """None."""
        return ()

    def followed(self, erasure: UUID) -> None:
        """Nothing is noted."""

    def unfinished(self) -> Sequence[Erasure]:
        """None."""
        return ()

    def begin_workspace(self, workspace: str, actor: str, now: int) -> None:
        """Remove a workspace.

        Raises:
            NotFound: ``workspace.unknown``.
        """
        del actor, now
        with self._locked():
            if self._spaces.pop(workspace, None) is None:
                raise NotFound("workspace.unknown", name=workspace)

    def record(self, erasure: UUID) -> ErasureRecord:
        """There is none."""
        raise NotFound("erase.unknown", id=str(erasure))

    def keep_marks(self, record: ErasureRecord, number: int | None) -> None:
        """No memory is restored from a backup."""

    def forget_homes(self) -> None:
        """No memory is restored from a backup."""

    def reached(self, erasure: UUID, stage: str, noted: Mapping[str, Json]) -> None:
        """Nothing is noted."""

    def purge(self, erasure: UUID, rewriting: Rewriting) -> Mapping[str, Json]:
        """Nothing is kept that could be purged."""
        del erasure, rewriting
        return {}

    def compact(self) -> Sequence[str]:
        """There are no files."""
        return ()

    def surviving(self) -> Iterator[str]:
        """Nothing is searched."""
        return iter(())

    def indexed(self) -> bool:
        """No index of it outlives the process."""
        return False

    def certify(
        self, erasure: UUID, certificate: Mapping[str, Json], now: int
    ) -> Mapping[str, Json]:
        """Nothing is kept."""
        del erasure, now
        return certificate

    def certificate(self, workspace: str, number: int) -> Mapping[str, Json] | None:
        """None."""
        del workspace, number
        return None

    def stored(self) -> Sequence[StoredErasure]:
        """Nothing is kept."""
        return ()

    def erased_entries(self, erasure: UUID) -> Sequence[UUID]:
        """Nothing is kept."""
        del erasure
        return ()
