"""Opening a home of this machine: the place that joins the wiring with the server.

Whoever opens a home may come to own it, and an owner listens: so this stands above the REST
interface, and the interfaces that open homes stand above this.
"""

import socket
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from damals import bootstrap, messages
from damals.api import Damals
from damals.app.access_results import KeyView
from damals.app.errors import Conflict, Denied, NotFound, Unavailable
from damals.app.ownership import Owned, Owner
from damals.app.paths import existing
from damals.app.ports import Clock, Embedder
from damals.app.results import Initialized, WorkspaceView
from damals.attached import AttachedDamals
from damals.attached.owning import Ways
from damals.interfaces.listening import Listener, Place
from damals.remote.client import RemoteDamals
from damals.remote.connection import Manners
from damals.settings import Loaded, Settings

if TYPE_CHECKING:
    from damals.interfaces.rest.options import ServerOptions

SHORTEST_GREETING_S: Final = 1.0
LONGEST_GREETING_S: Final = 10.0
"""How long the owner of a home may take to say that it is there, on a machine that is busy."""

OWNERS_BODY_BYTES: Final = 1 << 30
OWNERS_WAIT_S: Final = 24 * 3600.0
"""Limits of a listener that only the user's own programs come to: as good as none."""

AS_NEIGHBOUR: Final = Manners(retries=0, proxies=False)
"""An owner that does not answer is none any more: nothing is sent to it again."""


class Stay(Enum):
    """How long a home is going to be held, and so after how many seconds an owner listens."""

    COMMAND = 3.0
    LIBRARY = 1.0
    PROCESS = 0.0


@dataclass(frozen=True, slots=True)
class Served:
    """A home that is being served.

    Attributes:
        url: where.
        listener: the server.
        unguarded: no key was ever made, so that whoever uses this machine is its owner.
    """

    url: str
    listener: Listener
    unguarded: bool


def open_damals(
    home: str | Path | None = None,
    *,
    workspace: str | None = None,
    clock: Clock | None = None,
    embedding: Embedder | None = None,
    stay: Stay = Stay.LIBRARY,
    **options: str | float,
) -> Damals:
    """The interface on a home folder; see :meth:`damals.api.Damals.open`.

    Args:
        home: the folder.
        workspace: name of the workspace.
        clock: instead of the system's, as long as this process owns the home.
        embedding: instead of the model that the settings name; likewise.
        stay: how long it is going to be open.
        **options: settings that win over all others.
    """
    messages.install()
    loaded = Loaded.load(folder=None, home=home, workspace=workspace, **options)
    settings = loaded.settings

    def app(token: str) -> Any:  # noqa: ANN401 -- an ASGI app
        return _neighbours_app(own, token)

    def announce(owner: Owner | None) -> bool:
        return own.lock.announce(owner)

    listener = Listener(app, announce, Place(delay_s=stay.value))
    wiring = bootstrap.wiring_for(settings, embedding, brief=stay is Stay.COMMAND)
    own = bootstrap.own_home(
        settings, clock, bootstrap.attaching(wiring, listener.begin), origins=loaded.origins
    )
    ways = Ways(
        own=own.memory,
        ask=lambda owner: _asked(owner, settings),
        leave=listener.stop,
        patience_s=settings.lock_timeout_s,
    )
    return AttachedDamals(ways, settings.workspace)


def init_home(
    home: str | Path | None, workspace: str | None = None, timezone: str | None = None
) -> Initialized:
    """Make a home and a workspace in it, whoever owns it; see :func:`bootstrap.init_home`.

    Raises:
        Conflict: ``workspace.zone_fixed`` when the workspace exists with another zone.
    """
    try:
        return bootstrap.init_home(home, workspace, timezone, attach=True)
    except Owned:
        settings = Loaded.load(home=home, workspace=workspace, timezone=timezone).settings
        with open_damals(home, workspace=workspace, stay=Stay.COMMAND) as memory:
            made, created = _made(memory, settings, timezone)
        return Initialized(str(settings.home), made, created)


def _made(memory: Damals, settings: Settings, timezone: str | None) -> tuple[WorkspaceView, bool]:
    """A workspace, and whether it is new."""
    name = settings.workspace
    try:
        known = memory.workspaces()
    except NotFound:
        known = ()  # a home that is owned and empty
    found = next((one for one in known if one.name == name), None)
    if found is None:
        return memory.create_workspace(name, timezone=settings.timezone), True
    if timezone is not None and found.timezone != timezone:
        raise Conflict("workspace.zone_fixed", name=name, zone=found.timezone, asked=timezone)
    return found, False


