"""What is to be looked at, why, and repairs that are done after one question."""

from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import Query
from pydantic import BaseModel
from starlette.responses import Response

from damals import messages
from damals.app.errors import Conflict, DamalsError, NotFound
from damals.app.hygiene.results import ChoiceView, FindingView, HygieneReport, KindCount
from damals.domain.access import Right
from damals.domain.findings import HYGIENE, LINT, SEVERITIES, Kind
from damals.interfaces.rest.problems import problem_of
from damals.interfaces.web.area import OwnForm, Pages
from damals.interfaces.web.clocks import AskedPair, span_of
from damals.interfaces.web.visitor import Visitor, WorkspaceVisitor

pages = Pages("/w/{workspace}")

SHOWN: Final = 10
"""So many findings of each kind at first."""

MORE: Final = 50
"""So many more with each step, of one kind."""

VIEWS: Final = ("hygiene", "lint", "due")

_KINDS: Final = {"hygiene": HYGIENE, "lint": LINT, "due": (*LINT, Kind.DUE)}

Text = Annotated[str | None, Query(max_length=10_000)]
Name = Annotated[str | None, Query(max_length=60)]
Ids = Annotated[list[str] | None, Query(max_length=50)]


@dataclass(frozen=True, slots=True)
class Group:
    """Findings of a kind, and where more of them are shown."""

    kind: KindCount
    findings: tuple[FindingView, ...]
    more: str | None


class Asked(BaseModel):
    """What the address of the report says."""

    view: Name = None
    topic: Annotated[str, Query(max_length=10_000)] = ""
    kind: Annotated[str, Query(max_length=60)] = ""
    severity: Name = None
    limit: Name = None
    done: Name = None


@pages.page("GET /hygiene")
def report(
    visitor: WorkspaceVisitor, pair: AskedPair, given: Annotated[Asked, Query()]
) -> Response:
    """Findings, by how much they weigh."""
    shown = given.view if given.view in VIEWS else VIEWS[0]
    asked: dict[str, Any] = {
        "view": shown,
        "topic": given.topic.strip() if shown == VIEWS[0] else "",
        "kind": given.kind,
        "severity": given.severity if given.severity in SEVERITIES else "",
        **pair.told,
    }
    done = given.done
    values: dict[str, Any] = {
        "asked": asked,
        "views": VIEWS,
        "kinds": _KINDS[shown],
        "severities": SEVERITIES,
        "span": span_of(visitor),
        "found": None,
        "groups": (),
        "problem": None,
        "repairs": visitor.may(Right.WRITE) and not any(pair.told.values()),
        "past": any(pair.told.values()),
        "done": done if done and done.isascii() and done.isdigit() else None,
    }
    try:
        found = _report(visitor, asked, _limit(given.limit))
    except DamalsError as error:
        problem = problem_of(error)
        values["problem"] = problem.document
        return visitor.page("hygiene.html", problem.status, block="findings", **values)
    values |= {"found": found, "groups": _groups(visitor, found, asked)}
    return visitor.page("hygiene.html", block="findings", **values)


def _limit(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and int(text) else SHOWN


def _report(visitor: Visitor, asked: dict[str, Any], limit: int | None) -> HygieneReport:
    kind, memory = asked["kind"] or None, visitor.memory
    when = {"as_of": asked["as_of"], "known_at": asked["known_at"]}
    if asked["view"] == VIEWS[0]:
        return memory.hygiene(asked["topic"] or None, kind=kind, limit=limit, **when)
    return memory.lint(asked["view"] == "due", kind=kind, limit=limit, **when)


def _groups(
    visitor: Visitor, found: HygieneReport, asked: dict[str, Any]
) -> list[tuple[str, list[Group]]]:
    """Findings by severity and kind, the heaviest first."""
    grouped: dict[str, list[Group]] = {}
    for kind in found.kinds:
        if asked["severity"] not in ("", kind.severity):
            continue
        more = None
        if kind.count > kind.shown:
            chosen = {**asked, "kind": kind.kind, "limit": kind.shown + MORE}
            more = visitor.path("hygiene", **chosen)
        told = tuple(one for one in found.findings if one.kind == kind.kind)
        grouped.setdefault(kind.severity, []).append(Group(kind, told, more))
    return list(grouped.items())


# --- repairs


@dataclass(frozen=True, slots=True)
class Matter:
    """What is to be repaired, and how: by what a finding is known again.

    Attributes:
        view: of the report that it stood in.
        choice: name of the way to repair it.
    """

    view: str
    kind: str
    entries: tuple[str, ...]
    part: str
    choice: str

    @property
    def told(self) -> dict[str, Any]:
        """For an address, or the fields of a form."""
        return {
            "view": self.view,
            "kind": self.kind,
            "entry": list(self.entries),
            "part": self.part,
            "choice": self.choice,
        }


@pages.page("GET /hygiene/repair")
def ask_first(
    visitor: WorkspaceVisitor,
    view: Name = None,
    kind: Name = None,
    entry: Ids = None,
    part: Text = None,
    choice: Name = None,
) -> Response:
    """What a repair would do, with the button that does it."""
    matter = Matter(view or "", kind or "", tuple(entry or ()), part or "", choice or "")
    return _asked(visitor, matter)


@pages.page("POST /hygiene/repair")
def repair(visitor: WorkspaceVisitor, form: OwnForm) -> Response:
    """Repair one finding, if it is still there, as one transaction."""
    entries = tuple(str(one) for one in form.getlist("entry"))
    view, kind, part, choice = (
        str(form.get(name, "")) for name in ("view", "kind", "part", "choice")
    )
    matter = Matter(view, kind, entries, part, choice)
    try:
        _, way = _found(visitor, matter)
        reason = messages.text("hygiene.reason.fix", kind=kind)
        done = visitor.memory.transact(way.operations, reason=reason)
    except DamalsError as error:
        return _asked(visitor, matter, error)
    return visitor.to("hygiene", view=matter.view, done=done.transaction)


def _asked(visitor: Visitor, matter: Matter, failed: DamalsError | None = None) -> Response:
    """The question; when the finding is gone, that it is."""
    values: dict[str, Any] = {"matter": matter, "finding": None, "way": None, "problem": None}
    values["writes"] = visitor.may(Right.WRITE)
    try:
        values["finding"], values["way"] = _found(visitor, matter)
    except DamalsError as error:
        failed = failed or error
    if failed is None:
        return visitor.page("repair.html", **values)
    problem = problem_of(failed)
    values["problem"] = problem.document
    return visitor.page("repair.html", problem.status, **values)


def _found(visitor: Visitor, matter: Matter) -> tuple[FindingView, ChoiceView]:
    """The finding as it is now, and the way to repair it.

    Raises:
        Conflict: ``web.hygiene.gone`` when there is no such finding any more.
        NotFound: ``web.hygiene.no_choice`` for a way that no transaction goes.
        InvalidInput: ``field.choice`` for a kind.
    """
    view = matter.view if matter.view in VIEWS else VIEWS[0]
    nothing = dict.fromkeys(("topic", "as_of", "known_at"))
    asked = {**nothing, "view": view, "kind": matter.kind}
    for one in _report(visitor, asked, None).findings:
        if (one.kind, one.entries, one.part) == (matter.kind, matter.entries, matter.part):
            for way in one.choices:
                if way.name == matter.choice and way.operations:
                    return one, way
            raise NotFound("web.hygiene.no_choice", choice=matter.choice)
    raise Conflict("web.hygiene.gone")
