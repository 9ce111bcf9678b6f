"""A folder of notes and a ledger that it is imported into, for tests of imports.

Every import through it is followed by a second one, which must find nothing to say and parse only
what could not be read before.
"""

import os
from pathlib import Path

import pytest

from damals.adapters.files.readings import ReadingsFile
from damals.adapters.files.types import TypeFiles
from damals.adapters.git.repository import GitHistories
from damals.adapters.memory.ledger import MemoryLedger
from damals.adapters.vault import MarkdownChunker, VaultReader
from damals.app.indexing import silent
from damals.app.ledger_model import At, SourceNote
from damals.app.record import Request, Tools, record
from damals.app.results import ImportReport
from damals.app.vault.importing import VaultImport
from damals.app.vault.run import Options, Vaults

START = 1_700_000_000_000_000


class CountingReader(VaultReader):
    """The real reader, which remembers what it was asked to parse."""

    def __init__(self) -> None:
        super().__init__()
        self.parsed = []

    def parse(self, file):
        self.parsed.append(file.path)
        return super().parse(file)


class Unsettled(ReadingsFile):
    """Forgets at once that a folder is settled, so that a second run looks at everything."""

    def settle(self, folder, settled):
        del folder, settled


class Vault:
    """A folder of notes and a ledger that it is imported into."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.root.mkdir()
        self.ledger = MemoryLedger()
        self.ledger.create_workspace("w", "Europe/Berlin", START)
        self.reader = CountingReader()
        self.home = root.with_name(f"{root.name}-home")
        readings = Unsettled(self.home / "cache")
        self.vaults = Vaults(self.reader, TypeFiles(self.home), readings, GitHistories())
        self._now = START
        self.tools = Tools(MarkdownChunker(), self._tick)

    def _tick(self) -> int:
        self._now += 1_000_000
        return self._now

    def clock_at(self) -> int:
        return self._now

    def set_clock(self, instant: int) -> None:
        self._now = instant

    def write(self, path: str, text: str | bytes) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())

    def rename(self, old: str, new: str) -> None:
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(self.root / new)

    def remove(self, path: str) -> None:
        (self.root / path).unlink()

    def now(self) -> At:
        """The pair (now, now)."""
        return At(self._now, self._now)

    def head(self) -> int:
        with self.ledger.read("w") as reader:
            return reader.head().number

    def run(self, path: Path | str = "", **options) -> ImportReport:
        run = VaultImport(self.ledger, "w", self.vaults, self.tools, Options(**options))
        return run.run(self.root / path, silent)

    def break_off(self, *, after: str) -> None:
        """Import, and be interrupted after the first step of a stage."""

        def listen(progress):
            if progress.stage == after:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            VaultImport(self.ledger, "w", self.vaults, self.tools, Options()).run(self.root, listen)

    def take_in(self, path: Path | str = "", **options) -> ImportReport:
        """Import, and import again: the second time nothing is stored and nothing read anew."""
        report = self.run(path, **options)
        head = self.head()
        self.reader.parsed.clear()
        again = self.run(path, **options)
        assert self.head() == head
        assert set(self.reader.parsed) <= {failure.path for failure in again.failed}
        assert again.failed == report.failed
        assert (again.added, again.changed, again.moved) == (0, 0, 0)
        return report

    def current(self, source: str = "vault") -> list[SourceNote]:
        with self.ledger.read("w") as reader:
            return [note for note in reader.source_notes(source) if note.current]

    def places(self) -> dict[str, str | None]:
        """Name of the note at each path; no path is two notes."""
        notes = self.current()
        assert len({note.path for note in notes}) == len(notes)
        return {note.path: note.external_id for note in notes}

    def ids(self) -> dict[str, object]:
        return {note.path: note.entry_id for note in self.current()}

    def content(self, path: str) -> str:
        """The text of the note at a path, as the ledger has it."""
        with self.ledger.read("w") as reader:
            found = reader.latest_version(self.ids()[path], At(self._now, self._now))
            return found.version.attributes.content

    def links(self, path: str) -> set[str | None]:
        """Paths that the note links to; ``None`` for what leads nowhere."""
        here = {note.entry_id: note.path for note in self.current()}
        with self.ledger.read("w") as reader:
            return {
                None if link.unresolved else here[link.dst]
                for link in reader.links("vault")
                if here.get(link.entry_id) == path
            }

    def relations(self, path: str) -> set[tuple[str, str | None]]:
        """Relation and path of each link of a note; ``None`` for what leads nowhere."""
        here = {note.entry_id: note.path for note in self.current()}
        with self.ledger.read("w") as reader:
            return {
                (link.relation, None if link.unresolved else here[link.dst])
                for link in reader.links("vault")
                if here.get(link.entry_id) == path
            }

    def superseded(self, path: str) -> bool:
        """Whether a cut took the present from the note at a path."""
        with self.ledger.read("w") as reader:
            [one] = [n for n in reader.source_notes("vault") if n.path == path]
            return one.entry_id in reader.superseded_at([one.entry_id], self.now())

    def properties(self, path: str) -> dict:
        """The properties of the note at a path."""
        return next(dict(n.attributes.properties) for n in self.current() if n.path == path)

    def declare(self, text: str, *, at: Path | None = None) -> None:
        """Say something in the ``types.yaml`` of the vault, or of another folder."""
        file = (at or self.root) / ".damals" / "types.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def do(self, **params) -> None:
        with self.ledger.write("w") as writer:
            record(writer, self.tools, Request((params,), actor="anna"))


def note(name: str, text: str = "") -> str:
    return f"---\nid: {name}\n---\n{text or name}\n"


def failures(report: ImportReport) -> list[str]:
    return [failure.path for failure in report.failed]


def hide(patched, name):
    """A folder of this name cannot be listed; root may list everything, whatever its mode."""
    listed = os.scandir

    def refusing(path):
        if Path(path).name == name:
            raise PermissionError(13, "Permission denied")
        return listed(path)

    patched.setattr(os, "scandir", refusing)
