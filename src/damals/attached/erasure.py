"""The part of ``AttachedDamals`` that erases what is no one entry, and tells of erasures."""

from collections.abc import Sequence

from damals.app.change_results import Erased
from damals.app.erasing.results import ErasureView
from damals.attached.owning import Ownership
from damals.remote.transactions import FarChanges


class AttachedErasure(FarChanges):
    """Erasures; see :meth:`damals.api.Damals.erase`."""

    _home: Ownership

    def erase_whole(self, kind: str, id: str, reason: str | None) -> Erased:
        """See :meth:`damals.api.changes.Changes.erase_whole`."""
        with self._alone():
            return self._home.call(lambda memory: memory.erase(kind, id, reason=reason))

    def erasures(self) -> Sequence[ErasureView]:
        """See :meth:`damals.api.erasures.ErasureRecords.erasures`."""
        return self._home.call(lambda memory: memory.erasures())

    def certificate(self, id: str) -> Erased:
        """See :meth:`damals.api.erasures.ErasureRecords.certificate`."""
        return self._home.call(lambda memory: memory.certificate(id))
