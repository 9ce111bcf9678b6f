"""What a tool is, and what a client is told of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from damals import messages
from damals.domain.entries import Json
from damals.interfaces.mcp.caller import Caller
from damals.interfaces.mcp.parameters import Parameter, Schema, read_arguments

Body = Callable[[Caller, dict[str, object]], dict[str, Json]]


@dataclass(frozen=True, slots=True)
class Hints:
    """What a client may know before it lets a tool run; each as the protocol means it.

    Attributes:
        read_only: changes nothing.
        destructive: takes something out of the answers from now on and says nothing instead.
            Nothing is ever lost by a tool: history keeps it.
        idempotent: the same call again changes nothing more.
    """

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False

    def told(self) -> dict[str, Json]:
        """The annotations of the protocol. A memory is a closed world."""
        if self.read_only:
            return {"readOnlyHint": True, "openWorldHint": False}
        return {
            "readOnlyHint": False,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
            "openWorldHint": False,
        }


READS: Final = Hints(read_only=True)


@dataclass(frozen=True, slots=True)
class Tool:
    """Something an assistant can do; its texts are in the catalogues.

    Attributes:
        parameters: in the order in which they are told.
        answer: JSON schema of what it returns; every name in it but the optional ones is there.
        optional: names of the answer that are left out when there is nothing to say.
        body: does it.
    """

    name: str
    parameters: tuple[Parameter, ...]
    answer: Schema
    optional: frozenset[str]
    hints: Hints
    body: Body

    def call(self, caller: Caller, given: Mapping[str, Json]) -> dict[str, Json]:
        """Do it.

        Raises:
            DamalsError: what the assistant can mend, and what it must be told.
        """
        return self.body(caller, read_arguments(self.name, self.parameters, given))

    def describe(self, lang: str) -> str:
        """What it is for."""
        return messages.text(f"mcp.tool.{self.name}", lang)

    def explain(self, parameter: Parameter, lang: str) -> str | None:
        """What is said about a parameter, of this tool or in general; often nothing needs to be."""
        for key in (f"mcp.argument.{self.name}.{parameter.name}", f"mcp.argument.{parameter.name}"):
            if messages.has(key, lang):
                return messages.text(key, lang)
        return None

    def input_schema(self, lang: str) -> dict[str, Any]:
        """JSON schema of the arguments; other names are refused."""
        properties: dict[str, Any] = {}
        for one in self.parameters:
            said = self.explain(one, lang)
            properties[one.name] = {**one.schema, **({"description": said} if said else {})}
        return {
            "type": "object",
            "properties": properties,
            "required": [one.name for one in self.parameters if one.required],
            "additionalProperties": False,
        }

    def output_schema(self) -> dict[str, Any]:
        """JSON schema of the answer."""
        return {
            "type": "object",
            "properties": dict(self.answer),
            "required": [name for name in self.answer if name not in self.optional],
        }
