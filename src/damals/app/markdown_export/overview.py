"""The page that leads to all notes of an export. It is for people, and no import reads it."""

from collections.abc import Iterator, Mapping
from typing import Final
from uuid import UUID

from damals import messages
from damals.app.markdown_export.model import Head
from damals.app.markdown_export.names import Named
from damals.app.vault.file_kinds import without_suffix
from damals.domain.names import fold

MOST: Final = 1_000
"""So many notes of a type are listed; a longer list helps nobody, and slows readers down."""


def overview(
    head: Head, named: Mapping[UUID, Named], paths: Mapping[UUID, str], lang: str | None
) -> str:
    """The page: what was exported, and the notes by type and title."""
    lines = [f"# {_say('title', lang, workspace=head.workspace)}", ""]
    lines += [_say("about", lang, as_of=head.as_of, known_at=head.known_at, zone=head.zone), ""]
    lines += [_say("count", lang, count=len(named)), ""]
    groups: dict[str, list[Named]] = {}
    for one in named.values():
        groups.setdefault(one.type, []).append(one)
    for name in sorted(groups, key=fold):
        lines += [f"## {shown_title(name)} ({len(groups[name])})", ""]
        lines += [*_listed(groups[name], paths, lang), ""]
    return "\n".join(lines)


def _listed(group: list[Named], paths: Mapping[UUID, str], lang: str | None) -> Iterator[str]:
    ordered = sorted(group, key=lambda one: (fold(one.title), one.entry_id.bytes))
    for one in ordered[:MOST]:
        yield f"- {link_to(paths[one.entry_id], one.title)}"
    if len(ordered) > MOST:
        yield f"- {_say('more', lang, count=len(ordered) - MOST)}"


def link_to(path: str, title: str) -> str:
    """A link to the note at a path, shown as its title."""
    return f"[[{without_suffix(path)}|{shown_title(title)}]]"


def shown_title(title: str) -> str:
    """A title within a link: without what would end it."""
    return " ".join("".join(" " if one in "[]|#^" else one for one in title).split()) or "…"


def _say(name: str, lang: str | None, /, **values: object) -> str:
    return messages.text(f"export.overview.{name}", lang, **values)
