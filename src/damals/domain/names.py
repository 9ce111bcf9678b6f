"""Names as they are compared: tags, paths, link targets; and what a workspace may be called."""

import re
from collections.abc import Iterable
from typing import Final
from unicodedata import normalize

from damals.domain.errors import InvalidInput

DEFAULT_WORKSPACE: Final = "default"
"""The workspace that is asked when none is named, and that comes with a new home."""

MAX_PLAIN: Final = 100
"""Longest name of a workspace, key or role, in characters."""

_PLAIN: Final = re.compile(r"[\w][\w.-]*")


def fold(name: str) -> str:
    """A name as it is compared: NFC and case-folded, so NFD umlauts meet NFC ones."""
    return normalize("NFC", normalize("NFC", name).casefold())


def folded_tag(tag: str) -> str:
    """A tag as it is compared, without the ``#`` that people type."""
    return fold(tag.strip().lstrip("#").strip("/"))


def is_tag(text: str) -> bool:
    """Whether what stands in a note as a tag is one: ``2024`` and ``1/3`` are numbers."""
    return any(not character.isdigit() and character != "/" for character in text)


def with_parents(names: Iterable[str]) -> tuple[str, ...]:
    """Each name with those above it: ``a/b`` gives ``a`` and ``a/b``, each once, in order."""
    found: dict[str, None] = {}
    for name in names:
        parts = name.split("/")
        found |= dict.fromkeys("/".join(parts[: depth + 1]) for depth in range(len(parts)))
    return tuple(found)


def folded_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags as they are searched: folded, a parent with each child."""
    return with_parents(folded_tag(tag) for tag in tags)


def is_plain(name: str) -> bool:
    """Whether a name of a workspace, key or role is one: letters, digits, ``-``, ``_``, ``.``.

    Such a name needs no quotes on a command line, in an address or as a part of a file name.
    """
    return len(name) <= MAX_PLAIN and _PLAIN.fullmatch(name) is not None


def plain_name(problem: str, name: object) -> str:
    """The name of a workspace, key or role that is being made, in NFC.

    Raises:
        InvalidInput: ``problem`` for what is none.
    """
    given = normalize("NFC", name) if isinstance(name, str) else ""
    if not is_plain(given):
        raise InvalidInput(problem, name=name)
    return given
