"""What stands in front of a link as the name of a relation.

Shape alone decides nothing: German nouns are capitalised and lists begin with words, so a label is
only a candidate; whether a relation has that name is for the import to say.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

MAX_PREFIX: Final = 200
"""Characters of a line in which its label must end."""

_NAME: Final = r"[^\W\d_][\w-]{0,59}(?:[ ][\w-]{1,60}){0,3}"
_ITEM: Final = r"[ \t>]*[-*+][ \t]+"
_LINE_FIELD: Final = re.compile(
    rf"(?:{_ITEM}|[ \t>]*\d{{1,9}}[.)][ \t]+|[ \t>]*)[*_]{{0,3}}(?P<name>{_NAME})[*_]{{0,3}}::"
    r"[*_]{0,3}[ \t]+"
)
_LIST_LABEL: Final = re.compile(rf"{_ITEM}(?P<name>{_NAME})[ \t]+")
_INLINE: Final = re.compile(
    rf"(?P<open>[\[(])(?:[ \t]*[*_]{{0,3}}(?P<name>{_NAME})[*_]{{0,3}}::[*_]{{0,3}}[ \t]+)?"
    r"|(?P<close>[\])])"
)
_BETWEEN: Final = re.compile(r"[ \t]*(?:[,;&+/]|(?:und|and|sowie)\b)?[ \t]*")
_BEHIND: Final = re.compile(
    r"(?:\((?:[^()\n]|\([^()\n]*+\))*+\)|\^[\w-]++|\#[^\s\#]++|%%[^%\n]*+%%|<!--(?:(?!-->)[^\n])*+-->"
    r"|[.,;]|[ \t]++)*+"
)
_CLOSED_BY: Final = {"]": "[", ")": "("}

Span = tuple[int, int]


def labels(body: str, links: Sequence[Span]) -> list[str | None]:
    """The label of each link, as written, or ``None``.

    Three ways of writing have one: ``name:: [[a]], [[b]]`` on a line (each link of it),
    ``[name:: [[a]]]`` and ``(name:: [[a]])`` (each link inside), and the list item
    ``- name [[a]], [[b]]`` of which nothing is left over: a sentence that goes on is no relation.

    Args:
        body: the text.
        links: start and end of each link, in order.
    """
    found: list[str | None] = [None] * len(links)
    for first, end in _by_line(body, links):
        start = body.rfind("\n", 0, links[first][0]) + 1
        stop = body.find("\n", links[end - 1][1])
        line = (start, len(body) if stop < 0 else stop)
        found[first:end] = _of_line(body, line, links[first:end])
    return found


def _by_line(body: str, links: Sequence[Span]) -> Iterator[Span]:
    """Ranges of links that stand on one line."""
    first = 0
    for index in range(1, len(links) + 1):
        if index == len(links) or body.find("\n", links[index - 1][0], links[index][0]) >= 0:
            yield first, index
            first = index


def _of_line(body: str, line: Span, links: Sequence[Span]) -> list[str | None]:
    plain: list[str | None] = [None] * len(links)
    head = min(links[0][0], line[0] + MAX_PREFIX)
    if body.find("::", *line) >= 0:
        match = _LINE_FIELD.match(body, line[0], head)
        whole = _name(match) if match else None
        return [name or whole for name in _Inline(body, line, links).labels()]
    match = _LIST_LABEL.match(body, line[0], head)
    if match is None or match.end() != links[0][0] or body[links[0][0]] != "[":
        return plain
    count = _listed(body, links)
    behind = _BEHIND.match(body, links[count - 1][1], line[1])
    if behind is None or behind.end() != line[1]:
        return plain
    return [_name(match)] * count + plain[count:]


def _listed(body: str, links: Sequence[Span]) -> int:
    """How many links of a list item stand in one row."""
    count = 1
    while count < len(links):
        between = _BETWEEN.fullmatch(body, links[count - 1][1], links[count][0])
        if between is None:
            break
        count += 1
    return count


def _name(match: re.Match[str]) -> str:
    """A name as written; underscores around it are emphasis."""
    return match["name"].rstrip("_")


@dataclass(slots=True)
class _Bracket:
    """An open bracket, with the links in it that no bracket inside has labelled."""

    kind: str
    name: str | None
    links: list[int] = field(default_factory=list[int])

    def take(self, links: list[int]) -> None:
        """Take over links; the shorter list is copied, so that deep nesting stays cheap."""
        if len(links) > len(self.links):
            self.links, links = links, self.links
        self.links += links


class _Inline:
    """Finds the inline fields of a line, brackets matched from the inside out."""

    def __init__(self, body: str, line: Span, links: Sequence[Span]) -> None:
        self._found: list[str | None] = [None] * len(links)
        self._open = [_Bracket("", None)]
        self._depth = {"[": 0, "(": 0}
        index = 0
        for match in _INLINE.finditer(body, *line):
            while index < len(links) and links[index][0] <= match.start():
                self._open[-1].links.append(index)
                index += 1
            if match["close"]:
                self._close(_CLOSED_BY[match["close"]])
            else:
                name = _name(match) if match["name"] else None
                self._open.append(_Bracket(match["open"], name))
                self._depth[match["open"]] += 1

    def labels(self) -> list[str | None]:
        """The name of the innermost field around each link."""
        return self._found

    def _close(self, kind: str) -> None:
        """Close the last open bracket of this kind; those that are still open in it are text."""
        closed = self._depth[kind] == 0
        while not closed:
            top = self._open.pop()
            self._depth[top.kind] -= 1
            closed = top.kind == kind
            if closed and top.name is not None:
                for index in top.links:
                    self._found[index] = top.name
            else:
                self._open[-1].take(top.links)
