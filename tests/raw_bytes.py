"""Looking for texts in files byte by byte, with nothing of the code that is tested."""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

BLOCK_BYTES = 1 << 16
FRAGMENT = 24
APART = 1_500
"""How far pieces of a text lie apart: each page of a file that holds some of it is found."""


def forms(text: str) -> Iterator[bytes]:
    """A text as it may stand in a file."""
    yield text.encode("utf-8")
    yield text.encode("utf-16-le")
    yield text.encode("utf-16-be")
    yield json.dumps(text)[1:-1].encode()


def filled(path: Path) -> bytes:
    """The bytes of a file without its holes, and without blocks of nothing but zeros."""
    parts: list[bytes] = []
    with path.open("rb") as file:
        size, at = os.fstat(file.fileno()).st_size, 0
        while at < size:
            try:
                at = os.lseek(file.fileno(), at, os.SEEK_DATA)
            except OSError:
                break
            end = os.lseek(file.fileno(), at, os.SEEK_HOLE)
            file.seek(at)
            while at < end and (block := file.read(min(BLOCK_BYTES, end - at))) != b"":
                at += len(block)
                if block.count(0) != len(block):
                    parts.append(block)
    return b"".join(parts)


def found(folder: Path, texts: Iterable[str]) -> list[tuple[str, str]]:
    """File and text of every place below a folder where a text, or a part of it, stands."""
    wanted = {
        (text, form[at : at + FRAGMENT])
        for text in texts
        for form in forms(text)
        for at in range(0, max(len(form) - FRAGMENT, 0) + 1, APART)
    }
    return sorted(
        {
            (path.relative_to(folder).as_posix(), text)
            for path in folder.rglob("*")
            if path.is_file()
            for data in [filled(path)]
            for text, form in wanted
            if form in data
        }
    )


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    """Rows of a ledger's file."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()
