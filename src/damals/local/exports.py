"""The part of ``LocalDamals`` that gives knowledge out."""

import logging
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Unpack

from damals.api.exports import ExportOptions
from damals.app.access_model import NotedExport
from damals.app.export import write_events
from damals.app.export_results import ExportReport
from damals.app.exporting import Wanted, wanted
from damals.app.ledger_port import LedgerReader
from damals.app.markdown_export.folder import Folder
from damals.app.markdown_export.notes import Kit, MarkdownExport
from damals.app.markdown_export.wire import lines_of
from damals.app.person_export.collecting import Asking, collected
from damals.app.person_export.model import PersonExport
from damals.app.person_export.writing import write_person
from damals.app.writing import replaced
from damals.domain.access import Right
from damals.domain.errors import InvalidInput, Unavailable
from damals.local.home import OpenHome

_LOG: Final = logging.getLogger(__name__)

ELSEWHERE: Final = "?"
"""Noted as the path of what another process was sent that did not say where it puts it."""


class LocalExports(OpenHome):
    """Exports; see :class:`damals.api.exports.Exports`.

    Each is noted before its first byte is written: an erasure names those that hold what it
    removes, and none that there may be is to be missing.
    """

    def export(self, path: str | Path, **options: Unpack[ExportOptions]) -> ExportReport:
        """See :meth:`damals.api.exports.Exports.export`."""
        asked = wanted(options)
        with self._exporting() as reader:

            def begun(location: Path) -> None:
                self._note(reader, asked, location)

            if asked.kind == "markdown":
                notes = self._notes(reader, asked)
                folder = Folder.at(path, notes.head)
                begun(folder.root)
                return folder.bring_up_to_date(notes.files(), notes.head)
            if asked.kind == "person":
                return write_person(self._collected(reader, asked), path, asked.lang, begun)
            return write_events(reader, path, begun)

    def sent(self, path: Path, options: ExportOptions, to: str | None = None) -> None:
        """As :meth:`export`, into a file that is sent to another process.

        Args:
            path: of the file.
            options: what is exported.
            to: where the other process puts it.
        """
        asked = wanted(options)
        with self._exporting() as reader:
            self._note(reader, asked, to or ELSEWHERE)
            if asked.kind == "markdown":
                notes = self._notes(reader, asked)
                with replaced(path) as (_, file):
                    file.writelines(lines_of(notes.head, notes.files()))
            elif asked.kind == "person":
                write_person(self._collected(reader, asked), path, asked.lang)
            else:
                write_events(reader, path)

    @contextmanager
    def _exporting(self) -> Generator[LedgerReader]:
        """A reader, outside of transactions: an export notes itself in a write of its own."""
        if self._recording is not None:
            raise InvalidInput("transaction.open")
        with self._reader() as reader:
            yield reader

    def _notes(self, reader: LedgerReader, asked: Wanted) -> MarkdownExport:
        parts = self._parts
        types = parts.vaults.types.load().catalogue
        kit = Kit(parts.vaults.notes, parts.tools.chunker, types, parts.clock, parts.ages)
        base = self._ledger().lookup(self._workspace, "export").hex()
        return MarkdownExport(reader, base, kit, asked.markdown)

    def _collected(self, reader: LedgerReader, asked: Wanted) -> PersonExport:
        self._require(Right.ADMINISTER)
        asking = Asking(self._asker, self._parts.clock, self._parts.ages)
        return collected(self._ledger(), reader, str(asked.person), asking)

    def _note(self, reader: LedgerReader, asked: Wanted, path: str | Path) -> None:
        """Note it. What cannot be written to can be read all the same, and erases nothing."""
        place = str(path.absolute()) if isinstance(path, Path) else path
        number = reader.head().number
        noted = NotedExport(asked.kind, place, self._parts.clock(), number, self._principal)
        try:
            self._ledger().registry.note_export(self._workspace, noted)
        except Unavailable as error:
            if error.key != "ledger.read_only":
                raise
            _LOG.warning("export not noted: %s", error)
