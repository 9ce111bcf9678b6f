"""HTML as a tree, read strictly: what is not closed as it was opened is no page of ours."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source",
     "track", "wbr")
)  # fmt: skip
SIMPLE = re.compile(
    r"(?P<tag>[a-zA-Z][\w-]*|\*)|#(?P<id>[\w-]+)|\.(?P<name>[\w-]+)"
    r"|\[(?P<attr>[\w:-]+)(?:(?P<how>[~^$*]?)=\"?(?P<value>[^\"\]]*)\"?)?\]"
)


@dataclass(eq=False)
class Node:
    """An element. Its children are elements and texts."""

    tag: str
    attrs: dict[str, str] = field(default_factory=dict)
    children: "list[Node | str]" = field(default_factory=list)
    parent: "Node | None" = None

    def __getitem__(self, name: str) -> str:
        return self.attrs[name]

    def __contains__(self, name: str) -> bool:
        return name in self.attrs

    @property
    def text(self) -> str:
        """All it says, on one line."""
        return " ".join(self.raw.split())

    @property
    def raw(self) -> str:
        """All it says, as it stands."""
        said = (one if isinstance(one, str) else one.raw for one in self.children)
        return "".join(said)

    def walk(self) -> "Iterator[Node]":
        """It and all below, in their order."""
        yield self
        for one in self.children:
            if isinstance(one, Node):
                yield from one.walk()

    def all(self, selector: str) -> "list[Node]":
        """What is below it and is meant: tags, ids, classes, attributes, descendants, commas."""
        ways = [_steps(one) for one in selector.split(",")]
        found = (one for one in self.walk() if one is not self)
        return [one for one in found if any(_meant(one, steps) for steps in ways)]

    def one(self, selector: str) -> "Node":
        """The only one that is meant."""
        found = self.all(selector)
        assert len(found) == 1, f"{len(found)} of {selector!r} in <{self.tag}>: {self.text[:300]}"
        return found[0]

    def texts(self, selector: str) -> list[str]:
        """What each that is meant says."""
        return [one.text for one in self.all(selector)]


def _steps(selector: str) -> list[list[dict[str, str | None]]]:
    steps = []
    for word in re.findall(r"(?:\[[^\]]*\]|\S)+", selector):
        parts, at = [], 0
        while at < len(word):
            part = SIMPLE.match(word, at)
            assert part, f"not a selector: {word!r}"
            parts.append(part.groupdict())
            at = part.end()
        steps.append(parts)
    return steps


def _meant(node: Node, steps: list[list[dict[str, str | None]]]) -> bool:
    if not _is(node, steps[-1]):
        return False
    above, left = node.parent, steps[:-1]
    while left and above is not None:
        if _is(above, left[-1]):
            left = left[:-1]
        above = above.parent
    return not left


def _is(node: Node, parts: list[dict[str, str | None]]) -> bool:
    return all(_has(node, part) for part in parts)


def _has(node: Node, part: dict[str, str | None]) -> bool:
    if part["tag"]:
        return part["tag"] in ("*", node.tag)
    if part["id"] or part["name"]:
        own = node.attrs.get("class", "").split()
        return node.attrs.get("id") == part["id"] if part["id"] else part["name"] in own
    told, value = node.attrs.get(part["attr"] or ""), part["value"]
    if told is None or value is None:
        return told is not None
    return HOWS[part["how"] or ""](told, value)


HOWS: dict[str, Callable[[str, str], bool]] = {
    "": str.__eq__,
    "^": str.startswith,
    "$": str.endswith,
    "*": str.__contains__,
    "~": lambda told, word: word in told.split(),
}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = self.at = Node("")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Node(tag, {name: value or "" for name, value in attrs}, parent=self.at)
        assert len(made.attrs) == len(attrs), f"<{tag}> says an attribute twice"
        self.at.children.append(made)
        if tag not in VOID:
            self.at = made

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.at.tag == tag, f"</{tag}> closes <{self.at.tag}> at {self.getpos()}"
        assert self.at.parent is not None
        self.at = self.at.parent

    def handle_data(self, data: str) -> None:
        self.at.children.append(data)


def tree_of(html: str) -> Node:
    """The root of a page, or of a part of one."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert reader.at is reader.root, f"<{reader.at.tag}> is not closed"
    return reader.root
