"""The part of ``LocalDamals`` that is about workspaces and keys."""

import secrets
import threading
from collections.abc import Collection, Sequence
from typing import Final

from damals.app.access import check_home
from damals.app.access_model import MAX_DENIALS, Denial, Key, Registry
from damals.app.access_results import DenialView, KeyView, NewKey
from damals.app.door import digest_of
from damals.app.ledger_model import Workspace
from damals.app.results import Settings, WorkspaceView
from damals.domain.access import (
    OWNER_NAME,
    RIGHTS,
    SENSITIVITIES,
    VISIBILITIES,
    Principal,
    Right,
)
from damals.domain.errors import Conflict, Denied, InvalidInput, NotFound
from damals.domain.fields import choice
from damals.domain.instants import format_instant
from damals.domain.names import DEFAULT_WORKSPACE, plain_name
from damals.domain.zones import load_zone
from damals.local.backups import LocalBackups

SECRET_PREFIX: Final = "damals_"  # noqa: S105 -- by which people and scanners know a key
SECRET_BYTES: Final = 32
MAX_LISTED: Final = 100

_TAKEN: Final = frozenset({OWNER_NAME, *RIGHTS})
"""What no key can be called, in whatever case."""


class LocalAdministration(LocalBackups):
    """Workspaces and keys; see :class:`damals.api.admin.Administration`.

    What an asker may not reach is not told either: neither the names of other workspaces nor the
    keys that open them.
    """

    def config(self) -> Settings:
        """See :meth:`damals.api.admin.Administration.config`."""
        check_home(self._asker)
        return self._parts.config()

    def workspaces(self) -> Sequence[WorkspaceView]:
        """See :meth:`damals.api.admin.Administration.workspaces`."""
        found = self._home.ledger(self._workspace).workspaces()
        return tuple(_workspace_view(one) for one in found if self._asker.reaches(one.name))

    def create_workspace(self, name: str, *, timezone: str | None = None) -> WorkspaceView:
        """See :meth:`damals.api.admin.Administration.create_workspace`."""
        self._require(Right.ADMINISTER)
        named = plain_name("workspace.name", name)
        if not self._asker.reaches(named):
            raise Denied("access.workspace", name=self._asker.name)
        zone = timezone or self._parts.zone
        load_zone(zone)
        self._outside_of_transactions()
        if named == DEFAULT_WORKSPACE and not self._parts.home.exists():
            return self._made_with_home(zone)
        ledger = self._home.ledger(self._workspace, create=True)
        return _workspace_view(ledger.create_workspace(named, zone, self._parts.clock()))

    def _made_with_home(self, zone: str) -> WorkspaceView:
        """The workspace that comes with a new home.

        Raises:
            Conflict: ``workspace.zone_fixed``: its zone is that of the settings.
        """
        own = self._parts.zone
        if zone != own:
            raise Conflict("workspace.zone_fixed", name=DEFAULT_WORKSPACE, zone=own, asked=zone)
        (made,) = self._home.ledger(self._workspace, create=True).workspaces()
        return _workspace_view(made)

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
        self._require(Right.ADMINISTER)
        principal = Principal(
            name=plain_name("key.name", name),
            roles=tuple(dict.fromkeys(plain_name("key.role", role) for role in _several(roles))),
            workspaces=None if workspaces is None else tuple(dict.fromkeys(_several(workspaces))),
            visibility=choice("visibility", visibility, VISIBILITIES),
            sensitivity=_sensitivity(sensitivity),
        )
        self._check_key(principal)
        self._outside_of_transactions()
        secret = SECRET_PREFIX + secrets.token_urlsafe(SECRET_BYTES)
        key = Key(principal, digest_of(secret), self._parts.clock())
        self._registry(create=True).add_key(key)
        return NewKey(key_view(key), secret)

    def _check_key(self, principal: Principal) -> None:
        """Nobody gives what they have not got, and nobody is called as the owner.

        Raises:
            InvalidInput: ``key.reserved``.
            NotFound: ``workspace.unknown``.
            Denied: ``key.beyond``.
        """
        if principal.name.casefold() in _TAKEN:
            raise InvalidInput("key.reserved", name=principal.name)
        for role in principal.roles:
            if role.casefold() == OWNER_NAME:
                raise InvalidInput("key.reserved", name=role)
        known = self._known_workspaces()
        for workspace in principal.workspaces or ():
            if workspace not in known:
                raise NotFound("workspace.unknown", name=workspace)
        if not self._asker.covers(principal) or self._gains(principal):
            raise Denied("key.beyond", name=self._asker.name)

    def _known_workspaces(self) -> Collection[str]:
        if not self._parts.home.exists():
            return (DEFAULT_WORKSPACE,)
        return {one.name for one in self.workspaces()}

    def _gains(self, principal: Principal) -> bool:
        """Whether an acl calls a new principal by a name by which it does not call the asker."""
        if self._asker.owns:
            return False
        new = set(principal.names).difference(self._asker.names)
        return bool(self._registry().in_acls(new))

    def keys(self) -> Sequence[KeyView]:
        """See :meth:`damals.api.admin.Administration.keys`."""
        self._require(Right.ADMINISTER)
        found = self._registry().all_keys()
        return tuple(key_view(key) for key in found if self._asker.covers(key.principal))

    def revoke_key(self, name: str) -> KeyView:
        """See :meth:`damals.api.admin.Administration.revoke_key`."""
        self._require(Right.ADMINISTER)
        self._outside_of_transactions()
        registry = self._registry()
        named = [key for key in registry.all_keys() if key.principal.name == name]
        # The last of this name, also where another is just revoking it.
        if named and not self._asker.covers(named[-1].principal):
            raise NotFound("key.missing", name=name)
        return key_view(registry.revoke_key(name, self._parts.clock()))

    def denials(self, *, limit: int = MAX_LISTED) -> Sequence[DenialView]:
        """See :meth:`damals.api.admin.Administration.denials`."""
        self._require(Right.ADMINISTER)
        if isinstance(limit, bool) or limit < 1:
            raise InvalidInput("limit.invalid", limit=limit)
        if self._asker.owns or self._asker.workspaces is None:
            found = self._registry().denials(min(limit, MAX_DENIALS))
        else:
            every = self._registry().denials(MAX_DENIALS)
            found = [one for one in every if self._asker.reaches(one.workspace or "")][:limit]
        return tuple(_denial_view(one) for one in found)

    def _registry(self, *, create: bool = False) -> Registry:
        """The registry of the home, whatever workspace of it the asker stands in."""
        return self._home.ledger(self._workspace, create=create).registry

    def _outside_of_transactions(self) -> None:
        """Refuse what would wait for the write lock that this thread holds itself.

        Others' turns are not waited for: a key that is taken away during somebody's long import
        opens nothing from then on, and that it is stored waits for the import's end.

        Raises:
            InvalidInput: ``transaction.open``.
        """
        if self._home.working == threading.get_ident():
            raise InvalidInput("transaction.open")
        if self._home.turn.acquire(blocking=False):
            try:
                if self._recording is not None:
                    raise InvalidInput("transaction.open")
            finally:
                self._home.turn.release()


