"""How a request is known again that must not be done twice."""

import hashlib
from typing import Final

from damals.app.access_model import Once

MAX_KEY: Final = 255
"""Longest key that may come with a request, in characters."""


def once(asker: str, workspace: str | None, call: str, key: str, body: bytes) -> Once:
    """The names under which the answer to a request is kept.

    Args:
        asker: who sends it.
        workspace: the workspace it is about; ``None`` for one about the home.
        call: method and path as they are sent: ``POST /v1/workspaces/default/transactions``.
        key: what came with the request (``Idempotency-Key``).
        body: the bytes of its query string and body, one behind the other.
    """
    return Once(_digest(asker, workspace or "", call, key), hashlib.sha256(body).digest())


def _digest(*parts: str) -> bytes:
    made = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        made.update(len(encoded).to_bytes(8, "big") + encoded)
    return made.digest()
