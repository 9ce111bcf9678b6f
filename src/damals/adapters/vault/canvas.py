"""JSON Canvas (``.canvas``): cards and arrows as a note with links.

Source of the format: https://jsoncanvas.org/spec/1.0/. A canvas has no text of its own, so one is
made of it, always the same of the same cards: those in no group, what stands on the arrows, then
each group under its label. Cards come from top to bottom, those with headings of their own last, so
that none stands under the heading of another. A file is the embed that it is, a web page its
address. Offsets of links count in that text.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from unicodedata import normalize

from damals.adapters.vault.links import find_links
from damals.adapters.vault.markdown import may_have_headings, plain_text
from damals.app.source_model import Arrow, Link
from damals.app.vault.file_kinds import NOTES, without_suffix
from damals.domain.entries import Json
from damals.domain.errors import InvalidInput

MAX_PAIRS: Final = 1_000_000
"""Cards times groups up to which it is looked up which card lies in which group."""
MAX_NAME: Final = 60
"""Characters of a card's text by which an arrow names it."""

_LINKED: Final = (*NOTES, ".pdf")
_SHOWN_BY: Final = {"text": "text", "file": "file", "link": "url", "group": "label"}
_FARTHEST: Final = 1e15
"""Pixels from the middle up to which places are told apart."""


@dataclass(frozen=True, slots=True)
class Canvas:
    """What a canvas says.

    Attributes:
        text: made of its cards and of what stands on its arrows.
        links: of the text cards, and one embed for each file card of a note, in order.
        tags: of the text cards, as often as they stand there.
        arrows: those between file cards of notes, each once.
        unread: how many cards and arrows could not be read.
    """

    text: str
    links: tuple[Link, ...]
    tags: tuple[str, ...]
    arrows: tuple[Arrow, ...]
    unread: int


@dataclass(frozen=True, slots=True)
class _Card:
    """A node.

    Attributes:
        text: what it shows: its text, address, label, or the path of its file without suffix.
        fragment: heading or block of the file, ``#`` included.
        linked: it shows a note, or what may become one.
    """

    id: str
    kind: str
    box: tuple[float, float, float, float]
    text: str
    fragment: str = ""
    linked: bool = False

    @property
    def place(self) -> tuple[bool, float, float, str]:
        """Those without headings first, from top to bottom, then from left to right."""
        headed = self.kind == "text" and may_have_headings(self.text)
        return (headed, self.box[1], self.box[0], self.id)

    @property
    def area(self) -> float:
        """How much room it takes."""
        return self.box[2] * self.box[3]

    def holds(self, other: "_Card") -> bool:
        """Whether the middle of another card lies in this one."""
        (x, y, width, height), (left, top, wide, high) = self.box, other.box
        middle = (left + wide / 2, top + high / 2)
        return x <= middle[0] <= x + width and y <= middle[1] <= y + height

    def name(self) -> str:
        """How an arrow calls it."""
        if self.linked or self.kind == "file":
            return self.text.rpartition("/")[2]
        lines = self.text.strip().split("\n", 1)
        return plain_text(lines[0].lstrip("# "))[:MAX_NAME].strip()


@dataclass(frozen=True, slots=True)
class _Drawn:
    """An edge: from which card to which, and what stands on it."""

    start: _Card
    end: _Card
    label: str


def read_canvas(source: str, path: str) -> Canvas:
    """Read the JSON of a canvas; a new one is an empty file.

    Args:
        source: text of the file.
        path: of the file, for the message.

    Raises:
        InvalidInput: ``vault.canvas`` or ``vault.canvas_shape`` when it is no canvas.
    """
    document = _document(source, path)
    nodes, edges = (_listed(document, name, path) for name in ("nodes", "edges"))
    cards: dict[str, _Card] = {}
    for node in nodes:
        card = _card(node)
        if card is not None:
            cards.setdefault(card.id, card)
    drawn = [one for one in (_drawn(edge, cards) for edge in edges) if one is not None]
    text = _Text()
    text.write(list(cards.values()), drawn)
    arrows = (
        Arrow(one.start.text, one.end.text, one.label)
        for one in drawn
        if one.start.linked and one.end.linked
    )
    return Canvas(
        text="".join(text.parts),
        links=tuple(text.links),
        tags=tuple(text.tags),
        arrows=tuple(dict.fromkeys(arrows)),
        unread=len(nodes) - len(cards) + len(edges) - len(drawn),
    )


def _document(source: str, path: str) -> Mapping[str, Json]:
    if not source.strip():
        return {}
    try:
        document: Json = json.loads(source)
    except json.JSONDecodeError as error:
        values = {"path": path, "line": error.lineno, "problem": error.msg}
        raise InvalidInput("vault.canvas", **values) from error
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits, 100,000 brackets
        raise InvalidInput("vault.canvas", path=path, line=1, problem=str(error)) from error
    if not isinstance(document, dict):
        raise InvalidInput("vault.canvas_shape", path=path, part="{…}")
    return document


