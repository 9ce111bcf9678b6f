"""Keeping the index up with the ledger.

The outbox says what changed; the cursor of an index moves only after a flush, so a kill at any
instant costs a repetition, never a point. Text is searchable after :func:`project`; vectors follow
with :func:`embed`, newest first.
"""

import time
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Final
from uuid import UUID

from damals.app.behind import Do, behind
from damals.app.beside import Companion
from damals.app.collecting import collecting_rarely
from damals.app.index_fitting import fitted, fitted_access, usable
from damals.app.index_model import ChunkPoint, SparseVector, VectorKey
from damals.app.ledger_model import Access, ChunkRow, OutboxItem
from damals.app.ledger_port import Ledger
from damals.app.noting import warn
from damals.app.ports import ChunkIndex, Embedder, LexicalEncoder, VectorCache
from damals.app.results import Progress
from damals.app.stages import count, stage
from damals.domain.chunks import embedded_text
from damals.domain.errors import InvalidInput
from damals.domain.names import folded_tags, with_parents
from damals.domain.phrases import folded_text

PROJECTION_VERSION: Final = 3
"""What a point is made of. An index that was filled by another version is filled anew."""

MAX_NAME_CHARS: Final = 1_000
"""So much of a title or a heading is in a point, where it is only looked at."""

BATCH_ROWS: Final = 5_000
"""How many chunk rows, or transactions, there are between two flushes; or a few more."""

SLICE_POINTS: Final = 500
"""How many points are read from the ledger and handed to the index at once."""

_AHEAD: Final = 2
"""How many slices are made ready while an engine in a process of its own takes another."""

EMBED_BATCH: Final = 128
"""How many vectors are written to the index at once."""

KEEP_BATCH: Final = 16
"""How many new vectors are kept at once: each time waits for the disk."""

PATIENCE_S: Final = 5.0
"""A question waits no longer for vectors, however slow a model is, but for the last few."""

AT_ONCE: Final = 8
"""So few are computed between two looks at the time."""

Listener = Callable[[Progress], None]


def silent(progress: Progress) -> None:
    """Listens to nothing."""
    del progress


