"""The part of ``AttachedDamals`` that erases what is no one entry."""

from damals.app.change_results import Erased
from damals.attached.owning import Ownership
from damals.remote.transactions import FarChanges


class AttachedErasure(FarChanges):
    """Erasures; see :meth:`damals.api.Damals.erase`."""

    _home: Ownership

    def erase_whole(self, kind: str, id: str, reason: str | None) -> Erased:
        """See :meth:`damals.api.changes.Changes.erase_whole`."""
        with self._alone():
            return self._home.call(lambda memory: memory.erase(kind, id, reason=reason))
