"""The part of ``LocalDamals`` that takes in what assistants file."""

from collections.abc import Mapping, Sequence

from damals.app.accretion.compared import MOST_FILINGS
from damals.app.accretion.filing import is_filing, without_insisting
from damals.app.accretion.integrating import Desk, integrate
from damals.app.accretion.neighbours import Neighbours, Where, neighbours
from damals.app.answering import Added, add, minding_domain
from damals.app.ledger_port import LedgerReader, LedgerWriter
from damals.app.record import Recording
from damals.domain.errors import InvalidInput
from damals.domain.params import Params
from damals.local.home import OpenHome

Near = Mapping[int, Neighbours]
"""What may have to do with each operation of several that files something, by its place."""


class LocalFiling(OpenHome):
    """Adds operations to transactions; what an assistant files is checked on its way."""

    def _near(self, operations: Sequence[Params]) -> Near:
        """Look for what may have to do with what is filed, before the write lock is taken.

        Raises:
            InvalidInput: ``accretion.too_many``.
        """
        filings = {n: params for n, params in enumerate(operations) if is_filing(params)}
        if not filings or not self._parts.home.exists():
            return dict.fromkeys(filings, Neighbours())
        if len(filings) > MOST_FILINGS:
            raise InvalidInput("accretion.too_many", most=MOST_FILINGS)
        search, where = self._search(), self._where()
        return {n: neighbours(search, where, params) for n, params in filings.items()}

    def _where(self) -> Where:
        """Where neighbours are looked for: the last write is seen, whatever the clock says."""
        if self._recording is not None:
            return self._seen_by(self._recording[0], caught_up=True)
        with self._reader() as reader:
            return self._seen_by(reader, caught_up=False)

    def _seen_by(self, reader: LedgerReader, *, caught_up: bool) -> Where:
        now = max(self._parts.clock(), reader.unrestricted().head().recorded_at)
        return Where.of(reader, now, caught_up=caught_up)

    def _added(
        self, writer: LedgerWriter, recording: Recording, params: Params, near: Neighbours | None
    ) -> Added:
        """Add an operation to a transaction; one that files something, once it is checked."""
        desk = Desk(writer, recording, self._asker.name, lambda: self._parts.ages.types(writer))
        if near is None:
            added = add(writer, recording, without_insisting(params), desk.actor)
        else:
            added = integrate(desk, params, near)
        return minding_domain(added, params, desk.types)
