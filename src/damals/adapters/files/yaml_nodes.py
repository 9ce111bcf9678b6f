"""YAML as a tree that knows its lines.

Built from PyYAML's events (C parser where there is one), not with a constructor: every scalar stays
the text that was written, no tag makes an object, and depth, size and aliases are bounded before
anything is made of them.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from damals.domain.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_DEPTH: Final = 10
MAX_NODES: Final = 50_000
MAX_ALIASES: Final = 100

_NULLS: Final = frozenset(["", "~", "null", "Null", "NULL"])


class _Mark(Protocol):
    line: int


class _Event(Protocol):
    """An event of PyYAML, which has no types of its own; not every kind has every attribute."""

    start_mark: _Mark
    value: str
    style: str | None
    tag: str | None
    anchor: str | None


@dataclass(frozen=True, slots=True)
class Node:
    """A value and the line, from 1, at which it begins.

    Attributes:
        text: of a scalar, as written.
        quoted: it was written in quotes, so it is a text whatever it looks like.
        items: of a list; ``None`` for what is none.
        pairs: keys and values of a mapping, repeated keys included; ``None`` for what is none.
    """

    line: int
    text: str = ""
    quoted: bool = False
    items: "list[Node] | None" = None
    pairs: "list[tuple[Node, Node]] | None" = None

    @property
    def scalar(self) -> bool:
        """Whether it is neither list nor mapping."""
        return self.items is None and self.pairs is None

    @property
    def null(self) -> bool:
        """Whether it says nothing."""
        return self.scalar and not self.quoted and self.text in _NULLS

    @property
    def shown(self) -> str:
        """As it is named in a message."""
        if self.items is not None:
            return "[…]"
        return "{…}" if self.pairs is not None else self.text


def read_nodes(text: str, path: str) -> Node | None:
    """The one document of a text; ``None`` when it holds nothing.

    Raises:
        InvalidInput: ``types.yaml`` for what is no YAML, ``types.limits`` for what is too deep or
            too large; with ``path`` and ``line``.
    """
    import yaml  # noqa: PLC0415 -- what needs no types does not pay for it

    # The library has no types of its own.
    parse: Callable[..., Iterator[_Event]] = getattr(yaml, "parse")  # noqa: B009 -- as above
    builder = _Builder(path)
    try:
        for event in parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            builder.add(event)
    except yaml.YAMLError as error:
        mark: _Mark | None = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else text.count("\n", 0, getattr(error, "position", 0)) + 1
        reason = str(getattr(error, "problem", None) or getattr(error, "reason", "YAML"))
        raise InvalidInput("types.yaml", path=path, line=line, reason=reason) from error
    return builder.document


class _Builder:
    def __init__(self, path: str) -> None:
        self.document: Node | None = None
        self._path = path
        self._open: list[tuple[Node, str | None]] = []
        self._keys: list[Node | None] = []
        self._anchors: dict[str, Node] = {}
        self._nodes = 0
        self._aliases = 0

    def add(self, event: _Event) -> None:
        kind = type(event).__name__
        line = event.start_mark.line + 1
        if kind in ("SequenceStartEvent", "MappingStartEvent", "ScalarEvent"):
            self._count(line)
            if event.tag and event.tag != "!":
                raise InvalidInput("types.yaml", path=self._path, line=line, reason=event.tag)
        if kind == "SequenceStartEvent":
            self._begin(Node(line, items=[]), event.anchor)
        elif kind == "MappingStartEvent":
            self._begin(Node(line, pairs=[]), event.anchor)
        elif kind in ("SequenceEndEvent", "MappingEndEvent"):
            node, anchor = self._open.pop()
            self._keys.pop()
            self._put(node, anchor)
        elif kind == "ScalarEvent":
            self._put(Node(line, event.value, quoted=bool(event.style)), event.anchor)
        elif kind == "AliasEvent":
            self._put(self._alias(event, line), None)

    def _begin(self, node: Node, anchor: str | None) -> None:
        if len(self._open) >= MAX_DEPTH:
            raise InvalidInput("types.limits", path=self._path, line=node.line)
        self._open.append((node, anchor))
        self._keys.append(None)

    def _alias(self, event: _Event, line: int) -> Node:
        self._aliases += 1
        if self._aliases > MAX_ALIASES:
            raise InvalidInput("types.limits", path=self._path, line=line)
        # An anchor is known once it is closed, so nothing can hold itself.
        node = self._anchors.get(event.anchor or "")
        if node is None:
            reason = f"*{event.anchor}"
            raise InvalidInput("types.yaml", path=self._path, line=line, reason=reason)
        return node

    def _put(self, node: Node, anchor: str | None) -> None:
        if anchor:
            self._anchors[anchor] = node
        if not self._open:
            if self.document is not None:
                raise InvalidInput("types.yaml", path=self._path, line=node.line, reason="---")
            self.document = node
            return
        top = self._open[-1][0]
        if top.items is not None:
            top.items.append(node)
        elif (key := self._keys[-1]) is None:
            self._keys[-1] = node
        elif top.pairs is not None:
            top.pairs.append((key, node))
            self._keys[-1] = None

    def _count(self, line: int) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise InvalidInput("types.limits", path=self._path, line=line)
