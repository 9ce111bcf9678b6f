"""``RemoteDamals``: the typed interface on a home that a server of damals owns."""

from collections.abc import Sequence
from pathlib import Path
from typing import Unpack, cast

from damals.api.exports import ExportOptions
from damals.api.params import DiffSelection, Instant, ProgressListener
from damals.app.audit_results import AuditReport
from damals.app.change_results import Transacted
from damals.app.diff_results import Diff
from damals.app.export_results import ExportReport
from damals.app.paging import checked_after
from damals.app.results import (
    Health,
    History,
    ImportReport,
    Log,
    Page,
    ReindexReport,
)
from damals.app.seen_results import Seen, SeenEntry
from damals.app.sources import ImportedSource, Sources
from damals.domain.errors import InvalidInput
from damals.remote.admin import RemoteAdministration
from damals.remote.answers import RemoteAnswers
from damals.remote.connection import Connection, Manners, Message
from damals.remote.encoding import all_or, named
from damals.remote.erasing import RemoteErasure
from damals.remote.exporting import fetched
from damals.remote.gate import RemoteGate
from damals.remote.graph import RemoteGraphs
from damals.remote.greeting import greet
from damals.remote.hygiene import RemoteUpkeep
from damals.remote.insights import RemoteInsights
from damals.remote.jobs import Errand, Jobs
from damals.remote.sending import WantedImport, import_request, imports_of
from damals.remote.transactions import Change, path_of


class RemoteDamals(
    RemoteAnswers,
    RemoteGraphs,
    RemoteInsights,
    RemoteUpkeep,
    RemoteGate,
    RemoteAdministration,
    RemoteErasure,
):
    """The interface over HTTP; see :class:`damals.api.Damals`. Any thread may use it.

    It answers and refuses as a home of one's own does. Requests that nobody answered are sent
    again where that is safe: questions, and changes, which the server knows again by their key.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        workspace: str = "default",
        here: bool = False,
        manners: Manners | None = None,
    ) -> None:
        """A client of a server.

        Args:
            url: of the server.
            key: opens it.
            workspace: name of the workspace.
            here: the server sees the same files as this process.
            manners: how the server is dealt with.
        """
        super().__init__(Connection(url, key, manners), workspace)
        self._here = here
        self._jobs = Jobs(self._connection)

    def greet(self, answer_s: float) -> None:
        """See that the owner is there whose token this is, before it is shown to anybody.

        Args:
            answer_s: seconds that the answer may take.

        Raises:
            Unreachable: nobody is there, or somebody else.
        """
        greet(self._connection, answer_s)

    def send(self, change: Change) -> Transacted:
        """See :meth:`damals.remote.transactions.FarChanges.send`."""
        message = Message(
            "POST",
            path_of(self._workspace),
            content=change.body,
            key=None if change.preview else change.key,
            harmless=change.preview,
        )
        return self._read(Transacted, self._connection.ask(message).document)

    # --- looking

    def get(
        self, id: str, *, as_of: Instant | None = None, known_at: Instant | None = None
    ) -> SeenEntry:
        """See :meth:`damals.api.Damals.get`."""
        told = self._get(self._path("entries", named(id)), {"as_of": as_of, "known_at": known_at})
        seen = self._read(Seen, told)
        return SeenEntry.of(seen.entry, seen.caveats)

    def history(
        self,
        id: str | None = None,
        *,
        key: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> History:
        """See :meth:`damals.api.Damals.history`."""
        if (id is None) == (key is None):
            raise InvalidInput("history.which")
        path = self._path("history") if id is None else self._path("entries", named(id), "history")
        asked = {"key": key, "limit": all_or(limit), "cursor": cursor}
        return self._read(History, self._get(path, asked))

    def log(
        self,
        *,
        entry: str | None = None,
        key: str | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> Log:
        """See :meth:`damals.api.Damals.log`."""
        behind = checked_after(after)  # what a cursor stands for, which is no number to others
        asked = {"entry": entry, "key": key, "limit": all_or(limit), "cursor": behind or None}
        told = self._get(self._path("log"), asked)
        following = told.get("next")
        return self._read(Log, {**told, "next": following and int(cast("str", following))})

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
        asked = {
            "as_of": as_of, "known_at": known_at, "certain": certain, "type": type, "tag": tag,
            "status": status, "limit": all_or(limit), "cursor": cursor,
        }  # fmt: skip
        return self._read(Page, self._get(self._path("entries"), asked))

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
        if not start or not end:
            raise InvalidInput("diff.missing")  # what is not given is in no query
        asked = {"topic": topic, "from": start, "to": end, "axis": axis, **selection}
        return self._read(Diff, self._get(self._path("diff"), asked))

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
        """See :meth:`damals.api.Damals.import_`.

        A file of events is sent to the server. Any other path is one of the server's, unless the
        server sees the same files as this process.
        """
        given = WantedImport(
            source=source, name=name, dry_run=dry_run, prune=prune, history=history,
            readmit=readmit, wait=wait,
        )  # fmt: skip
        return self.imported(path, given, progress, Errand())

    def imported(
        self,
        path: str | Path,
        given: WantedImport,
        progress: ProgressListener | None,
        errand: Errand,
    ) -> ImportReport:
        """As :meth:`import_`, when it may have been asked for before."""
        with self._alone():
            request = import_request(imports_of(self._workspace), path, given, here=self._here)
            told = self._jobs.done(request, self._path("jobs"), progress, errand)
            return self._read(ImportReport, told)

    def sources(self) -> Sequence[ImportedSource]:
        """See :meth:`damals.api.sources.SourceList.sources`."""
        return self._read(Sources, self._get(self._path("sources"))).sources

    def export(self, path: str | Path, **options: Unpack[ExportOptions]) -> ExportReport:
        """See :meth:`damals.api.exports.Exports.export`."""
        return fetched(self._connection, self._path("export"), path, options)

    def reindex(self, *, progress: ProgressListener | None = None) -> ReindexReport:
        """See :meth:`damals.api.Damals.reindex`."""
        return self.reindexed(progress, Errand())

    def reindexed(self, progress: ProgressListener | None, errand: Errand) -> ReindexReport:
        """As :meth:`reindex`, when it may have been asked for before."""
        with self._alone():
            request = Message("POST", "/v1/reindex", content=b"{}")
            jobs = "/v1/workspaces/default/jobs"
            return self._read(ReindexReport, self._jobs.done(request, jobs, progress, errand))

    def doctor(self, *, repair: bool = False) -> Health:
        """See :meth:`damals.api.Damals.doctor`."""
        with self._alone():
            if not repair:
                return self._read(Health, self._get("/v1/doctor"))
            return self._read(Health, self._post("/v1/doctor", {"repair": True}).document)

    def audit(self) -> AuditReport:
        """See :meth:`damals.api.Damals.audit`."""
        return self._read(AuditReport, self._get(self._path("audit", "verify")))
