"""The index of a home in use: opened when first needed, caught up, rebuilt when in doubt."""

from dataclasses import replace
from typing import Final

from damals.app.index_model import IndexFilter
from damals.app.indexing import Listener, Projector, silent
from damals.app.ledger_model import Lag
from damals.app.ports import (
    Clock,
    Embedder,
    IndexShelf,
    Ledger,
    LedgerReader,
    LexicalEncoder,
    NamedIndex,
    VectorCache,
)
from damals.app.recall import Engines, Question, recall
from damals.app.results import Recall, ReindexReport
from damals.domain.errors import Corrupt, Unavailable

CATCH_UP_VECTORS: Final = 64
"""A question waits for so many missing vectors; more are left to longer work."""

TOLERATED_GAP: Final = 0.05
"""With a larger share of chunks without vectors, words alone decide: the chunks that have one
already would win only because they have one."""


class Search:
    """Use cases that need the index, over one home."""

    def __init__(
        self,
        ledger: Ledger,
        shelf: IndexShelf,
        lexical: LexicalEncoder,
        embedder: Embedder | None,
        vectors: VectorCache,
    ) -> None:
        self._ledger = ledger
        self._shelf = shelf
        self._lexical = lexical
        self._embedder = embedder
        self._vectors = vectors
        self._open: NamedIndex | None = None

    def catch_up(self, listen: Listener = silent, *, wait: bool = False) -> Lag:
        """Bring the index up to the ledger.

        Args:
            listen: hears of progress.
            wait: until every vector is there too; else only few are computed.

        Returns:
            What is still missing.
        """
        projector = self._projector()
        lag = self._ledger.lag(projector.name)
        if lag.transactions:
            projector.project(listen)
            lag = self._ledger.lag(projector.name)
        if wait:
            projector.embed(listen)
            projector.index.optimize()
        elif 0 < lag.vectors <= CATCH_UP_VECTORS:
            self._try_embedding(projector)
        else:
            return lag
        return self._ledger.lag(projector.name)

    def lag(self) -> Lag:
        """What is missing in the index, without doing anything about it."""
        return self._ledger.lag(self._current().name)

    def _try_embedding(self, projector: Projector) -> None:
        """Vectors are a service to the question: without a model it is answered by words."""
        try:
            projector.embed()
        except Unavailable:
            return

    def recall(self, reader: LedgerReader, clock: Clock, question: Question, lag: Lag) -> Recall:
        """Answer a question from an index that is ``lag`` behind; see :meth:`catch_up`."""
        engines = Engines(self._current().index, self._lexical, self._embedder)
        if lag.vectors and self._gap(lag) > TOLERATED_GAP:
            engines = replace(engines, embedder=None)
        return recall(reader, engines, clock, question, lag)

    def _gap(self, lag: Lag) -> float:
        return lag.vectors / max(self._current().index.count(), 1)

    def rebuild(self, clock: Clock, listen: Listener = silent) -> ReindexReport:
        """Fill a new index from the ledger, vectors included, and use it from then on."""
        started = clock()
        old = self._current().name
        new = self._shelf.fresh()
        try:
            self._ledger.restart(new.name)
            projector = self._projector_of(new)
            points = projector.project(listen)
            projector.embed(listen)
            new.index.optimize()
        finally:
            new.index.close()
        self.close()
        self._shelf.adopt(new.name)
        self._ledger.restart(old)
        return ReindexReport(points, round((clock() - started) / 1_000_000, 3))

    def disagreement(self) -> str | None:
        """What is wrong between index and ledger up to its cursor, or ``None``."""
        named = self._current()
        expected, found = self._ledger.indexed(named.name), named.index.count()
        if expected != found:
            return f"{found} != {expected}"
        missing = set(self._ledger.current_points()).symmetric_difference(named.index.ids())
        behind = self._ledger.lag(named.name).transactions
        return None if behind or not missing else f"{len(missing)}"

    def count(self, where: IndexFilter | None = None) -> int:
        """How many points the index holds."""
        return self._current().index.count(where)

    def model_problem(self) -> str | None:
        """Why questions are answered by words alone, or ``None`` when the model works."""
        if self._embedder is None:
            return "-"
        try:
            self._embedder.query("damals")
        except Unavailable as error:
            return str(error)
        return None

    def close(self) -> None:
        """Let go of the index; it is opened again when needed."""
        if self._open is not None:
            self._open.index.close()
            self._open = None

    def _projector(self) -> Projector:
        return self._projector_of(self._current())

    def _projector_of(self, named: NamedIndex) -> Projector:
        return Projector(
            named.name, self._ledger, named.index, self._lexical, self._embedder, self._vectors
        )

    def _current(self) -> NamedIndex:
        """The open index, known to agree with the ledger in number; else it starts anew."""
        if self._open is None:
            self._open = self._checked()
        return self._open

    def _checked(self) -> NamedIndex:
        try:
            named = self._shelf.current()
            if named.fresh:
                self._ledger.restart(named.name)
            if named.fresh or named.index.count() == self._ledger.indexed(named.name):
                return named
            named.index.close()
        except Corrupt:
            pass  # what is damaged is rebuilt: the ledger has everything
        self._shelf.discard()
        named = self._shelf.current()
        self._ledger.restart(named.name)
        return named
