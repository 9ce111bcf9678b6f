"""Which protocol a server of a model speaks: its address says so, or it is asked."""

import json
import time
from typing import Final

from damals.adapters.llm.ollama import OllamaWriter
from damals.adapters.llm.openai import OpenAiWriter
from damals.adapters.llm.streaming import CONNECT_S, Limit, Place, beginning
from damals.app.ports import Writer

OLLAMA_PORT: Final = ":11434"
_SHARE: Final = 0.25
"""Of the time that an answer may take, what the question for the protocol may."""


def writer(place: Place) -> Writer:
    """A writer for a server.

    An address that ends with ``/v1`` is one that speaks as OpenAI does; one with Ollama's port
    speaks as Ollama. Any other is asked for Ollama's version.
    """
    url = place.url.rstrip("/")
    if url.endswith("/v1"):
        return OpenAiWriter(place)
    speaks = url.endswith(OLLAMA_PORT) or _is_ollama(url, min(CONNECT_S, _SHARE * place.patience_s))
    return OllamaWriter(place) if speaks else OpenAiWriter(place)


def _is_ollama(url: str, patience_s: float) -> bool:
    import httpx2  # noqa: PLC0415 -- most answers go without a model

    limit = Limit(time.monotonic() + patience_s)
    try:
        headers = {"Accept-Encoding": "identity"}  # it is read as it is sent
        with httpx2.Client(timeout=patience_s, headers=headers) as client:
            trace = {"trace": limit.trace}
            with client.stream("GET", f"{url}/api/version", extensions=trace) as response:
                return "version" in json.loads(beginning(response))
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, TypeError, RecursionError):
        return False
    finally:
        limit.cancel()
