"""What the tests of restores share: restoring as the command does, and looking for what is gone."""

from pathlib import Path

from damals.app.backups.results import Restored
from damals.bootstrap.backups import Keys
from damals.bootstrap.restoring import place_of, restore_backup

NO_KEYS = Keys(None, lambda: None)


def nothing(_: object) -> None:
    """Nobody listens."""


def restored(home: Path, named: str, to: Path | None = None, **options: bool) -> Restored:
    place = place_of(home, None if to is None else str(to))
    return restore_backup(place, (home, named), NO_KEYS, nothing, **options)


def beside(home: Path) -> list[str]:
    """What lies beside a home that belongs to it, without its name."""
    there = [one.name for one in home.parent.iterdir() if one.name.startswith(f"{home.name}.")]
    return sorted(name.removeprefix(home.name) for name in there)


def holding(folder: Path, text: str) -> list[str]:
    """Files below a folder in which a text occurs as it is."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [str(one.relative_to(folder)) for one in files if text.encode() in one.read_bytes()]
