"""What a home keeps of itself elsewhere: its backups, for who works in it."""

from dataclasses import dataclass
from typing import NoReturn

from damals.app.backups.creating import Backing
from damals.app.backups.verifying import Opening
from damals.app.erasures_journal import ErasureJournal
from damals.domain.errors import Unavailable


@dataclass(frozen=True, slots=True)
class Keeping:
    """Where backups go, how they are made and looked at, and what was erased."""

    backing: Backing
    opening: Opening
    journal: ErasureJournal


def nothing_kept() -> NoReturn:
    """For a home that is nowhere.

    Raises:
        Unavailable: ``backup.nowhere``.
    """
    raise Unavailable("backup.nowhere")
