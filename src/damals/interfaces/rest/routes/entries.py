"""Entries: new ones, those that hold, and what becomes of one."""

from collections.abc import Mapping
from typing import Annotated, Final

from fastapi import Header, Path, Query
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from damals.app.change_results import Changed, ChangedEntry, Erased
from damals.app.results import History, Page
from damals.app.seen_results import SeenEntry
from damals.app.wire import to_wire
from damals.domain.ageing import Status
from damals.interfaces.rest import bodies
from damals.interfaces.rest.answers import JsonAnswer
from damals.interfaces.rest.area import Answer, Area, Rules
from damals.interfaces.rest.caller import (
    CREATED,
    EntryChanger,
    NewEntryChanger,
    WorkspaceCaller,
)
from damals.interfaces.rest.etags import etag_of, is_known
from damals.interfaces.rest.paging import Limit, limit_of

area = Area("entries", "/v1/workspaces/{workspace}/entries")

Id = Annotated[str, Path(description="Id or external id of the entry.")]
AsOf = Annotated[str | None, Query(description="When it held; now by default.")]
KnownAt = Annotated[str | None, Query(description="What was known then; all by default.")]

_NEXT: Final = {"workspace": "$request.path.workspace", "id": "$response.body#/entry/id"}
LINKS: Final[Mapping[str, Mapping[str, str]]] = dict.fromkeys(
    ("get", "history_of_entry", "correct", "end", "pin", "retract", "update", "verify"), _NEXT
)
"""What can be asked about an entry that was just answered."""

ETAG: Final = {"ETag": "The entry's last transaction, for If-Match and If-None-Match."}
CHANGE: Final = Rules(refuses=(412,), once=True)
ERASE: Final = Rules(refuses=(412,), once=True, slow=True)
CHANGED: Final = Answer(Changed, headers=ETAG)
_STATUSES: Final = ", ".join(f"`{one}`" for one in Status)


class Listing(BaseModel):
    """Which entries are listed."""

    model_config = ConfigDict(extra="forbid")

    as_of: AsOf = None
    known_at: KnownAt = None
    certain: Annotated[bool, Query(description="Only what holds for certain.")] = False
    type: Annotated[list[str] | None, Query(description="Any of the types.")] = None
    tag: Annotated[list[str] | None, Query(description="Each of the tags.")] = None
    status: Annotated[str | None, Query(description=_STATUSES)] = None
    limit: Limit = "100"
    cursor: Annotated[str | None, Query(description="`next` of the page before.")] = None


class Part(BaseModel):
    """Which part of a history is told."""

    model_config = ConfigDict(extra="forbid")

    limit: Limit = "all"
    cursor: Annotated[str | None, Query(description="`next` of the page before.")] = None


class Pair(BaseModel):
    """A pair of instants."""

    model_config = ConfigDict(extra="forbid")

    as_of: AsOf = None
    known_at: KnownAt = None


class Erasure(BaseModel):
    """Why an entry is erased, and on which condition."""

    model_config = ConfigDict(extra="forbid")

    reason: Annotated[str | None, Query(description="Why; it is kept.")] = None
    if_transaction: Annotated[
        int | None, Query(description="Number that the entry's last transaction must have.")
    ] = None


def changed(entry: ChangedEntry, status: int = 200) -> JsonAnswer:
    """The answer to a change of an entry."""
    return JsonAnswer(to_wire(entry), status, {"ETag": etag_of(entry.transaction)})


@area.route(
    "POST ",
    "remember",
    Answer(
        Changed,
        status=CREATED,
        also={200: "It was known already; nothing was stored."},
        headers={"Location": "Where the entry is."} | ETAG,
        links=LINKS,
    ),
    CHANGE,
)
def remember(caller: NewEntryChanger, body: bodies.Remember) -> Response:
    """A new entry."""
    made = caller.matched(lambda more: caller.memory.remember(**more), body.given())
    answer = changed(made, 200 if made.unchanged else CREATED)
    answer.headers["Location"] = f"/v1/workspaces/{made.workspace}/entries/{made.id}"
    return answer


@area.route("GET ", "entries", Answer(Page))
def entries(caller: WorkspaceCaller, asked: Annotated[Listing, Query()]) -> Response:
    """What holds at a pair of instants, by id, a page at a time."""
    given = asked.model_dump(exclude={"limit"})
    page = caller.memory.entries(**given, limit=limit_of(asked.limit))
    return JsonAnswer(to_wire(page))


