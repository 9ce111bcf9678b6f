"""The part of ``RemoteDamals`` that is about workspaces and keys."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, cast
from uuid import uuid4

from damals.app.access_model import Once
from damals.app.access_results import Denials, DenialView, Keys, KeyView, NewKey, Workspaces
from damals.app.once import once
from damals.app.results import Settings, WorkspaceView
from damals.domain.access import OWNER_NAME
from damals.domain.entries import Json
from damals.remote.backups import RemoteBackups
from damals.remote.connection import Message
from damals.remote.encoding import body, segment

WORKSPACES: Final = "/v1/workspaces"
KEYS: Final = "/v1/keys"


class RemoteAdministration(RemoteBackups):
    """Workspaces and keys; see :class:`damals.api.admin.Administration`."""

    def config(self) -> Settings:
        """See :meth:`damals.api.admin.Administration.config`."""
        return self._read(Settings, self._get("/v1/config"))

    def workspaces(self) -> Sequence[WorkspaceView]:
        """See :meth:`damals.api.admin.Administration.workspaces`."""
        return self._read(Workspaces, self._get(WORKSPACES)).workspaces

    def create_workspace(self, name: str, *, timezone: str | None = None) -> WorkspaceView:
        """See :meth:`damals.api.admin.Administration.create_workspace`."""
        told = self._post(WORKSPACES, _given(name=name, timezone=timezone)).document
        return self._read(WorkspaceView, _inner(told, "workspace"))

    def create_key(
        self,
        name: str,
        *,
        roles: Sequence[str] = ("reader",),
        workspaces: Sequence[str] | None = None,
        visibility: str = "internal",
        sensitivity: int = 0,
    ) -> NewKey:
        """See :meth:`damals.api.admin.Administration.create_key`."""
        given = key_parameters(name, roles, workspaces, visibility, sensitivity)
        return self.send_key(KeyOrder(given))

    def send_key(self, order: "KeyOrder") -> NewKey:
        """As :meth:`create_key`, when it may have been asked for before.

        Raises:
            Conflict: ``request.secret`` when this very order was carried out: the secret was in
                an answer that nobody has heard.
        """
        order.sent = True
        return self._read(NewKey, self._post(KEYS, order.given, order.request).document)

    def keys(self) -> Sequence[KeyView]:
        """See :meth:`damals.api.admin.Administration.keys`."""
        return self._read(Keys, self._get(KEYS)).keys

    def revoke_key(self, name: str) -> KeyView:
        """See :meth:`damals.api.admin.Administration.revoke_key`."""
        told = self._connection.ask(Message("DELETE", f"{KEYS}/{segment(name)}")).document
        return self._read(KeyView, _inner(told, "key"))

    def denials(self, *, limit: int = 100) -> Sequence[DenialView]:
        """See :meth:`damals.api.admin.Administration.denials`."""
        return self._read(Denials, self._get("/v1/denials", {"limit": limit})).denials


@dataclass(slots=True)
class KeyOrder:
    """A key that one call wants made, whomever and however often it asks.

    Attributes:
        given: the parameters of the key.
        request: by which a server knows the order again.
        sent: a server was asked that may have made it.
    """

    given: Mapping[str, object]
    request: str = field(default_factory=lambda: uuid4().hex)
    sent: bool = False

    def once(self) -> Once:
        """What a server calls this order when the owner of the home sends it."""
        return once(OWNER_NAME, None, f"POST {KEYS}", self.request, body(self.given))

    def begin_anew(self) -> None:
        """What was made is of no use: the next order is another one."""
        self.request = uuid4().hex


def key_parameters(
    name: str,
    roles: Sequence[str],
    workspaces: Sequence[str] | None,
    visibility: str,
    sensitivity: int,
) -> dict[str, object]:
    """The parameters of a key as they are sent."""
    return _given(
        name=name,
        roles=list(roles),
        workspaces=None if workspaces is None else list(workspaces),
        visibility=visibility,
        sensitivity=sensitivity,
    )


def _given(**values: object) -> dict[str, object]:
    """The parameters that were given."""
    return {name: value for name, value in values.items() if value is not None}


def _inner(told: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    """A result that may stand under its name."""
    found = told.get(name)
    return cast("Mapping[str, Json]", found) if isinstance(found, Mapping) else told
