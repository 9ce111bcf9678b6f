"""The shard in this process: what is refused, what survives, what the files are."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import qdrant_edge as qe
from edge_points import DIMENSION, EVERYTHING, QUESTION, a_point, an_id, settings, vector

from damals.adapters.edge import engine
from damals.adapters.edge.guard import engine_errors
from damals.adapters.edge.shard import EdgeChunkIndex
from damals.app import index_schema as schema
from damals.app.index_model import ChunkPoint, IndexFilter, IndexQuery, SparseVector
from damals.app.ledger_model import Access
from damals.domain.errors import Corrupt, DamalsError, InvalidInput, Unavailable
from damals.domain.instants import BEGINNING, FOREVER

NAN, INFINITE = float("nan"), float("inf")


class Disk:
    """How much space a disk claims to have."""

    def __init__(self) -> None:
        self.free = 1 << 40

    def __call__(self, path: Path) -> int:
        assert path.is_dir()
        return self.free


@pytest.fixture(scope="module")
def disk():
    return Disk()


@pytest.fixture(scope="module")
def shared(shared_path: Path, disk: Disk):
    index = EdgeChunkIndex(settings(shared_path), space=disk)
    yield index
    index.close()


@pytest.fixture
def index(shared: EdgeChunkIndex, disk: Disk):
    disk.free = 1 << 40
    shared.delete(list(shared.ids()))
    return shared


BAD_POINTS = {
    "short vector": ({"vector": vector(1, 2, 3)}, "index.vector"),
    "NaN": ({"vector": vector(1, NAN, 0, 0)}, "index.vector_norm"),
    "infinity": ({"vector": vector(1, INFINITE, 0, 0)}, "index.vector_norm"),
    "overflowing": ({"vector": vector(1e38, 1e38, 0, 0)}, "index.vector_norm"),
    "zero vector": ({"vector": vector(0, 0, 0, 0)}, "index.vector_norm"),
    "unequal lengths": ({"lexical": SparseVector((1, 2), (1.0,))}, "index.sparse"),
    "descending ids": ({"lexical": SparseVector((2, 1), (1.0, 1.0))}, "index.sparse"),
    "repeated ids": ({"lexical": SparseVector((1, 1), (1.0, 1.0))}, "index.sparse"),
    "negative id": ({"lexical": SparseVector((-1,), (1.0,))}, "index.sparse"),
    "id too large": ({"lexical": SparseVector((2**32,), (1.0,))}, "index.sparse"),
    "NaN weight": ({"lexical": SparseVector((1,), (NAN,))}, "index.sparse"),
    "zero weight": ({"lexical": SparseVector((1,), (0.0,))}, "index.sparse"),
    "many tokens": (
        {"lexical": SparseVector(tuple(range(100_001)), (1.0,) * 100_001)},
        "index.sparse",
    ),
    "before year 1": ({"valid_from_earliest": BEGINNING - 1}, "index.instant"),
    "after year 9999": ({"archived_at": FOREVER + 1}, "index.instant"),
    "half a pair": ({"body": "\ud800"}, "index.text"),
    "half a pair in a tag": ({"tags": ("\ud800",)}, "index.text"),
    "long body": ({"body": "x" * 1_000_001}, "index.text_long"),
    "long type": ({"type": "x" * 5_000}, "index.text_long"),
    "many paths": ({"paths": ("x",) * 1_001}, "index.text_long"),
    "sensitivity": ({"sensitivity": 4}, "index.number"),
}


@pytest.mark.parametrize(("changes", "key"), BAD_POINTS.values(), ids=BAD_POINTS.keys())
def test_a_bad_point_is_refused_with_its_whole_batch(
    index: EdgeChunkIndex, changes: dict[str, object], key: str
):
    with pytest.raises(InvalidInput) as caught:
        index.upsert([a_point("good"), a_point("bad", **changes)])
    assert caught.value.key == key
    assert index.count() == 0
    index.upsert([a_point("good")])
    assert index.count() == 1


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"limit": 0}, "index.number"),
        ({"limit": 10_001}, "index.number"),
        ({"vector": vector(1, 2, 3)}, "index.vector"),
        ({"vector": vector(NAN, 0, 0, 0)}, "index.vector_norm"),
        ({"lexical": SparseVector((1, 2), (1.0,))}, "index.sparse"),
        ({"where": replace(EVERYTHING, as_of=FOREVER + 1)}, "index.instant"),
        ({"where": replace(EVERYTHING, since=BEGINNING - 1)}, "index.instant"),
        ({"where": replace(EVERYTHING, tags=("\ud800",))}, "index.text"),
    ],
)
def test_a_bad_question_is_refused(index: EdgeChunkIndex, change: dict[str, object], key: str):
    with pytest.raises(InvalidInput) as caught:
        index.query(replace(QUESTION, **change))
    assert caught.value.key == key


def test_changes_are_checked_as_points_are(index: EdgeChunkIndex):
    index.upsert([a_point("a")])
    with pytest.raises(InvalidInput):
        index.set_vectors({an_id("a"): vector(NAN, 0, 0, 0)})
    with pytest.raises(InvalidInput):
        index.close_points({an_id("a"): FOREVER + 1})
    with pytest.raises(InvalidInput):
        index.set_access("main", an_id("entry"), Access("\ud800"))
    assert len(index.query(QUESTION).dense) == 1


def test_a_full_disk_is_noticed_before_anything_is_written(index: EdgeChunkIndex, disk: Disk):
    index.upsert([a_point("a")])
    disk.free = 1_000_000
    for write in (
        lambda: index.upsert([a_point("b")]),
        lambda: index.close_points({an_id("a"): 5}),
        lambda: index.set_vectors({an_id("a"): vector(0, 1, 0, 0)}),
        lambda: index.set_access("main", an_id("entry"), Access("x")),
        lambda: index.delete([an_id("a")]),
        index.optimize,
    ):
        with pytest.raises(Unavailable) as caught:
            write()
        assert caught.value.key == "index.disk_full"
    assert len(index.query(QUESTION).dense) == 1
    disk.free = 1 << 40
    index.upsert([a_point("b")])
    assert index.count() == 2


def test_a_batch_needs_more_room_the_larger_it_is(index: EdgeChunkIndex, disk: Disk):
    disk.free = 2_000_000
    index.upsert([a_point("small")])
    with pytest.raises(Unavailable):
        index.upsert([a_point(n, body="x" * 100_000) for n in range(10)])
    assert index.count() == 1


def test_a_full_disk_stops_an_index_from_being_made(tmp_path: Path):
    with pytest.raises(Unavailable) as caught:
        EdgeChunkIndex(settings(tmp_path), space=lambda _: 0)
    assert caught.value.key == "index.disk_full"
    assert not settings(tmp_path).path.exists()


def test_everything_is_there_again_after_closing_and_opening(tmp_path: Path):
    index = EdgeChunkIndex(settings(tmp_path))
    index.upsert([a_point(n, vector=vector(1, n, 0, 0)) for n in range(20)])
    before = index.query(QUESTION)
    index.close()
    leftover = settings(tmp_path).path / "temp_segments" / "half"
    leftover.mkdir(parents=True)
    (leftover / "erased.dat").write_text("erased")
    index = EdgeChunkIndex(settings(tmp_path))
    assert not leftover.exists()
    assert index.query(QUESTION) == before
    index.optimize()
    assert index.query(QUESTION) == before
    index.close()
    with pytest.raises(Unavailable) as caught:
        index.count()
    assert caught.value.key == "index.closed"


def test_the_log_is_not_touched_by_what_is_cleared_away(tmp_path: Path):
    EdgeChunkIndex(settings(tmp_path)).close()
    log = settings(tmp_path).path / "wal"
    before = sorted(path.name for path in log.iterdir())
    EdgeChunkIndex(settings(tmp_path)).close()
    assert sorted(path.name for path in log.iterdir()) == before


def test_a_shard_half_made_is_made_again(tmp_path: Path):
    half = settings(tmp_path).path.with_name("mindnet_chunks.new")
    (half / "segments").mkdir(parents=True)
    index = EdgeChunkIndex(settings(tmp_path))
    assert index.count() == 0
    assert not half.exists()
    index.close()


def test_the_prefix_names_the_folder(tmp_path: Path):
    assert settings(tmp_path).path.name == "mindnet_chunks"
    assert settings(tmp_path, prefix="other").path.name == "other_chunks"


def test_one_shard_has_one_holder(tmp_path: Path):
    index = EdgeChunkIndex(settings(tmp_path))
    with pytest.raises(Unavailable) as caught:
        EdgeChunkIndex(settings(tmp_path))
    assert caught.value.key == "index.held"
    index.close()
    EdgeChunkIndex(settings(tmp_path)).close()


def test_vectors_of_another_length_need_another_index(tmp_path: Path):
    EdgeChunkIndex(settings(tmp_path)).close()
    with pytest.raises(Corrupt) as caught:
        EdgeChunkIndex(settings(tmp_path, dimension=DIMENSION + 1))
    assert caught.value.key == "index.incompatible"
    EdgeChunkIndex(settings(tmp_path)).close()


def test_missing_segments_are_no_crash(tmp_path: Path):
    index = EdgeChunkIndex(settings(tmp_path))
    index.upsert([a_point("a")])
    index.close()
    shutil.rmtree(settings(tmp_path).path / "segments")
    try:
        index = EdgeChunkIndex(settings(tmp_path))
    except DamalsError as error:
        assert isinstance(error, Corrupt)
    else:
        # Silent: this is why count and ids are compared with the ledger.
        assert index.count() in {0, 1}
        index.close()


def test_a_panic_of_the_engine_becomes_corrupt_and_stays_so(tmp_path: Path):
    broken = EdgeChunkIndex(settings(tmp_path))
    unequal = a_point("bad", lexical=SparseVector((1, 2), (1.0,)))
    past_the_checks = qe.UpdateOperation.upsert_points(
        [engine.engine_point(unequal, settings(tmp_path))]
    )

    def write() -> None:
        with broken._engine() as shard:  # noqa: SLF001 - the one way past the checks
            shard.update(past_the_checks)

    with pytest.raises(Corrupt) as caught:
        write()
    assert caught.value.key == "index.corrupt"
    with pytest.raises(Corrupt):
        broken.count()
    broken.close()
    # The bad operation is in the log: only a rebuild helps.
    with pytest.raises(Corrupt):
        EdgeChunkIndex(settings(tmp_path))


@pytest.mark.parametrize(
    ("text", "kind", "key"),
    [
        ("Can't init WAL: Kind(WouldBlock)", Unavailable, "index.held"),
        ("IO Error: No space left on device (os error 28)", Unavailable, "index.disk_full"),
        ("Permission denied (os error 13)", Unavailable, "index.not_writable"),
        ("Too many open files (os error 24)", Unavailable, "index.unavailable"),
        ("failed to read segment", Corrupt, "index.corrupt"),
    ],
)
def test_the_engines_words_are_understood(
    tmp_path: Path, text: str, kind: type[DamalsError], key: str
):
    with pytest.raises(kind) as caught, engine_errors(tmp_path):
        raise Exception(text)  # noqa: TRY002 - the engine knows no other class
    assert caught.value.key == key
    assert text in str(caught.value.values["reason"])


def test_errors_of_this_program_are_not_taken_for_damage(tmp_path: Path):
    with pytest.raises(TypeError), engine_errors(tmp_path):
        raise TypeError
    with pytest.raises(KeyboardInterrupt), engine_errors(tmp_path):
        raise KeyboardInterrupt


def test_a_point_and_its_payload_say_the_same(tmp_path: Path):
    point: ChunkPoint = a_point(
        "a",
        valid_from_earliest=BEGINNING,
        valid_from_latest=-1,
        recorded_from=1_780_000_000_123_456,
        tags=("x", "x/y"),
        paths=("p",),
        title="Titel",
        heading=("Teil", "Kapitel"),
        acl=("team",),
        sensitivity=2,
    )
    payload = schema.point_payload(point, settings(tmp_path))
    assert payload["recorded_from"] == "2026-05-28T20:26:40.123456Z"
    assert payload["recorded_to"] == "9999-12-31T23:59:59.999999Z"
    assert payload["valid_from_earliest"] == "0001-01-01T00:00:00.000000Z"
    assert payload["recency_group"] == "1970-01"
    assert payload["created_at"] == payload["updated_at"] == payload["recorded_from"]
    ended = schema.point_payload(
        replace(point, recorded_to=1_780_000_000_123_457), settings(tmp_path)
    )
    assert ended["updated_at"] == ended["recorded_to"] == "2026-05-28T20:26:40.123457Z"
    fields = {"lang", "visibility", "sensitivity", "acl", "created_at", "updated_at"}
    assert payload.keys() >= fields | {"title", "heading", "body", "paths", "entry_id", "chunk_id"}
    assert payload["embedding_model"] == "a-model"
    assert schema.point_of(point.id, payload, point.lexical, point.vector) == point
    assert "embedding_model" not in schema.point_payload(
        replace(point, vector=None), settings(tmp_path)
    )
    assert schema.PAYLOAD_INDEXES.keys() <= payload.keys()


def test_a_question_with_both_legs_may_find_in_one_only(index: EdgeChunkIndex):
    index.upsert([a_point("a", lexical=SparseVector((2,), (1.0,)))])
    hits = index.query(IndexQuery(IndexFilter("main", 1, 1), *QUESTION_LEGS, 5))
    assert len(hits.dense) == 1
    assert hits.lexical == ()


QUESTION_LEGS = (QUESTION.vector, QUESTION.lexical)
