"""The text of an entry, to be read and to be quoted from: by the lines that its source counts.

Read, it is Markdown, block by block; each block knows its lines. Quoted, it is its lines as they
stand, with what is quoted marked to the character.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Final

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

from damals.interfaces.web.marking import LOWEST, MAX_CHARS, PAGE_LEVELS, SCHEMES, TAGS

LINK: Final = re.compile(r"\[\[([^\[\]|#\n]+)(#[^\[\]|\n]*)?(?:\|([^\[\]\n]*))?\]\]")
"""A link of a vault to another note: ``[[Note#Heading|as it reads]]``."""

_QUOTE: Final = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a text that is read as one: a paragraph, a list, a table.

    Attributes:
        first, last: its lines as the source counts them.
        html: what browsers show; safe.
    """

    first: int
    last: int
    html: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a text as it stands.

    Attributes:
        number: as the source counts it.
        before, marked, after: its parts; ``marked`` is quoted.
    """

    number: int
    before: str
    marked: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """Characters ``start`` to ``end`` of a text."""

    start: int
    end: int


def quote_of(text: str | None, content: str) -> Quote | None:
    """What an address says is quoted (``12-80``); ``None`` for nothing, or what is not there."""
    found = _QUOTE.fullmatch((text or "").strip())
    if found is None:
        return None
    start, end = int(found[1]), min(int(found[2]), len(content))
    return Quote(start, end) if start < end else None


def lines(content: str, first: int, quote: Quote | None = None) -> tuple[Line, ...]:
    """The lines of a text.

    Args:
        content: the text.
        first: number of its first line in its source.
        quote: what is marked.
    """
    return tuple(_lines(content, first, quote or Quote(0, 0)))


def _lines(content: str, first: int, quote: Quote) -> Iterator[Line]:
    offset = 0
    for number, whole in enumerate(content.split("\n"), first):
        start = min(max(quote.start - offset, 0), len(whole))
        end = min(max(quote.end - offset, 0), len(whole))
        yield Line(number, whole[:start], whole[start:end], whole[end:])
        offset += len(whole) + 1


def blocks(content: str, first: int, links: Mapping[str, str]) -> tuple[Block, ...]:
    """The text as Markdown, block by block; what is too long is one block, as it stands.

    Args:
        content: the text.
        first: number of its first line in its source.
        links: where ``[[names]]`` lead to, by name in lower case: addresses of this server.
    """
    if len(content) > MAX_CHARS:
        return (Block(first, first + content.count("\n"), f"<pre>{escape(content)}</pre>"),)
    parser, env = _parser(), dict[str, object]()
    tokens = parser.parse(content, env)
    found: list[Block] = []
    for part in _parts(tokens):
        for token in part:
            _link(token, links)
            if token.type in ("heading_open", "heading_close"):
                token.tag = f"h{min(int(token.tag[1]) + PAGE_LEVELS, LOWEST)}"
        html = _clean(parser.renderer.render(part, parser.options, env), links)
        span = part[0].map or [0, 1]
        found.append(Block(first + span[0], first + max(span[1] - 1, span[0]), html))
    return tuple(found)


@cache
def _parser() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False, "linkify": False})
    made.enable(["table", "strikethrough"])
    return made.disable(["image", "html_block", "html_inline"])


def _parts(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Tokens of one block after the other: those that begin at no other's depth."""
    part: list[Token] = []
    depth = 0
    for token in tokens:
        part.append(token)
        depth += token.nesting
        if depth == 0:
            yield part
            part = []


def _link(token: Token, links: Mapping[str, str]) -> None:
    """Let names in double brackets lead to the entries that they name."""
    if token.type != "inline" or not token.children or "[[" not in token.content:
        return
    made: list[Token] = []
    for child in token.children:
        made += _linked(child, links) if child.type == "text" else [child]
    token.children = made


def _linked(child: Token, links: Mapping[str, str]) -> Iterator[Token]:
    place = 0
    for found in LINK.finditer(child.content):
        target = links.get(found[1].strip().casefold())
        if target is None:
            continue
        yield _text(child.content[place : found.start()])
        yield Token("link_open", "a", 1, attrs={"href": target})
        yield _text(found[3] or found[1].strip() + (found[2] or ""))
        yield Token("link_close", "a", -1)
        place = found.end()
    yield _text(child.content[place:])


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _clean(html: str, links: Mapping[str, str]) -> str:
    """No markup but that of texts, and no link but to pages, mail and entries."""
    own = frozenset(links.values())

    def kept(tag: str, name: str, value: str) -> str | None:
        del tag
        if name != "href" or value in own:
            return value
        return value if value.partition(":")[0].lower() in SCHEMES and ":" in value else None

    return nh3.clean(
        html,
        tags=set(TAGS),
        attributes={"a": {"href", "title"}, "ol": {"start"}},
        attribute_filter=kept,
        url_schemes=set(SCHEMES),
        link_rel="noopener noreferrer nofollow ugc",
    )
