"""Files that come with a request, and those that are sent."""

import hashlib
import os
import tempfile
from collections.abc import AsyncIterable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from damals.app.errors import InvalidInput
from damals.app.roots import shown_as

NDJSON: Final = "application/x-ndjson"
SENT_NAME: Final = "events.ndjson"
"""What messages call a file that came with a request."""

PIECE_BYTES: Final = 64 * 1024

T = TypeVar("T")


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
    return await kept(request.stream())


async def kept(sent: AsyncIterable[bytes]) -> Upload:
    """What is sent piece by piece, as a file that only this user can read.

    Raises:
        InvalidInput: ``request.empty`` when nothing is.
    """
    handle, name = tempfile.mkstemp(suffix=".ndjson", prefix="damals-")
    digest, size = hashlib.sha256(), 0
    try:
        with os.fdopen(handle, "wb") as file:
            async for piece in sent:
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
