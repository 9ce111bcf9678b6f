"""The collections of a home on a server: versions, one of them in use under the aliases.

All four collections of a version have one number: ``mindnet_chunks_3``, ``mindnet_notes_3``. What
is in use has the aliases (``mindnet_chunks``), which are switched in one request. A collection says
in its metadata whose it is and what it was filled with; nobody else's is ever touched.
"""

import re
import shutil
from collections.abc import Mapping
from typing import Any, Final, cast

from qdrant_client import QdrantClient, models

from damals.adapters.qdrant import engine
from damals.adapters.qdrant.beside import QdrantBeside
from damals.adapters.qdrant.index import GRAPH, QdrantChunkIndex
from damals.adapters.qdrant.server import Server
from damals.adapters.qdrant.settings import QdrantSettings
from damals.app.beside_model import KINDS, Kind
from damals.app.index_schema import COLLECTION, DENSE, LEXICAL
from damals.app.ports import NamedIndex
from damals.domain.errors import Unavailable

OWNER: Final = "damals_home"
MADE_WITH: Final = "damals_made_with"


class QdrantShelf:
    """The versions of a home's collections on a server (port ``IndexShelf``).

    Args:
        settings: where the server is, and how collections are laid out.
        client: instead of one that is opened.
    """

    def __init__(self, settings: QdrantSettings, client: QdrantClient | None = None) -> None:
        self._settings = settings
        self._client = client
        self._server = Server(settings, client)

    def current(self) -> NamedIndex:
        """The version in use; an empty first one when there is none, or none that is of use."""
        number = self._used()
        self._sweep(number)
        if number is not None and self._usable(number):
            return self._open(number, fresh=False)
        made = self._make()
        self._switch(made)
        self._sweep(made)
        return self._open(made, fresh=True)

    def fresh(self) -> NamedIndex:
        """A new, empty version beside the one in use."""
        return self._open(self._make(), fresh=True)

    def adopt(self, name: str) -> None:
        """Use this version from now on; the others go."""
        number = self._number_of(name)
        self._switch(number)
        self._sweep(number)
        embedded = self._settings.embedded
        for left in embedded.iterdir() if embedded is not None and embedded.is_dir() else ():
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)

    def discard(self) -> None:
        """Throw the version in use away; the next one starts empty."""
        number = self._used()
        if number is not None:
            self._remove(number)

    def look(self) -> str | None:
        """The name of the index in use, if there is one that is ours; nothing is changed.

        Raises:
            Unavailable: what would be in the way of one.
        """
        number = self._used()
        return None if number is None else self._settings.collection(COLLECTION, number)

    # --- what is there

    def _names(self) -> set[str]:
        told = self._server.ask(lambda client: client.get_collections())
        return {one.name for one in told.collections}

    def _numbers(self, names: set[str]) -> set[int]:
        """The versions of which a collection is there, whoever made it."""
        kinds = "|".join(self._settings.names)
        pattern = re.compile(rf"{re.escape(self._settings.prefix)}_(?:{kinds})_(\d+)")
        return {int(found[1]) for name in names if (found := pattern.fullmatch(name))}

    def _number_of(self, name: str) -> int:
        return int(name.rpartition("_")[2])

    def _used(self) -> int | None:
        """The version that has the alias of the chunks.

        Raises:
            Unavailable: ``qdrant.foreign`` when it is another home's, or no version of ours;
                ``qdrant.occupied`` when a collection has the name of an alias.
        """
        names = self._names()
        for kind in self._settings.names:
            alias = self._settings.alias(kind)
            if alias in names:
                raise Unavailable("qdrant.occupied", url=self._settings.shown, name=alias)
        wanted = self._settings.alias(COLLECTION)
        told = self._server.ask(lambda client: client.get_aliases()).aliases
        name = next((one.collection_name for one in told if one.alias_name == wanted), None)
        if name is None:
            return None
        if not self._numbers({name}) or not self._ours(self._described(name)):
            raise Unavailable("qdrant.foreign", url=self._settings.shown, name=name)
        return self._number_of(name)

    def _described(self, name: str) -> models.CollectionInfo:
        return self._server.ask(lambda client: client.get_collection(name))

    def _ours(self, told: models.CollectionInfo) -> bool:
        return _metadata(told).get(OWNER) == self._settings.owner

    def _usable(self, number: int) -> bool:
        """Whether all collections of a version are there, filled as now and laid out as now."""
        names = self._names()
        wanted = [self._settings.collection(kind, number) for kind in self._settings.names]
        if not names.issuperset(wanted):
            return False
        told = self._described(wanted[0])
        made_with = _metadata(told).get(MADE_WITH) == self._settings.made_with
        return made_with and self._equal_vectors(told.config.params)

    def _equal_vectors(self, told: models.CollectionParams) -> bool:
        """Whether the vectors are those of the one definition."""
        dense = told.vectors if isinstance(told.vectors, Mapping) else {}
        sparse = told.sparse_vectors or {}
        wanted = engine.dense_vectors(self._settings, COLLECTION)[DENSE]
        if dense.keys() != {DENSE} or sparse.keys() != {LEXICAL}:
            return False
        found = dense[DENSE]
        return (found.size, found.distance) == (wanted.size, wanted.distance) and sparse[
            LEXICAL
        ].modifier == models.Modifier.IDF

    # --- making and removing

    def _make(self) -> int:
        """Make the next version, empty. A kill leaves a part of one, which is swept away."""
        number = max(self._numbers(self._names()), default=0) + 1
        for kind in self._settings.names:
            self._lay_out(kind, self._settings.collection(kind, number))
        return number

    def _lay_out(self, kind: str, name: str) -> None:
        has = self._settings
        replicas = has.replicas
        self._server.ask(
            lambda client: client.create_collection(
                name,
                vectors_config=engine.dense_vectors(has, kind),
                sparse_vectors_config=engine.sparse_vectors(kind) or None,
                shard_number=has.shards,
                replication_factor=replicas,
                write_consistency_factor=min(has.write_consistency or replicas, replicas),
                hnsw_config=engine.NO_GRAPH,
                metadata={OWNER: has.owner, MADE_WITH: has.made_with},
            )
        )
        for field, indexed in engine.indexes(kind).items():
            self._server.ask(
                lambda client, field=field, indexed=indexed: client.create_payload_index(
                    name, field, field_schema=engine.index_params(indexed), wait=True
                )
            )

    def _switch(self, number: int) -> None:
        """Point all aliases at a version, in one request."""
        known = {one.alias_name for one in self._server.ask(lambda c: c.get_aliases()).aliases}
        actions: list[models.AliasOperations] = []
        for kind in self._settings.names:
            alias, name = self._settings.alias(kind), self._settings.collection(kind, number)
            if alias in known:
                gone = models.DeleteAlias(alias_name=alias)
                actions.append(models.DeleteAliasOperation(delete_alias=gone))
            made = models.CreateAlias(collection_name=name, alias_name=alias)
            actions.append(models.CreateAliasOperation(create_alias=made))
        self._server.ask(lambda client: client.update_collection_aliases(actions))

    def _sweep(self, used: int | None) -> None:
        """Remove what was in use before, and what unfinished rebuilds left."""
        for number in self._numbers(self._names()):
            if number != used:
                self._remove(number)

    def _remove(self, number: int) -> None:
        """Remove a version, if it is ours."""
        there = self._names()
        for kind in self._settings.names:
            name = self._settings.collection(kind, number)
            if name in there and self._ours(self._described(name)):
                self._server.ask(lambda client, name=name: client.delete_collection(name))

    def _open(self, number: int, *, fresh: bool) -> NamedIndex:
        name = self._settings.collection(COLLECTION, number)
        graph = not fresh and bool(_metadata(self._described(name)).get(GRAPH))
        server = Server(self._settings, self._client)
        index = QdrantChunkIndex(self._settings, server, name, graph=graph)
        beside: dict[Kind, str] = {kind: self._settings.collection(kind, number) for kind in KINDS}
        return NamedIndex(name, index, fresh, QdrantBeside(server, beside))


def _metadata(told: models.CollectionInfo) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", told.config.metadata or {})
