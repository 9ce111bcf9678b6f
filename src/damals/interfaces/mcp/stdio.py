"""The protocol over standard input and output: a message a line.

The SDK's own transport reads in a thread that keeps the process from ending on a signal, and
drops the answers to what a client asked right before it closed its end. This one ends on both,
and answers first.
"""

import asyncio
import json
import signal
from contextlib import suppress
from typing import Any, Final

import anyio
import mcp_types as types
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.server import Server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from damals import messages
from damals.interfaces.mcp.wire import Lines, Wire, Writer

MAX_LINE_BYTES: Final = 8 * 1024 * 1024
"""Of a message; a longer one is refused and skipped."""

DRAIN_TIMEOUT_S: Final = 60.0
"""How long the answers to what was asked may take when the client has said its last word."""

STOPPING: Final = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name)
)

Incoming = SessionMessage | Exception


def serve(server: "Server[Any]", wire: Wire) -> None:
    """Speak until the client closes its end, or a signal says that it is time to go."""
    anyio.run(_speak, server, wire)


async def _speak(server: "Server[Any]", wire: Wire) -> None:
    to_server, incoming = anyio.create_memory_object_stream[Incoming](0)
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    conversation = Conversation(wire)
    async with anyio.create_task_group() as tasks:
        _stop_on_signals(tasks.cancel_scope)
        tasks.start_soon(conversation.listen, to_server)
        tasks.start_soon(conversation.talk, from_server, tasks.cancel_scope)
        await server.run(incoming, outgoing, server.create_initialization_options())
        tasks.cancel_scope.cancel()


def _stop_on_signals(scope: anyio.CancelScope) -> None:
    for number in STOPPING:
        with suppress(NotImplementedError):  # on Windows, where there is no gentle signal
            asyncio.get_running_loop().add_signal_handler(number, scope.cancel)


class Conversation:
    """Carries messages between the wire and the server, and knows what was not answered yet."""

    def __init__(self, wire: Wire) -> None:
        self._loop = asyncio.get_running_loop()
        self._lines = Lines(wire.incoming, MAX_LINE_BYTES)
        self._writer = Writer(wire.outgoing)
        self._asked: set[str | int] = set()
        self._answered = asyncio.Event()

    async def listen(self, server: ObjectSendStream[Incoming]) -> None:
        """Hand each message to the server; at the end of all, wait until it has answered."""
        heard: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._lines.start(lambda line: self._tell(heard, line))
        async with server:
            while (line := await heard.get()) is not None:
                self._lines.taken()
                message = await self._message(line)
                if message is not None:
                    await server.send(SessionMessage(message))
            with anyio.move_on_after(DRAIN_TIMEOUT_S):
                while self._asked:
                    self._answered.clear()
                    await self._answered.wait()

    async def talk(
        self, server: ObjectReceiveStream[SessionMessage], scope: anyio.CancelScope
    ) -> None:
        """Write each message of the server, until nobody reads them."""
        async with server:
            async for one in server:
                try:
                    await self._say(one.message)
                except OSError:
                    scope.cancel()
                    return

    def _tell(self, heard: "asyncio.Queue[bytes | None]", line: bytes | None) -> None:
        self._loop.call_soon_threadsafe(heard.put_nowait, line)

    async def _message(self, line: bytes) -> types.JSONRPCMessage | None:
        """The message of a line; what is none is answered here."""
        if line.isspace():
            return None
        message = _parsed(line)
        if message is None:
            with suppress(OSError):
                await self._say(_refusal(line))
            return None
        if isinstance(message, types.JSONRPCRequest):
            self._asked.add(message.id)
        elif isinstance(message, types.JSONRPCNotification):
            self._forget_cancelled(message)
        return message

    def _forget_cancelled(self, message: types.JSONRPCNotification) -> None:
        """What was cancelled is not answered."""
        if message.method == "notifications/cancelled":
            self._asked.discard((message.params or {}).get("requestId", ""))

    def _settle(self, written: "asyncio.Future[OSError | None]", failed: OSError | None) -> None:
        self._loop.call_soon_threadsafe(_set, written, failed)

    async def _say(self, message: types.JSONRPCMessage) -> None:
        written: asyncio.Future[OSError | None] = self._loop.create_future()
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
        self._writer.put(text.encode(), lambda failed: self._settle(written, failed))
        failed = await written
        if failed is not None:
            raise failed
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._asked.discard("" if message.id is None else message.id)
            self._answered.set()


def _set(future: "asyncio.Future[OSError | None]", failed: OSError | None) -> None:
    if not future.done():
        future.set_result(failed)


def _parsed(line: bytes) -> types.JSONRPCMessage | None:
    """The message of a line. One with an id that cannot be one is none: it waits for an answer."""
    try:
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        return None
    unanswerable = isinstance(message, types.JSONRPCNotification) and "id" in json.loads(line)
    return None if unanswerable else message


def _refusal(line: bytes) -> types.JSONRPCError:
    """The answer to a line that is no message, with its id where it has one."""
    try:
        told: object = json.loads(line)
    except ValueError:
        code, key, told = types.PARSE_ERROR, "mcp.not_json", None
    else:
        code, key = types.INVALID_REQUEST, "mcp.no_message"
    named = told.get("id") if isinstance(told, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] -- any JSON
    request = named if isinstance(named, str | int) and not isinstance(named, bool) else None
    error = types.ErrorData(code=code, message=messages.text(key))
    return types.JSONRPCError(jsonrpc="2.0", id=request, error=error)
