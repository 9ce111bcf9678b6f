"""A hidden operation that cuts nothing: what comes back is as if it had never been done."""

import json
import random
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from uuid import UUID

import pytest
from access_home import Time, in_memory, on_disk
from access_routes import Asking, unlike
from hypothesis import given, note
from hypothesis import strategies as st
from test_access_fuzzing import examples

from damals.app.access_model import Once
from damals.domain.access import OWNER, Principal
from damals.domain.errors import Conflict, DamalsError
from damals.local import LocalDamals

STEPS = 30
READER = Principal("bob", visibility="public")
TIES = ("extends", "part_of", "links_to", "contradicts")
WORDS = ("miete", "garten", "vertrag")

seeds = st.integers(0, 2**32 - 1)
Said = dict[str, object]


class Two:
    """A home in which hidden things are said among others, and one in which they are not."""

    def __init__(self, clock: Time, rng: random.Random, homes: tuple[LocalDamals, LocalDamals]):
        self.clock, self.rng = clock, rng
        self.whole, self.part = homes
        self.seen: list[str] = []
        self.hidden: list[str] = []
        self.tied: list[tuple[str, str, str]] = []

    def live(self) -> None:
        for _ in range(3):
            self._both([self._remember()])
            self._whole([self._hidden_one()])
        for _ in range(STEPS):
            match self.rng.randrange(3):
                case 0:
                    self._both([self._open()])
                case 1:
                    self._whole([self._secret()])
                case _:
                    said = [self._open(), self._secret()]
                    self.rng.shuffle(said)
                    self._both(said)
        self.clock.days(30)

    def _both(self, said: list[Said]) -> None:
        """Say the open part of something in both homes, and all of it in the one."""
        self.clock.days(self.rng.randint(1, 20))
        told = [one for one in said if not one.get("secret")]
        if _done(self.part, told) and not _done(self.whole, said):
            assert _done(self.whole, told)

    def _whole(self, said: list[Said]) -> None:
        self.clock.days(self.rng.randint(1, 20))
        _done(self.whole, said)

    def _id(self) -> str:
        return str(UUID(int=self.rng.getrandbits(128), version=4))

    def _one(self) -> str:
        return self.rng.choice(self.seen)

    def _tie(self, others: list[str]) -> list[Said]:
        picked = self.rng.sample(others, min(len(others), self.rng.randrange(3)))
        return [{"type": self.rng.choice(TIES), "dst": one} for one in picked]

    def _remember(self) -> Said:
        ties = self._tie(self.seen)
        self.seen.append(self._id())
        words = " ".join(self.rng.choices(WORDS, k=3))
        return {
            "op": "remember", "id": self.seen[-1], "title": f"Über {len(self.seen)}",
            "content": words, "visibility": "public", "relations": ties,
        }  # fmt: skip

    def _hidden_one(self) -> Said:
        ties = self._tie(self.seen + self.hidden)
        self.hidden.append(self._id())
        return {
            "op": "remember", "id": self.hidden[-1], "title": f"Geheim {len(self.hidden)}",
            "content": self.rng.choice(WORDS), "visibility": "restricted", "relations": ties,
            "secret": True,
        }  # fmt: skip

    def _open(self) -> Said:
        """Something about what everybody may see."""
        one, other, why = self._one(), self._one(), {"reason": "weil"}
        month = f"2024-{self.rng.randint(1, 12):02}-01"
        if self.rng.random() < 0.15:
            return self._remember()
        return self.rng.choice((
            {"op": "correct", "target": one, "title": f"Neu {self.clock.now}", **why},
            {"op": "correct", "target": one, "valid_from": month, **why},
            {"op": "relate", "src": one, "type": "extends", "dst": other},
            {"op": "unrelate", "src": one, "type": "extends", "dst": other, **why},
            {"op": "relate", "src": one, "type": "supersedes", "dst": other},
            {"op": "contradict", "a": one, "b": other, **why},
            {"op": "resolve", "a": one, "b": other, "keep": "a", **why},
            {"op": "verify", "target": one, "score": 0.5},
            {"op": "archive", "target": one, **why},
            {"op": "pin", "target": one},
            {"op": "end", "target": one, "at": month, **why},
        ))  # fmt: skip

    def _secret(self) -> Said:
        """Something that ends, begins and cuts nothing that everybody may see."""
        near, far = self._one(), self.rng.choice(self.hidden)
        ends, why = self.rng.sample((near, far), 2), {"reason": "geheim", "secret": True}
        tie = self.rng.choice(TIES)
        chance = self.rng.random()
        if chance < 0.15:
            return self._hidden_one()
        if chance < 0.4 and self.tied:
            src, tie, dst = self.rng.choice(self.tied)
            if tie == "contradicts" and chance < 0.3:
                return {"op": "resolve", "a": src, "b": dst, "keep": "both", **why}
            return {"op": "unrelate", "src": src, "type": tie, "dst": dst, **why}
        self.tied.append((ends[0], tie, ends[1]))
        return self.rng.choice((
            {"op": "relate", "src": ends[0], "type": tie, "dst": ends[1], **why},
            {"op": "unrelate", "src": ends[0], "type": tie, "dst": ends[1], **why},
            {"op": "contradict", "a": ends[0], "b": ends[1], **why},
            {"op": "resolve", "a": ends[0], "b": ends[1], "keep": "both", **why},
            {"op": "relate", "src": near, "type": "about_person", "dst": self._one(), **why},
            {"op": "relate", "src": near, "type": "supersedes", "dst": far, **why},
            {"op": "correct", "target": far, "relations": self._tie(self.seen), **why},
            {"op": "verify", "target": far, "score": 0.5, **why},
        ))  # fmt: skip


