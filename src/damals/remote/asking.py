"""What every part of ``RemoteDamals`` stands on: a connection and a workspace."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar, cast
from uuid import uuid4

from damals.app.results import Result
from damals.app.wire import from_wire
from damals.domain.entries import Json
from damals.remote.connection import Answer, Connection, Message
from damals.remote.encoding import body, query, segment
from damals.remote.failures import Unreachable
from damals.remote.transactions import FarChanges

R = TypeVar("R", bound=Result)


class Asking(FarChanges):
    """Asks a server about one workspace."""

    def __init__(self, connection: Connection, workspace: str) -> None:
        """Look at a workspace of a server."""
        super().__init__()
        self._connection = connection
        self._workspace = workspace

    def close(self) -> None:
        """Let go of the server."""
        self._connection.close()

    def _path(self, *names: str) -> str:
        """The path of something in the workspace; each name is one segment."""
        return "/".join(("/v1/workspaces", segment(self._workspace), *map(segment, names)))

    def _get(self, path: str, asked: Mapping[str, object] | None = None) -> Mapping[str, Json]:
        return self._connection.ask(Message("GET", path, query(asked or {}))).document

    def _question(self, path: str, values: Mapping[str, object]) -> Mapping[str, Json]:
        """Ask with a body; asking twice does no harm."""
        message = Message("POST", path, content=body(values), harmless=True)
        return self._connection.ask(message).document

    def _post(self, path: str, values: Mapping[str, object], key: str | None = None) -> Answer:
        """Send what is not done twice, however often it must be sent."""
        message = Message("POST", path, content=body(values), key=key or uuid4().hex)
        return self._connection.ask(message)

    def _read(self, kind: type[R], told: Mapping[str, Json]) -> R:
        """A result of an answer.

        Raises:
            Unreachable: ``remote.answer`` when it has another shape.
        """
        unread = Unreachable("remote.answer", url=self._connection.url)
        names = {field.name.rstrip("_") for field in fields(cast("Any", kind))}
        if not names & told.keys():
            raise unread
        try:
            return from_wire(kind, told)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise unread from error
