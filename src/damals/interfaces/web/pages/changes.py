"""Changing what is known: a form for each operation, with what happens when others were faster."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Final, cast

from fastapi import Query
from starlette.responses import Response

from damals import messages
from damals.app.errors import DamalsError, InvalidInput, NotFound
from damals.app.results import Entry
from damals.domain.access import Right
from damals.domain.wording import Passage, wording
from damals.interfaces.rest.problems import Problem, problem_of
from damals.interfaces.web.area import OwnForm, Pages
from damals.interfaces.web.pages.change_forms import (
    FORMS,
    ChangeForm,
    operation,
    rebased,
    shown,
    typed,
)
from damals.interfaces.web.visitor import Visitor, WorkspaceVisitor

pages = Pages("/w/{workspace}")

CONDITION: Final = "if_transaction"
OVERTAKEN: Final = "entry.changed"
"""Key of the error of a change of an entry that somebody else has changed since."""

FOUND: Final = 8
"""Entries that are proposed where another one has to be named."""

OPEN: Final = "required"

Text = Annotated[str | None, Query(max_length=1_000)]


@dataclass(frozen=True, slots=True)
class Asked:
    """A change that somebody is about to make.

    Attributes:
        entry: the one that it is about, as it is now; ``None`` for a new one.
        said: what stands in the fields.
        about: what the address says beside it: which relation is taken back.
    """

    name: str
    form: ChangeForm
    entry: Entry | None
    said: Mapping[str, str]
    about: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around a form.

    Attributes:
        problem: what was wrong with what was sent.
        find: what was searched for, where another entry has to be named, and ``found``.
        overtaken: the entry is not any more as it was when the form was shown.
        apart: from what it says now to what was typed, word by word.
    """

    problem: Problem | None = None
    find: str | None = None
    found: Sequence[Entry] = ()
    overtaken: bool = False
    apart: Sequence[Passage] | None = None


# --- a new entry


@pages.page("GET /new")
def new(visitor: WorkspaceVisitor, title: Text = None) -> Response:
    """The form for a new entry; its address may say what stands in its fields."""
    given = visitor.request.query_params
    said = {one.name: given.get(one.name, "") for one in FORMS["remember"].fields}
    said["title"] = title or ""
    return _form(visitor, Asked("remember", FORMS["remember"], None, said))


@pages.page("POST /new")
def remember(visitor: WorkspaceVisitor, form: OwnForm) -> Response:
    """Remember it."""
    said = typed(form, FORMS["remember"].fields)
    return _done(visitor, Asked("remember", FORMS["remember"], None, said))


# --- changes of one


@pages.page("GET /entries/{id}/change/{name}")
def ask(visitor: WorkspaceVisitor, id: str, name: str, find: Text = None) -> Response:
    """The form of a change."""
    entry, form = visitor.memory.peek(id), _form_of(name)
    given = visitor.request.query_params
    said = shown(form, entry) | {
        one.name: given[one.name] for one in form.fields if one.name in given
    }
    asked = Asked(name, form, entry, said, _about(name, given))
    return _form(visitor, asked, Around(find=find, found=_found(visitor, entry, find)))


@pages.page("POST /entries/{id}/change/{name}")
def change(visitor: WorkspaceVisitor, id: str, name: str, form: OwnForm) -> Response:
    """Make a change."""
    declared = _form_of(name)
    sent = {key: value for key, value in form.items() if isinstance(value, str)}
    asked = Asked(
        name, declared, visitor.memory.peek(id), typed(form, declared.fields), _about(name, sent)
    )
    return _done(visitor, asked, sent.get(CONDITION))


def _form_of(name: str) -> ChangeForm:
    form = FORMS.get(name)
    if form is None or name == "remember":
        raise NotFound("web.change.unknown", name=name[:80])
    return form


