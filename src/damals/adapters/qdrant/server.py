"""Talking to a Qdrant server: what its client raises becomes an error of damals.

Nothing is lost when it fails: the ledger has everything, and the index catches up.
"""

import threading
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final, TypeVar

from httpx import InvalidURL, TimeoutException, TransportError
from qdrant_client import QdrantClient
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from damals.adapters.qdrant.settings import OLDEST, QdrantSettings
from damals.addresses import cleaned
from damals.domain.errors import Corrupt, DamalsError, Unavailable

REASON_CHARS: Final = 300
NOT_ALLOWED: Final = frozenset({401, 403})
NOT_FOUND: Final = 404
TITLE: Final = "qdrant"

_NO_ANSWER: Final = (ValueError, AssertionError, AttributeError, TypeError, RecursionError)
"""What the client raises of an answer that is no JSON, or none to what was asked."""

Value = TypeVar("Value")


class Server:
    """A server that is asked through its client, opened with the first question.

    Any thread may ask. A connection that breaks is opened once more: whatever is asked, asking it
    twice is harmless. What comes late is not asked again.

    Args:
        settings: where it is.
        client: instead of one that is opened; its version is not asked.
    """

    def __init__(self, settings: QdrantSettings, client: QdrantClient | None = None) -> None:
        self._settings = settings
        self._client = client
        self._given = client is not None
        self._mutex = threading.Lock()

    def ask(self, question: Callable[[QdrantClient], Value]) -> Value:
        """What the server answers.

        Raises:
            Unavailable: ``qdrant.unreachable``, ``qdrant.slow``,
                ``qdrant.key``, ``qdrant.garbage``, ``qdrant.old``,
                ``qdrant.failed``.
            Corrupt: ``index.corrupt`` when the collection is not there.
        """
        try:
            return self._asked(question)
        except Unavailable as error:
            if error.key != "qdrant.unreachable":
                raise
        return self._asked(question)

    def close(self) -> None:
        """Let go of the connections; they are opened again when needed."""
        with self._mutex:
            client, self._client = self._client, self._client if self._given else None
            if client is not None and not self._given:
                client.close()

    def _asked(self, question: Callable[[QdrantClient], Value]) -> Value:
        with self._errors():
            return question(self._opened())

    def _opened(self) -> QdrantClient:
        with self._mutex:
            if self._client is None:
                client = _client(self._settings)
                try:
                    self._check(client.info())
                except BaseException:
                    client.close()
                    raise
                self._client = client
            return self._client

    def _check(self, told: object) -> None:
        """Refuse what is no Qdrant, and what is too old to keep hidden points out of scores."""
        version = str(getattr(told, "version", ""))
        try:
            found = tuple(int(part) for part in version.split(".")[:2])
        except ValueError:
            found = ()
        url = self._settings.shown
        if TITLE not in str(getattr(told, "title", "")).lower() or len(found) != len(OLDEST):
            raise Unavailable("qdrant.garbage", url=url, reason=version[:REASON_CHARS])
        if found < OLDEST:
            needed = ".".join(map(str, OLDEST))
            raise Unavailable("qdrant.old", url=url, found=version, needed=needed)

    @contextmanager
    def _errors(self) -> Generator[None]:
        try:
            yield
        except DamalsError:
            raise
        except Exception as cause:
            if (meant := self._meaning(cause)) is None:
                raise
            raise meant from cause

    def _meaning(self, cause: Exception) -> DamalsError | None:
        """What the client's errors mean; ``None`` for a defect of this program."""
        url = self._settings.shown
        found = cause.source if isinstance(cause, ResponseHandlingException) else cause
        told = self._cleaned(str(found)).strip().partition("\n")[0]
        reason = told[:REASON_CHARS] or type(found).__name__
        if isinstance(cause, UnexpectedResponse):
            return self._refusal(cause)
        if isinstance(found, TimeoutException):
            return Unavailable("qdrant.slow", url=url, seconds=self._settings.timeout_s)
        if isinstance(found, TransportError | OSError):
            return Unavailable("qdrant.unreachable", url=url, reason=reason)
        if isinstance(found, InvalidURL | QdrantException):
            return Unavailable("qdrant.failed", url=url, reason=reason)
        if isinstance(cause, ResponseHandlingException) or isinstance(found, _NO_ANSWER):
            return Unavailable("qdrant.garbage", url=url, reason=reason)
        return None

    def _cleaned(self, text: str) -> str:
        """What the client or the server says, which may quote what opens it."""
        return cleaned(text, self._settings.url, self._settings.key)

    def _refusal(self, cause: UnexpectedResponse) -> DamalsError:
        status, content = cause.status_code, cause.content
        url = self._settings.shown
        told = self._cleaned(content.decode(errors="replace"))
        reason = f"{status} {told[:REASON_CHARS]}".strip()
        if status in NOT_ALLOWED:
            return Unavailable("qdrant.key", url=url)
        if status == NOT_FOUND and b"status" in content:
            return Corrupt("index.corrupt", path=url, reason=reason)
        return Unavailable("qdrant.failed", url=url, reason=reason)


def _client(settings: QdrantSettings) -> QdrantClient:
    with warnings.catch_warnings():
        # A key over plain HTTP: on loopback or behind a tunnel that is right, and docs say so.
        warnings.simplefilter("ignore", UserWarning)
        return QdrantClient(
            url=settings.url,
            api_key=settings.key or None,
            timeout=settings.timeout_s,
            check_compatibility=False,
        )
