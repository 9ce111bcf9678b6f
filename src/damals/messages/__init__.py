"""The catalogues: every text that people read, in German and English.

A catalogue is a folder of flat TOML tables, ``messages/<language>/<area>.toml``. A key with
``.hint`` behind it says what to do. Texts are filled with ``str.format``; values are data and are
never read as templates.
"""

import os
import string
import tomllib
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from typing import Final, cast

from damals.domain.errors import DamalsError

LANGUAGES: Final = ("en", "de")
FALLBACK: Final = "en"
MAX_VALUE_CHARS: Final = 300
"""Longer values are clipped, so that a message stays a line."""

_speaking: ContextVar[str] = ContextVar("damals_language", default=FALLBACK)


def speak(lang: str) -> None:
    """Set the language of texts for which none is named, in this context."""
    _speaking.set(lang)


@contextmanager
def speaking(lang: str) -> Generator[None]:
    """As :func:`speak`, until the end of a ``with``."""
    token = _speaking.set(lang)
    try:
        yield
    finally:
        _speaking.reset(token)


def spoken() -> str:
    """The language set by :func:`speak`; English before."""
    return _speaking.get()


def render(key: str, values: Mapping[str, object], lang: str | None = None) -> str:
    """The message of a key, filled in.

    A key that a language lacks falls back to English, then to the key itself with its values.
    """
    template = _find(key, lang)
    if template is None:
        shown = ", ".join(f"{name}={_clip(value, lang)}" for name, value in values.items())
        return f"{key} ({shown})" if shown else key
    return _fill(template, values, lang)


def hint(
    key: str, lang: str | None = None, values: Mapping[str, object] | None = None
) -> str | None:
    """What to do about a message, or ``None`` when nothing is written about that."""
    template = _find(f"{key}.hint", lang)
    return None if template is None else _fill(template, values or {}, lang)


def text(key: str, lang: str | None = None, **values: object) -> str:
    """As :func:`render`, for texts of the interfaces."""
    return render(key, values, lang)


def has(key: str, lang: str) -> bool:
    """Whether a language has this key itself."""
    return key in catalogue(lang)


@cache
def catalogue(lang: str) -> Mapping[str, str]:
    """All texts of a language; empty for one that damals does not speak."""
    if lang not in LANGUAGES:
        return {}
    merged: dict[str, str] = {}
    for area in sorted(
        files("damals.messages").joinpath(lang).iterdir(), key=lambda file: file.name
    ):
        if area.name.endswith(".toml"):
            merged |= cast("dict[str, str]", tomllib.loads(area.read_text(encoding="utf-8")))
    return merged


def language_of_locale() -> str:
    """The language that the locale of the environment names; English for any other."""
    names = (os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    first = next((name for name in names if name), "")
    return next((lang for lang in LANGUAGES if first.lower().startswith(lang)), FALLBACK)


def install() -> None:
    """Let ``str(error)`` give the message in the language of this context (:func:`speak`)."""
    DamalsError.renderer = _spoken


def _spoken(key: str, values: dict[str, object]) -> str:
    return render(key, values)


def _find(key: str, lang: str | None) -> str | None:
    own = catalogue(lang or spoken()).get(key)
    return own if own is not None else catalogue(FALLBACK).get(key)


class _Values(dict[str, str]):
    """Leaves a placeholder standing when its value is missing: a message never fails."""

    def __missing__(self, name: str) -> str:
        return "{" + name + "}"


def _fill(template: str, values: Mapping[str, object], lang: str | None) -> str:
    shown = {name: _clip(value, lang) for name, value in values.items()}
    return string.Formatter().vformat(template, (), _Values(shown))


def _clip(value: object, lang: str | None) -> str:
    """A value as text; an error that was the cause speaks the language of the message."""
    error = isinstance(value, DamalsError)
    shown = render(value.key, value.values, lang) if error else str(value)
    return shown if len(shown) <= MAX_VALUE_CHARS else shown[: MAX_VALUE_CHARS - 1] + "…"


__all__ = [
    "LANGUAGES",
    "catalogue",
    "has",
    "hint",
    "install",
    "language_of_locale",
    "render",
    "speak",
    "speaking",
    "spoken",
    "text",
]
