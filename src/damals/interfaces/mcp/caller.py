"""Who calls: what they ask, and what their writes are marked with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from damals.api import Damals

KIND: Final = "mcp"
"""Kind of the source of what an assistant says."""


@dataclass(frozen=True, slots=True)
class Caller:
    """An assistant in a conversation.

    Attributes:
        memory: what it asks, as whoever it acts for.
        lang: the language that it is spoken to in.
        client: what its program calls itself.
        session: names the connection, so that what was said together is found together.
    """

    memory: Damals
    lang: str
    client: str | None = None
    session: str | None = None

    @property
    def source(self) -> Mapping[str, str]:
        """Where what it says comes from."""
        said = {"kind": KIND, "name": self.client, "session": self.session}
        return {name: value for name, value in said.items() if value}
