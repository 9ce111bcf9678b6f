"""Ollama: ``POST /api/chat``, one JSON object a line."""

from collections.abc import Iterator
from typing import Final, cast

from damals.adapters.llm.server import ServerWriter, messages
from damals.adapters.llm.streaming import document, garbage, lines, unfinished
from damals.app.ports import WritingOrder
from damals.domain.entries import Json
from damals.domain.errors import Unavailable

CONTEXT_TOKENS: Final = 8192
"""Ollama's own default cuts the front of longer prompts off, silently."""
KEEP_ALIVE: Final = "10m"
WHOLE: Final = "stop"
"""Why an answer ended that is whole; one that is cut off ended for its ``length``."""


class OllamaWriter(ServerWriter):
    """Port ``Writer`` on a server of Ollama."""

    def write(self, order: WritingOrder) -> Iterator[str]:
        """The document, piece by piece as it comes.

        Raises:
            Unavailable: ``llm.…``; ``llm.unfinished`` after the last piece of an answer that was
                cut off.
        """
        body: dict[str, Json] = {
            "model": self._place.model,
            "messages": messages(order),
            "format": cast("Json", dict(order.schema)),
            "stream": True,
            "think": False,
            "keep_alive": KEEP_ALIVE,
            "options": {"num_ctx": CONTEXT_TOKENS, "temperature": 0, "seed": 1},
        }
        for line in lines(self._place, "/api/chat", body):
            if not line.strip():
                continue
            told = document(self._place, line)
            if "error" in told:
                reason = str(told["error"])
                raise Unavailable("llm.refused", url=self._place.url, status=200, reason=reason)
            message: object = told.get("message")
            if not isinstance(message, dict):
                raise garbage(self._place)
            yield str(cast("dict[str, object]", message).get("content") or "")
            if told.get("done"):
                reason = str(told.get("done_reason") or WHOLE)
                if reason != WHOLE:
                    raise unfinished(self._place, reason)
                return
        raise unfinished(self._place, "no done")
