"""What changed between two pairs of instants: before and after, by whom and why."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from damals.app.diff_results import ChangeView, Diff, TextPart
from damals.app.errors import DamalsError
from damals.interfaces.rest.problems import problem_of
from damals.interfaces.web.area import Pages
from damals.interfaces.web.visitor import Visitor, WorkspaceVisitor
from damals.interfaces.web.zoned import Zoned

pages = Pages("/w/{workspace}")

PAGE: Final = 40
"""So many changes at once."""

AXES: Final = ("", "valid", "known")

CONTEXT: Final = 160
"""So many characters of what is equal are shown beside a change."""

Text = Annotated[str, Query(max_length=10_000)]
Instant = Annotated[str, Query(max_length=200)]


class Asked(BaseModel):
    """What the address of the page says."""

    start: Annotated[str, Field(alias="from", max_length=200)] = ""
    to: Instant = ""
    known_from: Instant = ""
    known_to: Instant = ""
    axis: Instant = ""
    topic: Text = ""
    type: Text = ""
    tag: Text = ""
    entry: Text = ""
    after: Annotated[str, Query(max_length=20)] = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """A change with what is to be read of its text."""

    change: ChangeView
    text: tuple[TextPart, ...]


@pages.page("GET /diff")
def diff(visitor: WorkspaceVisitor, given: Annotated[Asked, Query()]) -> Response:
    """The form, and the changes when it says from when to when."""
    told = given.model_dump(by_alias=True)
    after = told.pop("after")
    asked: dict[str, str] = {name: value.strip() for name, value in told.items()}
    values: dict[str, Any] = {"asked": asked, "axes": AXES, "found": None, "problem": None}
    if not asked["from"]:
        return visitor.page("diff.html", block="changes", **values)
    try:
        found = _compared(visitor, asked)
    except DamalsError as error:
        problem = problem_of(error)
        values["problem"] = problem.document
        return visitor.page("diff.html", problem.status, block="changes", **values)
    values |= {"found": found, **_part(visitor, found, asked, after)}
    return visitor.page("diff.html", block="changes", **values)


def _compared(visitor: Visitor, asked: dict[str, str]) -> Diff:
    """The changes; an end that is not given is now."""
    told = {name: value or None for name, value in asked.items()}
    return visitor.memory.diff(
        told["topic"],
        start=asked["from"],
        end=asked["to"] or "now",
        axis=told["axis"],
        known_from=told["known_from"],
        known_to=told["known_to"],
        entry=told["entry"],
        tag=told["tag"],
        type=told["type"],
    )


def _part(visitor: Visitor, found: Diff, asked: dict[str, str], after: str) -> dict[str, Any]:
    """A page of the changes, by phase."""
    text = after.strip()
    begin = int(text) if text.isascii() and text.isdigit() else 0
    page = found.changes[begin : begin + PAGE]
    behind = begin + len(page)

    def at(number: int) -> str:
        return visitor.path("diff", **asked, after=number or None)

    return {
        "local": Zoned.of(found.zone),
        "phases": [
            (
                phase,
                [Shown(one, tuple(abridged(one.text or ()))) for one in page if one.phase == phase],
            )
            for phase in (1, 2)
        ],
        "begin": begin,
        "behind": behind,
        "earlier": at(max(begin - PAGE, 0)) if begin else None,
        "later": at(behind) if behind < len(found.changes) else None,
        "first_pair": _pair(found, last=False),
        "last_pair": _pair(found, last=True),
    }


def _pair(found: Diff, *, last: bool) -> dict[str, str]:
    """Where entries are shown as they were before, or as they are behind the way."""
    place = found.to if last else found.from_
    return {"as_of": place.as_of, "known_at": place.known_at}


def abridged(parts: Sequence[TextPart]) -> Iterator[TextPart]:
    """Passages of a text that changed; of long ones that did not, what lies beside a change."""
    for place, part in enumerate(parts):
        if part.op != "equal" or len(part.text) <= 2 * CONTEXT:
            yield part
            continue
        head = part.text[:CONTEXT] if place else ""
        tail = part.text[-CONTEXT:] if place + 1 < len(parts) else ""
        yield TextPart("equal", f"{head} … {tail}")
