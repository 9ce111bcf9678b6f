"""The command that keeps a vault imported."""

import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from damals.app.paths import existing
from damals.app.watching import Happening, Means, Watch
from damals.domain.errors import NotFound
from damals.interfaces.cli import failures, options, source_views
from damals.interfaces.cli.interrupts import interrupted
from damals.interfaces.cli.output import clean_line, put
from damals.interfaces.cli.progress import reporting
from damals.interfaces.cli.registry import command
from damals.interfaces.cli.session import Call, Session

if TYPE_CHECKING:
    from damals.app.results import ImportReport
    from damals.app.sources import ImportedSource


@command(
    "watch",
    options.WATCHED,
    options.NAME,
    options.PRUNE,
    options.WAIT,
    options.SETTLE,
    options.POLL,
)
def watch(call: Call) -> None:
    """Keep a vault imported until interrupted."""
    from damals.bootstrap.files import watched_folder  # noqa: PLC0415 -- wiring is loaded when needed

    path = existing(call.values["path"]).resolve()
    settle_s = call.values.get("settle", options.SETTLE_S)
    folder = watched_folder(path, settle_s, polling=call.values.get("poll", False))
    values: dict[str, Any] = call.without("path", "settle", "poll") | {"source": "vault"}
    with (
        interrupted() as stop,
        call.open(brief=False) as memory,
        reporting(call.session) as progress,
    ):

        def run(listen: Any) -> "ImportReport":  # noqa: ANN401 -- a listener
            return memory.import_(path, progress=listen, **values)

        def knows() -> bool:
            with suppress(NotFound):  # a home is made by the first import
                return _is_filled(memory.sources(), path)
            return False

        prune = values.get("prune", False)
        said = _Telling(call.session, path, prune=prune)
        means = Means(run, folder, stop, said.tell, time.monotonic, prune, knows)
        report = Watch(means, str(path)).keep(progress)
    call.show(report, source_views.watched)


def _is_filled(sources: Sequence["ImportedSource"], path: Path) -> bool:
    """Whether there are notes of a folder, or of one in which it lies."""
    folders = (path, *path.parents)
    roots = {root for one in folders for root in (str(one), one.as_uri())}
    return any(one.entries and one.root in roots for one in sources)


class _Telling:
    """Says on standard error what happens."""

    def __init__(self, session: Session, path: Path, *, prune: bool) -> None:
        self._session = session
        self._path = path
        self._prune = prune
        self._gone = 0

    def tell(self, happening: Happening) -> None:
        """Say one thing."""
        say, report = self._session.say, happening.report
        if report is not None:
            counts = self._counts(report)
            at = time.strftime("%H:%M:%S")
            self._put(say("watch.imported", at=at, source=report.source, counts=counts))
            return
        problem = ""
        if happening.problem is not None:
            problem = failures.describe(happening.problem, self._session.lang).message
        pause_s = f"{happening.pause_s:g}"
        key = f"watch.{happening.kind}"
        self._put(say(key, path=self._path, problem=problem, pause_s=pause_s))

    def _counts(self, report: "ImportReport") -> str:
        """What a run did. A file that is gone, whose note is kept, is told once."""
        if self._prune:
            return source_views.counted(self._session, report)
        counts = source_views.counted(self._session, replace(report, removed=0))
        more, self._gone = report.removed - self._gone, report.removed
        if more <= 0:
            return counts
        kept = self._session.say("watch.kept", count=more)
        nothing = counts == self._session.say("sources.nothing_new")
        return kept if nothing else f"{counts}, {kept}"

    @staticmethod
    def _put(text: str) -> None:
        put(clean_line(text), sys.stderr)
        sys.stderr.flush()
