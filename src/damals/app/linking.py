"""Which note a link means."""

from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from operator import attrgetter
from typing import Final, Literal, TypeVar
from unicodedata import normalize
from uuid import UUID

from damals.app.vault.file_kinds import without_suffix
from damals.domain.ids import parse_uuid
from damals.domain.names import fold

Via = Literal["self", "relative", "path", "suffix", "stem", "alias", "id", "unresolved"]

_T = TypeVar("_T")
_Rank = tuple[int, int, str, str]
_NOWHERE: Final[_Rank] = (2, 0, "", "")


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a link's target resolved to.

    Attributes:
        entry_id: the entry meant, ``None`` when nothing is known under that name.
        ambiguous: there were others, as good by name; the nearest to the root was taken.
        via: the rule that decided.
        path: of the note meant, without suffix; for messages.
    """

    entry_id: UUID | None
    ambiguous: bool = False
    via: Via = "unresolved"
    path: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class _Note:
    """A note and its path without suffix, as written (NFC) and as compared."""

    raw: str
    folded: str
    entry_id: UUID
    rank: "_Rank" = field(compare=False)


class LinkResolver:
    """Resolves link targets among the notes of one source.

    Names are compared in NFC and case-folded. In this order: relative to the linking note
    (``./``, ``../``; for Markdown links always), the exact path, the end of a path, the only note
    of that name, of several the one in the root, then the shortest path, then the first by name
    (these are *ambiguous*), an alias. Whether the linking note lies in the root or in a folder
    changes nothing, unless the link says that it is relative.
    """

    def __init__(
        self,
        paths: Mapping[str, UUID],
        aliases: Iterable[tuple[str, UUID]] = (),
        ids: Callable[[], Mapping[str, UUID]] = dict,
    ) -> None:
        """Index the notes.

        Args:
            paths: entry of each path, relative to the source's root, ``/``-separated.
            aliases: pairs of an alias and the entry it names.
            ids: gives the entries by their ids, if one is asked for.
        """
        self._ids = cache(ids)
        self._own: dict[str, UUID] = {_nfc(path): entry_id for path, entry_id in paths.items()}
        self._ends: dict[str, list[_Note]] = {}
        for path, entry_id in sorted(self._own.items(), key=_rank):
            note = _note(path, entry_id)
            for end in _ends(note.folded):
                self._ends.setdefault(end, []).append(note)
        self._raw = {entry_id: without_suffix(path) for path, entry_id in self._own.items()}
        self._aliases: dict[str, list[UUID]] = {}
        self._ranks = {item[1]: _rank(item) for item in self._own.items()}
        for alias, entry_id in sorted(aliases, key=lambda one: self._ranks.get(one[1], _NOWHERE)):
            named = self._aliases.setdefault(fold(alias.strip()), [])
            if entry_id not in named:
                named.append(entry_id)

    def put(self, path: str, entry_id: UUID, aliases: Iterable[str]) -> None:
        """One more note, as if it had been there from the beginning; its path must be free."""
        path = _nfc(path)
        note = _note(path, entry_id)
        self._own[path], self._raw[entry_id] = entry_id, note.raw
        self._ranks[entry_id] = note.rank
        for end in _ends(note.folded):
            insort(self._ends.setdefault(end, []), note, key=attrgetter("rank"))
        for alias in dict.fromkeys(fold(alias.strip()) for alias in aliases):
            insort(self._aliases.setdefault(alias, []), entry_id, key=self._ranks.__getitem__)

    def drop(self, path: str, entry_id: UUID, aliases: Iterable[str]) -> None:
        """A note less, as if it had never been there."""
        path = _nfc(path)
        del self._own[path], self._raw[entry_id], self._ranks[entry_id]
        for end in _ends(fold(without_suffix(path))):
            kept = [one for one in self._ends[end] if one.entry_id != entry_id]
            _keep(self._ends, end, kept)
        for alias in dict.fromkeys(fold(alias.strip()) for alias in aliases):
            _keep(self._aliases, alias, [one for one in self._aliases[alias] if one != entry_id])

    def resolve(self, target: str, from_path: str, *, relative_first: bool = False) -> Resolution:
        """What ``target`` means in the note at ``from_path``.

        Args:
            target: as :attr:`damals.app.source_model.Link.target`; ``""`` is the note itself.
            from_path: path of the linking note.
            relative_first: look in the linking note's folder first, as Markdown links do.
        """
        if not target.strip():
            own = self._own.get(_nfc(from_path))
            return Resolution(own, via="self") if own else Resolution(None)
        name = without_suffix(_nfc(target.strip()).replace("\\", "/"))
        dotted = name.startswith(("./", "../"))
        if dotted or relative_first:
            joined = _join(_nfc(from_path), name)
            if joined and (found := self._at(joined, "relative")):
                return found
        if dotted:
            name = "/".join(part for part in name.split("/") if part not in (".", ".."))
        return self._by_name(name) or self._by_alias(target) or Resolution(None)

    def by_id(self, name: str) -> Resolution:
        """The note with this id, or which calls itself so in its frontmatter."""
        entry_id = parse_uuid(name)
        ids = self._ids()
        return Resolution(ids.get(str(entry_id)) if entry_id else ids.get(name), via="id")

    def _by_name(self, name: str) -> Resolution | None:
        plain = name.strip("/")
        if "/" in name and (found := self._at(plain, "path")):
            return found
        if name.startswith("/"):
            return None
        ending = self._ends.get(fold(plain), [])
        if not ending:
            return None
        best = _as_written([note for note in ending if note.folded == ending[0].folded], plain)
        several = ending[-1].folded != ending[0].folded or best is None
        via: Via = "suffix" if "/" in plain else "stem"
        return _meant(best or ending[0], several, via)

    def _at(self, path: str, via: Via) -> Resolution | None:
        """The note at exactly this path; of names that differ in case only, the one written."""
        folded = fold(path)
        same = [note for note in self._ends.get(folded, []) if note.folded == folded]
        if not same:
            return None
        best = _as_written(same, path)
        return _meant(best or same[0], best is None, via)

    def _by_alias(self, target: str) -> Resolution | None:
        named = self._aliases.get(fold(target.strip()))
        if not named:
            return None
        return Resolution(named[0], len(named) > 1, "alias", self._raw.get(named[0], ""))


def link_names(target: str, from_path: str) -> frozenset[str]:
    """The names that decide what a link's target means, as they are compared.

    A note that goes by none of these names (see :func:`note_names`) can come, go or move without
    changing what the target means.
    """
    name = without_suffix(_nfc(target.strip()).replace("\\", "/"))
    joined = _join(_nfc(from_path), name) or ""
    ends = (fold(path.strip("/").rpartition("/")[2]) for path in (name, joined))
    return frozenset((*ends, fold(target.strip())))


def note_names(path: str, aliases: Iterable[str]) -> frozenset[str]:
    """The names by which links can mean a note: of its file, and its other ones."""
    own = fold(without_suffix(_nfc(path)).rpartition("/")[2])
    return frozenset((own, *(fold(alias.strip()) for alias in aliases)))


def _meant(note: _Note, ambiguous: bool, via: Via) -> Resolution:
    return Resolution(note.entry_id, ambiguous, via, note.raw)


def _note(path: str, entry_id: UUID) -> _Note:
    raw = without_suffix(path)
    return _Note(raw, fold(raw), entry_id, _rank((path, entry_id)))


def _ends(folded: str) -> Iterator[str]:
    """A path and what is left of it when its first folders are left out."""
    while folded:
        yield folded
        folded = folded.partition("/")[2]


def _keep(lists: dict[str, list[_T]], name: str, kept: list[_T]) -> None:
    if kept:
        lists[name] = kept
    else:
        del lists[name]


def _nfc(name: str) -> str:
    return normalize("NFC", name)


def _rank(item: tuple[str, UUID]) -> _Rank:
    """Root first, then the shortest path, then by name: never by which was known first."""
    path = without_suffix(item[0])
    return min(path.count("/"), 1), len(path), path, item[0]


def _as_written(notes: list[_Note], name: str) -> _Note | None:
    """The only note of a list, or the one whose path ends exactly as written."""
    if len(notes) == 1:
        return notes[0]
    exact = [note for note in notes if note.raw == name or note.raw.endswith(f"/{name}")]
    return exact[0] if len(exact) == 1 else None


def _join(from_path: str, name: str) -> str | None:
    """``name`` relative to the folder of ``from_path``; ``None`` when it leaves the source."""
    parts = [] if name.startswith("/") else from_path.split("/")[:-1]
    for part in name.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
