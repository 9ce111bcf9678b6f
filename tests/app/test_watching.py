"""A watch: when it imports, what it waits for, and how it ends."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from damals.adapters.watching.folder import WatchedFolder
from damals.app.indexing import silent
from damals.app.results import ImportReport, Progress
from damals.app.watching import Happening, Means, Pace, Watch, WatchReport
from damals.domain.errors import Conflict, Corrupt, InvalidInput, NotFound, Unavailable

WAIT_S = 60
PACE = Pace(first_s=0.01, longest_s=0.05, look_s=0.05)


def report(**counts: int) -> ImportReport:
    numbers = ("added", "changed", "moved", "removed", "unchanged", "chunks", "edges")
    counted = {name: counts.get(name, 0) for name in numbers}
    return ImportReport("Vault", failed=(), late=(), pending_vectors=0, seconds=0.1, **counted)


class Kept:
    """A watch in a thread, over a real folder, with runs that a test decides."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.outcomes: list[ImportReport | Exception] = []
        self.runs = 0
        self.told: list[Happening] = []
        self.stop = threading.Event()
        self.ended: WatchReport | Exception | None = None
        self.knows: bool | Exception = False
        self._thread = threading.Thread(target=self._keep, daemon=True)

    def begin(self) -> "Kept":
        self._thread.start()
        return self

    def _keep(self) -> None:
        watched = WatchedFolder(self.folder, (".md",), settle_s=0.02)
        told = self.told.append
        means = Means(self.run, watched, self.stop, told, time.monotonic, knows=self.asked)
        try:
            self.ended = Watch(means, str(self.folder), PACE).keep(silent)
        except Exception as error:  # noqa: BLE001 -- it is what a test asks for
            self.ended = error

    def run(self, listen: Callable[[Progress], None]) -> ImportReport:
        self.runs += 1
        listen(Progress("read", 1, 1, "files"))
        outcome = self.outcomes.pop(0) if self.outcomes else report(unchanged=1)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def asked(self) -> bool:
        if isinstance(self.knows, Exception):
            found, self.knows = self.knows, True
            raise found
        return self.knows

    @property
    def kinds(self) -> list[str]:
        return [one.kind for one in self.told]

    def until(self, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + WAIT_S
        while not holds():
            assert time.monotonic() < deadline, self.kinds
            time.sleep(0.01)

    def heard(self, kind: str, times: int = 1) -> None:
        self.until(lambda: self.kinds.count(kind) >= times)

    def change(self, name: str = "neu.md") -> None:
        (self.folder / name).write_text(str(time.monotonic_ns()), encoding="utf-8")

    def end(self) -> WatchReport:
        self.stop.set()
        self._thread.join(WAIT_S)
        assert isinstance(self.ended, WatchReport), self.ended
        return self.ended

    def failure(self) -> Exception:
        self._thread.join(WAIT_S)
        assert isinstance(self.ended, Exception)
        return self.ended


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    folder = (tmp_path / "Vault").resolve()
    folder.mkdir()
    (folder / "a.md").write_text("a", encoding="utf-8")
    one = Kept(folder)
    yield one
    one.stop.set()


def test_it_imports_first_and_then_after_each_change(kept: Kept):
    kept.outcomes = [report(added=2), report(changed=1, unchanged=1)]
    kept.begin().heard("watching")
    assert kept.kinds == ["imported", "watching"]
    kept.change()
    kept.heard("imported", 2)
    told = kept.end()
    assert (told.runs, told.added, told.changed, told.unchanged) == (2, 2, 1, 1)
    assert (told.source, told.path, told.retries) == ("Vault", str(kept.folder), 0)


def test_files_that_are_gone_and_not_pruned_are_counted_once(kept: Kept):
    kept.outcomes = [report(added=1, removed=2), report(unchanged=1, removed=2)]
    kept.begin().heard("watching")
    kept.change()
    kept.heard("imported", 2)
    assert kept.end().removed == 2


def test_what_changes_during_a_run_is_imported_after_it(kept: Kept):
    kept.begin().heard("imported")
    for number in range(1, 4):
        kept.change()
        kept.heard("imported", 1 + number)
    kept.end()


def test_what_hinders_a_run_is_tried_again_until_it_is_done(kept: Kept):
    kept.outcomes = [
        Unavailable("home.held"), Unavailable("ledger.disk_full"), Corrupt("ledger.corrupt"),
        OSError("weg"), report(added=1),
    ]  # fmt: skip
    kept.begin().heard("imported")
    assert kept.kinds[:5] == ["trouble"] * 4 + ["imported"]
    pauses = [one.pause_s for one in kept.told[:4]]
    assert pauses == [0.01, 0.02, 0.04, 0.05]
    assert kept.end().retries == 4


@pytest.mark.parametrize(
    "error", [InvalidInput("types.invalid"), Conflict("source.name_taken"), NotFound("workspace")]
)
def test_a_first_import_that_is_refused_ends_it(kept: Kept, error: Exception):
    kept.outcomes = [error]
    assert kept.begin().failure() is error


def test_a_later_import_that_is_refused_waits_for_the_next_change(kept: Kept):
    kept.outcomes = [report(added=1), InvalidInput("types.invalid"), report(changed=1)]
    kept.begin().heard("watching")
    kept.change()
    kept.heard("refused")
    kept.change()
    kept.heard("imported", 2)
    assert kept.end().changed == 1


def test_a_folder_that_is_not_there_at_the_beginning_is_refused(kept: Kept):
    kept.folder = kept.folder.with_name("fehlt")
    refused = kept.begin().failure()
    assert isinstance(refused, NotFound)
    assert refused.key == "source.missing"


def test_a_folder_that_is_gone_is_waited_for_and_said_once(kept: Kept):
    kept.begin().heard("watching")
    away = kept.folder.with_name("fort")
    kept.folder.rename(away)
    kept.heard("gone")
    runs = kept.runs
    away.rename(kept.folder)
    kept.heard("back")
    kept.until(lambda: kept.runs > runs)
    kept.change()
    kept.heard("imported", 3)
    assert (kept.kinds.count("gone"), kept.kinds.count("back")) == (1, 1)
    kept.end()


def test_a_folder_that_goes_in_the_moment_of_a_run_ends_nothing(kept: Kept):
    gone = NotFound("path.missing", path=str(kept.folder))
    kept.outcomes = [gone, report(added=1), gone, report(unchanged=1)]
    kept.begin().heard("watching")
    kept.change()
    kept.heard("imported", 2)
    assert kept.end().added == 1


def test_an_empty_folder_in_the_place_of_a_full_one_is_no_vault(kept: Kept):
    """The place where a drive was mounted stays, and is empty."""
    kept.begin().heard("watching")
    away = kept.folder.with_name("fort")
    kept.folder.rename(away)
    kept.folder.mkdir()
    kept.heard("empty")
    runs = kept.runs
    kept.folder.rmdir()
    away.rename(kept.folder)
    kept.heard("back")
    kept.until(lambda: kept.runs > runs)
    kept.end()


def test_a_folder_whose_last_note_goes_is_not_imported_as_empty(kept: Kept):
    kept.begin().heard("watching")
    runs = kept.runs
    (kept.folder / "a.md").unlink()
    kept.heard("empty")
    assert kept.runs == runs
    kept.change()
    kept.heard("back")
    kept.until(lambda: kept.runs > runs)
    kept.end()


def test_a_vault_that_is_new_may_be_empty(kept: Kept):
    (kept.folder / "a.md").unlink()
    kept.outcomes = [report(), report(added=1)]
    kept.begin().heard("watching")
    kept.change()
    kept.heard("imported", 2)
    assert kept.end().added == 1


@pytest.mark.parametrize("knows", [True, Unavailable("home.held")])
def test_a_vault_that_was_full_when_the_watch_began_is_waited_for(
    kept: Kept, knows: bool | Exception
):
    """A drive is mounted after the service that watches it has begun."""
    (kept.folder / "a.md").unlink()
    kept.knows = knows
    kept.begin().heard("empty")
    assert kept.runs == 0
    kept.change()
    kept.heard("back")
    kept.heard("imported")
    kept.end()


def test_the_end_breaks_off_a_run_and_is_no_failure(kept: Kept):
    begun = threading.Event()

    def long(listen: Callable[[Progress], None]) -> ImportReport:
        begun.set()
        while True:
            listen(Progress("read", 1, None, "files"))
            time.sleep(0.01)

    kept.run = long
    kept.begin()
    assert begun.wait(WAIT_S)
    assert kept.end().runs == 0


def test_the_end_does_not_wait_for_the_next_try(kept: Kept):
    kept.outcomes = [Unavailable("home.held")] * 10_000
    kept.begin().heard("trouble", 3)
    told = kept.end()
    assert (told.source, told.runs) == (None, 0)
    assert told.retries >= 3
