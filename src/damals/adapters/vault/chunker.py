"""Cutting a text into chunks along its headings and blocks."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from damals.adapters.vault.markdown import (
    Heading,
    Lines,
    headings,
    may_have_headings,
    parse_blocks,
)
from damals.adapters.vault.sentences import sentence_ranges
from damals.domain.chunks import Chunk, Head

if TYPE_CHECKING:
    from markdown_it.token import Token

FULL: Final = 1_200
"""Characters from which on a chunk takes nothing more."""
LIMIT: Final = 1_500
"""Characters that a chunk of several blocks, and any sentence, never exceeds."""
WHOLE: Final = 3_000
"""Characters up to which code, a table, a formula or a callout stays in one piece."""

MOST_REPEATED: Final = 500
"""Characters up to which the head of a table is repeated."""

_KEPT_WHOLE: Final = frozenset(
    ["fence", "code_block", "table_open", "math_block", "blockquote_open"]
)
_BY_LINE: Final = frozenset(["fence", "code_block", "table_open", "math_block"])
_CONTAINERS: Final = frozenset(
    ["blockquote_open", "bullet_list_open", "ordered_list_open", "list_item_open"]
)
_INDENT: Final = re.compile(r"[ \t]*")
_CODE_INDENT: Final = re.compile(r" {0,3}\t| {4}")


class _Piece(NamedTuple):
    """A range that is packed as one; ``alone`` ones begin a new chunk.

    ``head`` is the head of the table that it belongs to, as a range.
    """

    start: int
    end: int
    alone: bool = False
    head: tuple[int, int] | None = None


class _Block(NamedTuple):
    """A block: its type, its lines, and its tokens (the children are between them)."""

    kind: str
    first: int
    end: int
    opened: int
    closed: int


@dataclass(frozen=True, slots=True)
class _Section:
    """Text between two headings: ``heading`` is its path, ``start``/``end`` offsets of the text."""

    heading: tuple[str, ...]
    ordinal: int
    first: int
    end: int
    headline: Heading | None = None
    leaf: bool = True


class MarkdownChunker:
    """Cuts Markdown into chunks (a ``Chunker``).

    A chunk never reaches over a heading. Whole blocks are packed until a chunk is :data:`FULL`;
    longer ones are cut by item, line or sentence, at last by length. Every character that is
    neither blank nor of a heading is in exactly one chunk.
    """

    def split(self, text: str) -> Sequence[Chunk]:
        """The chunks of a text in order; one empty chunk for a text without any.

        An innermost section of nothing but its heading is one chunk, its heading line: "§ 7
        (weggefallen)" is knowledge too.
        """
        # A text of one chunk is the same chunk without the parser, which is slow to load.
        short = len(text) <= FULL and not may_have_headings(text)
        if short and text and not text[0].isspace():
            whole = text.rstrip()
            return [Chunk((), 0, 0, 0, len(whole), 1, whole)]
        lines = Lines(text)
        if short:
            sections = [_Section((), 0, 0, len(lines.starts))]
            pieces = [[_Piece(0, len(text))]]
        else:
            tokens = parse_blocks(text)
            sections = _sections(tokens, len(lines.starts))
            pieces = _Cutter(text, lines, tokens).pieces(sections)
        chunks = [
            chunk
            for section, parts in zip(sections, pieces, strict=True)
            for chunk in _section_chunks(text, lines, section, parts)
        ]
        return chunks or [Chunk((), 0, 0, 0, 0, 1, "")]


def _sections(tokens: Sequence["Token"], line_count: int) -> list[_Section]:
    found = list(headings(tokens))
    seen: dict[tuple[str, ...], int] = {(): 1}
    path: list[Heading] = []
    sections = [_Section((), 0, 0, found[0].first if found else line_count)]
    for index, heading in enumerate(found):
        following = found[index + 1] if index + 1 < len(found) else None
        while path and path[-1].level >= heading.level:
            path.pop()
        path.append(heading)
        name = tuple(part.text for part in path)
        ordinal = seen.get(name, 0)
        seen[name] = ordinal + 1
        end = following.first if following else line_count
        leaf = following is None or following.level <= heading.level
        sections.append(_Section(name, ordinal, heading.end, end, heading, leaf))
    return sections


def _section_chunks(
    text: str, lines: Lines, section: _Section, pieces: list[_Piece]
) -> list[Chunk]:
    chunks = list(_pack(text, lines, section, pieces))
    headline = section.headline
    if chunks or headline is None or not section.leaf:
        return chunks
    line = _Piece(lines.offset(headline.first), lines.offset(headline.end))
    return list(_pack(text, lines, section, [line]))


class _Cutter:
    """Cuts the blocks of one text into pieces."""

    def __init__(self, text: str, lines: Lines, tokens: Sequence["Token"]) -> None:
        self._text = text
        self._lines = lines
        self._tokens = tokens

    def pieces(self, sections: Sequence[_Section]) -> list[list[_Piece]]:
        """The pieces of each section, in order, without gaps but blanks."""
        titles = {section.headline.first for section in sections if section.headline}
        outermost = self._children(0, len(self._tokens))
        blocks = [block for block in outermost if block.first not in titles]
        result: list[list[_Piece]] = []
        index = 0
        for section in sections:
            inside: list[_Block] = []
            while index < len(blocks) and blocks[index].first < section.end:
                inside.append(blocks[index])
                index += 1
            result.append(list(self._partition(inside, section.first, section.end)))
        return result

    def _children(self, opened: int, closed: int) -> Iterator[_Block]:
        """The outermost blocks among the tokens ``opened`` to ``closed``."""
        position = opened
        while position < closed:
            token = self._tokens[position]
            start = position
            if token.nesting > 0:
                position += 1
                while self._tokens[position].level > token.level:
                    position += 1
            position += 1
            if token.map:
                yield _Block(token.type, token.map[0], token.map[1], start, position)

    def _partition(self, blocks: Sequence[_Block], first: int, end: int) -> Iterator[_Piece]:
        """Pieces of the lines ``first`` to ``end``; each block reaches to the next one."""
        if not blocks:
            yield from self._leaf("text", self._lines.offset(first), self._lines.offset(end))
            return
        for index, block in enumerate(blocks):
            begin = first if index == 0 else block.first
            stop = blocks[index + 1].first if index + 1 < len(blocks) else end
            yield from self._block(block, begin, stop)

    def _block(self, block: _Block, first: int, end: int) -> Iterator[_Piece]:
        start, stop = self._lines.offset(first), self._lines.offset(end)
        size = len(self._text[start:stop].rstrip())
        if size <= LIMIT:
            yield _Piece(start, stop)
        elif size <= WHOLE and block.kind in _KEPT_WHOLE:
            yield _Piece(start, stop, alone=True)
        elif block.kind in _CONTAINERS:
            children = list(self._children(block.opened + 1, block.closed - 1))
            yield from self._partition(children, first, end)
        elif block.kind == "table_open":
            head = (self._lines.offset(block.first), self._lines.offset(block.first + 2))
            short = head[1] - head[0] <= MOST_REPEATED
            for piece in self._leaf(block.kind, start, stop):
                yield piece._replace(head=head) if short else piece
        else:
            yield from self._leaf(block.kind, start, stop)

    def _leaf(self, kind: str, start: int, end: int) -> Iterator[_Piece]:
        if end - start <= LIMIT:
            yield _Piece(start, end)
        elif kind in _BY_LINE:
            yield from self._by_line(start, end)
        else:
            for sentence in sentence_ranges(self._text, start, end):
                yield from _by_length(self._text, *sentence)

    def _by_line(self, start: int, end: int) -> Iterator[_Piece]:
        """Rows of a table or lines of code; the first ones do not join what stands before."""
        alone = True
        line = self._lines.number(start)
        while start < end:
            stop = min(self._lines.offset(line), end)
            for piece in _by_length(self._text, start, stop):
                yield piece._replace(alone=alone)
                alone = False
            start, line = stop, line + 1


def _by_length(text: str, start: int, end: int) -> Iterator[_Piece]:
    while end - start > LIMIT:
        cut = _last_gap(text, start + LIMIT // 2, start + LIMIT)
        yield _Piece(start, cut)
        start = cut
    yield _Piece(start, end)


def _last_gap(text: str, low: int, high: int) -> int:
    """Behind the last blank of ``text[low:high]``, else between two whole characters."""
    for position in range(high, low, -1):
        if text[position - 1].isspace():
            return position
    for position in range(high, high - 32, -1):
        joins = unicodedata.combining(text[position]) or text[position] in "\u200d\ufe0f"
        if not joins and text[position - 1] != "\u200d":
            return position
    return high


def _pack(text: str, lines: Lines, section: _Section, pieces: list[_Piece]) -> Iterator[Chunk]:
    for ordinal, (start, end, head) in enumerate(_packed(text, pieces)):
        place = (section.heading, section.ordinal, ordinal)
        repeated = head and Head(*head, text[slice(*head)].rstrip())
        yield Chunk(*place, start, end, lines.number(start), text[start:end], repeated)


def _packed(text: str, pieces: list[_Piece]) -> Iterator[tuple[int, int, tuple[int, int] | None]]:
    """Ranges of the chunks of one section, without the blanks around them, and their heads."""
    start = end = 0
    head: tuple[int, int] | None = None
    for piece in pieces:
        # Trimmed first: blank lines neither fill a chunk nor make one.
        trimmed = _trim(text, piece)
        if trimmed is None:
            continue
        if end > start and (piece.alone or end - start >= FULL or trimmed[1] - start > LIMIT):
            yield start, end, head
            start = end
        if end == start:
            start = trimmed[0]
            head = piece.head if piece.head and piece.head[1] <= start else None
        end = trimmed[1]
    if end > start:
        yield start, end, head


def _trim(text: str, piece: _Piece) -> tuple[int, int] | None:
    """The range without blanks; the indentation of code stays."""
    raw = text[piece.start : piece.end]
    body = raw.lstrip()
    if not body:
        return None
    start = piece.end - len(body)
    line = max(text.rfind("\n", piece.start, start), text.rfind("\r", piece.start, start)) + 1
    if line == 0 and (piece.start == 0 or text[piece.start - 1] in "\r\n"):
        line = piece.start
    if line and _CODE_INDENT.match(text, line, start):
        start = line
    return start, piece.start + len(raw.rstrip())
