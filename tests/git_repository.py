"""Git repositories that tests make: notes written, committed at an instant, branched and merged."""

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from damals.domain.instants import from_datetime


def instant(text: str) -> int:
    """``2015-06-01`` or ``2015-06-01T08:00``, in UTC."""
    return from_datetime(datetime.fromisoformat(text).replace(tzinfo=UTC))


class Repository:
    """A repository in a folder; its clock goes on a day with each commit that has no date."""

    def __init__(self, root: Path, *, made: bool = True) -> None:
        self.root = root
        self._day = 0
        root.mkdir(parents=True, exist_ok=True)
        if made:
            self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str, at: str | None = None, **environment: str) -> str:
        """Run a command as Anna; what it says."""
        dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at} if at else {}
        done = subprocess.run(
            ["git", "-c", "user.name=Anna", "-c", "user.email=anna@example.org",
             "-c", "protocol.file.allow=always", "-c", "core.quotepath=off",
             "-c", "commit.gpgsign=false", "-c", "core.fsync=none",
             "-c", "core.precomposeunicode=false", *arguments],
            cwd=self.root,
            check=True,
            capture_output=True,
            env=os.environ | {"GIT_CONFIG_GLOBAL": os.devnull} | dates | environment,
        )  # fmt: skip
        return done.stdout.decode("utf-8", "replace").strip()

    def write(self, path: str, text: str | bytes) -> None:
        """Write a file."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())

    def commit(
        self, at: str | None = None, message: str = "Change", **files: str | bytes | None
    ) -> str:
        """Commit everything as it is now; the commit's name.

        Args:
            at: instant, with or without a time; the next day when ``None``.
            message: of the commit.
            files: texts by name without suffix; ``None`` removes one.
        """
        for name, text in files.items():
            path = f"{name}.md"
            if text is None:
                (self.root / path).unlink()
            else:
                self.write(path, text)
        self.git("add", "--all")
        date = self.date(at)
        self.git("commit", "--quiet", "--allow-empty", "-m", message, at=date)
        return self.head()

    def date(self, at: str | None = None) -> str:
        """A date as Git reads it."""
        self._day += 1
        moment = at or f"2015-01-{self._day:02}"
        return f"{instant(moment) // 1_000_000} +0000"

    def head(self) -> str:
        """Name of the newest commit."""
        return self.git("rev-parse", "HEAD")
