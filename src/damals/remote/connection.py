"""The way to a server: requests, time-outs, and retries where they are safe."""

import random
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from damals import messages
from damals.app.errors import InvalidInput, Unavailable
from damals.domain.entries import Json
from damals.remote.encoding import Query
from damals.remote.failures import NOT_NOW, Unreachable, error_of

if TYPE_CHECKING:
    import httpx2

CONNECT_S: Final = 5.0
ANSWER_S: Final = 600.0
"""How long an answer may take: a change waits for long work that came before it."""

FIRST_PAUSE_S: Final = 0.1
LONGEST_PAUSE_S: Final = 10.0

JSON_TYPE: Final = "application/json"

T = TypeVar("T")
Told = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Manners:
    """How a client deals with a server.

    Attributes:
        answer_s: seconds that an answer may take.
        retries: how often a safe request is sent again when nobody answered it.
        proxies: whether proxies of the environment are used.
    """

    answer_s: float = ANSWER_S
    retries: int = 3
    proxies: bool = True


@dataclass(frozen=True, slots=True)
class Message:
    """A request.

    Attributes:
        key: with which the server knows it again; without one only a ``GET`` may be repeated.
        content: the body; ``None`` for none.
        upload: gives the pieces of a body that is too long to keep in memory.
        harmless: it changes nothing.
        anonymous: it shows no secret: whoever is there may be a stranger.
    """

    method: str
    path: str
    query: Query = ()
    content: bytes | None = None
    content_type: str = JSON_TYPE
    key: str | None = None
    upload: Callable[[], Iterator[bytes]] | None = None
    harmless: bool = False
    anonymous: bool = False

    @property
    def repeatable(self) -> bool:
        """Whether doing it twice is as doing it once."""
        return self.harmless or self.method == "GET" or self.key is not None

    def headers(self) -> dict[str, str]:
        """Its headers."""
        told = {"Accept-Language": messages.spoken()}
        if self.content is not None or self.upload is not None:
            told["Content-Type"] = self.content_type
        return told if self.key is None else {**told, "Idempotency-Key": self.key}


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: a document and where what was made is."""

    document: Told
    location: str | None = None


class Connection:
    """A server and the secret that opens it. Any thread may use it.

    Args:
        url: of the server.
        secret: a key, or the token of a home's owner; ``None`` for none.
        manners: how it is dealt with.

    Raises:
        InvalidInput: ``remote.url`` for what is no address.
    """

    def __init__(self, url: str, secret: str | None, manners: Manners | None = None) -> None:
        import httpx2  # noqa: PLC0415 -- whoever owns the home goes without

        self.url = url.rstrip("/").removesuffix("/v1")
        self.manners = manners or Manners()
        self.secret = secret
        self._closed = False
        if not self.url.startswith(("http://", "https://")):
            raise InvalidInput("remote.url", url=url)
        try:
            self._client = httpx2.Client(
                base_url=self.url,
                timeout=httpx2.Timeout(self.manners.answer_s, connect=CONNECT_S, pool=None),
                trust_env=self.manners.proxies,
            )
        except (httpx2.InvalidURL, ValueError) as error:
            raise InvalidInput("remote.url", url=url) from error

    def close(self) -> None:
        """Let go of it, for good."""
        self._closed = True
        self._client.close()

    def ask(self, message: Message) -> Answer:
        """Send a request and read the answer.

        Raises:
            Unreachable: nobody answered.
            DamalsError: what the server says went wrong.
        """
        return self._persistently(message, lambda: self._once(message))

    @contextmanager
    def stream(self, message: Message, *, answer_s: float | None = None) -> "Generator[Any]":
        """Send a request and read the answer as it comes; it is not sent again.

        Args:
            message: the request.
            answer_s: seconds between two pieces of the answer.

        Raises:
            Unreachable: nobody answered, or the answer broke off.
            DamalsError: what the server says went wrong.
        """
        import httpx2  # noqa: PLC0415 -- as above

        timeout = httpx2.Timeout(answer_s or self.manners.answer_s, connect=CONNECT_S)
        with (
            self._told_as_ours(),
            self._client.stream(
                message.method, message.path, params=list(message.query),
                content=message.content, headers=self._headers(message), timeout=timeout,
            ) as response,
        ):  # fmt: skip
            if response.is_error:
                response.read()
                raise error_of(response.status_code, _document(response), self.url)
            yield response

    def _persistently(self, message: Message, act: Callable[[], T]) -> T:
        """Do it; again after a while when that is safe and nobody answered."""
        left = self.manners.retries if message.repeatable else 0
        pause_s = FIRST_PAUSE_S
        while True:
            try:
                return act()
            except Unavailable as error:
                busy = error.key in NOT_NOW
                if not left or not (busy or isinstance(error, Unreachable)):
                    raise
                asked = error.values.get("seconds")
                wait_s = float(asked) if busy and isinstance(asked, int) else pause_s
            left -= 1
            time.sleep(min(wait_s, LONGEST_PAUSE_S) * random.uniform(1.0, 1.25))  # noqa: S311 -- so that many do not come back at once
            pause_s *= 4

    def _once(self, message: Message) -> Answer:
        content: Any = message.content if message.upload is None else message.upload()
        with self._told_as_ours():
            response = self._client.request(
                message.method, message.path, params=list(message.query), content=content,
                headers=self._headers(message),
            )  # fmt: skip
        document = _document(response)
        if response.is_error:
            raise error_of(response.status_code, document, self.url)
        if not isinstance(document, dict):
            raise Unreachable("remote.answer", url=self.url)
        return Answer(cast("Told", document), response.headers.get("location"))

    def _headers(self, message: Message) -> dict[str, str]:
        if self.secret is None or message.anonymous:
            return message.headers()
        return {**message.headers(), "Authorization": f"Bearer {self.secret}"}

    @contextmanager
    def _told_as_ours(self) -> Generator[None]:
        """What went wrong on the way, as an error of ours."""
        import httpx2  # noqa: PLC0415 -- as above

        try:
            yield
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
            raise InvalidInput("remote.url", url=self.url) from error
        except (httpx2.ReadTimeout, httpx2.WriteTimeout) as error:
            raise Unreachable("remote.slow", url=self.url) from error
        except (httpx2.RequestError, httpx2.StreamError) as error:
            reason = str(error) or type(error).__name__
            raise Unreachable("remote.unreachable", url=self.url, reason=reason) from error
        except RuntimeError as error:
            if not self._closed:
                raise
            raise Unavailable("remote.closed", url=self.url) from error


def _document(response: "httpx2.Response") -> object:
    """The JSON of an answer; ``None`` when it is none."""
    try:
        return response.json()
    except ValueError:
        return None
