"""The door: who someone is that comes with a secret, or with none."""

import hashlib
import hmac
from dataclasses import dataclass

from damals.app.access_model import Key, Registry
from damals.domain.access import OWNER, Principal
from damals.domain.errors import Denied


@dataclass(frozen=True, slots=True)
class Door:
    """Who gets in.

    Attributes:
        token: what the owner of the home brings; ``None`` when nobody comes as the owner.
        open_to_loopback: as long as no key was ever made for the home, whoever comes from this
            machine without a secret is the owner. A revoked key counts: taking the last one away
            opens nothing.
    """

    token: str | None = None
    open_to_loopback: bool = False

    def opened_for(
        self, secret: str | None, registry: Registry | None, *, loopback: bool
    ) -> Principal:
        """Who comes in.

        Args:
            secret: the bearer token of the request.
            registry: of the keys; they are read each time, so a revoked one opens nothing from
                then on. ``None`` while there is no home.
            loopback: whether the request came from this machine.

        Raises:
            Denied: ``access.no_key`` without a secret, ``access.unknown_key`` with a wrong one.
        """
        if secret is not None and self._owns(secret):
            return OWNER
        keys = () if registry is None else registry.all_keys()
        if secret is None:
            if self.open_to_loopback and loopback and not keys:
                return OWNER
            raise Denied("access.no_key")
        return _holder(secret, [key for key in keys if key.revoked_at is None])

    def _owns(self, secret: str) -> bool:
        token = self.token
        return bool(token) and hmac.compare_digest(digest_of(secret), digest_of(token or ""))


def digest_of(secret: str) -> bytes:
    """What is stored of a key. A random secret of 256 bits needs no slow hash."""
    return hashlib.sha256(secret.encode()).digest()


def _holder(secret: str, valid: list[Key]) -> Principal:
    """Who holds the key of this secret; compared with each, so that time tells nothing."""
    digest = digest_of(secret)
    found = [key for key in valid if hmac.compare_digest(key.digest, digest)]
    if not found:
        raise Denied("access.unknown_key")
    return found[0].principal
