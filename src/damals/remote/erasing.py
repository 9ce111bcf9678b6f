"""The part of ``RemoteDamals`` that erases what is no one entry, and tells of erasures."""

from collections.abc import Sequence
from typing import Final
from uuid import uuid4

from damals.app.change_results import Erased
from damals.app.erasing.model import PERSON, SOURCE
from damals.app.erasing.results import ErasureList, ErasureView
from damals.remote.asking import Asking
from damals.remote.connection import Message
from damals.remote.encoding import named, query, segment

WHOLE: Final = {SOURCE: "sources", PERSON: "people"}
"""Where what a workspace holds is erased; the workspace itself at its own address."""

ERASURES: Final = "/v1/erasures"


class RemoteErasure(Asking):
    """Erasures; see :meth:`damals.api.Damals.erase`."""

    def erase_whole(self, kind: str, id: str, reason: str | None) -> Erased:
        """See :meth:`damals.api.changes.Changes.erase_whole`."""
        with self._alone():
            name = named(id)
            path = f"/v1/workspaces/{segment(name)}"
            if kind in WHOLE:
                path = self._path(WHOLE[kind], name)
            message = Message("DELETE", path, query({"reason": reason}), key=uuid4().hex)
            return self._read(Erased, self._connection.ask(message).document)

    def erasures(self) -> Sequence[ErasureView]:
        """See :meth:`damals.api.erasures.ErasureRecords.erasures`."""
        return self._read(ErasureList, self._get(ERASURES)).erasures

    def certificate(self, id: str) -> Erased:
        """See :meth:`damals.api.erasures.ErasureRecords.certificate`."""
        return self._read(Erased, self._get(f"{ERASURES}/{segment(id)}"))
