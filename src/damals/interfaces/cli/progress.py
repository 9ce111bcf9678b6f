"""How far long work is: a bar on a terminal, otherwise a line every few seconds."""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from damals.app.results import Progress
from damals.interfaces.cli.output import is_terminal, put
from damals.interfaces.cli.session import Session

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

QUIET_INTERVAL_S: Final = 5.0

Listener = Callable[[Progress], None]


@contextmanager
def reporting(session: Session) -> Generator[Listener]:
    """A listener for the time of long work; it writes to standard error only."""
    if session.options.json or not is_terminal(sys.stderr):
        yield _Lines(session).report
        return
    from rich.console import Console  # noqa: PLC0415 -- plain output goes without
    from rich.progress import (  # noqa: PLC0415 -- as above
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        yield _Bars(session, bars).report


class _Bars:
    """One bar a stage, with rate and remaining time."""

    def __init__(self, session: Session, bars: "Bars") -> None:
        self._session = session
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}

    def report(self, progress: Progress) -> None:
        if progress.stage not in self._tasks:
            title = self._session.say(f"cli.stage.{progress.stage}")
            self._tasks[progress.stage] = self._bars.add_task(title, total=None, rate="")
        task = self._tasks[progress.stage]
        speed = self._bars.tasks[self._bars.task_ids.index(task)].speed
        unit = self._session.say(f"cli.unit.{progress.unit}")
        rate = f"{speed:.0f} {unit}/s" if speed else ""
        self._bars.update(task, completed=progress.done, total=progress.total, rate=rate)


class _Lines:
    """A line now and then, so that a log of a long import shows that it moves."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._last_s = time.monotonic()

    def report(self, progress: Progress) -> None:
        now_s = time.monotonic()
        if now_s - self._last_s < QUIET_INTERVAL_S:
            return
        self._last_s = now_s
        total = "" if progress.total is None else f"/{progress.total}"
        stage = self._session.say(f"cli.stage.{progress.stage}")
        unit = self._session.say(f"cli.unit.{progress.unit}")
        put(f"{stage}: {progress.done}{total} {unit}", sys.stderr)