@area.route(
    "GET /{id}",
    "get",
    Answer(
        SeenEntry,
        headers={"ETag": "The entry's last transaction and what is told of it now."},
        also={304: "The same is told of it as with the ETag that was given."},
    ),
)
def get(
    caller: WorkspaceCaller,
    id: Id,
    asked: Annotated[Pair, Query()],
    known: Annotated[
        str | None, Header(alias="If-None-Match", description="ETag of what is known.")
    ] = None,
) -> Response:
    """An entry at a pair of instants; with neither given and none valid now, the latest."""
    entry = caller.memory.peek(id, as_of=asked.as_of, known_at=asked.known_at)
    answer = JsonAnswer(to_wire(entry))
    answer.headers["ETag"] = etag = etag_of(entry.transaction, bytes(answer.body))
    if known is not None and is_known(known, etag):
        return Response(status_code=304, headers={"ETag": etag})
    caller.memory.returned(entry)
    return answer


@area.route("GET /{id}/history", "history_of_entry", Answer(History))
def history(caller: WorkspaceCaller, id: Id, asked: Annotated[Part, Query()]) -> Response:
    """Every rectangle of an entry, or a page of them."""
    told = caller.memory.history(id, limit=limit_of(asked.limit), cursor=asked.cursor)
    return JsonAnswer(to_wire(told))


@area.route("DELETE /{id}", "erase", Answer(Erased), ERASE)
def erase(caller: EntryChanger, id: Id, asked: Annotated[Erasure, Query()]) -> Response:
    """Nothing of it is answered any more, at any pair of instants; a tombstone remains."""
    given = asked.model_dump(exclude_unset=True)
    made = caller.matched(lambda more: caller.memory.erase("entry", id, **more), given)
    return JsonAnswer(to_wire(made))


@area.route("POST /{id}/update", "update", Answer(Changed, headers=ETAG, links=LINKS), CHANGE)
def update(caller: EntryChanger, id: Id, body: bodies.Update) -> Response:
    """A new entry that takes over for a portion of its validity."""
    return changed(caller.matched(lambda more: caller.memory.update(id, **more), body.given()))


@area.route("POST /{id}/correct", "correct", CHANGED, CHANGE)
def correct(caller: EntryChanger, id: Id, body: bodies.Correct) -> Response:
    """The same entry, recorded wrongly."""
    return changed(caller.matched(lambda more: caller.memory.correct(id, **more), body.given()))


@area.route("POST /{id}/end", "end", CHANGED, CHANGE)
def end(caller: EntryChanger, id: Id, body: bodies.End) -> Response:
    """It holds no longer from an instant on."""
    return changed(caller.matched(lambda more: caller.memory.end(id, **more), body.given()))


@area.route("POST /{id}/retract", "retract", CHANGED, CHANGE)
def retract(caller: EntryChanger, id: Id, body: bodies.Retract) -> Response:
    """It was never true; still found with an earlier `known_at`."""
    return changed(caller.matched(lambda more: caller.memory.retract(id, **more), body.given()))


@area.route("POST /{id}/verify", "verify", CHANGED, CHANGE)
def verify(caller: EntryChanger, id: Id, body: bodies.Verify) -> Response:
    """It was checked and found right."""
    return changed(caller.matched(lambda more: caller.memory.verify(id, **more), body.given()))


@area.route("POST /{id}/pin", "pin", CHANGED, CHANGE)
def pin(caller: EntryChanger, id: Id, body: bodies.Why) -> Response:
    """It does not decay."""
    return changed(caller.matched(lambda more: caller.memory.pin(id, **more), body.given()))


@area.route("POST /{id}/unpin", "unpin", CHANGED, CHANGE)
def unpin(caller: EntryChanger, id: Id, body: bodies.Why) -> Response:
    """It decays again."""
    return changed(caller.matched(lambda more: caller.memory.unpin(id, **more), body.given()))


@area.route("POST /{id}/archive", "archive", CHANGED, CHANGE)
def archive(caller: EntryChanger, id: Id, body: bodies.Because) -> Response:
    """It is out of use: in no answer from now on, in those about earlier instants."""
    return changed(caller.matched(lambda more: caller.memory.archive(id, **more), body.given()))
