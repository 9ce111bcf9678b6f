"""Eight threads change one home at once: nothing is lost, nothing overlaps, the chain holds."""

import os
import random
import threading
from itertools import combinations, pairwise

from damals import Damals
from damals.app.errors import Conflict, InvalidInput, NotFound

THREADS = 8
OPERATIONS = 1_000 if os.environ.get("DAMALS_TEST_PROFILE") == "nightly" else 60
KEYS = ("acme/ceo", "acme/anschrift", "acme/telefon")
REFUSALS = (Conflict, NotFound, InvalidInput)
"""What an operation may be answered with, when another thread was faster."""


class Worker:
    """One thread's share: mixed operations, some on its own entries, some on everybody's."""

    def __init__(self, memory: Damals, number: int) -> None:
        self.memory = memory
        self.number = number
        self.random = random.Random(number)
        self.stored: set[int] = set()
        self.remembered: list[str] = []
        self.refused = 0
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            for place in range(OPERATIONS):
                self.one(place)
        except BaseException as error:  # noqa: BLE001 -- told to the test, which fails with it
            self.failure = error

    def one(self, place: int) -> None:
        name = f"t{self.number}-{place}"
        kinds = (self.remember, self.take_over, self.update, self.correct, self.end,
                 self.retract, self.relate, self.verify, self.pin, self.archive)  # fmt: skip
        kind = self.remember if place < 3 else self.random.choice(kinds)
        try:
            kind(name)
        except REFUSALS:
            self.refused += 1

    def note(self, changed: object) -> None:
        """Remember that a change was acknowledged, by its transaction."""
        if not getattr(changed, "unchanged", None):
            self.stored.add(changed.transaction)

    def day(self) -> str:
        return f"20{self.random.randint(10, 30)}-0{self.random.randint(1, 9)}-01"

    def any_entry(self) -> str:
        return self.random.choice(self.remembered)

    def remember(self, name: str) -> None:
        self.note(self.memory.remember(name, "Inhalt", external_id=name, valid_from=self.day()))
        self.remembered.append(name)

    def take_over(self, name: str) -> None:
        key = self.random.choice(KEYS)
        changed = self.memory.remember(
            name, "Inhalt", external_id=name, key=key, on_overlap="replace", valid_from=self.day()
        )
        self.note(changed)
        self.remembered.append(name)

    def update(self, name: str) -> None:
        self.note(self.memory.update(self.any_entry(), name, "Neu", external_id=name, reason="r"))
        self.remembered.append(name)

    def correct(self, name: str) -> None:
        self.note(self.memory.correct(self.any_entry(), content=name, reason="r"))

    def end(self, name: str) -> None:
        del name
        self.note(self.memory.end(self.any_entry(), self.day(), reason="r"))

    def retract(self, name: str) -> None:
        del name
        restore = self.random.random() < 0.5
        self.note(self.memory.retract(self.any_entry(), reason="r", restore=restore))

    def relate(self, name: str) -> None:
        del name
        self.memory.relate(self.any_entry(), "extends", self.any_entry())

    def verify(self, name: str) -> None:
        self.note(self.memory.verify(self.any_entry(), evidence=name))

    def pin(self, name: str) -> None:
        del name
        self.note(self.memory.pin(self.any_entry()))

    def archive(self, name: str) -> None:
        del name
        self.note(self.memory.archive(self.any_entry(), reason="r"))


def at_work(memory: Damals) -> list[Worker]:
    workers = [Worker(memory, number) for number in range(THREADS)]
    threads = [threading.Thread(target=worker.run) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for worker in workers:
        if worker.failure is not None:
            raise worker.failure
    return workers


def test_eight_threads_lose_nothing_and_leave_a_whole_ledger(memory):
    workers = at_work(memory)
    log = memory.log().transactions
    numbers = [one.number for one in log]
    assert numbers == list(range(1, len(log) + 1))
    assert all(a.recorded_at < b.recorded_at for a, b in pairwise(log))
    acknowledged = set().union(*(worker.stored for worker in workers))
    assert acknowledged <= set(numbers)
    assert len(log) >= len(acknowledged)
    for worker in workers:
        for name in worker.remembered:
            assert memory.history(name).versions, name
    for key in KEYS:
        assert_apart(memory, key)
    audit = memory.audit()
    assert audit.to_dict()["ok"] is True


def assert_apart(memory: Damals, key: str) -> None:
    """No two rectangles of a key overlap in valid and in recorded time."""
    rectangles = [
        (
            *(v.bounds.from_.earliest or "", v.bounds.to.earliest or "9999-12-31T23:59:59.999999Z"),
            *(v.recorded_from, v.recorded_to or "9999-12-31T23:59:59.999999Z"),
        )
        for v in memory.history(key=key).versions
        if v.key == key
    ]
    assert rectangles
    for one, other in combinations(rectangles, 2):
        together = one[0] < other[1] and other[0] < one[1]
        at_once = one[2] < other[3] and other[2] < one[3]
        assert not (together and at_once), (one, other)
