"""The fields of an entry that operations may set, and how each is read.

A converter takes the field's name, the value as it came (Python, JSON, YAML or command line) and
the zone and instant it is read in; it returns the value as ``entries.Attributes`` holds it.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import date, datetime
from math import isfinite
from typing import Final, cast
from zoneinfo import ZoneInfo

from damals.domain.access import SENSITIVITIES, VISIBILITIES
from damals.domain.entries import Source
from damals.domain.errors import InvalidInput
from damals.domain.names import folded_tag, folded_tags
from damals.domain.parsing import parse_instant
from damals.domain.values import frozen

MAX_TITLE: Final = 1_000
MAX_CONTENT: Final = 50_000_000
MAX_NAME: Final = 1_000
MAX_LISTED: Final = 1_000
"""Tags, with those above them (``a/b`` lies in ``a``), or names of an acl that one entry has."""
MAX_NAME_BYTES: Final = 2_600
"""Of a tag or a name of an acl, in UTF-8: more does not fit into an index of PostgreSQL (a third of
a page), and what one ledger holds, another one shall hold, too."""
MAX_DEPTH: Final = 20
MAX_WHOLE: Final = 2**63 - 1
"""What every store can hold."""

_WHOLE: Final = re.compile(r"-?[0-9]{1,18}")
IMPORTANCES: Final = range(1, 6)
RISKS: Final = ("fast_decay", "slow_decay", "stable")
"""How fast something goes stale."""


@frozen
class When:
    """What fields are read with: whose days instants mean, what is now, and whether all is news.

    Attributes:
        kept: a home stored it once, when more was allowed: that stays as it is.
    """

    zone: ZoneInfo
    now: int
    kept: bool = False


def _short(value: object) -> object:
    """A value for a message: numbers can have thousands of digits."""
    return "…" if isinstance(value, int) and abs(value) > MAX_WHOLE else value


def _storable(name: str, text: str, limit: int) -> str:
    """Text that every store can hold: no NUL, no lone surrogate, not too long."""
    if len(text) > limit:
        raise InvalidInput("field.too_long", name=name, length=len(text), limit=limit)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidInput("field.not_text", name=name) from None
    if "\0" in text:
        raise InvalidInput("field.not_text", name=name)
    return text


def nullable_text(name: str, value: object, limit: int = MAX_NAME) -> str | None:
    """Text that every store can hold, or ``None`` for null and empty."""
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise InvalidInput("field.text", name=name, value=value)
    return _storable(name, value, limit)


def needed_text(name: str, value: object) -> str:
    """Text that says something, without the blanks around it.

    Raises:
        InvalidInput: ``field.empty``, and what :func:`nullable_text` refuses.
    """
    text = (nullable_text(name, value) or "").strip()
    if not text:
        raise InvalidInput("field.empty", name=name)
    return text


def _title(name: str, value: object, _when: When) -> str:
    text = nullable_text(name, value, MAX_TITLE)
    if text is None or not text.strip():
        raise InvalidInput("field.empty", name=name)
    return text.strip()


def _content(name: str, value: object, _when: When) -> str:
    return nullable_text(name, value, MAX_CONTENT) or ""


def _name(name: str, value: object, _when: When) -> str | None:
    text = nullable_text(name, value)
    return text.strip() or None if text else None


def _type(name: str, value: object, _when: When) -> str:
    return needed_text(name, value)


def _language(name: str, value: object, when: When) -> str:
    return (_name(name, value, when) or "de").lower()


def texts(name: str, value: object) -> tuple[str, ...]:
    """A list of texts, trimmed, each once; one text is a list of one."""
    if isinstance(value, str):
        value = [value]
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise InvalidInput("field.list", name=name, value=value)
    texts = [nullable_text(name, item) for item in cast("list[object]", value)]
    return tuple(dict.fromkeys(text.strip() for text in texts if text and text.strip()))


def _tags(name: str, value: object, when: When) -> tuple[str, ...]:
    given = (tag.lstrip("#").strip("/") for tag in texts(name, value))
    tags = tuple(dict.fromkeys(tag for tag in given if tag))
    if len(tags) + sum(tag.count("/") for tag in tags) > MAX_LISTED:
        _few(name, folded_tags(tags), when)
    _narrow(name, map(folded_tag, tags), when)
    return tags


def _names(name: str, value: object, when: When) -> tuple[str, ...]:
    """Who is named. Names that are all empty name nobody, but no name at all is everybody."""
    named = texts(name, value)
    if not named and value not in ("", None) and value not in ([], ()) and not when.kept:
        raise InvalidInput("field.nobody", name=name)
    _narrow(name, named, when)
    return _few(name, named, when)


def _narrow(name: str, indexed: Iterable[str], when: When) -> None:
    """See that each of some names fits into an index, as it stands there."""
    if when.kept:
        return
    for one in indexed:
        size = len(one.encode())
        if size > MAX_NAME_BYTES:
            raise InvalidInput("field.too_wide", name=name, size=size, limit=MAX_NAME_BYTES)


def _few(name: str, listed: tuple[str, ...], when: When) -> tuple[str, ...]:
    """A list that is searched, and so of no more than an index takes."""
    if len(listed) > MAX_LISTED and not when.kept:
        raise InvalidInput("field.too_many", name=name, count=len(listed), limit=MAX_LISTED)
    return listed


def _properties(name: str, value: object, _when: When) -> Mapping[str, object]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidInput("field.mapping", name=name, value=value)
    return {
        _storable(name, str(key), MAX_NAME): _json(name, item)
        for key, item in cast("Mapping[object, object]", value).items()
    }


def _json(name: str, value: object, depth: int = 0) -> object:
    """A JSON value; dates become their ISO text."""
    if depth > MAX_DEPTH:
        raise InvalidInput("field.too_deep", name=name)
    if value is None or isinstance(value, bool) or (isinstance(value, float) and isfinite(value)):
        return value
    if isinstance(value, int):
        return whole_number(name, value)
    if isinstance(value, str):
        return _storable(name, value, MAX_CONTENT)
    if isinstance(value, date | datetime):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return [_json(name, item, depth + 1) for item in cast("list[object]", value)]
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        return {
            _storable(name, str(key), MAX_NAME): _json(name, item, depth + 1) for key, item in pairs
        }
    raise InvalidInput("field.not_json", name=name, value=value)


def whole_number(name: str, value: object) -> int:
    """A whole number, also written as text."""
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > MAX_WHOLE:
        raise InvalidInput("field.whole", name=name, value=_short(value))
    return value


def _within(name: str, value: object, allowed: range) -> int:
    number = whole_number(name, value)
    if number not in allowed:
        raise InvalidInput("field.range", name=name, value=number, low=allowed[0], high=allowed[-1])
    return number


def _importance(name: str, value: object, _when: When) -> int:
    return _within(name, value, IMPORTANCES)


def _sensitivity(name: str, value: object, _when: When) -> int:
    return _within(name, value, SENSITIVITIES)


def share(name: str, value: object) -> float:
    """A number from 0 to 1, also written as text."""
    try:
        number = float(cast("str", value))
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput("field.number", name=name, value=_short(value)) from None
    if isinstance(value, bool) or not 0 <= number <= 1:
        raise InvalidInput("field.range", name=name, value=_short(value), low=0, high=1)
    return number


def _weight(name: str, value: object, _when: When) -> float | None:
    return None if value is None or value == "" else share(name, value)


_TRUTHS: Final = {"true": True, "yes": True, "false": False, "no": False}


def truth(name: str, value: object) -> bool:
    """True or false, also written as text."""
    if isinstance(value, str):
        value = _TRUTHS.get(value.strip().lower(), value)
    if not isinstance(value, bool):
        raise InvalidInput("field.flag", name=name, value=value)
    return value


def _flag(name: str, value: object, _when: When) -> bool:
    return truth(name, value)


def _moment(name: str, value: object, when: When) -> int | None:
    if value is None or value == "":
        return None
    del name
    return parse_instant(value, zone=when.zone, now=when.now)


def choice(name: str, value: object, allowed: tuple[str, ...]) -> str:
    """One of the allowed words."""
    if not isinstance(value, str) or value not in allowed:
        raise InvalidInput("field.choice", name=name, value=value, allowed=", ".join(allowed))
    return value


def _risk(name: str, value: object, when: When) -> str | None:
    text = _name(name, value, when)
    return text if text is None or when.kept else choice(name, text, RISKS)


def _visibility(name: str, value: object, _when: When) -> str:
    return choice(name, value, VISIBILITIES)


_DECLARED: Final = ("declared_from", "declared_to")


_SOURCE_TEXTS: Final = (
    *("kind", "name", "path", "uri", "heading", "digest", "session", "commit"), *_DECLARED
)  # fmt: skip
_SOURCE_INSTANTS: Final = ("imported_at", "committed_at")


_SESSION: Final = frozenset({"session", "source_session"})
_SAY_SOURCE: Final = frozenset({"remember", "update", "correct"})


def unknown_parameters(op: str, names: Collection[str]) -> InvalidInput:
    """The refusal of names that an operation does not know."""
    session = op in _SAY_SOURCE and not _SESSION.isdisjoint(names)
    key = "operation.session" if session else "operation.unknown_parameter"
    return InvalidInput(key, op=op, name=", ".join(sorted(names)))


def source(name: str, value: object, when: When) -> Source:
    """Where something came from."""
    if not isinstance(value, Mapping):
        raise InvalidInput("field.mapping", name=name, value=value)
    said = dict(cast("Mapping[str, object]", value))
    line = said.pop("line", None)
    told = {
        field: nullable_text(f"source.{field}", said.pop(field, None)) for field in _SOURCE_TEXTS
    }
    imported, committed = (
        _moment(f"source.{field}", said.pop(field, None), when) for field in _SOURCE_INSTANTS
    )
    filled = texts("source.filled", said.pop("filled", None))
    if said:
        raise InvalidInput("operation.unknown_parameter", op=name, name=", ".join(sorted(said)))
    return Source(
        kind=told.pop("kind") or "call",
        line=None if line is None else whole_number("source.line", line),
        imported_at=imported,
        committed_at=committed,
        filled=filled,
        **told,
    )


Converter = Callable[[str, object, When], object]

FIELDS: Final[dict[str, Converter]] = {
    "title": _title,
    "content": _content,
    "type": _type,
    "tags": _tags,
    "properties": _properties,
    "key": _name,
    "domain": _name,
    "staleness_risk": _risk,
    "importance": _importance,
    "pinned": _flag,
    "acquired": _flag,
    "created": _moment,
    "updated": _moment,
    "retrieved_at": _moment,
    "last_reviewed": _moment,
    "persona_weight": _weight,
    "lang": _language,
    "lang_original": _name,
    "source_id": _name,
    "visibility": _visibility,
    "sensitivity": _sensitivity,
    "acl": _names,
    "source": source,
}
"""The fields of an entry that operations may set, and how each is read."""
