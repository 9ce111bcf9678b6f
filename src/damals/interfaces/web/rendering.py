"""Templates filled in: everything that comes from knowledge is escaped here, and nowhere else."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from damals import messages
from damals.app.versions import PROGRAM_VERSION
from damals.interfaces.web.assets import asset_path
from damals.interfaces.web.marking import rendered
from damals.interfaces.web.plain import plain

SHORT_CHARS: Final = 140
"""Of a text in a list."""


def filled_in(name: str, values: Mapping[str, Any], block: str | None = None) -> str:
    """A template, or one block of it, in the language of this context.

    Args:
        name: file of the template.
        values: what it knows.
        block: a part that stands for itself.
    """
    template = _environment().get_template(name)
    if block is None:
        return template.render(values)
    return "".join(template.blocks[block](template.new_context(dict(values))))


@cache
def _environment() -> Environment:
    made: Any = Environment(  # its own tables are not typed
        loader=PackageLoader("damals.interfaces.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    names: dict[str, object] = {
        "t": _text,
        "asset": asset_path,
        "version": PROGRAM_VERSION,
        "languages": messages.LANGUAGES,
        "markdown": _markdown,
    }
    filters: dict[str, Callable[..., str]] = {
        "day": day,
        "moment": moment,
        "number": number,
        "percent": percent,
        "plain": plain,
        "short": short,
        "segment": _segment,
    }
    made.globals |= names
    made.filters |= filters
    return made


def _text(key: str, **values: object) -> str:
    return messages.render(key, values)


def _markdown(text: str) -> Markup:
    return Markup(rendered(text))  # noqa: S704 -- what it gives is sanitised


def _segment(value: object) -> str:
    return quote(str(value), safe="")


def moment(text: str | None) -> str:
    """An instant as people read it, to the second: ``2026-06-01 12:30:05 UTC``."""
    if not text:
        return ""
    try:
        read = datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        return text  # a bound as it was given: 2024-09
    return f"{read:%Y-%m-%d %H:%M:%S} UTC"


def day(text: str | None) -> str:
    """The day of an instant, in the clock's own zone; what is no instant stays."""
    return (text or "")[:10]


def number(value: float | None, digits: int = 2) -> str:
    """A number with so many digits, as the language writes it."""
    if value is None:
        return "–"
    shown = f"{value:,.{digits}f}"
    if messages.spoken() == "de":
        return shown.translate(str.maketrans(",.", ".,"))
    return shown


def percent(share: float | None) -> str:
    """A share of one as a whole percentage."""
    return "–" if share is None else f"{round(share * 100)} %"


def short(text: str | None, chars: int = SHORT_CHARS) -> str:
    """A text in one line, cut at so many characters."""
    line = " ".join((text or "").split())
    return line if len(line) <= chars else line[: chars - 1].rstrip() + "…"
