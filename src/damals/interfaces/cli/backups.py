"""Commands about backups."""

import base64
import sys
from collections.abc import Sequence
from getpass import getpass
from typing import TYPE_CHECKING, Final

from damals.app.errors import InvalidInput
from damals.app.result import Result
from damals.interfaces.cli import backup_views as views
from damals.interfaces.cli import options
from damals.interfaces.cli.output import is_terminal
from damals.interfaces.cli.progress import reporting
from damals.interfaces.cli.registry import command
from damals.interfaces.cli.session import Call, Session

if TYPE_CHECKING:
    from damals.bootstrap.backups import Keys
    from damals.bootstrap.restoring import Place

ALL: Final = "all"
BROKEN: Final = 7


@command(
    "backup create",
    options.WITH_INDEX,
    options.KEY_FILE,
    options.PASSPHRASE,
    options.COMPRESSION,
)
def create(call: Call) -> None:
    """Make a backup while others work."""
    from damals.app.backups.results import Backups  # noqa: PLC0415 -- wiring is loaded when needed
    from damals.bootstrap.backups import seal_by  # noqa: PLC0415 -- as above

    session = call.session
    asking = bool(call.values.get("passphrase"))
    seal = seal_by(session.settings().settings, _keys(call, twice=True), asking=asking)
    if asking and seal is None:
        raise InvalidInput("backup.no_passphrase")
    values = call.without("key_file", "passphrase")
    if seal is not None:
        values["recipient"] = seal.recipient
        if seal.locked is not None:
            values["locked_key"] = base64.b64encode(seal.locked).decode("ascii")
    with call.open(brief=False) as memory, reporting(session) as progress:
        made = memory.backup(**values, progress=progress)
    call.show(Backups((made,)), views.made)


@command("backup list")
def list_(call: Call) -> None:
    """The backups of a home, which need not be there any more."""
    from damals.app.backups.results import Backups  # noqa: PLC0415 -- wiring is loaded when needed
    from damals.bootstrap.backups import list_backups  # noqa: PLC0415 -- as above

    found = Backups(tuple(list_backups(call.session.options.home)))
    call.show(found, views.listed)


@command("backup verify", options.BACKUP_IDS, options.KEY_FILE)
def verify(call: Call) -> int:
    """Check backups; exit code 7 when one is not sound."""
    from damals.app.backups.results import Backups  # noqa: PLC0415 -- wiring is loaded when needed
    from damals.bootstrap.backups import verify_backups  # noqa: PLC0415 -- as above

    ids: Sequence[str] = call.values.get("ids", ())
    asked = () if ALL in ids else ids
    home = call.session.options.home
    with reporting(call.session) as progress:
        found = Backups(tuple(verify_backups(home, asked, _keys(call), progress)))
    call.show(found, views.verified)
    return BROKEN if any(one.verified is False for one in found.backups) else 0


@command(
    "backup restore",
    options.BACKUP,
    options.TO_FOLDER,
    options.KEY_FILE,
    options.DISCARD,
    options.YES,
)
def restore(call: Call) -> None:
    """Put a backup in the place of a home."""
    from damals.bootstrap.backups import backup_named  # noqa: PLC0415 -- wiring is loaded when needed
    from damals.bootstrap.restoring import place_of, restore_backup  # noqa: PLC0415 -- as above

    home, named = call.session.options.home, call.values["backup"]
    backup_named(home, named)
    place = place_of(home, call.values.get("to"))
    if place.taken and not call.values.get("yes"):
        _confirm(call.session, place)
    discard = bool(call.values.get("discard"))
    with reporting(call.session) as progress:
        done = restore_backup(place, (home, named), _keys(call), progress, discard=discard)
    call.show(done, views.restored)


@command("backup prune", *options.KEEP_RULES, options.DRY_RUN)
def prune(call: Call) -> None:
    """Remove backups that no rule keeps."""
    from damals.bootstrap.backups import prune_backups  # noqa: PLC0415 -- wiring is loaded when needed
    from damals.domain.retention import Keep  # noqa: PLC0415 -- as above

    keep = Keep(**call.without("dry_run"))
    dry_run = bool(call.values.get("dry_run"))
    call.show(prune_backups(call.session.options.home, keep, dry_run=dry_run), views.pruned)


@command("backup key", options.FILE)
def key(call: Call) -> None:
    """Make a key that backups are encrypted to."""
    from damals.app.backups.results import NewBackupKey  # noqa: PLC0415 -- wiring is loaded when needed
    from damals.bootstrap.backups import make_key  # noqa: PLC0415 -- as above

    path = call.values["path"]
    made: Result = NewBackupKey(path, make_key(path))
    call.show(made, views.key_made)


def _keys(call: Call, *, twice: bool = False) -> "Keys":
    from damals.bootstrap.backups import Keys  # noqa: PLC0415 -- wiring is loaded when needed

    return Keys(call.values.get("key_file"), lambda: _asked(call.session, twice=twice))


def _asked(session: Session, *, twice: bool) -> str | None:
    """A passphrase that somebody types; ``None`` when nobody sits there.

    Raises:
        InvalidInput: ``backup.passphrases_differ``.
    """
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        return None
    told = getpass(f"{session.say('backup.ask')} ", stream=sys.stderr)
    if twice and told != getpass(f"{session.say('backup.ask_again')} ", stream=sys.stderr):
        raise InvalidInput("backup.passphrases_differ")
    return told or None


def _confirm(session: Session, place: "Place") -> None:
    """Ask whoever sits at the terminal.

    Raises:
        InvalidInput: ``backup.unconfirmed`` when nobody can be asked or the answer is not yes.
    """
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        raise InvalidInput("backup.unconfirmed", path=str(place.home))
    sys.stderr.write(f"{session.say('backup.confirm', path=str(place.home))} ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().casefold() not in session.say("cli.yes_words").split():
        raise InvalidInput("backup.unconfirmed", path=str(place.home))
