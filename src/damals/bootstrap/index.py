"""The wiring of the index: embedded in the home, or on a server."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from damals.adapters.files.home import Home
from damals.app.indexing import PROJECTION_VERSION
from damals.app.migrating.index import index_missing
from damals.app.ports import Embedder, IndexShelf
from damals.domain.errors import Unavailable
from damals.settings import Settings

if TYPE_CHECKING:
    from damals.adapters.qdrant.shelf import QdrantShelf

WITHOUT_MODEL = 384
"""Length of the vectors that an index without a model has room for: the default model's."""


@dataclass(frozen=True, slots=True)
class Filling:
    """What an index is filled with.

    Attributes:
        embedder: ``None`` where there is no model.
        tokens: version of the tokens.
    """

    embedder: Embedder | None
    tokens: str

    @property
    def dimension(self) -> int:
        """Length of the vectors."""
        return self.embedder.dimension if self.embedder else WITHOUT_MODEL

    @property
    def model(self) -> str:
        """Name of the model."""
        return self.embedder.model if self.embedder else ""

    @property
    def version(self) -> str:
        """Version of the model."""
        return self.embedder.version if self.embedder else ""

    @property
    def made_with(self) -> str:
        """All of it; what was filled with something else is no use."""
        return f"{self.model}\n{self.version}\n{self.tokens}\n{PROJECTION_VERSION}"


def shelf_of(settings: Settings, home: Home, filling: Filling, *, worker: bool) -> IndexShelf:
    """Where the index of a home lies: on a server when the settings name one.

    Args:
        settings: the settings.
        home: the home; it is locked by now.
        filling: what the index is filled with.
        worker: run the embedded engine in a process of its own.

    Raises:
        Unavailable: ``qdrant.missing`` when the client of the server is not installed.
    """
    if settings.qdrant:
        return _on_server(settings, home, filling)
    from damals.adapters.edge.schema import EdgeSettings  # noqa: PLC0415 -- a command pays for what it uses
    from damals.adapters.edge.shelf import EdgeShelf  # noqa: PLC0415 -- as above

    shards = EdgeSettings(
        home=home.index,
        dimension=filling.dimension,
        model=filling.model,
        version=filling.version,
        prefix=settings.collection_prefix,
    )
    return EdgeShelf(shards, filling.made_with, worker=worker)


def missing_for_index(settings: Settings, home: Home) -> Sequence[str]:
    """What is in the way of an index on the server that the settings name, one text each.

    Nothing is changed there.

    Raises:
        Unavailable: the server does not answer.
    """
    return index_missing(lambda: _on_server(settings, home, Filling(None, "")).look())


def _on_server(settings: Settings, home: Home, filling: Filling) -> "QdrantShelf":
    from damals.adapters.qdrant.settings import QdrantSettings  # noqa: PLC0415 -- as above

    try:
        from damals.adapters.qdrant.shelf import QdrantShelf  # noqa: PLC0415 -- an extra, and slow to load
    except ImportError as cause:
        raise Unavailable("qdrant.missing") from cause
    return QdrantShelf(
        QdrantSettings(
            url=settings.qdrant,
            dimension=filling.dimension,
            model=filling.model,
            version=filling.version,
            owner=home.identity(),
            made_with=_made_with(filling, home),
            prefix=settings.collection_prefix,
            key=settings.qdrant_key,
            timeout_s=settings.qdrant_timeout_s,
            shards=settings.qdrant_shards,
            replicas=settings.qdrant_replicas,
            write_consistency=settings.qdrant_write_consistency,
            embedded=home.index,
        )
    )


def _made_with(filling: Filling, home: Home) -> str:
    """What an index on a server was filled with, and in which life of the home."""
    life = home.life()
    return f"{filling.made_with}\n{life}" if life else filling.made_with
