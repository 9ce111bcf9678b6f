"""What is printed: one JSON document, or tables and colour on a terminal, or plain text."""

import json
import os
import sys
import unicodedata
from collections.abc import Generator, Sequence
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    from rich.console import Console

Span = tuple[str, str]
"""A text and its rich style."""

GAP: Final = "  "


_results: ContextVar[TextIO | None] = ContextVar("damals_results", default=None)


def standard_output() -> TextIO:
    """Where results go: standard output, also inside :func:`results_alone`."""
    return _results.get() or sys.stdout


@contextmanager
def results_alone() -> Generator[None]:
    """Keep standard output for results: whatever else is printed goes to standard error.

    A library that logs or prints must not spoil the one JSON document.
    """
    token = _results.set(sys.stdout)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _results.reset(token)


def put(text: str, stream: TextIO | None = None) -> None:
    """Write a line to a stream, standard output by default."""
    (stream or standard_output()).write(f"{text}\n")


def print_json(document: object) -> None:
    """Print one JSON document on standard output."""
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    # Bytes of a path that are no UTF-8 are surrogates here, and escapes in JSON.
    put(text.encode("utf-8", "backslashreplace").decode("utf-8"))


def clean(text: str) -> str:
    """Text that a terminal only shows: control characters but line feeds become ``�``.

    What is stored may come from anywhere, and an escape sequence could rewrite the screen.
    """
    return "".join(_visible(char) for char in text.replace("\r\n", "\n").expandtabs(4))


def _visible(char: str) -> str:
    if char == "\n" or char.isprintable():
        return char
    category = unicodedata.category(char)
    if category == "Cs":
        return char.encode("ascii", "backslashreplace").decode("ascii")
    kept = category in {"Zs", "Cf", "Co", "Cn"} and char not in _BIDI
    return char if kept else "\N{REPLACEMENT CHARACTER}"


_BIDI: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""They reorder what stands around them."""


def clean_line(text: str) -> str:
    """As :func:`clean`, on one line."""
    return " ".join(clean(text).split())


def open_closed_streams() -> None:
    """Let output that the caller has closed go nowhere, instead of failing at the first line."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123 -- stays open to the end


def prefer_utf8() -> None:
    """Print UTF-8 whatever the locale says; what cannot be encoded is shown as an escape."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")


def is_terminal(stream: TextIO) -> bool:
    """Whether people look at this stream."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _console(stream: TextIO) -> "Console":
    from rich.console import Console  # noqa: PLC0415 -- plain output goes without

    return Console(file=stream, highlight=False, emoji=False)


class Screen:
    """Lines and tables for people: coloured on a terminal, plain text otherwise."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or standard_output()
        self._console = _console(self._stream) if is_terminal(self._stream) else None

    def line(self, *parts: str | Span) -> None:
        """One line (or a text of several) of plain and styled parts."""
        spans = [(part, "") if isinstance(part, str) else part for part in parts]
        shown = [(clean(text), style) for text, style in spans]
        if self._console is None:
            put("".join(text for text, _ in shown), self._stream)
            return
        from rich.text import Text  # noqa: PLC0415 -- as above

        self._console.print(Text.assemble(*shown), soft_wrap=True)

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """A table; cells are kept on one line when it is plain text."""
        if self._console is not None:
            self._rich_table(headers, rows)
            return
        cells = [[clean_line(cell) for cell in row] for row in (headers, *rows)]
        widths = [max(len(row[i]) for row in cells) for i in range(len(headers))]
        for row in cells:
            padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            put(GAP.join(padded).rstrip(), self._stream)

    def _rich_table(self, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        from rich.box import SIMPLE_HEAD  # noqa: PLC0415 -- as above
        from rich.table import Table  # noqa: PLC0415 -- as above
        from rich.text import Text  # noqa: PLC0415 -- as above

        table = Table(box=SIMPLE_HEAD, header_style="bold cyan", pad_edge=False)
        for header in headers:
            table.add_column(header, overflow="fold")
        for row in rows:
            table.add_row(*(Text(clean(cell)) for cell in row))
        if self._console is not None:
            self._console.print(table)
