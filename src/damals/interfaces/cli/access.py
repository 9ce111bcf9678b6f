"""Commands about workspaces, and about the keys that open them to others."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from damals.app.access_model import MAX_DENIALS
from damals.app.access_results import Denials, Keys, NewKey, Workspaces
from damals.interfaces.cli import options
from damals.interfaces.cli.registry import command
from damals.interfaces.cli.session import Call, Session
from damals.interfaces.cli.times import local
from damals.interfaces.cli.views import STRONG

if TYPE_CHECKING:
    from damals.app.results import Result
    from damals.domain.entries import Json

WORKSPACES: Final = ("name", "timezone", "created_at")
KEYS: Final = (
    *("name", "roles", "workspaces", "visibility", "sensitivity"),
    *("created_at", "revoked_at"),
)
DENIALS: Final = ("denied_at", "principal", "workspace", "channel", "call", "problem")


@command("workspace create", options.NEW_NAME, options.TIMEZONE)
def workspace_create(call: Call) -> None:
    """Make a workspace."""
    with call.open() as memory:
        made = memory.create_workspace(**call.values)

    def view(session: Session, _: Workspaces) -> None:
        session.screen.line(
            session.say("access.workspace_made", name=made.name, zone=made.timezone)
        )

    call.show(Workspaces((made,)), view)


@command("workspace list")
def workspace_list(call: Call) -> None:
    """The workspaces of a home."""
    with call.open() as memory:
        found = Workspaces(tuple(memory.workspaces()))
    call.show(found, lambda session, told: _table(session, WORKSPACES, told.workspaces))


@command(
    "keys create",
    options.NEW_NAME,
    options.ROLES,
    options.ALLOWED,
    options.CEILING,
    options.MOST_SENSITIVE,
)
def keys_create(call: Call) -> None:
    """Make a key; the one place where its secret is shown."""
    with call.open() as memory:
        made = memory.create_key(**call.values)
    call.show(made, _secret)


def _secret(session: Session, made: NewKey) -> None:
    session.screen.line(session.say("access.key_made", name=made.key.name))
    session.screen.line((made.secret, STRONG))


@command("keys list")
def keys_list(call: Call) -> None:
    """All keys."""
    with call.open() as memory:
        found = Keys(tuple(memory.keys()))
    call.show(found, _keys)


def _keys(session: Session, told: Keys) -> None:
    if told.keys:
        _table(session, KEYS, told.keys)
    else:
        session.screen.line(session.say("access.no_keys"))


@command("keys revoke", options.NEW_NAME)
def keys_revoke(call: Call) -> None:
    """Revoke a key."""
    with call.open() as memory:
        gone = memory.revoke_key(**call.values)

    def view(session: Session, _: Keys) -> None:
        session.screen.line(session.say("access.key_revoked", name=gone.name))

    call.show(Keys((gone,)), view)


@command("keys denied", options.LIMIT_100)
def keys_denied(call: Call) -> None:
    """The newest calls that were refused."""
    asked = {name: value or MAX_DENIALS for name, value in call.values.items()}
    with call.open() as memory:
        found = Denials(tuple(memory.denials(**asked)))
    call.show(found, _denials)


def _denials(session: Session, told: Denials) -> None:
    if told.denials:
        _table(session, DENIALS, told.denials)
    else:
        session.screen.line(session.say("access.no_denials"))


def _table(session: Session, names: Sequence[str], results: "Iterable[Result]") -> None:
    zone = session.settings().settings.timezone
    every = session.say("access.all_workspaces")
    head = [session.say(f"access.head.{name}") for name in names]
    told = [one.to_dict() for one in results]
    rows = [[_cell(name, one[name], zone, every) for name in names] for one in told]
    session.screen.table(head, rows)


def _cell(name: str, value: "Json", zone: str, every: str) -> str:
    match value:
        case None:
            return every if name == "workspaces" else ""
        case list():
            return ", ".join(map(str, value))
        case str() if name.endswith("_at"):
            return local(value, zone)
        case _:
            return str(value)
