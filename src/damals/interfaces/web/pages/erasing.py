"""Erasing: a form that wants to be sure, and the certificate of what was done."""

from typing import Final
from unicodedata import normalize

from starlette.responses import Response

from damals.app.change_results import Erased
from damals.app.errors import DamalsError, InvalidInput
from damals.app.results import Entry
from damals.domain.access import Right
from damals.interfaces.rest.problems import Problem, problem_of
from damals.interfaces.web.area import OwnForm, Pages
from damals.interfaces.web.clocks import Pair
from damals.interfaces.web.pages.changes import CONDITION, known
from damals.interfaces.web.versions import moment
from damals.interfaces.web.visitor import Visitor, WorkspaceVisitor

pages = Pages("/w/{workspace}")

LONGEST: Final = 40
"""Of a title that is typed to confirm; a longer one is confirmed by the start of its id."""

ID_START: Final = 8
KINDS: Final = ("entry", "person")


@pages.page("GET /entries/{id}/change/erase")
def ask(visitor: WorkspaceVisitor, id: str) -> Response:
    """What would be gone, and the form for it."""
    return _form(visitor, visitor.memory.peek(id), {})


@pages.page("POST /entries/{id}/change/erase", slow=True)
def erase(visitor: WorkspaceVisitor, id: str, form: OwnForm) -> Response:
    """Erase it, at every pair of instants, and show the certificate."""
    entry = visitor.memory.peek(id)
    said = {name: value for name, value in form.items() if isinstance(value, str)}
    kind = said.get("kind", "entry")
    try:
        _check(entry, said.get("confirm", ""))
        told = visitor.memory.erase(
            kind,
            entry.id,
            reason=said.get("reason", "").strip() or None,
            if_transaction=_number(said.get(CONDITION)) if kind == "entry" else None,
        )
    except DamalsError as error:
        return _form(visitor, entry, said, problem_of(error))
    if told.certificate.id is None or told.certificate.mentions:
        return _certificate(visitor, told)  # who mentions a person is told only now
    return visitor.to("erasures", told.certificate.id)


@pages.page("GET /erasures/{erasure}")
def certificate(visitor: WorkspaceVisitor, erasure: str) -> Response:
    """What an erasure has told when it was done."""
    return _certificate(visitor, visitor.memory.certificate(erasure))


def confirmation(entry: Entry) -> str:
    """What is typed to confirm that an entry is meant."""
    title = _plain(entry.title)
    return title if title and len(title) <= LONGEST else entry.id[:ID_START]


def _check(entry: Entry, typed: str) -> None:
    """Refuse what was not confirmed.

    Raises:
        InvalidInput: ``web.erase.unconfirmed``.
    """
    if _plain(typed) != confirmation(entry):
        raise InvalidInput("web.erase.unconfirmed", text=confirmation(entry))


def _plain(text: str) -> str:
    return " ".join(normalize("NFC", text).split())


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() else None


def _form(
    visitor: Visitor, entry: Entry, said: dict[str, str], problem: Problem | None = None
) -> Response:
    return visitor.page(
        "erase.html",
        200 if problem is None else problem.status,
        entry=entry,
        said=said,
        may=visitor.may(Right.ADMINISTER),
        word=confirmation(entry),
        kinds=KINDS if entry.type == "person" else KINDS[:1],
        problem=problem.document if problem else None,
    )


def _certificate(visitor: Visitor, told: Erased) -> Response:
    return visitor.page(
        "certificate.html",
        told=told,
        found=told.certificate,
        known=known,
        at=moment(visitor.memory.span(), Pair()),
    )
