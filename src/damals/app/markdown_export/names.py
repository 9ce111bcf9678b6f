"""The file of each note: readable, and a name that every system can hold.

A note of a vault keeps its path, below a folder of its source's name, since the links in its text
name it by that. Everything else lies in a folder of its type, under its title.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from unicodedata import category, normalize
from uuid import UUID

from damals.app.vault.exported import OVERVIEW
from damals.app.vault.file_kinds import without_suffix
from damals.domain.names import fold

SUFFIX: Final = ".md"
_MAX_BYTES: Final = 120
"""Of one name, without its suffix: with folders before it a path still fits on every system."""
_MAX_PATH: Final = 200
"""Characters of a whole path, from which on folders are left out."""
_SHORT_ID: Final = 8

_FORBIDDEN: Final = re.compile(r'[<>:"/\\|?*\[\]#^%]+')
"""What some system refuses in a name, and what ends the name in a link."""
_RESERVED: Final = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9¹²³])(?:\..*)?", re.IGNORECASE
)
_BLANKS: Final = re.compile(r"\s+")
_JOINERS: Final = ("\u200d", "\ufe0f")
"""What holds an emoji together."""


@dataclass(frozen=True, slots=True)
class Named:
    """What the file of an entry is named by.

    Attributes:
        source, path: of a note of a vault; ``None`` for everything else.
    """

    entry_id: UUID
    created_at: int
    title: str
    type: str
    source: str | None = None
    path: str | None = None

    @property
    def placed(self) -> bool:
        """Whether it has a path of its own."""
        return bool(self.source and self.path)


def safe_name(name: str, instead: str) -> str:
    """A name that every system can hold as that of a file or folder, as near as can be.

    Args:
        name: any text.
        instead: for a text of which nothing is left.
    """
    text = normalize("NFC", name)
    text = "".join(one for one in text if category(one)[0] != "C" or one in _JOINERS or one == "\t")
    text = _BLANKS.sub(" ", _FORBIDDEN.sub("_", text)).strip(" .~")
    text = _cut(text, _MAX_BYTES).strip(" .~")
    if not text.strip("_"):
        text = instead
    return f"_{text}" if _RESERVED.fullmatch(text) else text


def _cut(text: str, limit: int) -> str:
    """The text, no longer than so many bytes; no character is torn from its marks."""
    if len(text.encode()) <= limit:
        return text
    kept = text.encode()[:limit].decode(errors="ignore")
    following = text[len(kept) : len(kept) + 1]
    while kept and following and (category(following)[0] == "M" or following in _JOINERS):
        following, kept = kept[-1], kept[:-1]
    return kept


def paths_of(entries: Iterable[Named]) -> Mapping[UUID, str]:
    """The path of each entry's file, each another one on systems that ignore case, too.

    Who was there first keeps its plain name, so that a name does not change when others come.
    """
    ordered = sorted(entries, key=lambda one: (not one.placed, one.created_at, one.entry_id.bytes))
    taken: set[str] = {fold(OVERVIEW)}
    stems: set[str] = {_stem(OVERVIEW)}
    found: dict[UUID, str] = {}
    for one in ordered:
        # A title must not be the name by which a link means a note of a vault.
        path = next(
            path
            for path in _candidates(one)
            if fold(path) not in taken and (one.placed or _stem(path) not in stems)
        )
        taken.add(fold(path))
        if one.placed:
            stems.add(_stem(path))
        found[one.entry_id] = path
    return found


def _stem(path: str) -> str:
    return fold(without_suffix(path).rpartition("/")[2])


def _candidates(one: Named) -> Iterator[str]:
    plain = _plain(one)
    name = plain.removesuffix(SUFFIX)
    yield plain
    digits = one.entry_id.hex
    yield f"{name} ({digits[-_SHORT_ID:]}){SUFFIX}"
    yield f"{name} ({digits}){SUFFIX}"


def _plain(one: Named) -> str:
    if not one.placed:
        folder = safe_name(one.type, "entry")
        return f"{folder}/{_bare(one.title, one.entry_id)}{SUFFIX}"
    *folders, name = str(one.path).split("/")
    parts = [safe_name(folder, "folder") for folder in (str(one.source), *folders)]
    while len(parts) > 1 and sum(map(len, parts)) + len(name) > _MAX_PATH:
        parts.pop()
    return "/".join((*parts, f"{_bare(name, one.entry_id)}{SUFFIX}"))


def _bare(name: str, entry_id: UUID) -> str:
    """A name without the suffix that it gets."""
    return safe_name(without_suffix(name), entry_id.hex)
