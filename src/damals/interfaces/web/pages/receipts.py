"""Receipts: an answer as it was told, whatever was learned since, and what would differ now."""

from collections.abc import Mapping
from typing import Annotated, cast

from fastapi import Query
from starlette.responses import Response

from damals import messages
from damals.app.answer_results import Answer
from damals.app.errors import DamalsError
from damals.app.results import Recall
from damals.domain.entries import Json
from damals.interfaces.web.area import Pages
from damals.interfaces.web.finds import Finds
from damals.interfaces.web.pages.asking import shown
from damals.interfaces.web.rendering import number
from damals.interfaces.web.visitor import Visitor, WorkspaceVisitor

pages = Pages("/w/{workspace}")

Recompute = Annotated[str, Query(max_length=10)]


@pages.page("GET /answers/{receipt}", slow=True)
def receipt(visitor: WorkspaceVisitor, receipt: str, recompute: Recompute = "") -> Response:
    """An answer or a ranking again, with its reasons; computed anew beside it if that is asked."""
    reasons = visitor.memory.why(receipt)
    found = visitor.memory.replay(receipt, recompute=bool(recompute))
    pair = {"as_of": found.as_of, "known_at": found.known_at}
    finds = Finds(visitor, found, pair, reasons.reasons)
    results = finds.results()
    titles = {one.entry_id: one.title for one in reasons.reasons}
    values = shown(finds, results, found)
    return visitor.page(
        "receipt.html",
        found=found,
        reasons=reasons,
        ranks=isinstance(found, Recall),
        options=_options(reasons.options),
        differences=_differences(visitor, found, titles),
        again=_again(visitor, reasons.question, found),
        **values,
    )


def _again(visitor: Visitor, question: str, found: Recall | Answer) -> str:
    """The same question, asked now."""
    return visitor.path(q=question, mode="recall" if isinstance(found, Recall) else None)


def _options(options: Mapping[str, Json]) -> dict[str, str]:
    """What was asked beside the question, but for what is told elsewhere."""
    elsewhere = ("as_of", "known_at", "explain", "limit")
    return {
        name: ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        for name, value in options.items()
        if name not in elsewhere and value not in (None, "", [], False)
    }


def _differences(
    visitor: Visitor, found: Recall | Answer, titles: Mapping[str, str]
) -> list[dict[str, str | None]] | None:
    """What would be told otherwise, in words; ``None`` when it was not computed again."""
    if found.differences is None:
        return None
    return [_difference(visitor, one, titles) for one in found.differences]


def _difference(
    visitor: Visitor, one: Mapping[str, Json], titles: Mapping[str, str]
) -> dict[str, str | None]:
    about = one["entry_id"]
    entry_id = None if about is None else str(about)
    before, after = _sides(one["before"], one["after"])
    return {
        "what": str(one["what"]),
        "title": entry_id and (titles.get(entry_id) or _title(visitor, entry_id)),
        "href": entry_id and visitor.path("entries", entry_id),
        "before": before,
        "after": after,
    }


def _title(visitor: Visitor, entry_id: str) -> str:
    try:
        return visitor.memory.get(entry_id).title
    except DamalsError:
        return entry_id


def _sides(before: Json, after: Json) -> tuple[str, str]:
    """Both sides in words; of what has many values only those that differ."""
    if isinstance(before, dict) and isinstance(after, dict) and "rank" not in before:
        names = [one for one in {**before, **after} if before.get(one) != after.get(one)]
        sides = ({name: side.get(name) for name in names} for side in (before, after))
        first, second = (", ".join(f"{k}: {_told(v)}" for k, v in one.items()) for one in sides)
        return first, second
    return _told(before), _told(after)


def _told(value: Json) -> str:
    if value is None:
        return "–"
    if isinstance(value, dict) and "rank" in value:
        score = cast("float", value["score"])
        return messages.text("web.receipt.place", rank=value["rank"], score=number(score, 3))
    if isinstance(value, dict):
        return str(value.get("quote") or ", ".join(f"{k}: {v}" for k, v in value.items()))
    if isinstance(value, list):
        return " · ".join(map(_told, value)) or "–"
    if isinstance(value, bool):
        return messages.text("web.receipt.yes" if value else "web.receipt.no")
    return str(value)
