"""Where a Qdrant server is, and how its collections are laid out."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from damals.addresses import without_secrets
from damals.app.beside_model import KINDS, Kind
from damals.app.index_schema import COLLECTION

OLDEST: Final = (1, 19)
"""The first version that computes the IDF over the points that the asker may see. An older one
ignores that it is asked to, and what is hidden would shine through the scores."""


@dataclass(frozen=True, slots=True)
class QdrantSettings:
    """Where the server is, what the vectors are and how collections are laid out.

    Attributes:
        url: address of the server.
        dimension: length of the dense vectors.
        model, version: of the embedder, stored with every dense vector.
        owner: name of the home that the collections belong to.
        made_with: what the collections are filled with: models and their versions.
        prefix: first part of the collections' names.
        key: opens the server.
        timeout_s: how long an answer may take, in whole seconds.
        shards: into how many parts a collection is cut.
        replicas: how many copies of each part there are.
        write_consistency: how many copies must have a write before it counts; 0 for all.
        embedded: folder of an index that was used before this one. What it holds of texts that are
            erased later nobody would look for: it goes when a version is replaced.
    """

    url: str = field(repr=False)
    dimension: int
    model: str
    version: str
    owner: str = ""
    made_with: str = ""
    prefix: str = "mindnet"
    key: str = field(default="", repr=False)
    timeout_s: int = 30
    shards: int = 1
    replicas: int = 1
    write_consistency: int = 0
    embedded: Path | None = None

    @property
    def shown(self) -> str:
        """The address without what opens it."""
        return without_secrets(self.url, web=True)

    @property
    def names(self) -> tuple[str, ...]:
        """What the kinds of collections are called after the prefix; the chunks' first."""
        return (COLLECTION, *KINDS)

    def alias(self, kind: str) -> str:
        """The name under which others find the collection in use: ``mindnet_chunks``."""
        return f"{self.prefix}_{kind}"

    def collection(self, kind: "Kind | str", number: int) -> str:
        """The name of a version of a collection: ``mindnet_chunks_3``."""
        return f"{self.alias(kind)}_{number}"
