"""Files: paths of the server's machine, those that come with a request, and those that are sent."""

import hashlib
import os
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from damals.app.errors import DamalsError, Denied, InvalidInput, NotFound
from damals.app.paths import existing, given_path
from damals.domain.access import Principal

NDJSON: Final = "application/x-ndjson"
SENT_NAME: Final = "events.ndjson"
"""What messages call a file that came with a request."""

PIECE_BYTES: Final = 64 * 1024

T = TypeVar("T")


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


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that came with a request.

    Attributes:
        digest: SHA-256.
    """

    path: Path
    size: int
    digest: bytes

    def used(self, use: Callable[[Path], T]) -> T:
        """What comes of it; then it is gone."""
        try:
            with shown_as(SENT_NAME, self.path):
                return use(self.path)
        finally:
            self.discard()

    def discard(self) -> None:
        """Take it away."""
        self.path.unlink(missing_ok=True)


async def received(request: Request) -> Upload:
    """The body of a request, as a file that only this user can read.

    Raises:
        InvalidInput: ``request.empty`` for an empty one.
    """
    handle, name = tempfile.mkstemp(suffix=".ndjson", prefix="damals-")
    digest, size = hashlib.sha256(), 0
    try:
        with os.fdopen(handle, "wb") as file:
            async for piece in request.stream():
                digest.update(piece)
                size += len(piece)
                await run_in_threadpool(file.write, piece)
    except BaseException:
        os.unlink(name)  # noqa: PTH108 -- at once, wherever the request broke off
        raise
    upload = Upload(Path(name), size, digest.digest())
    if not size:
        upload.discard()
        raise InvalidInput("request.empty")
    return upload


def exported(write: Callable[[Path], object]) -> BinaryIO:
    """What an export writes, as an open file that is nowhere else."""
    with tempfile.TemporaryDirectory(prefix="damals-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / SENT_NAME
        write(path)
        return path.open("rb")


def pieces(file: BinaryIO) -> Iterator[bytes]:
    """The content of a file, which is closed at its end."""
    with file:
        while piece := file.read(PIECE_BYTES):
            yield piece
