"""Transactions: the log, several operations at once, taking one back; the audit of all."""

from typing import Annotated, Final

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from damals.app.audit_results import AuditReport
from damals.app.change_results import ChangedEntries, Transacted
from damals.app.results import History, LogTransaction
from damals.app.wire import to_wire
from damals.domain.entries import Json
from damals.interfaces.rest import bodies
from damals.interfaces.rest.answers import JsonAnswer
from damals.interfaces.rest.area import SHAPES, Answer, Area, Rules
from damals.interfaces.rest.caller import EntryChanger, WorkspaceCaller, WorkspaceChanger
from damals.interfaces.rest.paging import Limit, cursor_behind, limit_of, number_of

area = Area("transactions", "/v1/workspaces/{workspace}")

LOG_PAGE: Final = {
    "type": "object",
    "properties": {
        "transactions": {"type": "array", "items": SHAPES.of(LogTransaction)},
        "next": {"type": ["string", "null"], "description": "Cursor of the page behind this."},
    },
    "required": ["transactions", "next"],
}


class Logged(BaseModel):
    """Which transactions are told."""

    model_config = ConfigDict(extra="forbid")

    entry: Annotated[str | None, Query(description="Id or external id of an entry.")] = None
    key: Annotated[str | None, Query(description="A key that entries hold.")] = None
    limit: Limit = "100"
    cursor: Annotated[str | None, Query(description="`next` of the page before.")] = None


class OfKey(BaseModel):
    """Whose history is told."""

    model_config = ConfigDict(extra="forbid")

    key: Annotated[str, Query(description="A key that entries hold.")]
    limit: Limit = "all"
    cursor: Annotated[str | None, Query(description="`next` of the page before.")] = None


@area.route("GET /log", "log", Answer(LOG_PAGE))
def log(caller: WorkspaceCaller, asked: Annotated[Logged, Query()]) -> Response:
    """The transactions with all their operations, in order, a page at a time."""
    limit, behind = limit_of(asked.limit), number_of(asked.cursor)
    told = caller.memory.log(entry=asked.entry, key=asked.key, after=behind, limit=limit)
    following = None if told.next is None else cursor_behind(told.next)
    shown: list[Json] = [to_wire(one) for one in told.transactions]
    return JsonAnswer({"transactions": shown, "next": following})


@area.route("GET /history", "history", Answer(History))
def history(caller: WorkspaceCaller, asked: Annotated[OfKey, Query()]) -> Response:
    """Every rectangle of every entry that ever held a key, or a page of them."""
    limit = limit_of(asked.limit)
    told = caller.memory.history(key=asked.key, limit=limit, cursor=asked.cursor)
    return JsonAnswer(to_wire(told))


@area.route("POST /transactions", "transact", Answer(Transacted), Rules(once=True))
def transact(caller: WorkspaceChanger, body: bodies.Transact) -> Response:
    """Several operations as one transaction: one instant, all or nothing."""
    given = body.given()
    operations = given.pop("operations")
    if body.preview:  # stores nothing: a question
        return caller.answered_anew(lambda: caller.memory.transact(operations, **given))
    return JsonAnswer(to_wire(caller.memory.transact(operations, **given)))


@area.route(
    "POST /transactions/{number}/revert",
    "revert",
    Answer(ChangedEntries),
    Rules(refuses=(412,), once=True),
)
def revert(
    caller: EntryChanger,
    number: Annotated[str, Path(description="Its number, or its recorded instant.")],
    body: bodies.Because,
) -> Response:
    """Take back what a transaction changed, as a new transaction."""
    made = caller.matched(lambda more: caller.memory.revert(number, **more), body.given())
    return JsonAnswer(to_wire(made))


@area.route("GET /audit/verify", "audit", Answer(AuditReport), Rules(slow=True))
def audit(caller: WorkspaceCaller) -> Response:
    """Whether everything in the workspace is what was recorded: chain, rows, texts."""
    return JsonAnswer(to_wire(caller.memory.audit()))
