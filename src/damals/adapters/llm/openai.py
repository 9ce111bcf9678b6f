"""Servers that speak as OpenAI does: ``POST /v1/chat/completions``, server-sent events."""

from collections.abc import Iterator
from typing import Any, Final, cast

from damals.adapters.llm.server import ServerWriter, messages
from damals.adapters.llm.streaming import document, garbage, lines, unfinished
from damals.app.ports import WritingOrder
from damals.domain.entries import Json
from damals.domain.errors import Unavailable

_DATA: Final = "data:"
_END: Final = "[DONE]"
_WHOLE: Final = "stop"


class OpenAiWriter(ServerWriter):
    """Port ``Writer`` on an OpenAI-compatible server."""

    def write(self, order: WritingOrder) -> Iterator[str]:
        """The document, piece by piece as it comes.

        Raises:
            Unavailable: ``llm.…``; ``llm.unfinished`` after the last piece of an answer that was
                cut off.
        """
        schema: Json = cast("Json", dict(order.schema))
        body: dict[str, Json] = {
            "model": self._place.model,
            "messages": messages(order),
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": schema},
            },
            "stream": True,
            "temperature": 0,
        }
        path = "/chat/completions" if self._place.url.rstrip("/").endswith("/v1") else None
        ended = False
        for line in lines(self._place, path or "/v1/chat/completions", body):
            data = line.strip()
            # What stands alone is of a server that does not stream.
            if not data.startswith((_DATA, "{")):
                continue
            data = data.removeprefix(_DATA).strip()
            if data == _END:
                return
            told = document(self._place, data)
            pieces, reasons = self._pieces(told)
            yield from pieces
            for reason in reasons:
                if reason != _WHOLE:
                    raise unfinished(self._place, reason)
                ended = True
        if not ended:
            raise unfinished(self._place, "no finish_reason")

    def _pieces(self, told: dict[str, Any]) -> tuple[list[str], list[str]]:
        """What an event adds, and why the answer ended if it did."""
        if "error" in told:
            reason = str(told["error"])
            raise Unavailable("llm.refused", url=self._place.url, status=200, reason=reason)
        try:
            choices: list[Any] = list(told.get("choices") or ())
            said: list[Any] = [one.get("delta") or one.get("message") or {} for one in choices]
            contents: list[Any] = [one.get("content") for one in said]
            reasons: list[Any] = [one.get("finish_reason") for one in choices]
        except (AttributeError, TypeError) as error:
            raise garbage(self._place) from error
        return [str(one) for one in contents if one], [str(one) for one in reasons if one]
