"""The wiring: the only place that knows which adapter stands behind which port."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from damals import messages
from damals.adapters.files.home import Home
from damals.adapters.files.lock import HomeLock
from damals.adapters.files.readings import ReadingsFile
from damals.adapters.files.residue import HomeFolder
from damals.adapters.files.surroundings import HomeSurroundings
from damals.adapters.files.types import TypeFiles
from damals.api import Damals
from damals.app.ages import Ages
from damals.app.backups.keeping import Keeping
from damals.app.finding.base import base_of
from damals.app.ledger_port import Ledger
from damals.app.paths import existing
from damals.app.ports import Clock, Embedder, LexicalEncoder
from damals.app.recall import Base
from damals.app.record import Tools
from damals.app.results import Initialized, WorkspaceView
from damals.app.search import Search
from damals.app.types_model import TypesInForce, types_in_force
from damals.app.vault.run import Vaults
from damals.bootstrap.homes import LedgerFile, LedgerServer, LockedHome
from damals.bootstrap.index import Filling, shelf_of
from damals.bootstrap.texts import texts, writers
from damals.domain.errors import Conflict
from damals.domain.instants import format_instant
from damals.domain.names import DEFAULT_WORKSPACE, plain_name
from damals.domain.zones import load_zone
from damals.local import LocalDamals, OpenedHome, Parts
from damals.observing import observe
from damals.settings import NAMES, SQLITE, Loaded, Settings

NANOSECONDS_PER_MICROSECOND = 1_000
MODELS = "models"


@dataclass(frozen=True, slots=True)
class Wiring:
    """What the caller chose beside the settings.

    Attributes:
        embedding: instead of the model that the settings name.
        index_mode: ``inline`` or ``worker``.
        background: compute missing vectors while the home is open.
        attach: do not wait for a holder of the home that listens.
        on_hold: called when the home has just been locked.
    """

    embedding: Embedder | None
    index_mode: str
    background: bool = False
    attach: bool = False
    on_hold: "Callable[[], None] | None" = None


@dataclass(frozen=True, slots=True)
class OwnHome:
    """A home as its owner has it; nothing is locked before it is first needed.

    Attributes:
        memory: the interface on it.
        home: what all who ask share.
        lock: its lock.
        settings: those it was made with.
    """

    memory: LocalDamals
    home: OpenedHome
    lock: HomeLock
    settings: Settings


def system_clock() -> int:
    """The current instant, UTC microseconds."""
    return time.time_ns() // NANOSECONDS_PER_MICROSECOND


def open_home(
    home: str | Path | None = None,
    *,
    workspace: str | None = None,
    clock: Clock | None = None,
    embedding: Embedder | None = None,
    brief: bool = False,
    **options: str | float,
) -> Damals:
    """The interface on a home folder that this process is to own, or waits for.

    Args:
        home: the folder.
        workspace: name of the workspace.
        clock: instead of the system's.
        embedding: instead of the model that the settings name.
        brief: as of :func:`wiring_for`.
        **options: settings that win over all others.
    """
    messages.install()
    loaded = Loaded.load(folder=None, home=home, workspace=workspace, **options)
    wiring = wiring_for(loaded.settings, embedding, brief=brief)
    return own_home(loaded.settings, clock, wiring, origins=loaded.origins).memory


def wiring_for(settings: Settings, embedding: Embedder | None = None, *, brief: bool) -> Wiring:
    """The wiring that fits the settings.

    Args:
        settings: the settings.
        embedding: instead of the model that they name.
        brief: for one short command: with ``index_mode`` ``auto`` the search engine then runs in
            this process, since a worker takes longer to start than the command to run.
    """
    mode = "inline" if brief else "worker"
    chosen = mode if settings.index_mode == "auto" else settings.index_mode
    return Wiring(embedding, chosen, background=not brief)


def attaching(wiring: Wiring, on_hold: Callable[[], None]) -> Wiring:
    """As it is, but not waiting for a holder that listens, and calling when the home is held."""
    return replace(wiring, attach=True, on_hold=on_hold)


def own_home(
    settings: Settings,
    clock: Clock | None,
    wiring: Wiring,
    held: LockedHome | None = None,
    *,
    origins: Mapping[str, str] | None = None,
) -> OwnHome:
    """A home with its parts; see :class:`OwnHome`. One that is ``held`` already is not locked.

    ``origins`` says where each setting came from; without them it is this call.
    """
    observe(settings)
    held = held or _held(settings, wiring)
    parts = _parts(settings, held, clock or system_clock, wiring)
    told = Loaded(settings, origins or dict.fromkeys(NAMES, "option"))
    opened = OpenedHome(replace(parts, config=told.view))
    return OwnHome(LocalDamals(opened, settings.workspace), opened, held.lock, settings)


def init_home(
    home: str | Path | None,
    workspace: str | None = None,
    timezone: str | None = None,
    *,
    attach: bool = False,
) -> Initialized:
    """Make a home and a workspace in it; what is there already stays as it is.

    Args:
        home: the folder.
        workspace: name of the workspace.
        timezone: zone of what is made.
        attach: do not wait for a holder of the home that listens.

    Raises:
        Owned: there is one.
        Conflict: ``workspace.zone_fixed`` when the workspace exists with another zone.
        InvalidInput: ``workspace.name`` for what no new workspace can be called.
    """
    messages.install()
    settings = Loaded.load(home=home, workspace=workspace, timezone=timezone).settings
    load_zone(settings.timezone)
    held = _held(settings, Wiring(None, settings.index_mode, attach=attach))
    if not held.exists():
        plain_name("workspace.name", settings.workspace)
    held.hold(create=True)
    try:
        ledger = held.ledger.open()
        try:
            return _initialized(ledger, settings, timezone)
        finally:
            ledger.close()
    finally:
        held.release()


def show_types(home: str | Path | None, path: str | Path | None = None) -> TypesInForce:
    """The types in force in a home, and in the vault at ``path`` if one is named.

    Raises:
        NotFound: ``path.missing``.
        InvalidInput: ``types.*`` for a file that is wrong.
    """
    messages.install()
    settings = Loaded.load(home=home).settings
    vault = None if path is None else existing(path)
    return types_in_force(TypeFiles(Home.at(settings.home).path).load(vault))


def types_schema() -> str:
    """The JSON schema of ``types.yaml``, as a document."""
    from damals.adapters.files.types_schema import schema  # noqa: PLC0415 -- a command pays for what it uses

    made = schema(lambda name: messages.text(f"reference.types.{name}", "en"))
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"


def _initialized(ledger: Ledger, settings: Settings, timezone: str | None) -> Initialized:
    known = {one.name: one for one in ledger.workspaces()}
    found = known.get(settings.workspace)
    if found is not None and timezone is not None and found.zone != timezone:
        raise Conflict("workspace.zone_fixed", name=found.name, zone=found.zone, asked=timezone)
    made = found
    for name in dict.fromkeys((DEFAULT_WORKSPACE, settings.workspace)):
        if name not in known:
            plain_name("workspace.name", name)
            made = ledger.create_workspace(name, settings.timezone, system_clock())
    assert made is not None  # noqa: S101 -- it was known or has just been made
    view = WorkspaceView(made.name, made.zone, format_instant(made.created_at))
    return Initialized(str(settings.home), view, found is None)


def _parts(settings: Settings, held: LockedHome, clock: Clock, wiring: Wiring) -> Parts:
    from damals.adapters.git.repository import GitHistories  # noqa: PLC0415 -- a command pays for what it uses
    from damals.adapters.vault.chunker import MarkdownChunker  # noqa: PLC0415 -- a command pays for what it uses
    from damals.adapters.vault.digests import DigestCache, file_digest  # noqa: PLC0415 -- as below
    from damals.adapters.vault.reader import VaultReader  # noqa: PLC0415 -- a command pays for what it uses

    digest_of = DigestCache().digest if wiring.background else file_digest
    types = TypeFiles(held.home.path)
    chunker = MarkdownChunker()
    base = base_of(types, chunker, settings.persona or None, settings.superseded_share)
    return Parts(
        home=held,
        open_ledger=held.ledger.open,
        empty_ledger=lambda: _empty_ledger(settings),
        open_search=lambda ledger: _search(settings, held.home, ledger, wiring, base),
        vaults=Vaults(VaultReader(digest_of), types, ReadingsFile(held.home.cache), GitHistories()),
        tools=Tools(chunker, clock, lambda: types.load().catalogue),
        zone=settings.timezone,
        weights=settings.weights,
        words=_words,
        persona=settings.persona or None,
        receipts=settings.receipts,
        texts=texts(_words),
        open_writer=writers(settings),
        ages=Ages(base.types, settings.superseded_share),
        accesses=settings.accesses,
        windows=settings.windows,
        keeping=lambda: _keeping(settings),
        around=HomeSurroundings(held.home),
        files=HomeFolder(held.home.path, held.home.cache),
    )


def _keeping(settings: Settings) -> Keeping:
    from damals.bootstrap.backups import keeping_of  # noqa: PLC0415 -- a command pays for what it uses

    return keeping_of(settings)


@cache
def _lexical() -> LexicalEncoder:
    from damals.adapters.text.german import GermanLexicalEncoder  # noqa: PLC0415 -- a command pays for what it uses

    return GermanLexicalEncoder()


def _words(text: str) -> Sequence[tuple[str, int, int]]:
    """The content words of a text, as the index takes them."""
    return _lexical().words(text)


def _held(settings: Settings, wiring: Wiring) -> LockedHome:
    home = Home.at(settings.home)
    remote = settings.ledger != SQLITE
    ledger = LedgerServer(home, settings.ledger) if remote else LedgerFile(home)
    lock = HomeLock(home.path, timeout_s=settings.lock_timeout_s, attach=wiring.attach)
    return LockedHome(home, lock, ledger, wiring.on_hold)


def _empty_ledger(settings: Settings) -> Ledger:
    from damals.adapters.memory.ledger import MemoryLedger  # noqa: PLC0415 -- a trial only

    ledger = MemoryLedger()
    ledger.create_workspace(DEFAULT_WORKSPACE, settings.timezone, system_clock())
    return ledger


def _search(settings: Settings, home: Home, ledger: Ledger, wiring: Wiring, base: Base) -> Search:
    from damals import logs  # noqa: PLC0415 -- as below
    from damals.adapters.embedders.store import VectorStore  # noqa: PLC0415 -- a command pays for what it uses

    embedder = wiring.embedding or (_model(settings) if settings.embedder == "e5" else None)
    logs.configure()
    lexical = _lexical()
    home.make_folders()
    filling = Filling(embedder, lexical.version)
    return Search(
        ledger,
        shelf_of(settings, home, filling, worker=wiring.index_mode == "worker"),
        lexical,
        embedder,
        VectorStore(home.cache / "vectors.db"),
        base=base,
        background=wiring.background,
    )


def _model(settings: Settings) -> Embedder:
    from damals.adapters.embedders.e5 import E5Embedder  # noqa: PLC0415 -- a command pays for what it uses

    return E5Embedder(settings.cache.expanduser() / MODELS)