def _about(name: str, given: Mapping[str, str]) -> Mapping[str, str]:
    """Which relation is meant: its type, its other end, and which way it leads.

    Raises:
        InvalidInput: ``operation.missing`` for one that is to be taken back and not named.
    """
    found = {one: given[one] for one in ("type", "other", "way") if one in given}
    for one in ("type", "other"):
        if name == "unrelate" and not found.get(one):
            raise InvalidInput("operation.missing", op=name, name=one)
    return found


def _found(visitor: Visitor, entry: Entry, find: str | None) -> Sequence[Entry]:
    """Entries that somebody may have meant."""
    if not find or not find.strip():
        return ()
    told = visitor.memory.recall(find, limit=FOUND + 1, receipt=False)
    return [one.entry for one in told if one.entry.id != entry.id][:FOUND]


def _done(visitor: Visitor, asked: Asked, condition: str | None = None) -> Response:
    """Make the change and show what came of it, or the form with what is wrong."""
    wanted = operation(asked.name, asked.form, asked.said, asked.entry)
    if asked.name == "unrelate":
        wanted |= _ends(asked)
    if asked.form.conditional and condition and _is_about_target(wanted, asked):
        wanted[CONDITION] = condition
    try:
        told = visitor.memory.transact([wanted])
    except DamalsError as error:
        return _refused(visitor, asked, problem_of(error), condition)
    result = told.results[0]
    done = asked.name if told.transaction is not None else "unchanged"
    return visitor.to("entries", _shown_then(result, asked), done=done)


def _ends(asked: Asked) -> Mapping[str, object]:
    """Which relation is taken back: it may lead to the entry of the page."""
    here = asked.entry.id if asked.entry else ""
    there = asked.about.get("other", "")
    ends = (there, here) if asked.about.get("way") == "in" else (here, there)
    return {"src": ends[0], "dst": ends[1], "type": asked.about.get("type", "")}


def _is_about_target(wanted: Mapping[str, object], asked: Asked) -> bool:
    """A condition is one on the entry that an operation names first."""
    name = asked.form.target
    return name is not None and asked.entry is not None and wanted.get(name) == asked.entry.id


def _shown_then(result: Mapping[str, Any], asked: Asked) -> str:
    """The entry that is shown after a change: the new one, or the one it was about."""
    made = cast("Mapping[str, str] | None", result.get("entry"))
    if made is not None:
        return made["id"]
    return asked.entry.id if asked.entry is not None else ""


def _refused(visitor: Visitor, asked: Asked, problem: Problem, condition: str | None) -> Response:
    """The form again, with what was typed; and when others were faster, what they said."""
    entry = asked.entry
    if problem.key != OVERTAKEN or entry is None:
        return _form(visitor, asked, Around(problem))
    was = _as_shown(visitor, entry.id, condition)
    said = rebased(asked.form, asked.said, was, entry) if was is not None else asked.said
    apart = wording(entry.content, said.get("content", "")) if asked.form.texts else None
    return _form(visitor, replace(asked, said=said), Around(problem, overtaken=True, apart=apart))


def _as_shown(visitor: Visitor, id: str, condition: str | None) -> Entry | None:
    """An entry as it was when its last transaction had this number."""
    number = int(condition) if condition and condition.isdecimal() else 0
    versions = visitor.memory.history(id).versions
    return next((one for one in reversed(versions) if one.transaction <= number), None)


def known(key: str) -> bool:
    """Whether there is a text of this key."""
    return messages.has(key, messages.spoken())


def _form(visitor: Visitor, asked: Asked, around: Around = Around()) -> Response:
    """The page of a form."""
    problem, entry = around.problem, asked.entry
    related = entry.relations if entry is not None else ()
    return visitor.page(
        "change.html",
        200 if problem is None else problem.status,
        asked=asked,
        known=known,
        entry=entry,
        form=asked.form,
        said=asked.said,
        may=visitor.may(Right.WRITE),
        problem=problem.document if problem else None,
        around=around,
        contested=[one for one in related if one.resolution == OPEN],
    )
