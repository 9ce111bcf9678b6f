"""An index that is deleted or damaged, loudly or silently: it is found, and made again."""

import os
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from faulty_homes import answers, check, doctor, opened
from own_embedder import WordsOfEight

from damals.app.indexing import Projector
from damals.local import LocalDamals


@pytest.fixture(autouse=True)
def _apart(monkeypatch):
    monkeypatch.setenv("DAMALS_INDEX_MODE", "worker")  # damage may end the process of the engine


Damage = Callable[[Path], object]


def files(home: Path, part: str = "") -> list[Path]:
    found = sorted(one for one in (home / "index").rglob("*") if one.is_file())
    return [
        one for one in found if part in str(one) and one.stat().st_size and one.suffix != ".lock"
    ]


def largest(home: Path, part: str) -> Path:
    return max(files(home, part), key=lambda one: one.stat().st_blocks)


def flip(path: Path, share: float = 0.02) -> None:
    """Change bytes that are not zero, here and there: the size stays, nothing else tells."""
    content = bytearray(path.read_bytes())
    chance = random.Random(len(content))
    used = [place for place, byte in enumerate(content) if byte]
    for place in chance.sample(used, min(len(used), max(1, int(len(used) * share)))):
        content[place] ^= 0xFF
    path.write_bytes(content)


def cut(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def zero(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def every(home: Path, part: str, harm: Callable[[Path], object]) -> None:
    for path in files(home, part):
        harm(path)


def projector_of(memory: LocalDamals) -> Projector:
    """What fills the index in use."""
    search = memory.opened.search("default")
    return search._projector()  # noqa: SLF001 -- damage goes where nobody else does


def loses_a_point(home: Path) -> None:
    with opened(home) as memory:
        index = projector_of(memory).index
        index.delete([next(iter(index.ids()))])


def says_other_words(home: Path) -> None:
    """The same ids and counts, other words: as after bytes that changed in silence."""
    with opened(home) as memory:
        projector = projector_of(memory)
        item = next(one for one in projector.ledger.outbox("another", 1) if one.opened)
        point = next(iter(projector._points(item)))  # noqa: SLF001 -- as above
        words = projector.lexical.passage("etwas ganz anderes")
        projector.index.upsert([replace(point, lexical=words)])
        projector.index.flush()


def has_another_vector(home: Path) -> None:
    with opened(home) as memory:
        index = projector_of(memory).index
        index.set_vectors({next(iter(index.ids())): WordsOfEight().passage("x y z")})
        index.flush()


WAYS: dict[str, Damage] = {
    "the folder is gone": lambda home: shutil.rmtree(home / "index"),
    "the folder is a file": lambda home: (
        shutil.rmtree(home / "index"), (home / "index").write_text("x")),
    "the shard is gone": lambda home: shutil.rmtree(next((home / "index").glob("edge-*"))),
    "the pointer is gone": lambda home: (home / "index" / "current").unlink(missing_ok=True),
    "the pointer is garbage": lambda home: (home / "index" / "current").write_bytes(os.urandom(9)),
    "the pointer is nowhere": lambda home: (home / "index" / "current").write_text("edge-77"),
    "the note of its making is gone": lambda home: every(home, "made-with", Path.unlink),
    "it was made with something else": lambda home: every(
        home, "made-with", lambda path: path.write_text("other")),
    "the settings are cut": lambda home: every(home, ".json", cut),
    "the settings are gone": lambda home: every(home, "edge_config", Path.unlink),
    "the log is gone": lambda home: shutil.rmtree(
        next((home / "index").rglob("wal")), ignore_errors=True),
    "the log is zeros": lambda home: every(home, "/wal/", zero),
    "the segments are gone": lambda home: every(home, "/segments/", Path.unlink),
    "one segment is gone": lambda home: shutil.rmtree(
        next(one for one in (home / "index").rglob("segments/*") if one.is_dir())),
    "vectors are flipped": lambda home: flip(largest(home, "vector_storage"), 0.2),
    "vectors are zeros": lambda home: every(home, "vector_storage", zero),
    "payloads are flipped": lambda home: flip(largest(home, "payload_storage")),
    "payloads are cut": lambda home: every(home, "payload_storage", cut),
    "ids are flipped": lambda home: every(home, "id_tracker", flip),
    "everything is flipped": lambda home: every(home, "", flip),
    "everything is empty": lambda home: every(home, "", lambda path: path.write_bytes(b"")),
    "a point is lost": loses_a_point,
    "a point says other words": says_other_words,
    "a point has another vector": has_another_vector,
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_a_damaged_index_is_found_and_made_again(way, home):
    before = answers(home)
    WAYS[way](home)
    found = doctor(home)
    if found.ok:  # it was noticed when it was opened, and made again there and then
        assert answers(home) == before
    else:
        assert not check(found, "index").ok, found
        assert check(found, "index").repair == "damals doctor --repair"
    mended = doctor(home, repair=True)
    assert check(mended, "index").ok, mended
    assert answers(home) == before
