"""Folders that others than the owner may import from, and paths as they were given."""

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from damals.app.errors import DamalsError, Denied, NotFound
from damals.app.paths import existing, given_path
from damals.domain.access import Principal


def inside(path: str, asker: Principal, roots: Sequence[Path]) -> Path:
    """A path that an asker may import from.

    A relative one is looked for below each folder in turn.

    Raises:
        Denied: ``import.outside`` for one that leads out of the folders that may be read, or
            below which a link does, whether or not there is something.
        InvalidInput: ``path.invalid``.
        NotFound: ``path.missing``.
    """
    if asker.owns:
        return existing(path)
    given = given_path(path)
    bases = [root.resolve() for root in roots]
    places = [place for base in bases if (place := (base / given).resolve()).is_relative_to(base)]
    if not places:
        raise Denied("import.outside", path=path)
    for place in places:
        with shown_as(path, place):
            try:
                existing(place)
            except NotFound:
                continue
        if not _stays_inside(place, bases):
            raise Denied("import.outside", path=path)
        return place
    raise NotFound("path.missing", path=path)


@contextmanager
def shown_as(given: str, path: Path) -> Generator[None]:
    """Errors tell of a path as it was given: who sent it learns nothing of where it lies."""
    try:
        yield
    except DamalsError as error:
        raise _retold(error, given, str(path)) from error


def _retold(error: DamalsError, given: str, path: str) -> DamalsError:
    values = {name: _shown(value, given, path) for name, value in error.values.items()}
    return type(error)(error.key, **values)


def _shown(value: object, given: str, path: str) -> object:
    if isinstance(value, DamalsError):
        return _retold(value, given, path)
    if isinstance(value, str | Path) and (text := str(value)).startswith(path):
        rest = text.removeprefix(path)
        return given.rstrip(os.sep) + rest if rest[:1] in {"", os.sep} else value
    return value


def _stays_inside(start: Path, bases: Sequence[Path]) -> bool:
    """Whether all links below a folder, which an import follows, lead into the folders."""
    left, seen = [start], {start}
    while left:
        for folder, below, files in os.walk(left.pop()):
            links = (Path(folder, name) for name in (*below, *files))
            for target in (link.resolve() for link in links if link.is_symlink()):
                if not any(target.is_relative_to(base) for base in bases):
                    return False
                if target not in seen:
                    seen.add(target)
                    left.append(target)
    return True