def _done(home: LocalDamals, said: list[Said]) -> bool:
    clean = [{name: one for name, one in each.items() if name != "secret"} for each in said]
    try:
        home.transact(clean)
    except DamalsError:
        return False
    return True


def check(seed: int, clock: Time, homes: tuple[LocalDamals, LocalDamals]) -> None:
    two = Two(clock, random.Random(seed), homes)
    two.live()
    ids = two.seen + two.hidden
    with_, without = (Asking(h.under(READER), h, h.under(READER)).answers(ids) for h in homes)
    for name, answer in with_.items():
        assert list(unlike(answer, without[name])) == [], name
    here, there = (h.under(READER).hygiene(limit=None).to_dict() for h in homes)
    assert list(unlike(here, there)) == []


@examples(12)
@given(seed=seeds)
def test_what_ties_something_hidden_leaves_no_trace(seed: int):
    note(f"seed={seed}")
    clock = Time()
    check(seed, clock, (in_memory(clock), in_memory(clock)))


@examples(2)
@given(seed=seeds)
def test_nor_does_it_in_a_database(seed: int):
    note(f"seed={seed}")
    clock = Time()
    with ExitStack() as stack:
        made: list[AbstractContextManager[LocalDamals]] = [on_disk(clock), on_disk(clock)]
        check(seed, clock, (stack.enter_context(made[0]), stack.enter_context(made[1])))


@pytest.fixture
def tied(home: LocalDamals, clock: Time) -> str:
    """An entry to which something hidden was related after it was said."""
    said = home.remember("Da", "x").id
    hidden = home.remember("Geheim", "y", visibility="restricted").id
    clock.days(1)
    home.relate(hidden, "extends", said)
    return said


def test_when_something_hidden_was_tied_to_an_entry_is_not_told(home, guest, tied):
    assert (home.get(tied).transaction, guest.get(tied).transaction) == (3, 1)
    assert guest.get(tied).updated_at == guest.get(tied).created_at
    assert [one.number for one in guest.log(entry=tied).transactions] == [1]


def test_what_is_expected_of_an_entry_counts_as_it_is_told(guest, tied):
    with pytest.raises(Conflict, match=r"entry\.changed") as refused:
        guest.correct(tied, title="Neu", reason="r", if_transaction=3)
    assert refused.value.values["actual"] == 1
    guest.correct(tied, title="Neu", reason="r", if_transaction=1)
    assert guest.get(tied).transaction == 4


@pytest.mark.usefixtures("tied")
def test_what_is_expected_of_a_log_counts_as_it_is_told(guest):
    other = guest.get(guest.remember("Anderes", "z").id)
    with pytest.raises(Conflict, match=r"transaction\.changed") as refused:
        guest.revert(other.transaction, reason="r", if_transaction=3)
    assert refused.value.values["actual"] == other.transaction
    guest.revert(other.transaction, reason="r", if_transaction=other.transaction)


@pytest.mark.usefixtures("tied")
def test_an_export_has_no_trace_of_what_is_tied_to_something_hidden(guest, tmp_path: Path):
    guest.export(tmp_path / "e.jsonl")
    lines = (tmp_path / "e.jsonl").read_text(encoding="utf-8").splitlines()
    assert [[op["op"] for op in json.loads(line)["ops"]] for line in lines] == [["remember"]]


def test_when_something_hidden_happened_last_is_not_told_to_who_comes_too_early(
    home: LocalDamals, clock: Time, tmp_path: Path
):
    home.remember("Geheim", "y", visibility="restricted")
    clock.days(1)
    event = {"recorded_at": "2023-01-01T00:00:00Z", "op": "remember", "title": "Da"}
    (tmp_path / "e.jsonl").write_text(json.dumps(event), encoding="utf-8")
    told = []
    for asker in (OWNER, Principal("eva", ("admin",))):
        with pytest.raises(DamalsError) as refused:
            home.under(asker).import_(tmp_path / "e.jsonl")
        told.append(refused.value.values["cause"])
    assert [one.key for one in told] == ["transaction.order", "transaction.too_early"]
    assert "2024" not in str(told[1].values)


def test_an_answer_is_not_repeated_to_who_may_not_see_it_any_more(home, clock):
    eva, once = Principal("eva", ("writer",)), Once(b"k" * 32, b"r" * 32)
    made = home.under(eva, once=once).remember("Da", "x")
    assert home.under(eva, once=once).remember("Da", "x") == made
    clock.days(1)
    home.correct(made.id, visibility="restricted", reason="r")
    with pytest.raises(Conflict, match=r"request\.forgotten"):
        home.under(eva, once=once).remember("Da", "x")
    other = home.remember("Sonst", "y").id
    secret = home.remember("Geheim", "y").id
    relate = Once(b"l" * 32, b"r" * 32)
    home.under(eva, once=relate).relate(other, "extends", secret)
    home.correct(secret, visibility="restricted", reason="r")
    with pytest.raises(Conflict, match=r"request\.forgotten"):
        home.under(eva, once=relate).relate(other, "extends", secret)
