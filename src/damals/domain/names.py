"""Names as they are compared: tags, paths, link targets."""

from collections.abc import Iterable
from unicodedata import normalize


def fold(name: str) -> str:
    """A name as it is compared: NFC and case-folded, so NFD umlauts meet NFC ones."""
    return normalize("NFC", normalize("NFC", name).casefold())


def folded_tag(tag: str) -> str:
    """A tag as it is compared, without the ``#`` that people type."""
    return fold(tag.strip().lstrip("#").strip("/"))


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
