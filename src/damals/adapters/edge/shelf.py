"""Where the shards of a home lie: one in use, and a new one while it is being filled.

A shard is replaceable. Rebuilding fills a new folder from the ledger and then points to it; the
folder that was in use goes afterwards. A kill at any instant leaves one whole shard in use.
"""

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from damals.adapters.edge.guard import engine_errors
from damals.adapters.edge.schema import EdgeSettings
from damals.adapters.edge.worker import WorkerChunkIndex
from damals.app.ports import ChunkIndex, NamedIndex

POINTER: Final = "current"
DRAFT: Final = f"{POINTER}.new"
MADE_WITH: Final = "made-with"
FIRST: Final = "edge-1"


class EdgeShelf:
    """The shards in a home's ``index`` folder (port ``IndexShelf``).

    Args:
        settings: of every shard; its ``home`` is the folder of all of them.
        made_with: what the shards are filled with: models and their versions. A shard that was
            filled with something else is no use: what it answers could not be compared.
        worker: run the engine in a process of its own.
    """

    def __init__(self, settings: EdgeSettings, made_with: str, *, worker: bool) -> None:
        self._settings = settings
        self._made_with = made_with
        self._folder = settings.home
        self._worker = worker

    def current(self) -> NamedIndex:
        """The shard in use; an empty first one when there is none."""
        name = self._pointed()
        self._sweep(name)
        fresh = not self._usable(name)
        if fresh:
            self._lay_out(name)
        return NamedIndex(name, self._open(name), fresh=fresh)

    def fresh(self) -> NamedIndex:
        """A new, empty shard beside the one in use."""
        name = f"edge-{int(self._pointed().rpartition('-')[2]) + 1}"
        self._lay_out(name)
        return NamedIndex(name, self._open(name), fresh=True)

    def adopt(self, name: str) -> None:
        """Use this shard from now on; the others go. It must be closed.

        Raises:
            Unavailable: another one cannot be removed.
        """
        draft = self._folder / DRAFT
        with engine_errors(self._folder):
            with draft.open("w", encoding="utf-8") as file:
                file.write(name)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self._folder / POINTER)
            for folder in self._others(name):  # an erasure relies on it that none is left
                shutil.rmtree(folder)

    def discard(self) -> None:
        """Throw the shard in use away; the next one starts empty."""
        shutil.rmtree(self._folder / self._pointed(), ignore_errors=True)

    def _usable(self, name: str) -> bool:
        try:
            told = (self._folder / name / MADE_WITH).read_text(encoding="utf-8")
        except (OSError, ValueError):
            return False
        return told == self._made_with

    def _lay_out(self, name: str) -> None:
        """An empty folder for a shard, with a note of what it is filled with."""
        folder = self._folder / name
        with engine_errors(folder):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            (folder / MADE_WITH).write_text(self._made_with, encoding="utf-8")

    def _pointed(self) -> str:
        try:
            name = (self._folder / POINTER).read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            return FIRST
        return name if name.startswith("edge-") and name[5:].isdecimal() else FIRST

    def _sweep(self, used: str) -> None:
        """Remove what unfinished rebuilds left, a pointer that was not put in place included."""
        with suppress(OSError):
            (self._folder / DRAFT).unlink(missing_ok=True)
        for folder in self._others(used):
            shutil.rmtree(folder, ignore_errors=True)

    def _others(self, used: str) -> Sequence[Path]:
        """The folders of shards that are not in use."""
        found = self._folder.glob("edge-*")
        return [one for one in found if one.name != used and one.is_dir()]

    def _open(self, name: str) -> ChunkIndex:
        settings = replace(self._settings, home=self._folder / name)
        if self._worker:
            return WorkerChunkIndex(settings)
        from damals.adapters.edge.shard import EdgeChunkIndex  # noqa: PLC0415 -- the engine is loaded where it runs

        return EdgeChunkIndex(settings)