def _listed(document: Mapping[str, Json], name: str, path: str) -> Sequence[Json]:
    found = document.get(name)
    if found is None:
        return []
    if not isinstance(found, list):
        raise InvalidInput("vault.canvas_shape", path=path, part=f"{name}: […]")
    return found


def _card(node: Json) -> _Card | None:
    """A node as a card; ``None`` for what is none."""
    if not isinstance(node, dict):
        return None
    name, kind = node.get("id"), node.get("type")
    if not isinstance(name, str) or not isinstance(kind, str) or kind not in _SHOWN_BY:
        return None
    text = node.get(_SHOWN_BY[kind], "" if kind == "group" else None)
    if not isinstance(text, str):
        return None
    x, y, width, height = (_number(node.get(side)) for side in ("x", "y", "width", "height"))
    card = _Card(name, kind, (x, y, width, height), _sound(text))
    return _file_card(card, node.get("subpath")) if kind == "file" else card


def _file_card(card: _Card, subpath: Json) -> _Card:
    path = " ".join(normalize("NFC", card.text).replace("\\", "/").split("\n")).strip("/ ")
    name = without_suffix(path)
    fragment = _sound(subpath) if isinstance(subpath, str) and subpath.startswith("#") else ""
    fragment = "" if "\n" in fragment else fragment
    return replace(card, text=name, fragment=fragment, linked=path.lower().endswith(_LINKED))


def _number(value: Json) -> float:
    number = isinstance(value, int | float)
    return float(value) if number and -_FARTHEST < value < _FARTHEST else 0.0


def _sound(text: str) -> str:
    r"""Text with ``\n`` as its only line end, without NUL and halves of characters."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _drawn(edge: Json, cards: Mapping[str, _Card]) -> _Drawn | None:
    """An edge, in the direction in which it points; ``None`` for what is none."""
    if not isinstance(edge, dict):
        return None
    ends = [edge.get("fromNode"), edge.get("toNode")]
    start, end = (cards.get(one) if isinstance(one, str) else None for one in ends)
    if start is None or end is None:
        return None
    if edge.get("fromEnd") == "arrow" and edge.get("toEnd") == "none":
        start, end = end, start
    label = edge.get("label")
    return _Drawn(start, end, " ".join(_sound(label).split()) if isinstance(label, str) else "")


@dataclass(slots=True)
class _Text:
    """Puts the text together; what one card leaves open ends with it, for links and tags."""

    parts: list[str] = field(default_factory=list[str])
    links: list[Link] = field(default_factory=list[Link])
    tags: list[str] = field(default_factory=list[str])
    _length: int = 0
    _line: int = 1

    def write(self, cards: Sequence[_Card], drawn: Sequence[_Drawn]) -> None:
        """Write everything, in the order that the module describes."""
        groups = [card for card in cards if card.kind == "group" and card.text.strip()]
        inside: dict[str, list[_Card]] = {}
        for card in cards:
            if card.kind != "group":
                group = _innermost(card, groups) if len(cards) * len(groups) < MAX_PAIRS else None
                inside.setdefault(group.id if group else "", []).append(card)
        loose = sorted(inside.get("", ()), key=lambda card: card.place)
        plain = [card for card in loose if not card.place[0]]
        self._cards(plain)
        named = [
            f"- {one.start.name()} → {one.end.name()}: {one.label}" for one in drawn if one.label
        ]
        self._part("\n".join(sorted(dict.fromkeys(named))))
        self._cards(loose[len(plain) :])
        for group in sorted(groups, key=lambda card: card.place):
            self._part("# " + " ".join(group.text.split()))
            self._cards(sorted(inside.get(group.id, ()), key=lambda card: card.place))

    def _cards(self, cards: Iterable[_Card]) -> None:
        for card in cards:
            if card.kind == "file":
                self._file(card)
            else:
                start, line = self._part(card.text.strip("\n"))
                if card.kind == "text":
                    self._found(card.text.strip("\n"), start, line)

    def _file(self, card: _Card) -> None:
        written = f"![[/{card.text}{card.fragment}]]"
        start, line = self._part(written)
        if card.linked:
            fragment = card.fragment[1:] or None
            end = start + len(written)
            self.links.append(Link(f"/{card.text}", fragment, True, start, end, line))

    def _found(self, text: str, start: int, line: int) -> None:
        found = find_links(text, line)
        self.links += [
            replace(link, start=link.start + start, end=link.end + start) for link in found.links
        ]
        self.tags += found.tags

    def _part(self, text: str) -> tuple[int, int]:
        """Add a part, an empty line before it; returns its offset and line."""
        if not text.strip():
            return self._length, self._line
        if self.parts:
            self._add("\n\n")
        place = (self._length, self._line)
        self._add(text)
        return place

    def _add(self, text: str) -> None:
        self.parts.append(text)
        self._length += len(text)
        self._line += text.count("\n")


def _innermost(card: _Card, groups: Iterable[_Card]) -> _Card | None:
    """The smallest group that a card lies in."""
    around = [group for group in groups if group.holds(card)]
    return min(around, key=lambda group: (group.area, group.id)) if around else None