def _asked(owner: Owner, settings: Settings) -> RemoteDamals:
    """The interface on an owner that answers.

    Raises:
        Unreachable: it does not.
    """
    far = RemoteDamals(
        owner.url, owner.token, workspace=settings.workspace, here=True, manners=AS_NEIGHBOUR
    )
    try:
        far.greet(min(max(settings.lock_timeout_s, SHORTEST_GREETING_S), LONGEST_GREETING_S))
    except BaseException:
        far.close()
        raise
    return far


def _neighbours_app(own: bootstrap.OwnHome, token: str) -> Any:  # noqa: ANN401 -- an ASGI app
    """The app for other programs of the user, which nobody enters without a secret."""
    from damals.app.door import Door  # noqa: PLC0415 -- as above
    from damals.interfaces.rest.app import create_app  # noqa: PLC0415 -- only who listens pays for it
    from damals.interfaces.rest.options import ServerOptions  # noqa: PLC0415 -- as above

    options = ServerOptions(
        max_body_bytes=OWNERS_BODY_BYTES,
        max_import_bytes=OWNERS_BODY_BYTES,
        request_timeout_s=OWNERS_WAIT_S,
    )
    return create_app(own.memory, Door(token), options)


@contextmanager
def served(home: str | Path | None = None, **asked: object) -> Generator[Served]:
    """A home that is served until the end of the ``with``.

    Args:
        home: the folder.
        **asked: settings that were given: ``workspace``, ``host``, ``port``, ``roots``.

    Raises:
        Unavailable: ``home.held`` when another process holds the home for too long,
            ``serve.port_taken``, ``serve.address``.
        Denied: ``serve.no_key`` for an address that others can reach while there is no key.
        NotFound: ``path.missing`` for a root that is not there.
        InvalidInput: ``serve.host``, ``settings.invalid``.
    """
    messages.install()
    loaded = Loaded.load(folder=None, home=home, **asked)
    settings = loaded.settings
    for root in settings.root_folders:
        existing(root)
    place = Place(settings.host, settings.port)
    wiring = bootstrap.wiring_for(settings, brief=False)
    own = bootstrap.own_home(settings, None, wiring, origins=loaded.origins)
    try:
        own.home.parts.home.hold(create=True)
        made = _keys(own.memory)
        if not place.is_loopback and all(key.revoked_at for key in made):
            raise Denied("serve.no_key", host=place.host)
        bound = place.bound()
        listener = Listener(lambda token: _app(own, token, place), own.lock.announce, place)
        listener.begin(bound)
        listener.ready.wait()
        try:
            if not listener.running:
                raise Unavailable("serve.failed", host=place.host, port=place.port)
            yield Served(listener.url, listener, place.is_loopback and not made)
        finally:
            listener.stop()
    finally:
        own.memory.close()


def _keys(memory: Damals) -> Sequence[KeyView]:
    """All keys that were ever made."""
    try:
        return memory.keys()
    except NotFound:
        return ()  # no home, no keys


def _app(own: bootstrap.OwnHome, token: str, place: Place) -> Any:  # noqa: ANN401 -- an ASGI app
    from damals.app.door import Door  # noqa: PLC0415 -- as above
    from damals.interfaces.mcp.http import add_mcp  # noqa: PLC0415 -- only who listens pays for it
    from damals.interfaces.rest.app import create_app  # noqa: PLC0415 -- as above
    from damals.interfaces.web.app import add_pages  # noqa: PLC0415 -- as above

    door = Door(token, open_to_loopback=place.is_loopback)
    app = create_app(own.memory, door, _options(own.settings, place))
    add_mcp(app)
    add_pages(app)
    return app


def _options(settings: Settings, place: Place) -> "ServerOptions":
    from damals.interfaces.rest.options import ServerOptions  # noqa: PLC0415 -- as above

    return ServerOptions(
        roots=settings.root_folders,
        allowed_hosts=(*settings.host_names, place.host, *_names_of_this_machine(place)),
        max_body_bytes=settings.max_body_bytes,
        max_import_bytes=settings.max_import_bytes,
        requests_per_minute=settings.requests_per_minute,
        concurrent_requests=settings.concurrent_requests,
        request_timeout_s=settings.request_timeout_s,
    )


def _names_of_this_machine(place: Place) -> tuple[str, ...]:
    """The names under which others reach it when it is to be reached."""
    if place.is_loopback:
        return ()
    name = socket.gethostname()
    try:
        found = socket.getaddrinfo(name, None)
    except OSError:
        found = []
    return (name, *dict.fromkeys(str(address[0]) for *_, address in found))
