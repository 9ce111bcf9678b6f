"""What a server is told about itself."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

MEBIBYTE: Final = 1024 * 1024

LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Limits of a server, and where it may read.

    Attributes:
        roots: folders below which those who do not own the home may import files.
        allowed_hosts: names, beside those of loopback, under which it may be asked (``Host``).
        max_body_bytes: of a request.
        max_import_bytes: of a file of events that comes as the body of a request.
        requests_per_minute: of a principal, and of an address that has no key. The owner has no
            limit.
        concurrent_requests: more are refused at once; so many again may listen to events.
        request_timeout_s: how long a request may take until its answer begins.
        shutdown_wait_s: how long its end waits for a job before it marks it as lost.
    """

    roots: tuple[Path, ...] = ()
    allowed_hosts: tuple[str, ...] = ()
    max_body_bytes: int = 2 * MEBIBYTE
    max_import_bytes: int = 64 * MEBIBYTE
    requests_per_minute: int = 600
    concurrent_requests: int = 128
    request_timeout_s: float = 120.0
    shutdown_wait_s: float = 5.0