def _several(given: Sequence[str]) -> Sequence[str]:
    """Names; one alone may be given as such.

    Raises:
        InvalidInput: ``field.text``.
    """
    names = (given,) if isinstance(given, str) else tuple(given)
    for name in names:
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance] -- JSON gives anything
            raise InvalidInput("field.text", name="name", value=name)
    return names


def _sensitivity(value: int) -> int:
    if isinstance(value, bool) or value not in SENSITIVITIES:
        raise InvalidInput("field.range", name="sensitivity", value=value, low=0, high=3)
    return value


def _workspace_view(one: Workspace) -> WorkspaceView:
    return WorkspaceView(one.name, one.zone, format_instant(one.created_at))


def key_view(key: Key) -> KeyView:
    """A key as it is shown."""
    has = key.principal
    revoked = None if key.revoked_at is None else format_instant(key.revoked_at)
    return KeyView(
        name=has.name,
        roles=has.roles,
        workspaces=has.workspaces,
        visibility=has.visibility,
        sensitivity=has.sensitivity,
        created_at=format_instant(key.created_at),
        revoked_at=revoked,
    )


def _denial_view(one: Denial) -> DenialView:
    at = format_instant(one.denied_at)
    return DenialView(at, one.principal, one.workspace, one.channel, one.call, one.problem)
