"""Where something lies on the machine that it was read on: no knowledge, and not for everybody.

A vault is known by the address of its folder, which names users and disks of the machine. Who has a
key is told what stands in the vault (name, path in it, heading), and that address only if they
administer; the one rule for whatever a reader gives, the log and exports included.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, cast

from damals.app.ledger_model import StoredTransaction
from damals.domain.entries import Attributes, Json

SCHEME: Final = "file:"
SOURCE: Final = "source"
URI: Final = "uri"


def without_place(attributes: Attributes) -> Attributes:
    """What an entry says, but for the address of a file or folder of the machine."""
    if not _is_place(attributes.source.uri):
        return attributes
    return replace(attributes, source=replace(attributes.source, uri=None))


def params_without_place(params: Mapping[str, Json]) -> Mapping[str, Json]:
    """The same for the parameters of an operation."""
    source = params.get(SOURCE)
    if not isinstance(source, Mapping):
        return params
    said = cast("Mapping[str, Json]", source)
    if not _is_place(said.get(URI)):
        return params
    kept: dict[str, Json] = {name: one for name, one in said.items() if name != URI}
    return {**params, SOURCE: kept}


def told_without_places(stored: StoredTransaction) -> StoredTransaction:
    """The same for all operations of a transaction."""
    told = (replace(one, params=params_without_place(one.params)) for one in stored.operations)
    return replace(stored, operations=tuple(told))


def _is_place(uri: object) -> bool:
    return isinstance(uri, str) and uri.strip().casefold().startswith(SCHEME)
