"""``LocalDamals``: the typed interface on a home folder that this process owns."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from damals.api.params import DiffSelection, Instant, ProgressListener
from damals.app import looking
from damals.app.access import check_home
from damals.app.access_model import Once
from damals.app.audit import verify
from damals.app.audit_results import AuditReport
from damals.app.diff import comparison, diff
from damals.app.diff_results import Diff
from damals.app.events import import_events
from damals.app.health.examining import examine
from damals.app.health.model import Scene
from damals.app.history.replay import HistoryImport
from damals.app.indexing import Listener, silent
from damals.app.looking import Asked, Listing
from damals.app.paths import existing
from damals.app.results import (
    Entry,
    Health,
    History,
    ImportReport,
    Log,
    Page,
    ReindexReport,
)
from damals.app.seen_results import SeenEntry
from damals.app.sources import EVENTS, VAULT, ImportedSource, run_of, sources
from damals.app.stages import stage
from damals.app.vault.file_kinds import is_events
from damals.app.vault.importing import VaultImport
from damals.app.vault.run import Options
from damals.domain.access import Principal, Right
from damals.domain.errors import InvalidInput
from damals.local.admin import LocalAdministration
from damals.local.exports import LocalExports
from damals.local.gate import LocalGate
from damals.local.graph import LocalGraphs
from damals.local.home import OpenedHome, Parts
from damals.local.hygiene import LocalUpkeep
from damals.local.insights import LocalInsights

SOURCES = ("auto", "vault", "events")


class LocalDamals(
    LocalGate, LocalGraphs, LocalInsights, LocalUpkeep, LocalExports, LocalAdministration
):
    """The interface over a home folder; see :class:`damals.api.Damals`.

    Any thread may use it. Changes take turns, and a transaction is one turn: what other threads
    change meanwhile waits for its end and never becomes a part of it.
    """

    def under(
        self, asker: Principal, *, workspace: str | None = None, once: Once | None = None
    ) -> "LocalDamals":
        """The same open home, asked by someone else.

        Args:
            asker: what they may see and do decides every answer.
            workspace: name of the workspace; this one's by default.
            once: their next change answers this request, and is not done twice.
        """
        named = self._workspace if workspace is None else workspace
        return LocalDamals(self._home, named, asker, once=once, guest=True)

    @property
    def opened(self) -> OpenedHome:
        """The home that all its views share."""
        return self._home

    # --- looking

    def get(
        self, id: str, *, as_of: Instant | None = None, known_at: Instant | None = None
    ) -> SeenEntry:
        """See :meth:`damals.api.Damals.get`."""
        found = self.peek(id, as_of=as_of, known_at=known_at)
        self.returned(found)
        return found

    def peek(
        self, id: str, *, as_of: Instant | None = None, known_at: Instant | None = None
    ) -> SeenEntry:
        """As :meth:`get`, for who may return nothing of it: no access is noted."""
        with self._reader() as reader:
            parts = self._parts
            return looking.shown(reader, parts.clock, id, Asked(as_of, known_at), parts.ages)

    def returned(self, entry: Entry) -> None:
        """Note that an entry that was peeked at is returned after all."""
        self._noted(self._access_note("show", [entry.id]))

    def history(
        self,
        id: str | None = None,
        *,
        key: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> History:
        """See :meth:`damals.api.Damals.history`."""
        with self._reader() as reader:
            of, part = looking.Of(id, key), looking.Part(limit, cursor)
            return looking.history(reader, self._parts.clock, of, part, self._parts.ages)

    def log(
        self,
        *,
        entry: str | None = None,
        key: str | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> Log:
        """See :meth:`damals.api.Damals.log`."""
        with self._reader() as reader:
            return looking.log(reader, entry, key, looking.LogPart(limit, after))

    def entries(  # noqa: PLR0913 -- the documented parameters of a listing
        self,
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        certain: bool = False,
        type: Sequence[str] | str | None = None,
        tag: Sequence[str] | str | None = None,
        status: str | None = None,
        limit: int | None = 100,
        cursor: str | None = None,
    ) -> Page:
        """See :meth:`damals.api.Damals.entries`."""
        types, tags = looking.several(type), looking.several(tag)
        listing = Listing(types, tags, certain, status, limit, cursor)
        at, parts = Asked(as_of, known_at), self._parts
        with self._reader() as reader:
            return looking.entries(reader, parts.clock, at, listing, parts.ages)

    def diff(
        self,
        topic: str | None = None,
        *,
        start: Instant,
        end: Instant,
        axis: str | None = None,
        **selection: Unpack[DiffSelection],
    ) -> Diff:
        """See :meth:`damals.api.Damals.diff`."""
        asked = comparison(topic, {"start": start, "end": end, "axis": axis, **selection})
        with self._reader() as reader:
            parts = self._parts
            return diff(reader, parts.clock, parts.words, asked, parts.ages)

    # --- sources, index, health

    def import_(  # noqa: PLR0913 -- the documented parameters of an import
        self,
        path: str | Path,
        *,
        source: str = "auto",
        name: str | None = None,
        dry_run: bool = False,
        prune: bool = False,
        history: bool = False,
        readmit: bool = False,
        wait: bool = False,
        progress: ProgressListener | None = None,
    ) -> ImportReport:
        """See :meth:`damals.api.Damals.import_`."""
        self._require(Right.ADMINISTER if readmit else Right.WRITE)
        listen = progress or silent
        location = existing(path)
        with stage("import"), self._alone():
            options = self._options(name, dry_run=dry_run, prune=prune, history=history)
            options = replace(options, readmit=readmit)
            return self._imported(location, source, options, wait, listen)

    def _options(self, name: str | None, *, dry_run: bool, prune: bool, history: bool) -> Options:
        owns = self._asker.owns
        # By where it lies, a source is known again; nothing of that is told.
        access = replace(self._access(), places=True)
        return Options(
            *(name, dry_run, prune, access),
            actor="import" if owns else self._asker.name,
            history=history,
            authors=owns,
        )

    def _imported(
        self, location: Path, source: str, options: Options, wait: bool, listen: Listener
    ) -> ImportReport:
        started = self._parts.clock()
        home = self._parts.home
        trial = options.dry_run and not home.exists()
        ledger = self._parts.empty_ledger() if trial else self._ledger(create=True)
        if _kind(location, source) == "events":
            if options.dry_run or options.prune or options.history:
                raise InvalidInput("import.events_options")
            with ledger.write(self._workspace, options.access) as writer:
                what = (writer, self._parts.tools, location, listen, self._asker)
                report = import_events(*what, readmit=options.readmit)
                writer.put_source(run_of(EVENTS, location.resolve(), report, started))
        else:
            kind = HistoryImport if options.history else VaultImport
            run = kind(ledger, self._workspace, self._parts.vaults, self._parts.tools, options)
            since = ledger.registry.erasures(self._workspace)
            report = run.run(location, listen)
            if options.dry_run:
                return report
            with ledger.write(self._workspace, options.access) as writer:
                writer.put_source(run_of(VAULT, run.root, report, started, since))
        lag = self._search().lag(self._workspace, options.access)
        # What others have stored meanwhile is searchable when somebody searches.
        if wait or lag.vectors or _told(report):
            lag = self._search().catch_up(self._workspace, listen, wait=wait, access=options.access)
        spent = max(self._parts.clock() - started, 0) / 1_000_000
        return replace(report, pending_vectors=lag.vectors, seconds=round(spent, 3))

    def sources(self) -> Sequence[ImportedSource]:
        """See :meth:`damals.api.sources.SourceList.sources`."""
        with self._reader() as reader:
            return sources(reader)

    def reindex(self, *, progress: ProgressListener | None = None) -> ReindexReport:
        """See :meth:`damals.api.Damals.reindex`."""
        check_home(self._asker)
        with self._alone():
            return self._search().rebuild(self._parts.clock, progress or silent)

    def doctor(self, *, repair: bool = False) -> Health:
        """See :meth:`damals.api.Damals.doctor`."""
        check_home(self._asker)
        with self._alone():
            home, clock = self._parts.home.path, self._parts.clock
            if not home.is_dir():
                self._ledger()  # says that there is none, or finds one on a server
            if repair:
                self._end_erasures()
            opened = (self._ledger, self._search, self._parts.around, self._parts.keeping)
            return examine(Scene(home, clock, repair, *opened))

    def audit(self) -> AuditReport:
        """See :meth:`damals.api.Damals.audit`."""
        self._require(Right.ADMINISTER)
        return verify(self._ledger(), self._workspace)


def _told(report: ImportReport) -> bool:
    """Whether an import has told the ledger anything."""
    counts = (report.added, report.changed, report.moved, report.removed)
    return any((*counts, report.chunks, report.edges))


def _kind(path: Path, source: str) -> str:
    """What is to be read: events or a vault."""
    if source not in SOURCES:
        raise InvalidInput("source.unknown", source=source, known=", ".join(SOURCES))
    if source == "auto":
        return "events" if is_events(path) else "vault"
    return source


__all__ = ["LocalDamals", "OpenedHome", "Parts"]
