"""Answers: results as JSON, whatever texts they hold."""

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response


class JsonAnswer(Response):
    """A JSON document. Half characters, which a request can hold, are written as escapes."""

    media_type = "application/json"

    def __init__(
        self,
        content: Mapping[str, Any],
        status_code: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """An answer."""
        super().__init__(content, status_code, headers)

    def render(self, content: Any) -> bytes:  # noqa: ANN401 -- as the base class has it
        """The bytes of the document."""
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode("utf-8", "backslashreplace")
