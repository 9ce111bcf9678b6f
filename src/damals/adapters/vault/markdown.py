"""Block structure of Markdown: tokens with line numbers, headings, and line offsets.

Only blocks are parsed. Inline syntax is read by ``links.py`` straight from the source, since
markdown-it keeps no offsets of inline tokens.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.ruler import RuleOptionsType
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

MAX_NESTING: Final = 100
"""Deeper lists and quotes are text of the innermost one that is still read."""

MAX_HEADING: Final = 1_000
"""Characters up to which a line is a heading; a longer one is a paragraph."""

_LINE_END: Final = re.compile(r"\r\n?|\n")
_HEADING_START: Final = re.compile(r"(?:^|[\r\n])[ \t]*(?:#|[=-]+[ \t]*(?:[\r\n]|$))")
_WIKILINK: Final = re.compile(r"!?\[\[([^\[\]|\n]*)(?:\|([^\[\]\n]*))?\]\]")
_LINK: Final = re.compile(r"!?\[([^\[\]]*)\]\([^()\n]*\)")
_MARKUP: Final = re.compile(
    r"\*+|`+|~~|==|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)|\s\^[\w-]+$|\\(?=[!-/:-@\[-`{-~])"
)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading outside any list or quote.

    Attributes:
        level: 1 to 6.
        text: what it says, without markup.
        first, end: its lines, from 0, end excluded.
    """

    level: int
    text: str
    first: int
    end: int


class Lines:
    r"""Offsets of the lines of a text; a line ends at ``\n``, ``\r\n`` or ``\r``."""

    def __init__(self, text: str) -> None:
        self.starts: Final = [0, *(match.end() for match in _LINE_END.finditer(text))]
        self._length: Final = len(text)

    def offset(self, line: int) -> int:
        """Where ``line`` (from 0) begins; the text's end behind the last."""
        return self.starts[line] if line < len(self.starts) else self._length

    def number(self, offset: int) -> int:
        """Number, from 1, of the line at ``offset``."""
        return bisect_right(self.starts, offset)


@lru_cache(maxsize=1)
def parse_blocks(text: str) -> Sequence["Token"]:
    """Block tokens of a text, to be read only. The last are kept: reader and chunker share them."""
    return tuple(_parser().parse(text))


def may_have_headings(text: str) -> bool:
    """A cheap test without false negatives."""
    # Most facts have none of these signs: to look for one is quicker than to begin at each place.
    if not ("#" in text or "=" in text or "-" in text):
        return False
    return _HEADING_START.search(text) is not None


def headings(tokens: Sequence["Token"]) -> Iterator[Heading]:
    """The headings that part a text into sections, in order."""
    for index, token in enumerate(tokens):
        if token.type != "heading_open" or token.level or not token.map:
            continue
        content = tokens[index + 1].content
        # A rule drawn under a paragraph or a drawn table makes no title of it.
        if "\n" not in content and len(content) <= MAX_HEADING:
            yield Heading(int(token.tag[1]), plain_text(content), token.map[0], token.map[1])


def first_title(body: str) -> str | None:
    """The first heading of level one, else the first heading that says anything."""
    if not may_have_headings(body):
        return None
    found = [heading for heading in headings(parse_blocks(body)) if heading.text]
    top = next((heading for heading in found if heading.level == 1), None)
    best = top or (found[0] if found else None)
    return best.text if best else None


def plain_text(markdown: str) -> str:
    """A heading as it is read: links by what they show, no emphasis, no block name."""
    if "[" in markdown:
        markdown = _WIKILINK.sub(lambda match: (match[2] or match[1]).strip(), markdown)
        markdown = _LINK.sub(r"\1", markdown)
    return " ".join(_MARKUP.sub("", markdown).split())


@lru_cache(maxsize=1)
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - a short fact is cut without it
    from markdown_it.rules_block import blockquote, list_block  # noqa: PLC0415 - as above

    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("table")
    # A reference definition is text here: nothing of a note may be lost between two blocks.
    parser.disable(["reference", "inline"])
    interrupts: RuleOptionsType = {"alt": ["paragraph", "blockquote", "list"]}
    ruler = parser.block.ruler
    ruler.before("fence", "math_block", _math_block, interrupts)
    # What is nested too deep for the library is text that nobody reads, and with it, in a list, all
    # that follows. So no list and no quote begins at that depth.
    ruler.at("list", _unless_deep(list_block), {"alt": ["paragraph", "blockquote"]})
    quote: RuleOptionsType = {"alt": ["paragraph", "blockquote", "list"]}
    ruler.at("blockquote", _unless_deep(blockquote), quote)
    return parser


_Rule = Callable[["StateBlock", int, int, bool], bool]


def _unless_deep(rule: _Rule) -> _Rule:
    def bounded(state: "StateBlock", first: int, end: int, silent: bool) -> bool:
        return state.level < MAX_NESTING - 2 and rule(state, first, end, silent)

    return bounded


def _math_block(state: "StateBlock", first: int, end: int, silent: bool) -> bool:
    """``$$`` … ``$$`` up to a line that ends with ``$$``, without blank lines between."""
    start = state.bMarks[first] + state.tShift[first]
    if not state.src.startswith("$$", start) or state.is_code_block(first):
        return False
    # A search that met no end before a blank line fails for every line it has passed.
    if first < state.env.get("math_fails_before", 0):
        return False
    line = first
    opening = state.src[start + 2 : state.eMarks[first]].rstrip()
    if "$$" in opening and not opening.endswith("$$"):
        return False
    while not (opening.endswith("$$") if line == first else _ends_math(state, line)):
        line += 1
        if line >= end or state.isEmpty(line) or state.sCount[line] < state.blkIndent:
            state.env["math_fails_before"] = line
            return False
    if not silent:
        token = state.push("math_block", "math", 0)
        token.map = [first, line + 1]
        state.line = line + 1
    return True


def _ends_math(state: "StateBlock", line: int) -> bool:
    return state.src[state.bMarks[line] : state.eMarks[line]].rstrip().endswith("$$")
