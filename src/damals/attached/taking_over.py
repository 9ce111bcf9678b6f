"""What an owner that was lost has done, as the next owner of the home finds it."""

from collections.abc import Mapping
from typing import cast

from damals.api import Damals
from damals.app.access_model import Registry
from damals.app.results import ImportReport
from damals.app.wire import from_wire
from damals.domain.entries import Json
from damals.domain.names import DEFAULT_WORKSPACE
from damals.local import LocalDamals
from damals.remote.admin import KeyOrder
from damals.remote.jobs import Errand
from damals.remote.sending import imports_of


def key_made(memory: Damals, order: KeyOrder) -> bool:
    """Whether an order for a key was carried out, though nobody heard the answer."""
    registry = _registry(memory)
    named = order.once()
    kept = None if registry is None else registry.answer(None, named.key)
    return kept is not None and kept.request == named.request


def import_done(memory: Damals, workspace: str, errand: Errand) -> ImportReport | None:
    """What an import gave that was done to its end; nothing when it was not."""
    registry = _registry(memory)
    named = errand.job
    if registry is None:
        return None
    if named is None:
        kept = registry.answer(workspace, errand.known_as(workspace, imports_of(workspace)))
        told = None if kept is None else kept.body
        named = str(told.get("id")) if isinstance(told, Mapping) else None
    job = None if named is None else registry.job(workspace, named)
    if job is None or job.state != "done" or not isinstance(job.result, Mapping):
        return None
    return from_wire(ImportReport, cast("Mapping[str, Json]", job.result))


def _registry(memory: Damals) -> Registry | None:
    """Where the home keeps what was answered; nothing when it is not ours or not there."""
    if not isinstance(memory, LocalDamals) or not memory.opened.parts.home.exists():
        return None
    return memory.opened.ledger(DEFAULT_WORKSPACE).registry
