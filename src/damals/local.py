"""``LocalDamals``: the typed interface on a home folder that this process owns."""

import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Protocol, Unpack, cast
from uuid import UUID

from damals import messages
from damals.api import (
    CorrectFields,
    Damals,
    Instant,
    ProgressListener,
    RecallOptions,
    RememberFields,
    UpdateFields,
)
from damals.app import looking
from damals.app.doctor import examine
from damals.app.events import import_events
from damals.app.export import write_events
from damals.app.indexing import Listener, silent
from damals.app.ledger_model import Lag
from damals.app.looking import Asked, Listing
from damals.app.options import question
from damals.app.paths import existing
from damals.app.ports import Clock, Ledger, LedgerReader, LedgerWriter, NoteReader
from damals.app.preview import preview
from damals.app.record import Recording, Request, Tools
from damals.app.results import (
    ChangedEntry,
    Entry,
    ExportReport,
    Health,
    History,
    ImportReport,
    Log,
    Page,
    Recall,
    ReindexReport,
    WorkspaceView,
)
from damals.app.search import Search
from damals.app.vault_import import Options, VaultImport
from damals.domain.book import Outcome
from damals.domain.errors import InvalidInput, NotFound, Unavailable
from damals.domain.instants import format_instant
from damals.domain.ranking import Weights

OWNER_NAME = "owner"
"""Actor of what the local user does."""

EVENT_SUFFIXES = (".jsonl", ".ndjson")
SOURCES = ("auto", "vault", "events")
DEFAULT_WORKSPACE = "default"


