"""What the forms of changes ask for, and how what was typed becomes an operation."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, cast

from starlette.datastructures import FormData

from damals.app.results import Entry
from damals.domain.access import SENSITIVITIES, VISIBILITIES
from damals.domain.fields import IMPORTANCES, RISKS

Kind = Literal["line", "area", "choice", "radio", "check", "time", "entry", "list", "number"]
Params = dict[str, object]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a form.

    Attributes:
        name: of the parameter.
        kind: how it is asked for.
        required: browsers do not send the form without it.
        choices: what can be chosen, or is proposed; the first one is usual.
        shown: it begins with what the entry says.
        more: it stands among those that are rarely needed.
    """

    name: str
    kind: Kind = "line"
    required: bool = False
    choices: tuple[str, ...] = ()
    shown: bool = False
    more: bool = False


@dataclass(frozen=True, slots=True)
class ChangeForm:
    """The form of an operation.

    Attributes:
        target: what the entry of the page is called among the parameters; ``None`` for a new one.
        conditional: it is done only if the entry is as it was when the form was shown.
        corrects: only what differs from the entry is said.
    """

    fields: tuple[Field, ...]
    target: str | None = "target"
    conditional: bool = True
    corrects: bool = False

    @property
    def finds(self) -> bool:
        """Whether another entry has to be named, which can be searched for."""
        return any(one.kind == "entry" for one in self.fields)

    @property
    def texts(self) -> bool:
        """Whether it says anew what the entry says."""
        return any(one.name == "content" for one in self.fields)


TYPES: Final = ("fact", "note", "decision", "person", "project", "goal", "plan", "reference")
RELATIONS: Final = (
    "related_to", "extends", "revises", "supersedes", "part_of", "depends_on", "based_on",
    "supported_by", "example_of", "leads_to",
)  # fmt: skip

_WHY = Field("reason", "line", required=True)
_PERHAPS_WHY = Field("reason", "line")
_TITLE = Field("title", required=True, shown=True)
_CONTENT = Field("content", "area", shown=True)
_FROM, _TO = Field("valid_from", "time"), Field("valid_to", "time")
_OTHER = Field("other", "entry", required=True)


def _more(*, shown: bool) -> tuple[Field, ...]:
    """Fields that most entries leave as they are; an update takes them from its target."""
    first = () if shown else ("",)
    return (
        Field("type", "line", choices=TYPES, shown=shown, more=shown),
        Field("tags", "list", shown=shown, more=shown),
        Field("key", shown=shown, more=shown),
        Field("domain", shown=shown, more=True),
        Field("staleness_risk", "choice", choices=("", *RISKS), shown=shown, more=True),
        Field("importance", "choice", False, (*first, *map(str, IMPORTANCES)), shown, True),
        Field("visibility", "choice", False, (*first, *VISIBILITIES), shown, True),
        Field("sensitivity", "choice", False, (*first, *map(str, SENSITIVITIES)), shown, True),
        Field("acl", "list", shown=shown, more=True),
        Field("lang", shown=shown, more=True),
    )


