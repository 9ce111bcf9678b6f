"""Where the shards of a home lie: one in use, and a new one while it is being filled.

A shard is replaceable. Rebuilding fills a new folder from the ledger and then points to it; the
folder that was in use goes afterwards. A kill at any instant leaves one whole shard in use.
"""

import os
import shutil
from dataclasses import replace
from typing import Final

from damals.adapters.edge.schema import EdgeSettings
from damals.adapters.edge.worker import WorkerChunkIndex
from damals.app.ports import ChunkIndex, NamedIndex

POINTER: Final = "current"
FIRST: Final = "edge-1"


class EdgeShelf:
    """The shards in a home's ``index`` folder (port ``IndexShelf``).

    Args:
        settings: of every shard; its ``home`` is the folder of all of them.
        worker: run the engine in a process of its own.
    """

    def __init__(self, settings: EdgeSettings, *, worker: bool) -> None:
        self._settings = settings
        self._folder = settings.home
        self._worker = worker

    def current(self) -> NamedIndex:
        """The shard in use; an empty first one when there is none."""
        name = self._pointed()
        fresh = not (self._folder / name).is_dir()
        self._sweep(name)
        return NamedIndex(name, self._open(name), fresh=fresh)

    def fresh(self) -> NamedIndex:
        """A new, empty shard beside the one in use."""
        name = f"edge-{int(self._pointed().rpartition('-')[2]) + 1}"
        shutil.rmtree(self._folder / name, ignore_errors=True)
        return NamedIndex(name, self._open(name), fresh=True)

    def adopt(self, name: str) -> None:
        """Use this shard from now on; the others go. It must be closed."""
        self._folder.mkdir(parents=True, exist_ok=True)
        draft = self._folder / f"{POINTER}.new"
        with draft.open("w", encoding="utf-8") as file:
            file.write(name)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._folder / POINTER)
        self._sweep(name)

    def discard(self) -> None:
        """Throw the shard in use away; the next one starts empty."""
        shutil.rmtree(self._folder / self._pointed(), ignore_errors=True)

    def _pointed(self) -> str:
        try:
            name = (self._folder / POINTER).read_text(encoding="utf-8").strip()
        except OSError:
            return FIRST
        return name if name.startswith("edge-") and name[5:].isdecimal() else FIRST

    def _sweep(self, used: str) -> None:
        """Remove what unfinished rebuilds left."""
        for folder in self._folder.glob("edge-*"):
            if folder.name != used and folder.is_dir():
                shutil.rmtree(folder, ignore_errors=True)

    def _open(self, name: str) -> ChunkIndex:
        settings = replace(self._settings, home=self._folder / name)
        if self._worker:
            return WorkerChunkIndex(settings)
        # Imported here: the engine is loaded into this process only when it runs in it.
        from damals.adapters.edge.shard import EdgeChunkIndex  # noqa: PLC0415

        return EdgeChunkIndex(settings)
