"""The tools that ask: never more than was asked for, and a cursor where there is more."""

from typing import cast

from damals.api.params import AskOptions, DiffSelection, RecallOptions
from damals.app.diff_results import Diff
from damals.domain.entries import Json
from damals.interfaces.mcp import compact
from damals.interfaces.mcp.caller import Caller
from damals.interfaces.mcp.pages import page, read_cursor, write_cursor

Given = dict[str, object]


def recall(caller: Caller, given: Given) -> dict[str, Json]:
    """What answers a question now."""
    query, limit = cast("str", given.pop("query")), cast("int", given.pop("limit"))
    options = cast("RecallOptions", given)
    return compact.recalled(caller.memory.recall(query, limit=limit, **options))


def recall_at_time(caller: Caller, given: Given) -> dict[str, Json]:
    """What answered a question then, as known now or at an earlier instant."""
    query, limit = cast("str", given.pop("query")), cast("int", given.pop("limit"))
    # Both instants are given, or said to be now: words of the query choose none.
    options = cast("RecallOptions", given | {"times": "off"})
    found = caller.memory.recall(query, limit=limit, **options)
    pair = {"as_of": found.as_of}
    if "known_at" in given:
        pair["known_at"] = found.known_at
    return compact.recalled(found, pair)


def ask(caller: Caller, given: Given) -> dict[str, Json]:
    """An answer with numbered citations, or that it is not known."""
    question, limit = cast("str", given.pop("question")), cast("int", given.pop("limit"))
    return compact.answered(caller.memory.ask(question, limit=limit, **cast("AskOptions", given)))


def fact_history(caller: Caller, given: Given) -> dict[str, Json]:
    """Every rectangle of an entry or a key, in the order in which they were recorded."""
    name, key, cursor = (cast("str | None", given.get(name)) for name in ("id", "key", "cursor"))
    history = caller.memory.history(name, key=key, limit=cast("int", given["limit"]), cursor=cursor)
    told: dict[str, Json] = {"id": history.id, "versions": compact.versions(history.versions)}
    return told | compact.lean({"next": history.next})


def diff_knowledge(caller: Caller, given: Given) -> dict[str, Json]:
    """What changed from one pair of instants to another."""
    place, meant = read_cursor(cast("str | None", given.pop("cursor", None)))
    limit = cast("int", given.pop("limit"))
    topic, axis = (cast("str | None", given.pop(name, None)) for name in ("topic", "axis"))
    asked = {name: cast("str", given.pop(name)) for name in ("from", "to")} | dict(meant)
    found = caller.memory.diff(
        topic, start=asked["from"], end=asked["to"], axis=axis, **cast("DiffSelection", given)
    )
    part = page(found.changes, place, limit)
    told: dict[str, Json] = {
        "from": compact.lean(found.from_.to_dict()),
        "to": compact.lean(found.to.to_dict()),
        "zone": found.zone,
        "changes": [compact.change(one) for one in part.items],
    }
    return told | compact.lean({"next": write_cursor(part.next, **_meant(found))})


def hygiene(caller: Caller, given: Given) -> dict[str, Json]:
    """What is to be looked at, so many of each kind."""
    found = caller.memory.hygiene(
        cast("str | None", given.get("topic")),
        as_of=cast("str | None", given.get("as_of")),
        known_at=cast("str | None", given.get("known_at")),
        kind=cast("list[str] | None", given.get("kind")),
        limit=cast("int", given["limit"]),
    )
    return compact.upkeep(found)


def _meant(found: Diff) -> dict[str, str]:
    """The instants of a diff, so that its next page is one of the same diff."""
    known = found.axis == "known"
    return {
        "from": found.from_.known_at if known else found.from_.as_of,
        "to": found.to.known_at if known else found.to.as_of,
    }
