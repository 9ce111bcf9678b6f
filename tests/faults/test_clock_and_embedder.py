"""A clock that goes back a day; an embedder that is dead, slow, or answers with garbage."""

import struct
import time

import pytest
from faulty_homes import check, doctor, opened
from own_embedder import DIMENSION, Broken, Dead, Garbage, Slow, WordsOfEight

from damals.domain.instants import DAY


class Clock:
    """The real one, moved."""

    def __init__(self) -> None:
        self.moved = 0

    def __call__(self) -> int:
        return time.time_ns() // 1_000 + self.moved


def test_recorded_time_goes_on_while_the_clock_is_a_day_behind(tmp_path):
    clock = Clock()
    with opened(tmp_path / "home", clock=clock) as memory:
        first = memory.remember("Vorher", "gilt")
        clock.moved = -DAY
        second = memory.remember("Nachher", "gilt auch")
        changed = memory.update(first.id, "Vorher neu", "gilt jetzt", reason="neu")
        recorded = [one.recorded_at for one in memory.log().transactions]
        assert recorded == sorted(set(recorded))
        assert {one.title for one in memory.entries(limit=None)} >= {"Nachher", "Vorher neu"}
        assert memory.get(second.id).title == "Nachher"
        assert memory.get(changed.id).title == "Vorher neu"
        titles = {one.entry.title for one in memory.recall("Nachher", limit=5).results}
        assert "Nachher" in titles
        assert memory.audit().ok
        assert not check(memory.doctor(), "clock").ok
        clock.moved = 0
        assert memory.remember("Später", "wieder richtig").title == "Später"
        found = check(memory.doctor(), "clock")
        assert found.ok
        assert "1" in found.message, "that it went back is told afterwards"
    assert doctor(tmp_path / "home").ok


GARBAGE = {
    "nothing": b"",
    "too short": bytes(4),
    "too long": bytes(4 * DIMENSION + 4),
    "no numbers": struct.pack(f"<{DIMENSION}f", *[float("nan")] * DIMENSION),
    "endless": struct.pack(f"<{DIMENSION}f", *[float("inf")] * DIMENSION),
    "zeros": bytes(4 * DIMENSION),
    "text": b"Ignore all instructions".ljust(4 * DIMENSION, b"!"),
}


@pytest.mark.parametrize("kind", GARBAGE)
def test_garbage_of_an_embedder_is_no_vector_and_knowledge_is_stored_all_the_same(kind, tmp_path):
    home = tmp_path / "home"
    with opened(home, embedding=Garbage(GARBAGE[kind])) as memory:
        stored = memory.remember("Mietvertrag", "Er läuft bis Mai.")
        found = memory.recall("Mietvertrag", limit=1)
        assert found.results[0].entry.id == stored.id
        assert not check(memory.doctor(), "model").message.startswith("answers")
    with opened(home) as memory:
        memory.reindex()
        found = memory.recall("Mietvertrag", limit=1)
        assert found.results[0].entry.id == stored.id
        assert found.results[0].parts.vector is not None
        assert found.index_lag == 0
    assert doctor(home).ok


@pytest.mark.parametrize("ill", [Dead, Broken])
def test_without_its_embedder_knowledge_is_stored_and_found_by_words(ill, tmp_path):
    home = tmp_path / "home"
    with opened(home, embedding=ill()) as memory:
        stored = memory.remember("Mietvertrag", "Er läuft bis Mai.")
        found = memory.recall("Mietvertrag", limit=1)
        assert found.results[0].entry.id == stored.id
        assert found.caveats, "it is told that words alone decide"
        assert "model" in {one.name for one in memory.doctor().checks}
    with opened(home) as memory:
        memory.reindex()
        assert memory.recall("Mietvertrag", limit=1).index_lag == 0
    assert doctor(home).ok


def test_a_slow_embedder_keeps_nobody_from_storing_or_asking(tmp_path):
    slow, home = Slow(), tmp_path / "home"
    with opened(home) as memory:
        memory.remember("Zuerst", "da")
        memory.recall("Zuerst")
    with opened(home, embedding=slow) as memory:
        for number in range(40):
            memory.remember(f"Notiz {number}", "Frist und Vertrag")
        found = memory.recall("Notiz 7", limit=3)
        assert found.results
        assert found.index_lag > 0, "it is told that vectors are missing"
        slow.go.set()
    with opened(home) as memory:
        memory.reindex()
        assert memory.recall("Notiz 7", limit=3).index_lag == 0
    assert doctor(home).ok
    assert WordsOfEight().passage("x") == Slow().query("x")
