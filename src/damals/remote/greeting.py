"""Seeing who is at an address before anything is shown to them.

What a killed owner left in the lock file names a port that anybody may have taken since.
"""

import hmac
import json
import secrets
import time
from typing import TYPE_CHECKING, Any, Final, cast

from damals.app.ownership import proof_of
from damals.app.versions import PROGRAM_VERSION
from damals.remote.connection import Connection, Message
from damals.remote.failures import OtherVersion, Unreachable

if TYPE_CHECKING:
    import httpx2

PATH: Final = "/v1/health"
CHALLENGE_BYTES: Final = 16
MAX_BYTES: Final = 4096
"""No owner says so much."""


def greet(connection: Connection, answer_s: float) -> None:
    """See that whoever is there knows the secret, without showing it.

    Args:
        connection: to them, with the token of the owner who should be there.
        answer_s: seconds that the answer may take.

    Raises:
        Unreachable: nobody is there, or somebody else.
        OtherVersion: it is another damals, which may not mean the same by the same words.
    """
    challenge = secrets.token_hex(CHALLENGE_BYTES)
    message = Message("GET", PATH, [("challenge", challenge)], anonymous=True)
    over = time.monotonic() + answer_s
    with connection.stream(message, answer_s=answer_s) as said:
        told = _document(said, over)
    proof = told.get("proof")
    expected = proof_of(connection.secret or "", challenge)
    if not isinstance(proof, str) or not hmac.compare_digest(proof.encode(), expected.encode()):
        raise Unreachable("remote.answer", url=connection.url)
    if (version := told.get("version")) != PROGRAM_VERSION:
        raise OtherVersion("home.other_version", theirs=version or "?", ours=PROGRAM_VERSION)


def _document(said: "httpx2.Response", over: float) -> dict[str, object]:
    """The JSON of an answer; empty when it is none, too long, or comes in too slowly."""
    read = b""
    for piece in said.iter_bytes():
        read += piece
        if len(read) > MAX_BYTES or time.monotonic() > over:
            return {}
    try:
        told: Any = json.loads(read)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, object]", told) if isinstance(told, dict) else {}