FORMS: Final[Mapping[str, ChangeForm]] = {
    "remember": ChangeForm(
        (
            Field("title", required=True),
            Field("content", "area"),
            _FROM,
            _TO,
            *_more(shown=False),
            Field("on_overlap", "choice", choices=("refuse", "replace", "fill"), more=True),
            Field("external_id", more=True),
            _PERHAPS_WHY,
        ),
        target=None,
        conditional=False,
    ),
    "update": ChangeForm(
        (
            _TITLE,
            _CONTENT,
            _FROM,
            _TO,
            Field("relation", "radio", choices=("supersedes", "revises")),
            _WHY,
            Field("external_id", more=True),
        )
    ),
    "correct": ChangeForm((_TITLE, _CONTENT, _FROM, _TO, _WHY, *_more(shown=True)), corrects=True),
    "end": ChangeForm((Field("at", "time", required=True), _WHY)),
    "retract": ChangeForm((_WHY, Field("restore", "check"))),
    "revert": ChangeForm(
        (Field("transaction", "number", required=True), _WHY), target=None, conditional=False
    ),
    "verify": ChangeForm((Field("score", "number"), Field("evidence"), _PERHAPS_WHY)),
    "pin": ChangeForm((_PERHAPS_WHY,)),
    "unpin": ChangeForm((_PERHAPS_WHY,)),
    "archive": ChangeForm((_WHY,)),
    "relate": ChangeForm(
        (
            Field("type", "line", required=True, choices=RELATIONS),
            _OTHER,
            Field("confidence", "number", more=True),
            Field("valid_from", "time", more=True),
            Field("valid_to", "time", more=True),
            _PERHAPS_WHY,
        ),
        target="src",
    ),
    "contradict": ChangeForm((_OTHER, _WHY), target="a"),
    "resolve": ChangeForm(
        (_OTHER, Field("keep", "radio", True, ("a", "b", "both")), _WHY), target="a"
    ),
    "unrelate": ChangeForm((_PERHAPS_WHY,), target="src"),
}
"""Every change that has a form, but for erasing, which asks for more."""

OTHER_NAMES: Final[Mapping[str, str]] = {"relate": "dst", "contradict": "b", "resolve": "b"}
"""What the other entry is called among the parameters of an operation."""


def typed(form: FormData, fields: tuple[Field, ...]) -> dict[str, str]:
    """What was typed into fields, by name; lines end as texts here do."""
    said = {one.name: form.get(one.name) for one in fields}
    return {
        name: value.replace("\r\n", "\n").replace("\r", "\n")
        for name, value in said.items()
        if isinstance(value, str)
    }


def shown(form: ChangeForm, entry: Entry) -> dict[str, str]:
    """What the fields of a form begin with."""
    return {one.name: told(getattr(entry, one.name)) for one in form.fields if one.shown}


def told(value: object) -> str:
    """A value of an entry as it stands in a field."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ", ".join(map(str, cast("tuple[object, ...]", value)))
    return str(value)


def rebased(form: ChangeForm, said: Mapping[str, str], was: Entry, now: Entry) -> dict[str, str]:
    """What was typed, on what an entry says now: fields that nobody touched follow it.

    Args:
        form: that of the operation.
        said: what was sent.
        was: the entry as it was when the form was shown.
        now: as somebody else has made it since.
    """
    before, after = shown(form, was), shown(form, now)
    return {
        name: after[name] if name in before and same(text, before[name]) else text
        for name, text in said.items()
    }


def same(sent: str, shown: str) -> bool:
    """Whether a field still says what it began with: browsers send their own ends of lines."""
    return sent == shown.replace("\r\n", "\n").replace("\r", "\n")


def operation(
    name: str, form: ChangeForm, said: Mapping[str, str], entry: Entry | None
) -> dict[str, object]:
    """The operation that was asked for: empty fields are not given.

    Args:
        name: of the operation.
        form: its form.
        said: what was typed.
        entry: the one that the page is about, as it is now.
    """
    asked: Params = {"op": name}
    if form.target is not None and entry is not None:
        asked[form.target] = entry.id
    for field in form.fields:
        text = said.get(field.name, "")
        if form.corrects and field.shown and entry is not None:
            if same(text, told(getattr(entry, field.name))):
                continue
            asked[field.name] = _value(field, text) if text.strip() else _emptied(field)
        elif text.strip():
            key = OTHER_NAMES.get(name, field.name) if field.kind == "entry" else field.name
            asked[key] = _value(field, text)
    if name == "update":  # a text may be emptied on purpose
        asked.setdefault("content", "")
    return asked


def _value(field: Field, text: str) -> object:
    match field.kind:
        case "area":
            return text
        case "list":
            return [part.strip() for part in text.split(",") if part.strip()]
        case "check":
            return True
        case _:
            return text.strip()


def _emptied(field: Field) -> object:
    """What is said by a field that was emptied."""
    if field.kind == "list":
        return []
    return "" if field.name in {"title", "content", "type", "lang"} else None
