"""Backups as people see them."""

from collections.abc import Sequence
from typing import Final

from damals import messages
from damals.app.backups.results import Backups, BackupView, NewBackupKey, Pruned, Restored
from damals.interfaces.cli.session import Session
from damals.interfaces.cli.times import local
from damals.interfaces.cli.views import BAD, GOOD, STRONG

HEAD: Final = ("id", "created_at", "size", "encrypted", "verified")
KILO: Final = 1000
UNITS: Final = ("B", "kB", "MB", "GB", "TB")


def made(session: Session, found: Backups) -> None:
    """A backup that was just made."""
    for one in found.backups:
        key = "backup.made_sealed" if one.encrypted else "backup.made"
        session.screen.line(session.say(key, id=one.id, size=_size(one.size)))
        session.screen.line((one.path, STRONG))


def listed(session: Session, found: Backups) -> None:
    """Backups as a table."""
    if not found.backups:
        session.screen.line(session.say("backup.none"))
        return
    _table(session, found.backups)


def verified(session: Session, found: Backups) -> None:
    """How checks ended."""
    if not found.backups:
        session.screen.line(session.say("backup.none"))
    for one in found.backups:
        good = one.verified is not False
        mark = ("ok  ", GOOD) if good else ("!!  ", BAD)
        session.screen.line(mark, (one.id, STRONG), f"  {_verdict(session, one)}")


def restored(session: Session, done: Restored) -> None:
    """What a restore did."""
    screen, say = session.screen, session.say
    screen.line(say("backup.restored", id=done.backup, path=done.home))
    for name, number in done.transactions.items():
        screen.line("  ", say("backup.restored_until", name=name, number=number))
    if done.erased_again:
        screen.line("  ", say("backup.erased_again", count=done.erased_again))
    if done.before is not None:
        screen.line("  ", say("backup.before", path=done.before))


def pruned(session: Session, done: Pruned) -> None:
    """What a retention keeps, by which rules, and what went."""
    screen, say = session.screen, session.say
    for one in done.backups:
        rules = ", ".join(say(f"backup.rule.{rule}") for rule in done.kept_by.get(one.id, ()))
        screen.line((one.id, STRONG), f"  {say('backup.kept', rules=rules)}")
    for one in done.removed:
        key = "backup.would_go" if done.dry_run else "backup.gone"
        screen.line((one.id, STRONG), f"  {say(key)}")
    if not (done.backups or done.removed):
        screen.line(say("backup.none"))


def key_made(session: Session, done: NewBackupKey) -> None:
    """A key that was just made."""
    session.screen.line(session.say("backup.key_made", path=done.path))
    session.screen.line((done.public_key, STRONG))
    session.screen.line(session.say("backup.key_care"))


def _table(session: Session, found: Sequence[BackupView]) -> None:
    zone = session.settings().settings.timezone
    rows = [
        [
            one.id,
            local(one.created_at, zone),
            _size(one.size),
            session.say("backup.yes" if one.encrypted else "backup.no"),
            _verdict(session, one),
        ]
        for one in found
    ]
    session.screen.table([session.say(f"backup.head.{name}") for name in HEAD], rows)


def _verdict(session: Session, one: BackupView) -> str:
    if one.verified:
        zone = session.settings().settings.timezone
        return session.say("backup.sound", at=local(one.verified_at, zone))
    if one.verified is None:
        key = "backup.unchecked" if one.checked is None else f"backup.{one.checked}_alone"
        return session.say(key)
    return messages.render(one.problem or "backup.damaged", _Missing(path=one.path), session.lang)


class _Missing(dict[str, object]):
    """Values of a message of which only the key was kept."""

    def __missing__(self, name: str) -> str:
        return "…"


def _size(size: float) -> str:
    for unit in UNITS[:-1]:
        if size < KILO:
            return f"{size:.0f} {unit}" if size >= 10 or unit == "B" else f"{size:.1f} {unit}"  # noqa: PLR2004 -- two digits that say something
        size /= KILO
    return f"{size:.0f} {UNITS[-1]}"
