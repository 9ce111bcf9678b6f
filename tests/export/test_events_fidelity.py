"""Events carry everything from one home to another: written down there, they are the same bytes."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import get_args

import pytest

from damals.bootstrap import init_home, open_home
from damals.domain.operations import Operation

START = 1_704_880_800_000_000  # 2024-01-10T10:00:00Z
HOUR = 3_600_000_000

OPERATIONS = {
    "remember", "update", "correct", "end", "retract", "revert", "relate", "unrelate", "derive",
    "contradict", "resolve", "verify", "pin", "unpin", "accept", "archive", "erase",
}  # fmt: skip


class Ticking:
    """A clock that goes on with every look at it."""

    def __init__(self, start=START):
        self.now = start

    def __call__(self):
        self.now += 61_000_007
        return self.now


@pytest.fixture(params=["sqlite", "postgresql"])
def opens(request, tmp_path, monkeypatch) -> Iterator:
    """Opens homes on either ledger, each with a clock of its own."""
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    with ExitStack() as stack:

        def opened(name, clock):
            if request.param == "postgresql":
                server = request.getfixturevalue("postgres")
                monkeypatch.setenv("DAMALS_LEDGER", server.blank())
            init_home(tmp_path / name, timezone="Europe/Berlin")
            return stack.enter_context(open_home(tmp_path / name, clock=clock))

        yield opened


def git_like_note(memory, tmp_path, text):
    (tmp_path / "Archiv").mkdir(exist_ok=True)
    (tmp_path / "Archiv/Müller.md").write_text(text, encoding="utf-8")
    memory.import_(tmp_path / "Archiv", prune=True)


def live(memory, tmp_path):
    """Something of everything that a home can know, done as people and imports do it."""
    said = {
        "importance": 4,
        "tags": ["a/b", "Ü"],
        "acl": ["chef"],
        "properties": {"n": 1, "x": [1.5]},
    }
    memory.remember("A", "x\n\x7f\u2028„y“", external_id="a", key="k", valid_from="2024-09", **said)
    memory.remember("B", "x", external_id="b", valid_from=None, valid_to="unknown")
    memory.remember("C", "x", external_id="c", valid_from="2020-01-01~", lang="en")
    memory.update("c", "C2", "y", reason="neu", valid_from="2021", external_id="c2")
    memory.remember(
        "K", "y", external_id="k2", key="k", on_overlap="replace", valid_from="2024-11-03"
    )
    memory.correct("a", content="z", reason="Tippfehler")
    memory.correct("b", valid_from="2019", valid_to="2022-02-03T04:05", reason="Bounds")
    memory.relate("a", "part_of", "b", confidence=0.5, reason="so")
    memory.relate("b", "part_of", "c", valid_from="2020", valid_to="2023")
    memory.derive()
    memory.unrelate("b", "part_of", "c")
    memory.derive()
    memory.contradict("a", "c2", reason="geht nicht")
    memory.resolve("a", "c2", keep="both", reason="geht doch")
    memory.verify("a", score=0.75, evidence="Register")
    memory.pin("a")
    memory.unpin("a")
    memory.remember(
        "Sitzung", "von einem Assistenten", external_id="s", insist=True,
        source={"kind": "call", "session": "s-1"},
    )  # fmt: skip
    memory.gate(["c2"], accept=True)
    together_and_gone(memory, tmp_path)


def together_and_gone(memory, tmp_path):
    with memory.transaction("zusammen") as together:
        together.remember("T1", "x", external_id="t1")
        together.correct("t1", content="y", reason="gleich danach")
        together.relate("t1", "links_to", "a")
        together.archive("t1", reason="erledigt")
    memory.remember("E", "geheim", external_id="e", valid_from="2020-01-01", key="weg")
    memory.update("e", "E2", "offen", reason="geheim", valid_from="2021-01-01", external_id="e2")
    memory.relate("e", "links_to", "a")
    memory.end("c2", "2030-05-05", reason="bis dann")
    memory.retract("k2", restore=True, reason="nie")
    memory.revert(memory.log().transactions[-1].number, reason="doch")
    git_like_note(memory, tmp_path, "---\ntags: [x]\npart_of: '[[Fehlt]]'\n---\n[[A]] und #y")
    git_like_note(memory, tmp_path, "---\nstatus: archived\n---\nanders ![[Müller]]")
    memory.erase("entry", "e", reason="Art. 17")
    memory.remember("E", "wieder", external_id="e")


def told(memory, path):
    memory.export(path)
    return path.read_bytes()


def test_events_name_every_operation_that_there_is():
    assert {one.__name__.lower() for one in get_args(Operation)} | {"unpin"} == OPERATIONS


def test_what_was_imported_is_written_down_as_the_same_bytes(opens, tmp_path):
    first = opens("first", Ticking())
    live(first, tmp_path)
    events = told(first, tmp_path / "first.jsonl")
    kinds = {op["op"] for line in events.splitlines() for op in json.loads(line)["ops"]}
    assert kinds == OPERATIONS
    second = opens("second", Ticking(START + 10_000 * HOUR))
    second.import_(tmp_path / "first.jsonl")
    assert told(second, tmp_path / "second.jsonl") == events
    third = opens("third", Ticking(START + 20_000 * HOUR))
    third.import_(tmp_path / "second.jsonl")
    assert told(third, tmp_path / "third.jsonl") == events
    assert second.audit().ok
    assert third.audit().ok
    for as_of in ("2020-06-01", "2024-10-01", "2024-12-01"):
        for known_at in ("2024-01-10T11:00:00Z", "2024-12-01"):
            for status in (None, "superseded", "archived"):
                at = {"as_of": as_of, "known_at": known_at, "status": status, "limit": None}
                assert first.entries(**at) == second.entries(**at) == third.entries(**at)
