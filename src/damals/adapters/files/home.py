"""A home folder: what lies where in it, and how it comes to be."""

import errno
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import Final
from uuid import uuid4

from damals.domain.errors import DamalsError, InvalidInput, NotFound, Unavailable
from damals.folders import expanded

PRIVATE_MODE: Final = 0o700
"""Only its owner may look into a home."""

COPIES: Final = "backup-*.part*"
"""In the cache: copies of databases while they are packed into a backup."""

BEFORE: Final = ".before-"
"""In the name of a home that was put aside, behind its former name."""

_NO_FOLDER: Final = frozenset({errno.ENOTDIR, errno.EEXIST, errno.ENAMETOOLONG, errno.ELOOP})


@dataclass(frozen=True, slots=True)
class _Name:
    """What the file with a home's name says: a name, which file it is, and which life."""

    name: str
    place: str
    life: str = ""

    @classmethod
    def read(cls, text: str) -> "_Name | None":
        words = text.split()
        return cls(*words) if len(words) in {2, 3} else None

    @property
    def text(self) -> str:
        return " ".join(filter(None, (self.name, self.place, self.life)))


@dataclass(frozen=True, slots=True)
class Home:
    """The paths of one home folder. Nothing is touched before it is asked for."""

    path: Path

    @classmethod
    def at(cls, given: str | Path) -> "Home":
        """The home at a path; ``~`` is the user's folder.

        Raises:
            InvalidInput: ``home.not_a_folder`` for a path that can be no folder.
        """
        text = str(given)
        if not text.strip() or "\0" in text:
            raise InvalidInput("home.not_a_folder", path=text.replace("\0", "\\0"))
        return cls(Path(os.path.abspath(expanded(Path(given)))))  # noqa: PTH100 -- resolve() would follow links

    @property
    def ledger(self) -> Path:
        """The ledger's SQLite file."""
        return self.path / "ledger.db"

    @property
    def index(self) -> Path:
        """The folder of the index, rebuildable."""
        return self.path / "index"

    @property
    def cache(self) -> Path:
        """The folder of caches, rebuildable."""
        return self.path / "cache"

    @property
    def config(self) -> Path:
        """Settings of this home."""
        return self.path / "config.yaml"

    @property
    def lock(self) -> Path:
        """The file that names the owner."""
        return self.path / "damals.lock"

    @property
    def name_file(self) -> Path:
        """The file that tells this home from others on one ledger."""
        return self.path / "home-id"

    def exists(self) -> bool:
        """Whether a ledger is there.

        Raises:
            InvalidInput: ``home.not_a_folder`` when a file is in the way.
            Unavailable: ``home.unusable`` when it cannot be looked at.
        """
        try:
            self.check_folder()
            return self.ledger.exists()
        except OSError as error:
            raise self.failure(error) from error

    def check_folder(self) -> None:
        """See that nothing is in the way of the folder.

        Raises:
            InvalidInput: ``home.not_a_folder`` when a file is.
            Unavailable: ``home.unusable`` when it cannot be looked at.
        """
        try:
            if self.path.exists() and not self.path.is_dir():
                raise InvalidInput("home.not_a_folder", path=str(self.path))
        except OSError as error:
            raise self.failure(error) from error

    def require(self) -> None:
        """Refuse to go on without a ledger; otherwise as :meth:`exists`.

        Raises:
            NotFound: ``home.missing``.
        """
        if not self.exists():
            raise NotFound("home.missing", path=str(self.path))

    def create(self) -> bool:
        """Make the folder, for its owner only, and see that it can be written.

        Returns:
            Whether it was not there before.

        Raises:
            InvalidInput: ``home.not_a_folder`` when a file is in the way.
            Unavailable: ``home.unusable`` when it cannot be made or written.
        """
        try:
            made = not self.path.exists()
            self.path.mkdir(mode=PRIVATE_MODE, parents=True, exist_ok=True)
        except OSError as error:
            raise self.failure(error) from error
        self.check_writable()
        return made

    def make_folders(self) -> None:
        """Make the folders for what can be built anew; a file in their place goes.

        Raises:
            Unavailable: ``home.unusable``.
        """
        try:
            for folder in (self.index, self.cache):
                if not folder.is_dir():
                    folder.unlink(missing_ok=True)
                    folder.mkdir(mode=PRIVATE_MODE)
        except OSError as error:
            raise self.failure(error) from error

    def former(self) -> Sequence[Path]:
        """Homes that were put aside when a backup took their place: no erasure reaches them."""
        return sorted(self.path.parent.glob(f"{escape(self.path.name)}{BEFORE}*"))

    def discard_copies(self) -> None:
        """Remove copies of the ledger that a killed backup left; call it under the home's lock.

        Only who holds the home makes any. They hold all texts, so no erasure would be one.
        """
        for left in self.cache.glob(COPIES):
            with suppress(OSError):
                left.unlink()

    def check_writable(self) -> None:
        """See that files can be made in it.

        Raises:
            Unavailable: ``home.unusable``.
        """
        if not os.access(self.path, os.R_OK | os.W_OK | os.X_OK):
            read_only = OSError(errno.EACCES, os.strerror(errno.EACCES))
            raise self.failure(read_only)

    def identity(self) -> str:
        """A name that no other home has, the same at every call; made by the first.

        A home that was copied, the file included, is another one and gets a new name: the file
        says which file it is. Call it under the home's lock.

        Raises:
            Unavailable: ``home.unusable``.
        """
        try:
            with self.name_file.open("a+", encoding="utf-8") as file:
                file.seek(0)
                here = str(os.fstat(file.fileno()).st_ino)
                told = _Name.read(file.read())
                if told is None or told.place != here:
                    told = _Name(uuid4().hex, here)
                    file.truncate(0)
                    file.write(told.text)
        except OSError as error:
            raise self.failure(error) from error
        return told.name

    def life(self) -> str:
        """Which life of this home it is: another one after each restore, empty before the first.

        What is filled from its ledger elsewhere is of no use in another life: numbers of
        transactions are given again.

        Raises:
            Unavailable: ``home.unusable``.
        """
        try:
            told = _Name.read(self.name_file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise self.failure(error) from error
        return "" if told is None else told.life

    def succeed(self, other: "Home") -> None:
        """Begin a new life under the name of a home whose place this one is about to take.

        Raises:
            Unavailable: ``home.unusable``.
        """
        try:
            known = _Name.read(other.name_file.read_text(encoding="utf-8"))
        except OSError:
            known = None
        name = uuid4().hex if known is None else known.name
        try:
            with self.name_file.open("w", encoding="utf-8") as file:
                here = str(os.fstat(file.fileno()).st_ino)
                file.write(_Name(name, here, uuid4().hex).text)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise self.failure(error) from error

    def failure(self, error: OSError) -> DamalsError:
        """The error to raise for what the operating system said about this home."""
        if error.errno in _NO_FOLDER:
            return InvalidInput("home.not_a_folder", path=str(self.path))
        reason = error.strerror or type(error).__name__
        return Unavailable("home.unusable", path=str(self.path), reason=reason)
