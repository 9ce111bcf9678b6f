"""Answers: asked, explained, and given again."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from contextvars import copy_context
from threading import Thread
from typing import Annotated, Any, Final

from fastapi import Path, Query
from starlette.responses import Response, StreamingResponse

from damals import messages
from damals.app.answer_results import Answer as Answered
from damals.app.answer_results import Reasons
from damals.app.jobs import INTERNAL
from damals.app.problems import told
from damals.app.results import Recall
from damals.app.stopping import NobodyWaitsError, Wait, waited_for
from damals.app.wire import to_wire
from damals.domain.entries import Json
from damals.domain.errors import DamalsError
from damals.interfaces.rest import bodies
from damals.interfaces.rest.answers import JsonAnswer
from damals.interfaces.rest.area import SHAPES, Answer, Area, Rules
from damals.interfaces.rest.caller import Caller, WorkspaceCaller, WorkspaceChanger
from damals.interfaces.rest.routes.asking import asked
from damals.logs import note_failure

area = Area("answers", "/v1/workspaces/{workspace}/answers")

ReceiptId = Annotated[str, Path(description="Id of a receipt.")]
Recompute = Annotated[bool, Query(description="Also answer it again, and tell the differences.")]

Event = tuple[str, dict[str, Json]]
"""A name, and what it is about."""

SLOW: Final = Rules(once=True, slow=True)
STREAM: Final = "text/event-stream"
EVENT: Final = {
    "type": "object",
    "properties": {
        "event": {"type": "string", "enum": ["sentence", "answer", "failed"]},
        "data": {"type": "string", "description": "JSON: the sentence, the answer or the problem."},
    },
    "required": ["event", "data"],
}
EITHER: Final = {"anyOf": [SHAPES.of(Recall), SHAPES.of(Answered)]}


@area.route("POST ", "ask", Answer(Answered), SLOW)
def ask(caller: WorkspaceChanger, body: bodies.Ask) -> Response:
    """An answer with numbered citations from what is known, or that it is not known."""
    given = asked(body.given())
    return caller.answered_anew(lambda: caller.memory.ask(**given))


@area.route("POST /stream", "ask_stream", Answer(EVENT, media_type=STREAM), SLOW)
def ask_stream(caller: WorkspaceChanger, body: bodies.Ask) -> Response:
    """The same as server-sent events, as it comes.

    `sentence` with each sentence of a model as soon as it was checked against what it cites, then
    `answer` with the whole answer, or `failed` with the problem. When the client goes, so does
    the work. With a key that came before it is asked again.
    """
    given = asked(body.given())
    caller.take_key()
    headers = {"X-Accel-Buffering": "no"}
    return StreamingResponse(_events(caller, given), media_type=STREAM, headers=headers)


async def _events(caller: Caller, given: dict[str, Any]) -> AsyncIterator[str]:
    waiting: asyncio.Queue[Event | None] = asyncio.Queue()
    loop, wait = asyncio.get_running_loop(), Wait()

    def tell(event: Event | None) -> None:
        with suppress(RuntimeError):  # the server has ended meanwhile
            loop.call_soon_threadsafe(waiting.put_nowait, event)

    def work() -> None:
        with waited_for(wait):
            _answer(caller, given, tell)
        tell(None)

    # A thread of its own, which speaks the language of who asks.
    Thread(target=copy_context().run, args=(work,), name="answer", daemon=True).start()
    try:
        while (event := await waiting.get()) is not None:
            name, data = event
            yield f"event: {name}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n"
    finally:
        wait.end()  # the client has all of it, or is gone


def _answer(caller: Caller, given: dict[str, Any], tell: Callable[[Event], None]) -> None:
    """Answer, and tell what happens."""

    def listen(sentence: str) -> None:
        tell(("sentence", {"text": sentence}))

    try:
        tell(("answer", to_wire(caller.memory.ask(**given, listen=listen))))
    except NobodyWaitsError:
        return
    except DamalsError as error:
        detail = messages.render(error.key, error.values)
        tell(("failed", {**told(error), "detail": detail}))
    except Exception as error:  # noqa: BLE001 -- told in the log; the stream has begun
        note_failure("a stream failed", error, call="ask_stream")
        tell(("failed", {**INTERNAL, "detail": messages.text("request.failed")}))


@area.route("GET /{receipt}", "why", Answer(Reasons))
def why(caller: WorkspaceCaller, receipt: ReceiptId) -> Response:
    """The reasons of an answer: parts of the scores, words, relations, sources."""
    return JsonAnswer(to_wire(caller.memory.why(receipt)))


@area.route("GET /{receipt}/replay", "replay", Answer(EITHER))
def replay(caller: WorkspaceCaller, receipt: ReceiptId, recompute: Recompute = False) -> Response:
    """The same answer again, whatever was learned since."""
    return JsonAnswer(to_wire(caller.memory.replay(receipt, recompute=recompute)))
