"""The part of ``Damals`` that gives knowledge out: as events, as notes, and all about a person."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Literal, TypedDict, Unpack

from damals.api.params import Instant
from damals.app.export_results import ExportReport


class ExportOptions(TypedDict, total=False):
    """What an export may be asked.

    Attributes:
        format: ``events`` (default): every transaction in a file, from which the same answers can
            be rebuilt; ``markdown``: a folder of notes as of a pair of instants.
        as_of, known_at: that pair; now when they are not given.
        history: each note tells what was known before.
        person: id or external id of a person: everything that is kept about them, in a file,
            instead of ``format``.
        lang: ``de`` or ``en``: of what is written around notes and in documents.
    """

    format: Literal["events", "markdown"]
    as_of: Instant | None
    known_at: Instant | None
    history: bool
    person: str | None
    lang: str | None


class Exports(ABC):
    """What leaves a memory."""

    @abstractmethod
    def export(self, path: str | Path, **options: Unpack[ExportOptions]) -> ExportReport:
        """Write what is known, as far as the asker may see it.

        A file appears when it is whole. A folder of notes is made, or brought up to date when an
        export made it: note by note, and never over one that somebody has edited since; those are
        in ``kept``. The folder is a vault that :meth:`~damals.api.Damals.import_` takes in. Of a
        person the suffix of the file decides: ``.html`` and ``.md`` to read, all others JSON.

        Args:
            path: of the file, or of the folder of notes.
            **options: what to write, and of when.

        Raises:
            InvalidInput: ``export.format``, ``export.options`` for options that the format does
                not have, ``export.marker``, ``path.unwritable``, ``path.invalid``.
            NotFound: ``path.missing``; ``entry.unknown`` or ``entry.erased`` for the person.
            Conflict: ``export.not_ours`` for a folder with something else in it,
                ``export.other`` for one that another workspace was exported to.
            Denied: ``access.right`` for a person, unless the asker administers the workspace.
        """
