"""Keeping a vault imported while it is worked on.

A run follows when nothing has changed for a moment. What hinders a run (a home that another program
holds, a full disk) is tried again, ever more patiently. A folder that is gone or suddenly empty, as
that of a drive which was unplugged, is waited for: nothing in it is taken for removed.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from threading import Event
from typing import Final, Literal, Protocol

from damals.app.indexing import Listener
from damals.app.results import Failure, ImportReport, Progress, Result
from damals.domain.errors import Conflict, DamalsError, Denied, InvalidInput, NotFound

COUNTED: Final = ("added", "changed", "moved", "removed")
WRONG: Final = (InvalidInput, NotFound, Conflict, Denied)
"""What does not get better by trying again."""

VANISHED: Final = ("path.missing", "source.missing")
"""What an import says of a folder that went in the very moment; it is looked for again."""

Kind = Literal["imported", "waiting", "watching", "gone", "empty", "back", "trouble", "refused"]


class Watched(Protocol):
    """A folder of which changes are noticed."""

    def is_there(self) -> bool:
        """Whether there is a folder at the path."""
        ...

    def holds_notes(self) -> bool:
        """Whether there is a note in it."""
        ...

    def changes(self, stop: Event) -> Iterator[bool]:
        """Whether something changed that matters, each time that nothing more came for a while.

        The first one comes as soon as changes are noticed; none is lost while nobody asks. It
        ends when the folder is gone or is another one, and when ``stop`` is set.
        """
        ...


@dataclass(frozen=True, slots=True)
class Happening:
    """What people are told of a watch.

    Attributes:
        kind: ``imported``: a run has ended; ``watching``: from now on changes are noticed;
            ``gone``, ``empty``, ``back``: what became of the folder; ``trouble``: it is tried
            again in ``pause_s`` seconds; ``refused``: it is tried again after the next change.
        report: of a run.
        problem: what hindered it.
        pause_s: seconds until the next try.
    """

    kind: Kind
    report: ImportReport | None = None
    problem: Exception | None = None
    pause_s: float = 0.0


@dataclass(frozen=True, slots=True)
class WatchReport(Result):
    """What a watch did.

    Attributes:
        source: name of the source; ``None`` when no run was done.
        runs: how many imports were done to their end.
        removed: notes that were removed; where nothing is, those whose files are gone by now.
        unchanged, failed, warnings: as of the last of them.
        retries: how often a run was hindered and tried again.
    """

    source: str | None
    path: str
    runs: int
    added: int
    changed: int
    moved: int
    removed: int
    unchanged: int
    failed: tuple[Failure, ...]
    warnings: tuple[Failure, ...]
    retries: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a watch waits.

    Attributes:
        first_s, longest_s: before a run that was hindered is tried again; each time twice as long.
        look_s: between two looks for a folder that is gone.
        rescan_s: without a notice for so long, it is looked all the same: notices get lost on
            network drives, and do not come from files behind symbolic links.
    """

    first_s: float = 1.0
    longest_s: float = 60.0
    look_s: float = 1.0
    rescan_s: float = 600.0


@dataclass(frozen=True, slots=True)
class Means:
    """What a watch works with.

    Attributes:
        run: imports the folder, and tells how far it is.
        folder: the folder.
        stop: set when the watch is to end.
        tell: is told what happens.
        now_s: seconds that only go on.
        prune: a run removes notes whose files are gone; else it only counts them, each time anew.
        knows: whether notes of the folder were imported before the watch began.
    """

    run: Callable[[Listener], ImportReport]
    folder: Watched
    stop: Event
    tell: Callable[[Happening], None]
    now_s: Callable[[], float]
    prune: bool = False
    knows: Callable[[], bool] = bool  # which says no


class Stopped(Exception):
    """A run was broken off because the watch is to end; the next one takes it up again."""


@dataclass(slots=True)
class _Tally:
    counts: Counter[str] = field(default_factory=Counter[str])
    last: ImportReport | None = None
    runs: int = 0
    retries: int = 0
    had_notes: bool = False


