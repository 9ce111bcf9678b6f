"""How one value is written in YAML: as people write it, and so that it reads back as it is."""

import json
import re
from dataclasses import dataclass
from typing import Any, Final

_OTHER_THAN_TEXT: Final = re.compile(
    r"""~|null|true|false|yes|no|on|off|y|n|\.nan|[-+]?\.inf
    |[-+]?(?:0[xob])?[0-9][0-9_a-f]*(?:\.[0-9_]*)?(?:e[-+]?[0-9]+)?|[-+]?\.[0-9][0-9_]*
    |[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?
    |[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:t|[ \t]+)[0-9].*)?""",
    re.VERBOSE | re.IGNORECASE,
)
"""What other readers of YAML would take for a truth, a number or a date."""

_LINE_BREAKS: Final = {"\x85": r"\N", "\u2028": r"\L", "\u2029": r"\P", "\ufeff": r"\ufeff"}
_TAG_MARKS: Final = " \t'\"#"


@dataclass(frozen=True, slots=True)
class Style:
    """How a value is to look.

    Attributes:
        plain: it is a date, number or truth, which nobody puts in quotes.
        quote: the quotation mark that stood there.
        flow: it stands between brackets.
    """

    plain: bool = False
    quote: str | None = None
    flow: bool = False


def bare(raw: str) -> str:
    """An item of a list as it is compared: without quotes and the mark of a tag."""
    text = raw.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        try:
            text = str(json.loads(text))
        except ValueError:
            text = text[1:-1]
    elif len(text) > 1 and text[0] == text[-1] == "'":
        text = text[1:-1].replace("''", "'")
    return text.strip(_TAG_MARKS).strip("/") if text.startswith("#") else text.strip()


def scalar(text: str, style: Style) -> str:
    """A value as it is written."""
    if style.quote == "'" and text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    apart = style.plain or not _OTHER_THAN_TEXT.fullmatch(text)
    if style.quote is None and apart and _reads_back(text, style):
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    for char, escape in _LINE_BREAKS.items():
        quoted = quoted.replace(char, escape)
    return quoted


def _reads_back(text: str, style: Style) -> bool:
    """Whether it is itself without quotes, as the value of a field."""
    if not text or not text.isprintable() or text.startswith("#") or " #" in text:
        return False
    if "[[" in text or "{{" in text or "<%" in text:
        return False
    import yaml  # noqa: PLC0415 -- as in annotate_block

    library: Any = yaml
    line = f"k: [{text}]" if style.flow else f"k: {text}"
    try:
        loader = getattr(library, "CSafeLoader", library.SafeLoader)
        events = list(library.parse(line, Loader=loader))
    except library.YAMLError:
        return False
    found = [one for one in events if type(one).__name__ == "ScalarEvent"]
    starts = sum(type(one).__name__.endswith("StartEvent") for one in events)
    ways = 4 if style.flow else 3  # stream, document, mapping and perhaps a list
    return (
        starts == ways
        and [one.value for one in found] == ["k", text]
        and not (found[1].style or found[1].tag or found[1].anchor)
    )
