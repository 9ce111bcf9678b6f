"""The lines of a frontmatter: which field takes which, and how one is changed alone.

A YAML library that writes what it has read rewrites more than was asked for: widths, quotes,
indentation, what it takes for comments. Here only the place of a value is taken from YAML; the
characters in that place are exchanged, and all others stay.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from damals.adapters.vault.annotate_scalar import Style, bare, scalar
from damals.app.annotating_model import Value

if TYPE_CHECKING:
    from types import ModuleType

_HASHED_LIST: Final = re.compile(r"^(?:tags?)[ \t]*:[ \t]*\[[^\[\]\n\"']*\][ \t]*$", re.IGNORECASE)
_HIDDEN: Final = re.compile(r"[ \t]+(#[^\s#].*?)[ \t]*$")
_BLOCK_STYLES: Final = ("|", ">")
_COMMENT: Final = re.compile(r"(?:^|[ \t])#")


class NotByLines(Exception):
    """A field cannot be changed without touching others."""


@dataclass(slots=True)
class Node:
    """A value and where it stands: lines and columns from 0, the end exclusive."""

    kind: str
    start: tuple[int, int]
    end: tuple[int, int]
    text: str = ""
    style: str | None = None
    flow: bool = False
    items: list["Node"] = field(default_factory=list["Node"])

    @property
    def on_one_line(self) -> bool:
        """Whether it can be exchanged within its line."""
        return self.start[0] == self.end[0] and self.style not in _BLOCK_STYLES

    def last_line(self) -> int:
        """The last line on which something of it stands."""
        if self.kind == "scalar" and self.style in _BLOCK_STYLES:
            return max(self.end[0] - (self.end[1] == 0), self.start[0])
        if self.kind == "scalar" or self.flow or not self.items:
            return self.end[0] if self.kind == "scalar" or self.flow else self.start[0]
        return max(item.last_line() for item in self.items)


@dataclass(frozen=True, slots=True)
class Item:
    """A field of the block: its key, its value and its lines, both included."""

    key: Node
    value: Node
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Block:
    """The lines of a frontmatter without the rules around them, and the end of new lines."""

    lines: tuple[str, ...]
    line_end: str

    def items(self) -> list[Item]:
        """The fields in order.

        Raises:
            NotByLines: it is no mapping in block style.
        """
        bare_lines = [_without_end(line) for line in self.lines]
        root = _tree("\n".join(map(_readable, bare_lines)))
        if root is None:
            return []
        if root.kind != "mapping" or root.flow:
            raise NotByLines
        pairs = zip(root.items[::2], root.items[1::2], strict=True)
        return [self._item(key, value, bare_lines) for key, value in pairs]

    @staticmethod
    def _item(key: Node, value: Node, lines: Sequence[str]) -> Item:
        last = max(value.last_line(), key.end[0])
        while last > key.start[0] and not lines[last].strip():
            last -= 1
        return Item(key, value, key.start[0], last)

    def without(self, item: Item) -> "Block":
        """Without a field."""
        return self._spliced(item.first, item.last + 1, ())

    def changed(self, item: Item, value: Value) -> "Block":
        """With another value of a field.

        Raises:
            NotByLines: there are comments within a value that has to go as a whole.
        """
        if value.items is None:
            return self._with_scalar(item, value.text, Style(plain=value.plain))
        if item.value.kind == "list" and not item.value.flow:
            return self._with_block_list(item, value.items)
        if item.value.kind == "list" and item.value.on_one_line:
            old = {bare(self._raw(one)): self._raw(one) for one in item.value.items}
            return self._exchanged(item, self._flow(value.items, old))
        if item.value.kind == "scalar":
            return self._with_list_for_scalar(item, value)
        return self._as_whole(item, self._flow(value.items, {}))

    def added(self, name: str, value: Value) -> "Block":
        """With another field behind all others."""
        items = self.items()
        indent = " " * (items[0].key.start[1] if items else 0)
        head = f"{indent}{scalar(name, Style())}:"
        if value.items is None:
            new = [f"{head} {scalar(value.text, Style(plain=value.plain))}"]
        else:
            like = next((one.value for one in items if one.value.kind == "list"), None)
            new = self._new_list(head, value.items, indent, like)
        end = len(self.lines)
        return self._spliced(end, end, new)

    def _new_list(
        self, head: str, items: Sequence[str], indent: str, like: Node | None
    ) -> list[str]:
        if not items or (like is not None and like.flow):
            return [f"{head} {self._flow(items, {})}"]
        dash = f"{indent}  " if like is None else " " * like.start[1]
        return [head, *(f"{dash}- {scalar(one, Style())}" for one in items)]

    def _with_scalar(self, item: Item, text: str, style: Style) -> "Block":
        node = item.value
        if not node.on_one_line:
            return self._as_whole(item, scalar(text, style))
        quote = node.style if node.kind == "scalar" and node.style in ("'", '"') else None
        return self._exchanged(item, scalar(text, replace(style, quote=quote)))

    def _with_list_for_scalar(self, item: Item, value: Value) -> "Block":
        items = value.items or ()
        old = self._raw(item.value)
        if len(items) == 1:
            return self._with_scalar(item, items[0], Style())
        if value.commas and "," in old and items and not any("," in one for one in items):
            known = {bare(part): part.strip() for part in old.strip("'\"").split(",")}
            joined = ", ".join(known.get(one, one) for one in items)
            return self._with_scalar(item, joined, Style())
        if not item.value.on_one_line:
            return self._as_whole(item, self._flow(items, {}))
        return self._exchanged(item, self._flow(items, {}))

    def _with_block_list(self, item: Item, items: Sequence[str]) -> "Block":
        """Lines of what stays are kept, with their comments; new ones come behind them."""
        children = item.value.items
        own_lines = [one.start[0] for one in children]
        plain = all(one.kind == "scalar" and one.on_one_line for one in children)
        if not items or not plain or len(set(own_lines)) < len(own_lines):
            return self._as_whole(item, self._flow(items, {}))
        left = list(items)
        kept: list[int] = []
        for line, child in zip(own_lines, children, strict=True):
            name = bare(self._raw(child))
            if name in left:
                left.remove(name)
                kept.append(line)
        pad = re.match(r"[ \t]*", self.lines[own_lines[0]])
        dash = f"{pad[0] if pad else ''}- "
        if own_lines[0] == item.first:
            raise NotByLines
        gone = set(own_lines) - set(kept)
        stays = [self.lines[line] for line in range(item.first, item.last + 1) if line not in gone]
        new = [f"{dash}{scalar(one, Style())}" for one in left]
        return self._spliced(item.first, item.last + 1, new, before=stays)

    def _as_whole(self, item: Item, written: str) -> "Block":
        """A value of several lines makes room for one of a single line."""
        lines = [_without_end(one) for one in self.lines[item.first : item.last + 1]]
        literal = item.value.kind == "scalar" and item.value.style is not None
        if not literal and any(_COMMENT.search(line) for line in lines):
            raise NotByLines
        head = self._head(item)
        return self._spliced(item.first, item.last + 1, [f"{head} {written}"])

    def _head(self, item: Item) -> str:
        line, column = item.key.end
        found = re.match(r"[ \t]*:", self.lines[line][column:])
        if line != item.first or found is None:
            raise NotByLines
        return self.lines[line][: column + found.end()]

    def _exchanged(self, item: Item, written: str) -> "Block":
        """One line with other characters in the place of the value."""
        number = item.value.start[0]
        line, end = _without_end(self.lines[number]), self.lines[number]
        ending = end[len(line) :]
        start, stop = item.value.start[1], item.value.end[1]
        if item.value.kind == "scalar" and start == stop:
            head = self._head(item)
            hidden = _HIDDEN.match(line[len(head) :])
            tail = "" if hidden else line[len(head) :]
            made = f"{head} {written}{tail}"
        else:
            made = f"{line[:start]}{written}{line[stop:]}"
        lines = (*self.lines[:number], made + ending, *self.lines[number + 1 :])
        return replace(self, lines=lines)

    def _flow(self, items: Sequence[str], old: dict[str, str]) -> str:
        inside = Style(flow=True)
        return f"[{', '.join(old.get(one) or scalar(one, inside) for one in items)}]"

    def _raw(self, node: Node) -> str:
        """The characters of a value, also of one that YAML takes for a comment."""
        line = _without_end(self.lines[node.start[0]])
        if node.start == node.end:
            hidden = _HIDDEN.match(line[node.end[1] :])
            return hidden[1] if hidden else ""
        return line[node.start[1] : node.end[1]] if node.on_one_line else node.text

    def _spliced(
        self, start: int, stop: int, new: Sequence[str], before: Sequence[str] = ()
    ) -> "Block":
        made = (*before, *(line + self.line_end for line in new))
        return replace(self, lines=(*self.lines[:start], *made, *self.lines[stop:]))


def _without_end(line: str) -> str:
    return line.rstrip("\r\n")


def _readable(line: str) -> str:
    """``tags: [#a, #b]`` is no YAML, but what people write: here only the places count."""
    return line.replace("#", "_") if _HASHED_LIST.match(line) else line


@lru_cache(maxsize=1)
def _yaml() -> "ModuleType":
    import yaml  # noqa: PLC0415 -- a command that annotates nothing does not pay for it

    return yaml


def _tree(text: str) -> Node | None:
    yaml: Any = _yaml()
    try:
        # The same parser as an import's, in whose eyes a few more texts are YAML.
        return _built(yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except yaml.YAMLError as error:
        raise NotByLines from error


def _built(events: Iterator[Any]) -> Node | None:
    """The first document, without recursion."""
    stack: list[Node] = []
    for event in events:
        kind = type(event).__name__
        if kind in ("SequenceStartEvent", "MappingStartEvent"):
            name = "list" if kind == "SequenceStartEvent" else "mapping"
            stack.append(Node(name, *_marks(event), flow=bool(event.flow_style)))
            continue
        if kind in ("SequenceEndEvent", "MappingEndEvent"):
            node = stack.pop()
            node.end = (event.end_mark.line, event.end_mark.column)
        elif kind == "ScalarEvent":
            node = Node("scalar", *_marks(event), text=event.value, style=event.style)
        elif kind == "AliasEvent":
            node = Node("alias", *_marks(event), flow=True)
        else:
            continue
        if not stack:
            return node
        stack[-1].items.append(node)
    return None


def _marks(event: Any) -> tuple[tuple[int, int], tuple[int, int]]:  # noqa: ANN401 -- PyYAML has no types
    start, end = event.start_mark, event.end_mark
    return (start.line, start.column), (end.line, end.column)