@dataclass(frozen=True, slots=True)
class Projector:
    """Fills one index from the ledger.

    Attributes:
        name: of the index, in the ledger's cursors.
        embedder: ``None`` where there is no model; then nothing is queued either.
        companion: fills along what other programs read, where somebody does.
    """

    name: str
    ledger: Ledger
    index: ChunkIndex
    lexical: LexicalEncoder
    embedder: Embedder | None
    vectors: VectorCache
    companion: Companion | None = None

    def project(self, listen: Listener = silent) -> int:
        """Bring the index up to the ledger, text first. Returns the number of points written."""
        written = since = position = 0
        waiting: list[UUID] = []
        with collecting_rarely(), behind(ahead=_AHEAD if self.index.apart else 0) as do:
            while items := self.ledger.outbox(self.name, SLICE_POINTS, position):
                fresh = self._upsert(items, do)
                do(partial(self._follow, items, fresh.keys()))
                position = items[-1].position
                waiting += (i for i, complete in fresh.items() if not complete)
                written += len(fresh)
                since += max(len(fresh), len(items))
                if since >= BATCH_ROWS:
                    do(partial(self._settle, position, waiting))
                    listen(Progress("index", written, None, "chunks"))
                    waiting, since = [], 0
            if since:
                do(partial(self._settle, position, waiting))
                listen(Progress("index", written, None, "chunks"))
        return written

    def _upsert(self, items: Iterable[OutboxItem], do: Do) -> Mapping[UUID, bool]:
        """Have points written; returns which there are and whether each has its vector."""
        fresh: dict[UUID, bool] = {}
        points = (point for item in items for point in self._points(item))
        while part := list(islice(points, SLICE_POINTS)):
            do(partial(self._write, part))
            fresh |= {point.id: point.vector is not None for point in part}
        return fresh

    def _write(self, points: Sequence[ChunkPoint]) -> None:
        """Write points; where the index refuses one, as much of each as it takes.

        The checks of an index cost time with every point, so nothing is made to fit beforehand.
        """
        try:
            self.index.upsert(points)
        except InvalidInput as error:
            warn("index.fitted", reason=error.key)
            dimension = 0 if self.embedder is None else self.embedder.dimension
            self.index.upsert([fitted(point, dimension) for point in points])

    def _set_access(self, workspace: str, entry_id: UUID, access: Access) -> None:
        try:
            self.index.set_access(workspace, entry_id, access)
        except InvalidInput as error:
            warn("index.fitted", reason=error.key)
            self.index.set_access(workspace, entry_id, fitted_access(access))

    def _follow(self, items: Sequence[OutboxItem], fresh: Container[UUID]) -> None:
        """What transactions did to older points and to entries as a whole."""
        # A row that was opened and closed since the cursor is written closed already.
        closings = {k: v for item in items for k, v in item.closed.items() if k not in fresh}
        if closings:
            self.index.close_points(closings)
        for item in items:
            for entry_id, access in item.changed_access.items():
                self._set_access(item.workspace, entry_id, access)
            for entry_id, archived_at in item.archived.items():
                self.index.set_archived(item.workspace, entry_id, archived_at)
            for entry_id in item.erased:
                self.index.delete_entry(item.workspace, entry_id)
        if self.companion is not None:
            self.companion.follow(items)

    def _settle(self, position: int, unembedded: Sequence[UUID]) -> None:
        """Make what was written durable, and only then move the cursor."""
        self.index.flush()
        self.ledger.advance(self.name, position, unembedded if self.embedder else ())

    def _points(self, item: OutboxItem) -> Iterable[ChunkPoint]:
        texts = [embedded(row) for row in item.opened]
        known = self._cached(item.workspace, texts)
        for row, text, vector in zip(item.opened, texts, known, strict=True):
            access = item.access.get(row.entry_id, Access())
            point = _point(item.workspace, row, self.lexical.passage(text), access)
            yield point if vector is None else replace(point, vector=vector)

    def _cached(self, workspace: str, texts: Sequence[str]) -> Sequence[bytes | None]:
        if self.embedder is None:
            return [None] * len(texts)
        keys = [self._key(self.embedder, workspace, text) for text in texts]
        found = self.known(keys)
        return [found.get(key) for key in keys]

    def known(self, keys: Iterable[VectorKey]) -> dict[VectorKey, bytes]:
        """The vectors that were computed before and can be used."""
        dimension = 0 if self.embedder is None else self.embedder.dimension
        found = self.vectors.get_many(keys)
        return {key: vector for key, vector in found.items() if usable(vector, dimension)}

    def _key(self, embedder: Embedder, workspace: str, text: str) -> VectorKey:
        lookup = self.ledger.lookup(workspace, text)
        return VectorKey(workspace, lookup, embedder.model, embedder.version)

    def embed(self, listen: Listener = silent, *, most: int | None = None) -> int:
        """Compute missing vectors, newest first, at most ``most``. Returns how many."""
        if self.embedder is None:
            return 0
        total = self.ledger.lag(self.name).vectors
        total = total if most is None else min(total, most)
        done = 0
        while done < total:
            computed = self.compute(min(EMBED_BATCH, total - done), listen, (done, total))
            if not computed:
                break
            self.store(computed)
            done += len(computed)
        return done

    def embed_patiently(self, most: int) -> None:
        """Compute missing vectors as long as the model is quick: somebody waits for them."""
        give_up = time.monotonic() + PATIENCE_S
        for _ in range(0, most, AT_ONCE):
            if self.embed(most=AT_ONCE) < AT_ONCE or time.monotonic() > give_up:
                break

    def compute(
        self, most: int, listen: Listener = silent, progress: tuple[int, int] | None = None
    ) -> Mapping[UUID, bytes | None]:
        """The vectors of the newest points that lack one; ``None`` for text that has none.

        Nothing is written: the slow part of the work needs no turn at the index.
        """
        if self.embedder is None:
            return {}
        with stage("fill"):
            return self._computed(self.embedder, most, listen, progress or (0, most))

    def _computed(
        self, embedder: Embedder, most: int, listen: Listener, progress: tuple[int, int]
    ) -> Mapping[UUID, bytes | None]:
        done, total = progress
        queue = [(space, row, embedded(row)) for space, row in self.ledger.queue(self.name, most)]
        keys = [self._key(embedder, space, text) for space, _, text in queue]
        known: dict[VectorKey, bytes | None] = {**self.known(keys)}
        computed: dict[UUID, bytes | None] = {}
        made: dict[VectorKey, bytes] = {}
        try:
            for (_, row, text), key in zip(queue, keys, strict=True):
                if key not in known:
                    vector = known[key] = _vector(embedder, text)
                    made |= {} if vector is None else {key: vector}
                if len(made) == KEEP_BATCH:
                    self.vectors.put_many(made)
                    made = {}
                computed[row.point_id] = known[key]
                listen(Progress("embed", done + len(computed), total, "chunks"))
        finally:  # whoever breaks it off need not compute these again
            if made:
                self.vectors.put_many(made)
        return computed

    def store(self, computed: Mapping[UUID, bytes | None]) -> None:
        """Write computed vectors, durably, then take their points off the queue."""
        self.index.set_vectors({i: vector for i, vector in computed.items() if vector is not None})
        self.index.flush()
        self.ledger.dequeue(self.name, list(computed))


def _vector(embedder: Embedder, text: str) -> bytes | None:
    try:
        made = embedder.passage(text)
    except InvalidInput:
        return None  # nothing in it that a model could read: its words are enough
    count("embeddings")
    return made


def embedded(row: ChunkRow) -> str:
    """The text of a chunk that words and vector are made of."""
    head = row.content[slice(*row.head)] if row.head else ""
    return embedded_text(row.title, row.heading, row.text, head)


def _point(workspace: str, row: ChunkRow, lexical: SparseVector, access: Access) -> ChunkPoint:
    start, end = row.period.start, row.period.end
    heading = tuple(one[:MAX_NAME_CHARS] for one in row.heading)
    return ChunkPoint(
        id=row.point_id,
        workspace=workspace,
        chunk_id=row.chunk_id,
        entry_id=row.entry_id,
        valid_from_earliest=start.earliest,
        valid_from_latest=start.latest,
        valid_to_earliest=end.earliest,
        valid_to_latest=end.latest,
        recorded_from=row.recorded_from,
        recorded_to=row.recorded_to,
        age_at=row.age_at,
        type=row.type,
        lang=row.lang,
        body=folded_text("\n".join((row.title[:MAX_NAME_CHARS], *heading, row.text))),
        lexical=lexical,
        tags=folded_tags(row.tags),
        paths=with_parents([row.path] if row.path else []),
        visibility=access.visibility,
        sensitivity=access.sensitivity,
        acl=access.acl,
        title=row.title[:MAX_NAME_CHARS],
        heading=heading,
    )
