"""Lines of any length, in any pieces, and both ends given back."""

import os
import subprocess
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damals.app.errors import InvalidInput
from damals.interfaces.mcp.pages import page, read_cursor, write_cursor
from damals.interfaces.mcp.wire import Lines

MOST = 50


def heard(pieces: list[bytes]) -> list[bytes]:
    """The lines that come of what is written in pieces."""
    reading, writing = os.pipe()
    got: list[bytes] = []
    ended = threading.Event()
    lines = Lines(reading, MOST, waiting=2)

    def give(line: bytes | None) -> None:
        if line is None:
            ended.set()
        else:
            got.append(line)
            lines.taken()

    lines.start(give)
    for piece in pieces:
        os.write(writing, piece)
    os.close(writing)
    assert ended.wait(30)
    os.close(reading)
    return got


@settings(max_examples=30, deadline=None)
@given(st.lists(st.binary(max_size=120).map(lambda b: b.replace(b"\n", b"")), max_size=6),
       st.integers(1, 200))  # fmt: skip
def test_lines_come_whole_however_they_are_cut_and_long_ones_are_skipped(
    lines: list[bytes], size: int
):
    text = b"".join(line + b"\n" for line in lines)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    expected = [b"" if len(line) > MOST else line or b" " for line in lines]
    assert heard(pieces) == expected


def test_a_last_line_without_its_end_counts():
    assert heard([b"a\nb"]) == [b"a", b"b"]


def test_the_ends_are_given_back_and_printing_meanwhile_goes_to_standard_error():
    program = (
        "import os, sys\n"
        "from damals.interfaces.mcp.wire import held\n"
        "with held() as wire:\n"
        "    os.write(1, b'stray\\n')\n"
        "    os.write(wire.outgoing, b'protocol\\n')\n"
        "    assert sys.stdin.read() == ''\n"
        "    assert os.read(wire.incoming, 100) == b'said'\n"
        "print('afterwards')\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], input=b"said", capture_output=True, timeout=60, check=False
    )
    assert ran.stdout == b"protocol\nafterwards\n", ran.stderr
    assert ran.stderr == b"stray\n"


@given(st.lists(st.integers(), max_size=30), st.integers(1, 7))
@settings(max_examples=50)
def test_pages_are_the_whole_in_order(items: list[int], limit: int):
    got: list[int] = []
    place: int | None = 0
    while place is not None:
        part = page(items, place, limit)
        assert len(part.items) <= limit
        got += part.items
        cursor = write_cursor(part.next, meant="x")
        place = None if cursor is None else read_cursor(cursor)[0]
    assert got == items


@pytest.mark.parametrize(
    "cursor", ["", "x", "e30", "eyJuIjotMX0", "eyJuIjoxLCJhIjoyfQ", "ä", "WzFd"]
)
def test_a_cursor_that_was_not_made_here_is_refused(cursor: str):
    with pytest.raises(InvalidInput) as refused:
        read_cursor(cursor)
    assert refused.value.key == "mcp.cursor"
