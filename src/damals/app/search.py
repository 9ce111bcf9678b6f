"""The index of a home in use: opened when first needed, caught up, rebuilt when in doubt."""

import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext, suppress
from functools import cached_property
from typing import Final, TypeVar

from damals.app.beside import Companion
from damals.app.checked_embedder import CheckedEmbedder
from damals.app.filling import Filler
from damals.app.health.sampling import compare, sampled
from damals.app.index_model import OWNER, AccessFilter, Hit, IndexFilter, IndexQuery
from damals.app.indexing import PROJECTION_VERSION, Listener, Projector, silent
from damals.app.ledger_model import Lag
from damals.app.ledger_port import Ledger, LedgerReader
from damals.app.ports import Clock, Embedder, IndexShelf, LexicalEncoder, NamedIndex, VectorCache
from damals.app.recall import Base, Engines, Question, recall
from damals.app.results import Recall, ReindexReport
from damals.app.stages import stage
from damals.app.versions import PROGRAM_VERSION
from damals.domain.entries import Json
from damals.domain.errors import Corrupt, DamalsError, Unavailable
from damals.domain.instants import FOREVER

CATCH_UP_VECTORS: Final = 64
"""A question waits for so many missing vectors; more are left to longer work."""

TOLERATED_GAP: Final = 0.05
"""With a larger share of chunks without vectors, words alone decide: the chunks that have one
already would win only because they have one."""

NOTHING: Final = Lag(0, 0)
"""The lag of an index that is up to date."""

PROBE: Final = "damals"
PROBED: Final = 10_000
"""How many points a check reads."""

Value = TypeVar("Value")