class HeldHome(Protocol):
    """A home folder that is locked by this process."""

    @property
    def path(self) -> Path:
        """The folder."""
        ...

    def exists(self) -> bool:
        """Whether there is a ledger in it."""
        ...

    def hold(self, *, create: bool) -> None:
        """Lock it; make it first when it may be made. Holding twice is harmless."""
        ...

    def release(self) -> None:
        """Give the lock back. Releasing twice is harmless."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """What a home is made of; everything dear is opened when first needed.

    Attributes:
        empty_ledger: gives a ledger that is nowhere, with the workspace ``default``.
        zone: of a workspace that is made by the first write.
        weights: of a recall that gives none.
    """

    home: HeldHome
    open_ledger: Callable[[], Ledger]
    empty_ledger: Callable[[], Ledger]
    open_search: Callable[[Ledger], Search]
    notes: NoteReader
    tools: Tools
    zone: str
    weights: Weights

    @property
    def clock(self) -> Clock:
        """The clock of recorded time."""
        return self.tools.clock


class LocalDamals(Damals):
    """The interface over a home folder; see :class:`damals.api.Damals`.

    Any thread may use it. Changes take turns, and a transaction is one turn: what other threads
    change meanwhile waits for its end and never becomes a part of it.
    """

    def __init__(self, parts: Parts, workspace: str) -> None:
        self._parts = parts
        self._workspace = workspace
        self._ledger_open: Ledger | None = None
        self._search_open: Search | None = None
        self._recording: tuple[LedgerWriter, Recording] | None = None
        self._closed = False
        self._turn = threading.RLock()
        self._opening = threading.RLock()  # of its own: questions do not wait for long turns

    def close(self) -> None:
        """Let go of index, ledger and lock, in this order, for good."""
        self._closed = True
        search, self._search_open = self._search_open, None
        ledger, self._ledger_open = self._ledger_open, None
        try:
            if search is not None:
                search.close()
            if ledger is not None:
                ledger.close()
        finally:
            self._parts.home.release()

    # --- parts, opened when needed

    def _ledger(self, *, create: bool = False) -> Ledger:
        with self._opening:
            if self._ledger_open is None:
                self._open_ledger(create=create)
            return cast("Ledger", self._ledger_open)

    def _open_ledger(self, *, create: bool) -> None:
        home = self._parts.home
        if self._closed:
            raise Unavailable("home.closed", path=str(home.path))
        missing = not home.exists()
        if missing and not create:
            raise NotFound("home.missing", path=str(home.path))
        if missing and self._workspace != DEFAULT_WORKSPACE:
            raise NotFound("workspace.unknown", name=self._workspace)
        home.hold(create=create)
        self._ledger_open = ledger = self._parts.open_ledger()
        if create and not ledger.workspaces():
            ledger.create_workspace(DEFAULT_WORKSPACE, self._parts.zone, self._parts.clock())

    def _search(self) -> Search:
        with self._opening:
            if self._search_open is None:
                self._search_open = self._parts.open_search(self._ledger())
            return self._search_open

    @contextmanager
    def _reader(self) -> Generator[LedgerReader]:
        with self._ledger().read(self._workspace) as reader:
            yield reader

    @contextmanager
    def _alone(self) -> Generator[None]:
        """A turn of long work, which cannot be a part of a transaction."""
        with self._turn:
            if self._recording is not None:
                raise InvalidInput("transaction.open")
            yield

    # --- changes

    def remember(
        self,
        title: str,
        content: str = "",
        *,
        reason: str | None = None,
        **fields: Unpack[RememberFields],
    ) -> ChangedEntry:
        """See :meth:`damals.api.Damals.remember`."""
        params = {"op": "remember", "title": title, "content": content, **fields}
        return self._changed(params, reason)

    def update(
        self, id: str, title: str, content: str, *, reason: str, **fields: Unpack[UpdateFields]
    ) -> ChangedEntry:
        """See :meth:`damals.api.Damals.update`."""
        params = {"op": "update", "target": id, "title": title, "content": content, **fields}
        return self._changed(params, reason)

    def correct(self, id: str, *, reason: str, **fields: Unpack[CorrectFields]) -> ChangedEntry:
        """See :meth:`damals.api.Damals.correct`."""
        return self._changed({"op": "correct", "target": id, **fields}, reason)

    def end(
        self, id: str, at: Instant, *, reason: str, if_transaction: int | None = None
    ) -> ChangedEntry:
        """See :meth:`damals.api.Damals.end`."""
        params = {"op": "end", "target": id, "at": at, "if_transaction": if_transaction}
        return self._changed(params, reason)

    def retract(self, id: str, *, reason: str, if_transaction: int | None = None) -> ChangedEntry:
        """See :meth:`damals.api.Damals.retract`."""
        params = {"op": "retract", "target": id, "if_transaction": if_transaction}
        return self._changed(params, reason)

    def _changed(self, params: Mapping[str, object], reason: str | None) -> ChangedEntry:
        outcome, entry = self._change(params, reason)
        replaced = tuple(self._shown(one) for one in outcome.replaced)
        shown = {field.name: getattr(entry, field.name) for field in fields(Entry)}
        return ChangedEntry(**shown, unchanged=outcome.unchanged, replaced=replaced)

    def _change(self, params: Mapping[str, object], reason: str | None) -> tuple[Outcome, Entry]:
        """Do one operation, alone or as a part of the open transaction."""
        given = {k: v for k, v in params.items() if not (k == "if_transaction" and v is None)}
        if params["op"] != "remember" and not (isinstance(reason, str) and reason.strip()):
            raise InvalidInput("operation.missing", op=params["op"], name="reason")
        if reason is not None:
            given["reason"] = reason
        with self._turn:
            if self._recording is not None:
                writer, recording = self._recording
                outcome = recording.add(given)
                return outcome, preview(writer, recording, outcome.entry_id)
            if not self._parts.home.exists():
                self._try_out(given)
            with self._ledger(create=True).write(self._workspace) as writer:
                recording = Recording(writer, self._parts.tools, Request((), OWNER_NAME))
                outcome = recording.add(given)
                recording.store()
            return outcome, self._shown(outcome.entry_id)

    def _try_out(self, params: Mapping[str, object]) -> None:
        """Do it nowhere first: what is refused makes no home, whose zone would then be fixed."""
        with self._parts.empty_ledger().write(DEFAULT_WORKSPACE) as writer:
            Recording(writer, self._parts.tools, Request((), OWNER_NAME)).add(params)

    def _shown(self, entry_id: UUID) -> Entry:
        if self._recording is not None:
            return preview(*self._recording, entry_id)
        return self.get(str(entry_id))

    @contextmanager
    def transaction(self, reason: str | None = None) -> Generator[Damals]:
        """See :meth:`damals.api.Damals.transaction`."""
        with self._turn:
            if self._recording is not None:
                raise InvalidInput("transaction.nested")
            with self._ledger(create=True).write(self._workspace) as writer:
                request = Request((), OWNER_NAME, reason)
                self._recording = (writer, Recording(writer, self._parts.tools, request))
                try:
                    yield self
                    self._recording[1].store()
                finally:
                    self._recording = None

    # --- looking

    def get(
        self, id: str, *, as_of: Instant | None = None, known_at: Instant | None = None
    ) -> Entry:
        """See :meth:`damals.api.Damals.get`."""
        with self._reader() as reader:
            return looking.get(reader, self._parts.clock, id, Asked(as_of, known_at))

    def history(self, id: str | None = None, *, key: str | None = None) -> History:
        """See :meth:`damals.api.Damals.history`."""
        with self._reader() as reader:
            return looking.history(reader, self._parts.clock, id, key)

    def log(self, *, entry: str | None = None, key: str | None = None) -> Log:
        """See :meth:`damals.api.Damals.log`."""
        with self._reader() as reader:
            return looking.log(reader, entry, key)

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
        with self._reader() as reader:
            return looking.entries(reader, self._parts.clock, Asked(as_of, known_at), listing)

    def recall(
        self, query: str, *, limit: int | None = 10, **options: Unpack[RecallOptions]
    ) -> Recall:
        """See :meth:`damals.api.Damals.recall`."""
        asked = question(query, limit, cast("Mapping[str, object]", options), self._parts.weights)
        search = self._search()
        lag = self._caught_up(search)
        with self._reader() as reader:
            found = search.recall(reader, self._parts.clock, asked, lag)
        return replace(found, caveats=tuple(messages.text(key) for key in found.caveats))

    def _caught_up(self, search: Search) -> Lag:
        """A question does not wait for the long work of another thread: it says what it lacks."""
        if not self._turn.acquire(blocking=False):
            return search.lag(self._workspace)
        try:
            if self._recording is not None:
                return search.lag(self._workspace)  # the open transaction has the write lock
            return search.catch_up(self._workspace)
        finally:
            self._turn.release()

    # --- sources, index, health

    def import_(  # noqa: PLR0913 -- the documented parameters of an import
        self,
        path: str | Path,
        *,
        source: str = "auto",
        name: str | None = None,
        dry_run: bool = False,
        prune: bool = False,
        wait: bool = False,
        progress: ProgressListener | None = None,
    ) -> ImportReport:
        """See :meth:`damals.api.Damals.import_`."""
        listen = progress or silent
        location = existing(path)
        with self._alone():
            return self._imported(location, source, Options(name, dry_run, prune), wait, listen)

    def _imported(
        self, location: Path, source: str, options: Options, wait: bool, listen: Listener
    ) -> ImportReport:
        started = self._parts.clock()
        home = self._parts.home
        trial = options.dry_run and not home.exists()
        ledger = self._parts.empty_ledger() if trial else self._ledger(create=True)
        if _kind(location, source) == "events":
            if options.dry_run or options.prune:
                raise InvalidInput("import.events_options")
            with ledger.write(self._workspace) as writer:
                report = import_events(writer, self._parts.tools, location, listen)
        else:
            run = VaultImport(
                ledger, self._workspace, self._parts.notes, self._parts.tools, options
            )
            report = run.run(location, listen)
        if options.dry_run:
            return report
        lag = self._search().catch_up(self._workspace, listen, wait=wait)
        spent = max(self._parts.clock() - started, 0) / 1_000_000
        return replace(report, pending_vectors=lag.vectors, seconds=round(spent, 3))

    def export(self, path: str | Path) -> ExportReport:
        """See :meth:`damals.api.Damals.export`."""
        with self._reader() as reader:
            return write_events(reader, path)

    def reindex(self, *, progress: ProgressListener | None = None) -> ReindexReport:
        """See :meth:`damals.api.Damals.reindex`."""
        with self._alone():
            return self._search().rebuild(self._parts.clock, progress or silent)

    def doctor(self, *, repair: bool = False) -> Health:
        """See :meth:`damals.api.Damals.doctor`."""
        with self._alone():
            ledger, search = self._ledger(), self._search()
            return examine(ledger, search, self._parts.home.path, self._parts.clock, repair)

    def workspaces(self) -> Sequence[WorkspaceView]:
        """See :meth:`damals.api.Damals.workspaces`."""
        return tuple(
            WorkspaceView(one.name, one.zone, format_instant(one.created_at))
            for one in self._ledger().workspaces()
        )


def _kind(path: Path, source: str) -> str:
    """What is to be read: events or a vault."""
    if source not in SOURCES:
        raise InvalidInput("source.unknown", source=source, known=", ".join(SOURCES))
    if source == "auto":
        return "events" if path.suffix.lower() in EVENT_SUFFIXES else "vault"
    return source
