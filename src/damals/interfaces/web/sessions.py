"""Who has signed in with a browser: what a cookie stands for.

A session holds the secret it was opened with, so that each request asks the door anew: a revoked
key ends its sessions at once. Sessions stand in memory and end with the server.
"""

import hmac
import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

IDLE_S: Final = 12 * 3600.0
"""After this long without a request a session ends."""

MAX_SESSIONS: Final = 1_000
"""With a key, and as many without; those that were used longest ago end first."""

TOKEN_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Session:
    """What a browser is known by.

    Attributes:
        id: the value of its cookie.
        csrf: stands in each form of its pages; no other page knows it.
        secret: the key it signed in with; ``None`` for who comes from this machine without one.
    """

    id: str
    csrf: str
    secret: str | None = field(default=None, repr=False)

    def wrote(self, token: str) -> bool:
        """Whether a form that brings this token is one of its own pages'."""
        return hmac.compare_digest(token.encode(), self.csrf.encode())


class Sessions:
    """All sessions of a server. Any thread may use it."""

    def __init__(self) -> None:
        """None yet."""
        self._lock = threading.Lock()
        self._with_key: _Open = OrderedDict()
        self._without: _Open = OrderedDict()
        """Of their own: whoever only looks at the form for a key ends nobody's session."""

    def begin(self, secret: str | None = None) -> Session:
        """A new session. Whoever signs in gets a new id: an old one may be known to others."""
        made = Session(
            secrets.token_urlsafe(TOKEN_BYTES), secrets.token_urlsafe(TOKEN_BYTES), secret
        )
        with self._lock:
            among = self._among(made)
            among[made.id] = (made, time.monotonic())
            while len(among) > MAX_SESSIONS:
                among.popitem(last=False)
        return made

    def of(self, id: str | None) -> Session | None:
        """The session of a cookie; ``None`` for one that has ended or never was."""
        now = time.monotonic()
        with self._lock:
            found = self._taken(id or "")
            if found is None or now - found[1] > IDLE_S:
                return None
            self._among(found[0])[found[0].id] = (found[0], now)
        return found[0]

    def end(self, id: str) -> None:
        """End a session. Ending twice is harmless."""
        with self._lock:
            self._taken(id)

    def _among(self, session: Session) -> "_Open":
        return self._without if session.secret is None else self._with_key

    def _taken(self, id: str) -> tuple[Session, float] | None:
        return self._with_key.pop(id, None) or self._without.pop(id, None)


_Open = OrderedDict[str, tuple[Session, float]]
"""Sessions by their ids, with when each was used last; that used longest ago first."""