class Watch:
    """One watch over one folder, from its first import to its end."""

    def __init__(self, means: Means, path: str, pace: Pace | None = None) -> None:
        """Nothing is done before :meth:`keep`.

        Args:
            means: what it works with.
            path: of the folder, for the report.
            pace: how long it waits.
        """
        self._means = means
        self._path = path
        self._pace = pace or Pace()
        self._tally = _Tally()
        self._lost = False

    def keep(self, listen: Listener) -> WatchReport:
        """Import, then again after each change, until the watch is stopped.

        Args:
            listen: is told how far a run is.

        Raises:
            NotFound: ``source.missing`` when there is no such folder at the beginning.
            InvalidInput, NotFound, Conflict, Denied: the first import is refused.
        """
        means, started = self._means, self._means.now_s()
        if not means.folder.is_there():
            raise NotFound("source.missing", path=self._path)
        while not means.stop.is_set():
            if self._present():
                self._attend(listen)
            else:
                means.stop.wait(self._pace.look_s)
        return self._report(means.now_s() - started)

    def _attend(self, listen: Listener) -> None:
        """Import and watch as long as the folder is there."""
        means, due, told = self._means, True, False
        last_s = means.now_s()
        for changed in means.folder.changes(means.stop):
            due = due or changed or means.now_s() - last_s > self._pace.rescan_s
            if not due:
                continue
            if not self._present():
                return
            due = not self._import(listen)
            last_s = means.now_s()
            if not (due or told or means.stop.is_set()):
                means.tell(Happening("watching"))
                told = True

    def _present(self) -> bool:
        """Whether there is something to import; says once when there is nothing any more."""
        folder = self._means.folder
        there = folder.is_there()
        whole = there and (not self._tally.had_notes or folder.holds_notes())
        if not whole and not self._lost:
            self._means.tell(Happening("empty" if there else "gone"))
        elif whole and self._lost:
            self._means.tell(Happening("back"))
        self._lost = not whole
        return whole

    def _import(self, listen: Listener) -> bool:
        """One run, tried until it is done or cannot be.

        Returns:
            Whether it is settled until the next change; not so when the folder is gone.
        """
        means, pause_s = self._means, self._pace.first_s
        while not means.stop.is_set():
            try:
                # Where a drive is not mounted yet, there may be an empty folder.
                self._tally.had_notes = self._tally.had_notes or (
                    self._tally.runs == 0 and means.knows()
                )
                if not self._present():
                    return False
                self._note(means.run(self._listening(listen)))
            except Stopped:
                return False
            except WRONG as error:
                return self._refused(error)
            except Exception as error:  # noqa: BLE001 -- whatever hinders a run, the watch goes on
                means.tell(Happening("trouble", problem=error, pause_s=pause_s))
                self._tally.retries += 1
                means.stop.wait(pause_s)
                pause_s = min(2 * pause_s, self._pace.longest_s)
                if not self._present():
                    return False
            else:
                return True
        return False

    def _refused(self, error: DamalsError) -> bool:
        """What is wrong now was right before: it is told, and looked at after the next change."""
        if not self._present() or error.key in VANISHED:
            return False
        if self._tally.last is None or isinstance(error, NotFound):
            raise error
        self._means.tell(Happening("refused", problem=error))
        return True

    def _listening(self, listen: Listener) -> Listener:
        def listening(progress: Progress) -> None:
            if self._means.stop.is_set():
                raise Stopped
            listen(progress)

        return listening

    def _note(self, report: ImportReport) -> None:
        tally = self._tally
        tally.last, tally.runs = report, tally.runs + 1
        tally.counts.update({name: getattr(report, name) for name in COUNTED})
        known = report.added + report.changed + report.moved + report.unchanged
        tally.had_notes = tally.had_notes or known > 0
        self._means.tell(Happening("imported", report=report))

    def _report(self, seconds: float) -> WatchReport:
        last, counts = self._tally.last, self._tally.counts
        gone = 0 if last is None else last.removed
        return WatchReport(
            source=None if last is None else last.source,
            path=self._path,
            runs=self._tally.runs,
            added=counts["added"],
            changed=counts["changed"],
            moved=counts["moved"],
            removed=counts["removed"] if self._means.prune else gone,
            unchanged=0 if last is None else last.unchanged,
            failed=() if last is None else last.failed,
            warnings=() if last is None else last.warnings,
            retries=self._tally.retries,
            seconds=round(seconds, 3),
        )
