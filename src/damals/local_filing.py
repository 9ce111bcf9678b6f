"""The part of ``LocalDamals`` that takes in what assistants file."""

from collections.abc import Mapping, Sequence

from damals.app.accretion.filing import is_filing, without_insisting
from damals.app.accretion.integrating import Desk, integrate
from damals.app.accretion.neighbours import Neighbours, Where, neighbours
from damals.app.answering import Added, add
from damals.app.ledger_port import LedgerWriter
from damals.app.record import Recording
from damals.domain.params import Params
from damals.local_home import OpenHome

Near = Mapping[int, Neighbours]
"""What may have to do with each operation of several that files something, by its place."""


class LocalFiling(OpenHome):
    """Adds operations to transactions; what an assistant files is checked on its way."""

    def _near(self, operations: Sequence[Params]) -> Near:
        """Look for what may have to do with what is filed, before the write lock is taken."""
        filings = {n: params for n, params in enumerate(operations) if is_filing(params)}
        if not filings or not self._parts.home.exists():
            return dict.fromkeys(filings, Neighbours())
        ledger, search = self._ledger(), self._search()
        held = self._recording is not None
        where = Where(self._workspace, self._access(), self._now(), held)
        return {n: neighbours(ledger, search, where, params) for n, params in filings.items()}

    def _now(self) -> int:
        """The instant at which the last write is seen, whatever the clock says."""
        if self._recording is not None:
            last = self._recording[0].unrestricted().head()
        else:
            with self._reader() as reader:
                last = reader.unrestricted().head()
        return max(self._parts.clock(), last.recorded_at)

    def _added(
        self, writer: LedgerWriter, recording: Recording, params: Params, near: Neighbours | None
    ) -> Added:
        """Add an operation to a transaction; one that files something, once it is checked."""
        if near is None:
            return add(writer, recording, without_insisting(params), self._asker.name)
        desk = Desk(writer, recording, self._asker.name, lambda: self._parts.ages.types(writer))
        return integrate(desk, params, near)