class Search:
    """Use cases that need the index, over one home.

    Any thread may ask. Writing to the index takes turns: two that fill it at once could write a
    chunk as current that the other has just closed.
    """

    def __init__(  # noqa: PLR0913 -- the parts of it, each behind a port
        self,
        ledger: Ledger,
        shelf: IndexShelf,
        lexical: LexicalEncoder,
        embedder: Embedder | None,
        vectors: VectorCache,
        *,
        base: Base | None = None,
        background: bool = False,
    ) -> None:
        """Put the parts together.

        Args:
            ledger: what is true.
            shelf: where indexes lie.
            lexical: encodes words.
            embedder: encodes meaning; ``None`` where there is no model.
            vectors: what was computed already.
            base: what is known beside the ledger; by default no types and no person.
            background: compute missing vectors in a thread, for a program that stays.
        """
        self._ledger = ledger
        self._shelf = shelf
        self._lexical = lexical
        self._embedder = CheckedEmbedder(embedder) if embedder else None
        self._vectors = vectors
        self._base = base or Base()
        self._open: NamedIndex | None = None
        self._unsure = False
        self._turn = threading.RLock()
        self._filler = Filler(self._projector, self._turn) if background and embedder else None

    def catch_up(
        self,
        workspace: str | None,
        listen: Listener = silent,
        *,
        wait: bool = False,
        access: AccessFilter = OWNER,
    ) -> Lag:
        """Bring the index up to the ledger.

        Args:
            workspace: whose lag is told; of all when ``None``.
            listen: hears of progress.
            wait: until every vector is there too; else only few are computed.
            access: what the lag that is told is counted of.

        Returns:
            What is still missing for the workspace.
        """
        with self._turn:
            behind = self._mending(lambda: self._catch_up(workspace, listen, wait=wait))
            return NOTHING if behind == NOTHING else self.lag(workspace, access)

    def _catch_up(self, workspace: str | None, listen: Listener, *, wait: bool) -> Lag:
        """Catch up; returns how far it was behind before, in all workspaces."""
        projector = self._projector()
        behind = self._ledger.lag(projector.name)
        if behind == NOTHING and not wait:
            return behind
        if behind.transactions:
            projector.project(listen)
            self._check_once()
        if wait:
            self._try_embedding(projector, listen)
            projector.index.optimize()
        elif 0 < self.lag(workspace).vectors <= CATCH_UP_VECTORS:
            with suppress(Unavailable):
                projector.embed_patiently(CATCH_UP_VECTORS)
            if self._filler is not None and self.lag(None).vectors:
                self._filler.start()
        elif self._filler is not None:
            self._filler.start()
        return behind

    def catch_up_words(self) -> None:
        """Bring the words of the index up to the ledger; vectors are not waited for."""

        def project() -> None:
            projector = self._projector()
            if self._ledger.lag(projector.name).transactions:
                projector.project(silent)
                self._check_once()

        with self._turn:
            self._mending(project)

    def by_words(self, where: IndexFilter, text: str, limit: int) -> Sequence[Hit]:
        """The chunks nearest to a text by its words alone, best first."""
        query = IndexQuery(where, None, self._lexical.query(text), limit)
        return self._mending(lambda: self._current().index.query(query)).lexical

    def lag(self, workspace: str | None, access: AccessFilter = OWNER) -> Lag:
        """What is missing for a workspace, or for all, without doing anything about it."""
        return self._ledger.lag(self._current().name, workspace, access)

    def _try_embedding(
        self, projector: Projector, listen: Listener = silent, most: int | None = None
    ) -> None:
        """Vectors are a service to the question: without a model it is answered by words."""
        with suppress(Unavailable):
            projector.embed(listen, most=most)

    def recall(self, reader: LedgerReader, clock: Clock, question: Question, lag: Lag) -> Recall:
        """Answer a question from an index that is ``lag`` behind; see :meth:`catch_up`."""
        workspace = reader.workspace().name

        def answer() -> Recall:
            partial = bool(lag.vectors) and self._gap(reader, clock(), lag) > TOLERATED_GAP
            index = self._current().index
            engines = Engines(
                index, self._lexical, self._embedder, words_only=partial, base=self._base
            )
            return recall(reader, engines, clock, question, lag)

        with stage("recall"):
            return self._mending(answer, then=lambda: self.catch_up(workspace))

    @property
    def encoders(self) -> tuple[LexicalEncoder, Embedder | None]:
        """What reads words and meaning."""
        return self._lexical, self._embedder

    @cached_property
    def _tokens(self) -> str:
        """Version of the tokens. To find out reads files, and every receipt names it."""
        return self._lexical.version

    def engines(self) -> dict[str, Json]:
        """Versions of what answers."""
        embedder = self._embedder
        return {
            "damals": PROGRAM_VERSION,
            "embedding_model": embedder.model if embedder else None,
            "embedding_version": embedder.version if embedder else None,
            "tokens": self._tokens,
            "projection": PROJECTION_VERSION,
        }

    def _gap(self, reader: LedgerReader, now: int, lag: Lag) -> float:
        """The share of what the asker may see that has no vector: nothing else may decide."""
        where = IndexFilter(reader.workspace().name, now, FOREVER - 1, reader.access)
        current = self._current().index.count(where)
        return lag.vectors / max(current, 1)

    def rebuild(self, clock: Clock, listen: Listener = silent) -> ReindexReport:
        """Fill a new index from the ledger, vectors included, and use it from then on."""
        started = clock()
        points = self._refilled(listen, embed=True)
        return ReindexReport(points, round((clock() - started) / 1_000_000, 3))

    def replace(self) -> int:
        """Fill a new index with what is computed already; nothing of the one in use is left.

        Returns:
            How many points it has.
        """
        with nullcontext() if self._filler is None else self._filler.paused():
            return self._refilled(silent, embed=False)

    def forget(self, workspace: str, lookups: Collection[bytes]) -> int:
        """Remove vectors of these texts from the cache; how many."""
        with nullcontext() if self._filler is None else self._filler.paused():
            return self._vectors.forget(workspace, list(lookups))

    def _refilled(self, listen: Listener, *, embed: bool) -> int:
        with self._turn:
            old = self._mending(self._current).name
            new = self._shelf.fresh()
            try:
                self._ledger.restart(new.name)
                projector = self._projector_of(new)
                points = projector.project(listen)
                if embed:
                    self._try_embedding(projector, listen)
                new.index.optimize()
            finally:
                new.index.close()
            self._let_go()
            self._shelf.adopt(new.name)
            self._ledger.restart(old)
            return points

    def disagreement(self) -> str | None:
        """What is wrong between index and ledger up to its cursor, or ``None``."""
        with self._turn:
            named = self._current()
            expected, found = self._ledger.indexed(named.name), named.index.count()
            if expected != found:
                return f"{found} != {expected}"
            self._probe(named)
            different = set(self._ledger.current_points()).symmetric_difference(named.index.ids())
            behind = self._ledger.lag(named.name).transactions
            if behind or different:
                return None if behind else f"{len(different)}"
            return self._altered(named, expected)

    def _altered(self, named: NamedIndex, total: int) -> str | None:
        """Whether chunks of a sample are found under their own words, as they are."""
        projector = self._projector_of(named)
        found = compare(self._ledger, projector, sampled(self._ledger.current_points(), total))
        return f"{len(found.different)}/{found.asked}" if found.different else None

    def _probe(self, named: NamedIndex) -> None:
        """Ask something: damage may show only when vectors and texts are read."""
        vector, words = self._probe_vector(), self._lexical.query(PROBE)
        for workspace in self._ledger.workspaces():
            where = IndexFilter(workspace.name, FOREVER - 1, FOREVER - 1)
            named.index.query(IndexQuery(where, vector, words, PROBED))

    def _probe_vector(self) -> bytes | None:
        if self._embedder is None:
            return None
        with suppress(Unavailable):
            return self._embedder.query(PROBE)
        return None

    @property
    def cache(self) -> VectorCache:
        """What was computed already."""
        return self._vectors

    @property
    def name(self) -> str:
        """Name of the index in use."""
        return self._current().name

    def count(self) -> int:
        """How many points the index holds."""
        return self._current().index.count()

    def vectors(self) -> int:
        """How many of them have a vector, as the ledger counts; none where there is no model."""
        return 0 if self._embedder is None else self.count() - self.lag(None).vectors

    def model_problem(self) -> str | None:
        """Why questions are answered by words alone, or ``None`` when the model works."""
        if self._embedder is None:
            return "-"
        try:
            self._embedder.query(PROBE)
        except Unavailable as error:
            return str(error)
        return None

    def close(self) -> None:
        """Let go of the index, for good. What it could not flush is written again by the next."""
        if self._filler is not None:
            self._filler.stop()
        with suppress(Unavailable):
            self._let_go()

    def _let_go(self) -> None:
        """Close the index; it is opened again when needed."""
        with self._turn:
            named, self._open = self._open, None
            if named is not None:
                named.index.close()

    # --- the index in use

    def _projector(self) -> Projector:
        return self._projector_of(self._current())

    def _projector_of(self, named: NamedIndex) -> Projector:
        companion = (
            None
            if named.beside is None
            else Companion(self._ledger, named.beside, self._base.types)
        )
        return Projector(
            named.name,
            self._ledger,
            named.index,
            self._lexical,
            self._embedder,
            self._vectors,
            companion,
        )

    def _current(self) -> NamedIndex:
        named = self._open
        if named is not None:
            return named  # without a turn: questions go on while the index is filled
        with self._turn:
            if self._open is None:
                self._open = self._checked()
            return self._open

    def _checked(self) -> NamedIndex:
        """The index in use, if it can be what its cursor says; else an empty one.

        After a kill between a write and the move of the cursor there is more in it than the
        cursor says. Writing again does no harm, so that is looked at again when it is caught up.
        """
        named = self._shelf.current()
        if named.fresh:
            self._ledger.restart(named.name)
            return named
        try:
            expected, found = self._ledger.indexed(named.name), named.index.count()
        except BaseException:
            named.index.close()
            raise
        behind = self._ledger.lag(named.name).transactions
        self._unsure = found > expected and bool(behind)
        if found == expected or self._unsure:
            return named
        named.index.close()
        raise Corrupt("index.corrupt", path=named.name)

    def _check_once(self) -> None:
        """Refuse an index that, caught up after a kill, still holds what the ledger does not."""
        if self._unsure:
            self._unsure = False
            named = self._current()
            if named.index.count() != self._ledger.indexed(named.name):
                raise Corrupt("index.corrupt", path=named.name)

    def _mending(
        self, action: Callable[[], Value], then: Callable[[], object] | None = None
    ) -> Value:
        """Do it; if the index fails, do it again, on a new one if it is damaged.

        Writing twice is harmless, and the ledger has everything.
        """
        try:
            return action()
        except Unavailable as error:
            if error.key != "index.unavailable":
                raise
            return action()
        except Corrupt as error:
            if not error.key.startswith("index."):
                raise
            with self._turn:
                with suppress(DamalsError):
                    self._let_go()
                self._open = None
                self._shelf.discard()
                if then is not None:
                    then()
            return action()
