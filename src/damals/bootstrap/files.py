"""The wiring of what works on files beside a home: annotations, and watching a folder."""

from pathlib import Path

from damals import messages
from damals.adapters.files.home import Home
from damals.adapters.files.types import TypeFiles
from damals.adapters.vault.annotate import FrontmatterEditor
from damals.adapters.watching.folder import POLL_S, WatchedFolder
from damals.app.annotating import Annotated, Wanted, annotate
from damals.app.paths import given_path
from damals.app.vault.file_kinds import NOTES
from damals.app.watching import Watched
from damals.bootstrap import system_clock
from damals.domain.errors import InvalidInput
from damals.domain.fields import When
from damals.domain.types import TypeCatalogue
from damals.domain.zones import load_zone
from damals.settings import Loaded

VAULT_SETTINGS = ".damals"
LONGEST_SETTLING_S = 3600.0


def annotate_note(
    home: str | Path | None, path: str | Path, wanted: Wanted, *, dry_run: bool = False
) -> Annotated:
    """Change fields of one note's frontmatter; see :func:`damals.app.annotating.annotate`.

    Args:
        home: whose settings say which zone is meant, and whose types which relations there are.
        path: of the note.
        wanted: what it is to say.
        dry_run: only tell what would be changed.
    """
    messages.install()
    settings = Loaded.load(home=home).settings
    when = When(load_zone(settings.timezone), system_clock())
    note = given_path(path)

    def types() -> TypeCatalogue:
        return TypeFiles(Home.at(settings.home).path).load(_vault_of(note)).catalogue

    return annotate(FrontmatterEditor(), note, wanted, (when, types), dry_run=dry_run)


def _vault_of(note: Path) -> Path | None:
    """The nearest folder around a note that has settings of its own."""
    folders = note.absolute().parents
    return next((one for one in folders if (one / VAULT_SETTINGS).is_dir()), None)


def watched_folder(path: Path, settle_s: object, *, polling: bool) -> Watched:
    """A vault of which changes are noticed.

    Args:
        path: of its folder, without symbolic links.
        settle_s: seconds without another change, until changes are told.
        polling: look at the files instead of being told by the system.

    Raises:
        InvalidInput: ``watch.not_a_folder``, ``watch.settle``.
    """
    messages.install()
    if not path.is_dir():
        raise InvalidInput("watch.not_a_folder", path=str(path))
    if not isinstance(settle_s, int | float) or not 0 <= settle_s <= LONGEST_SETTLING_S:
        raise InvalidInput("watch.settle", value=settle_s, high=f"{LONGEST_SETTLING_S:g}")
    return WatchedFolder(path, NOTES, settle_s=settle_s, poll_s=POLL_S if polling else 0)
