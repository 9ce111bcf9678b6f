"""What an export is asked for: read once, wherever it came from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, cast

from damals import messages
from damals.app.markdown_export.model import MarkdownOptions
from damals.domain.errors import InvalidInput
from damals.domain.fields import choice

FORMATS: Final = ("events", "markdown")
Kind = Literal["events", "markdown", "person"]

_OF_NOTES: Final = ("as_of", "known_at", "history")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to write.

    Attributes:
        person: id or external id, of an export of that kind.
        lang: language of what is written around it.
    """

    kind: Kind
    markdown: MarkdownOptions
    person: str | None
    lang: str


def wanted(options: Mapping[str, object]) -> Wanted:
    """The options of an export.

    Raises:
        InvalidInput: ``field.choice``, ``export.options`` for options that do not go together.
    """
    given = {name: value for name, value in options.items() if value not in (None, False)}
    person = given.get("person")
    kind = choice("format", given.get("format", "events"), FORMATS)
    lang = choice("lang", given.get("lang", messages.spoken()), messages.LANGUAGES)
    others = [name for name in _OF_NOTES if name in given]
    if person is not None and ("format" in given or others):
        name = others[0] if others else "format"
        raise InvalidInput("export.options", name=name, kind="person")
    if kind == "events" and others:
        raise InvalidInput("export.options", name=others[0], kind=kind)
    notes = MarkdownOptions(
        given.get("as_of"), given.get("known_at"), bool(given.get("history")), lang
    )
    named = None if person is None else str(person)
    return Wanted(cast("Kind", "person" if named else kind), notes, named, lang)
