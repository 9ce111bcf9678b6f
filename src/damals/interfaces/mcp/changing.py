"""The tools that change: each one operation, marked with who said it."""

from typing import cast

from damals.api.params import CorrectFields, Keep, RememberFields, UpdateFields
from damals.app.errors import InvalidInput
from damals.domain.entries import Json
from damals.interfaces.mcp import compact
from damals.interfaces.mcp.caller import Caller

Given = dict[str, object]


def _take(given: Given, name: str) -> str:
    """A text that the parameters of the tool require."""
    return cast("str", given.pop(name))


def remember(caller: Caller, given: Given) -> dict[str, Json]:
    """A new entry."""
    title, content = _take(given, "title"), cast("str", given.pop("content", ""))
    reason = cast("str | None", given.pop("reason", None))
    fields = cast("RememberFields", {**given, "source": caller.source})
    return compact.changed(caller.memory.remember(title, content, reason=reason, **fields))


def update_fact(caller: Caller, given: Given) -> dict[str, Json]:
    """A new entry that takes over from another one."""
    target, reason = _take(given, "target_id"), _take(given, "update_reason")
    title, content = _take(given, "new_title"), _take(given, "new_content")
    fields = cast("UpdateFields", {**given, "source": caller.source})
    done = caller.memory.update(target, title, content, reason=reason, **fields)
    return compact.changed(done)


def correct_fact(caller: Caller, given: Given) -> dict[str, Json]:
    """The same entry, which had been recorded wrongly; it keeps its source."""
    target, reason = _take(given, "id"), _take(given, "reason")
    if not given:
        raise InvalidInput("mcp.nothing_to_correct", id=target)
    done = caller.memory.correct(target, reason=reason, **cast("CorrectFields", given))
    return compact.changed(done)


def close_fact(caller: Caller, given: Given) -> dict[str, Json]:
    """An entry that holds no longer, was never true, or is out of use."""
    target, how, reason = (_take(given, name) for name in ("id", "how", "reason"))
    at = cast("str | None", given.get("at"))
    if how == "end":
        return compact.changed(caller.memory.end(target, at or "now", reason=reason))
    if at is not None:
        raise InvalidInput("mcp.close_at", how=how)
    if how == "retract":
        return compact.changed(caller.memory.retract(target, reason=reason))
    return compact.changed(caller.memory.archive(target, reason=reason))


def resolve_contradiction(caller: Caller, given: Given) -> dict[str, Json]:
    """A contradiction, decided."""
    a, b, reason = (_take(given, name) for name in ("a", "b", "reason"))
    keep = cast("Keep", given["keep"])
    return compact.changed_entries(caller.memory.resolve(a, b, keep=keep, reason=reason))


def verify_fact(caller: Caller, given: Given) -> dict[str, Json]:
    """An entry that was checked and found right."""
    done = caller.memory.verify(
        _take(given, "id"),
        score=cast("float", given.get("score", 1.0)),
        evidence=cast("str | None", given.get("evidence")),
    )
    return compact.changed(done)
