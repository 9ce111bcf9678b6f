"""Who owns a home, how to reach the owner, and how to know that it is the owner."""

import hmac
from dataclasses import dataclass, field
from typing import Final

from damals.domain.errors import Unavailable

_PROOF: Final = b"damals owner\n"
"""Begins what is signed, so that no answer to a challenge is good for anything else."""


def proof_of(token: str, challenge: str) -> str:
    """What only who knows the token can answer to a challenge, and what does not tell the token.

    Returns:
        HMAC-SHA256 (RFC 2104) under the token, in hexadecimal digits.
    """
    key = token.encode("utf-8", "surrogatepass")  # a lock file may say anything
    return hmac.digest(key, _PROOF + challenge.encode(), "sha256").hex()


@dataclass(frozen=True, slots=True)
class Owner:
    """A process that holds a home and listens.

    Attributes:
        url: where it listens, for example ``http://127.0.0.1:40123``.
        token: opens its door; who may read the lock file may use the home.
    """

    url: str
    token: str = field(repr=False)


class Owned(Unavailable):
    """The home is held by a process that listens: ask it instead.

    Attributes:
        owner: that process.
    """

    def __init__(self, owner: Owner, /, **values: object) -> None:
        super().__init__("home.held", **values)
        self.owner = owner

    def __reduce__(self) -> tuple[object, ...]:
        """As a plain ``Unavailable`` elsewhere: the token stays here."""
        return (_without_owner, (self.values,))


def _without_owner(values: dict[str, object]) -> Unavailable:
    return Unavailable("home.held", **values)
