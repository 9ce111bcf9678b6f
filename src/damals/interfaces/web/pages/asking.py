"""Asking: a question at two clocks, what is found, and an answer with its reasons."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

from fastapi import Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from damals.app.answer_results import Answer
from damals.app.errors import DamalsError
from damals.app.results import Recall, Understood
from damals.domain.access import Right
from damals.interfaces.rest.problems import problem_of
from damals.interfaces.web.area import Pages
from damals.interfaces.web.clocks import AskedPair, Pair, span_of
from damals.interfaces.web.finds import Find, Finds, layers, said
from damals.interfaces.web.visitor import Visitor, WorkspaceVisitor
from damals.interfaces.web.zoned import Zoned

pages = Pages("/w/{workspace}")

USUAL: Final = 10
"""So many results are shown at first."""

MOST: Final = 100

Typed = Annotated[str, Field(max_length=10_000)]


class Asked(BaseModel):
    """The other fields of the form; what is empty was not given."""

    q: Typed = ""
    mode: Typed = ""
    certain: Typed = ""
    persona: Typed = ""
    type: Typed = ""
    tag: Typed = ""
    limit: Typed = ""
    more: Typed = ""

    @property
    def ranks(self) -> bool:
        """Whether results are wanted, and no answer."""
        return self.mode == "recall"

    @property
    def shown(self) -> int:
        """So many results are wanted."""
        return min(max(int(self.limit), 1), MOST) if self.limit.isdecimal() else USUAL

    @property
    def narrowed(self) -> bool:
        """Whether the fields that narrow a question are shown."""
        return any((self.more, self.certain, self.persona, self.type, self.tag))

    @property
    def told(self) -> dict[str, Any]:
        """The fields that were given, for an address."""
        return {name: value for name, value in self.model_dump().items() if value}

    def options(self, pair: Pair) -> dict[str, Any]:
        """What the use cases are asked."""
        given = {
            "type": _several(self.type),
            "tag": _several(self.tag),
            "persona": self.persona.strip(),
            "certain": bool(self.certain),
            **pair.told,
        }
        return {name: value for name, value in given.items() if value}


def _several(text: str) -> list[str]:
    return [one.strip() for one in text.split(",") if one.strip()]


@pages.page("GET ", slow=True)
def ask(visitor: WorkspaceVisitor, pair: AskedPair, asked: Annotated[Asked, Query()]) -> Response:
    """The question, and what is found."""
    values: dict[str, Any] = {
        "asked": asked,
        "pair": pair,
        "span": None if visitor.wants_part else span_of(visitor),
        "problem": None,
        "found": None,
        "people": (),
        "may_write": visitor.may(Right.WRITE),
    }
    status = 200
    try:
        if asked.narrowed and not visitor.wants_part:
            values["people"] = visitor.memory.people().people
        if asked.q.strip():
            values |= _found(visitor, asked, pair)
    except DamalsError as error:
        problem = problem_of(error)
        values["problem"], status = problem.document, problem.status
    return visitor.page("ask.html", status, block="found", **values)


def _found(visitor: Visitor, asked: Asked, pair: Pair) -> dict[str, Any]:
    memory, question, options = visitor.memory, asked.q.strip(), asked.options(pair)
    if asked.ranks:
        found = memory.recall(question, limit=asked.shown, explain=True, **options)
    else:
        found = memory.ask(question, limit=asked.shown, **options)
    finds = Finds(visitor, found, pair_shown(pair, found.understood))
    results = finds.results()
    next_ = _next(visitor, asked, pair, len(results))
    return {"found": found, "next": next_, **shown(finds, results, found)}


def _next(visitor: Visitor, asked: Asked, pair: Pair, count: int) -> str | None:
    """Where more results are; an answer says all that it stands on."""
    if not asked.ranks or count < asked.shown or asked.shown >= MOST:
        return None
    more = asked.told | {"limit": min(asked.shown * 2, MOST)}
    return visitor.path(**more, **pair.told)


def pair_shown(pair: Pair, read: Understood) -> dict[str, str | None]:
    """The pair for links: as it was typed, or else as it was read from the question."""
    return {
        "as_of": pair.as_of or (read.as_of if read.as_of_text else None),
        "known_at": pair.known_at or (read.known_at if read.known_at_text else None),
    }


def shown(finds: Finds, results: Sequence[Find], found: Recall | Answer) -> dict[str, Any]:
    """What templates show of an answer or a ranking."""
    cited = finds.cited(results)
    return {
        "results": results,
        "cited": cited,
        "said": said(found.answer, cited) if isinstance(found, Answer) else (),
        "layers": layers(results),
        "local": Zoned.of(found.understood.zone),
    }
