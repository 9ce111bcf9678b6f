"""The cache of vectors: what is kept, what is forgotten, and what damage does."""

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from damals.adapters.embedders import store as store_module
from damals.adapters.embedders.store import VectorKey, VectorStore
from damals.domain.errors import Unavailable

NEEDLE = b"needle-of-a-forgotten-vector-" * 40


def key(lookup: bytes, workspace: str = "privat", version: str = "1") -> VectorKey:
    return VectorKey(workspace, lookup, "model", version)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "vectors.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[VectorStore]:
    opened = VectorStore(path)
    yield opened
    opened.close()


def everything_on_disk(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(path.parent.iterdir()))


def test_what_was_put_is_got_and_the_rest_is_left_out(store: VectorStore):
    store.put_many({key(b"a"): b"1234", key(b"b"): b"5678"})
    assert store.get_many([key(b"b"), key(b"c")]) == {key(b"b"): b"5678"}


def test_vectors_of_other_workspaces_and_versions_are_strangers(store: VectorStore):
    store.put_many({key(b"a"): b"1234"})
    assert store.get_many([key(b"a", "beruf"), key(b"a", version="2")]) == {}


def test_putting_again_replaces(store: VectorStore):
    store.put_many({key(b"a"): b"1234"})
    store.put_many({key(b"a"): b"5678"})
    assert store.get_many([key(b"a")]) == {key(b"a"): b"5678"}


def test_vectors_outlive_the_process(store: VectorStore, path: Path):
    store.put_many({key(b"a"): b"1234"})
    store.close()
    other = VectorStore(path)
    assert other.get_many([key(b"a")]) == {key(b"a"): b"1234"}
    other.close()


def test_closing_twice_is_harmless(store: VectorStore):
    store.put_many({})
    store.close()
    store.close()


def test_two_stores_on_one_file_see_each_other(store: VectorStore, path: Path):
    other = VectorStore(path)
    store.put_many({key(b"a"): b"1234"})
    other.put_many({key(b"b"): b"5678"})
    assert len(store.get_many([key(b"a"), key(b"b")])) == 2
    other.close()


def test_threads_share_a_store(store: VectorStore):
    def work(number: int) -> None:
        for step in range(20):
            store.put_many({key(f"{number}-{step}".encode()): b"1234"})

    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    wanted = [key(f"{number}-{step}".encode()) for number in range(4) for step in range(20)]
    assert len(store.get_many(wanted)) == 80


class TestForgetting:
    def test_it_takes_every_version_of_the_named_texts_only(self, store: VectorStore):
        mine, newer, other = key(b"a"), key(b"a", version="2"), key(b"a", "beruf")
        store.put_many({mine: b"1", newer: b"2", other: b"3", key(b"b"): b"4"})
        assert store.forget("privat", [b"a", b"never put"]) == 2
        assert store.get_many([mine, newer, other, key(b"b")]) == {other: b"3", key(b"b"): b"4"}

    def test_nothing_of_it_is_left_in_the_files(self, store: VectorStore, path: Path):
        store.put_many({key(bytes([number])): NEEDLE for number in range(50)})
        assert NEEDLE in everything_on_disk(path)
        store.forget("privat", [bytes([number]) for number in range(50)])
        assert b"needle" not in everything_on_disk(path)

    def test_an_open_reader_is_reported(
        self, store: VectorStore, path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr(store_module, "_BUSY_MS", 10)
        monkeypatch.setattr(store_module, "_CHECKPOINT_PAUSE_S", 0)
        store.put_many({key(b"a"): NEEDLE})
        reader = sqlite3.connect(path, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM vector").fetchall()
        with pytest.raises(Unavailable) as caught:
            store.forget("privat", [b"a"])
        assert caught.value.key == "embed.cache_busy"
        reader.close()
        assert store.forget("privat", [b"a"]) == 0
        assert b"needle" not in everything_on_disk(path)

    def test_a_damaged_file_set_aside_goes_too(self, path: Path):
        path.parent.mkdir()
        path.write_bytes(b"not a database at all, but " + NEEDLE)
        store = VectorStore(path)
        assert store.get_many([key(b"a")]) == {}
        assert NEEDLE in everything_on_disk(path)
        store.forget("privat", [b"a"])
        assert b"needle" not in everything_on_disk(path)
        store.close()


class TestDamage:
    def test_a_file_that_is_no_database_is_set_aside_with_a_warning(self, path: Path):
        path.parent.mkdir()
        path.write_bytes(b"garbage" * 1000)
        store = VectorStore(path)
        with capture_logs() as logs:
            assert store.get_many([key(b"a")]) == {}
        assert [entry["event"] for entry in logs] == ["vector_cache.damaged"]
        store.put_many({key(b"a"): b"1234"})
        assert store.get_many([key(b"a")]) == {key(b"a"): b"1234"}
        store.close()

    def test_a_file_of_another_shape_is_set_aside(self, path: Path):
        path.parent.mkdir()
        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE vector (something TEXT)")
        other.close()
        store = VectorStore(path)
        store.put_many({key(b"a"): b"1234"})
        store.put_many({key(b"a"): b"1234"})
        assert store.get_many([key(b"a")]) == {key(b"a"): b"1234"}
        store.close()

    def test_whatever_page_is_damaged_no_wrong_vector_is_given(
        self, store: VectorStore, path: Path
    ):
        vectors = {key(bytes([number])): bytes([number]) * 1536 for number in range(40)}
        store.put_many(vectors)
        store.forget("privat", [])
        store.close()
        intact = path.read_bytes()
        for page in range(0, len(intact), 4096):
            path.write_bytes(intact[:page] + b"\xa5" * 2048 + intact[page + 2048 :])
            damaged = VectorStore(path)
            assert damaged.get_many(vectors).items() <= vectors.items()
            damaged.put_many(vectors)
            damaged.close()

    def test_one_flipped_byte_makes_a_row_missing(self, store: VectorStore, path: Path):
        store.put_many({key(b"a"): NEEDLE, key(b"b"): b"1234"})
        store.forget("privat", [])
        store.close()
        path.write_bytes(path.read_bytes().replace(NEEDLE[:20], b"N" + NEEDLE[1:20], 1))
        assert store.get_many([key(b"a"), key(b"b")]) == {key(b"b"): b"1234"}
