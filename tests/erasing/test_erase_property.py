"""Whatever was told in whatever order: an erasure takes all of its texts and nothing else."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from damals import Damals
from damals.adapters.sql.ledger import SqlLedger
from damals.adapters.vault.chunker import MarkdownChunker
from damals.app.record import Request, Tools, record
from damals.bootstrap import system_clock
from damals.domain.errors import DamalsError
from raw_bytes import found

NIGHTLY = os.environ.get("DAMALS_TEST_PROFILE") == "nightly"
NAMES = ("anna", "bert", "cleo", "dora")
SAID = tuple(f"Dieser Satz Nummer {n} steht nur hier und sonst nirgends." for n in range(6))
SHARED = "Diesen Satz sagen mehrere, und er bleibt, solange ihn einer sagt."

Step = tuple[str, int, int, int]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ("remember", "correct", "update", "end", "relate", "verify", "archive", "retract",
             "pin", "revert", "contradict")
        ),
        st.integers(0, 3), st.integers(0, 3), st.integers(0, 5),
    ),
    min_size=4, max_size=14,
)  # fmt: skip


def text_of(owner: int, n: int) -> str:
    """A text that only one of them says, or now and then the one that several say.

    By its first bytes it is looked for, so they are its own.
    """
    return SHARED if n == 0 else f"{NAMES[owner]} sagt {n} Mal: {SAID[n]}"


def why(step: Step) -> str:
    return f"Grund, den {NAMES[step[1]]} nennt, Nummer {step[3]}"


def remembered(memory: Damals, step: Step) -> None:
    _, a, _, n = step
    memory.remember(
        f"Titel von {NAMES[a]} mit Zusatz {n}", text_of(a, n), external_id=NAMES[a],
        key=f"schluessel von {NAMES[a]}", tags=[f"merkmal-von-{NAMES[a]}/x"],
        valid_from=f"20{10 + n}-01-01",
    )  # fmt: skip


def updated(memory: Damals, step: Step) -> None:
    _, a, b, n = step
    title = f"Nachfolge von {NAMES[a]}, die {next(FRESH)}."
    memory.update(NAMES[a], title, text_of(b, n), reason=why(step))


FRESH = count()
DEEDS: dict[str, Callable[[Damals, Step], object]] = {
    "remember": remembered,
    "update": updated,
    "correct": lambda m, s: m.correct(NAMES[s[1]], content=text_of(s[1], s[3]), reason=why(s)),
    "end": lambda m, s: m.end(NAMES[s[1]], f"20{20 + s[3]}-01-01", reason=why(s)),
    "relate": lambda m, s: m.relate(NAMES[s[1]], "related_to", NAMES[s[2]]),
    "verify": lambda m, s: m.verify(NAMES[s[1]], evidence=f"Nachweis: {why(s)}"),
    "archive": lambda m, s: m.archive(NAMES[s[1]], reason=why(s)),
    "retract": lambda m, s: m.retract(NAMES[s[1]], reason=why(s), restore=bool(s[3] % 2)),
    "pin": lambda m, s: m.pin(NAMES[s[1]]),
    "contradict": lambda m, s: m.contradict(NAMES[s[1]], NAMES[s[2]], reason=why(s)),
    "revert": lambda m, s: m.revert(s[3] + 1, reason=why(s)),
}


def done(memory: Damals, step: Step) -> None:
    """One step; what cannot be done is not."""
    with suppress(DamalsError):
        DEEDS[step[0]](memory, step)


def others(memory: Damals, folder: Path) -> dict[str, Any]:
    """What is answered of everything that is left, also to another home that replays it."""
    path = folder / "events.jsonl"
    memory.export(path)
    entries = memory.entries(limit=None)
    return {
        "entries": [one.to_dict() for one in entries],
        "histories": [memory.history(one.id).to_dict() for one in entries],
        "log": memory.log().to_dict(),
        "events": path.read_text(encoding="utf-8"),
        "past": [
            [one.to_dict() for one in memory.entries(as_of=f"20{year}-06-01", limit=None)]
            for year in (11, 14, 19, 22, 25)
        ],
    }


def own_texts(told: Sequence[dict[str, Any]], left: str) -> list[str]:
    """The texts of the versions of an entry that nobody else says."""
    texts = {text for one in told for text in (one["title"], one["content"]) if text}
    return sorted(text for text in texts if text not in left)


def recorded_only(home: Path, name: str) -> None:
    """Erase, and be killed at once: nothing is purged yet."""
    ledger = SqlLedger(home / "ledger.db")
    tools = Tools(MarkdownChunker(), system_clock)
    with ledger.write("default") as writer:
        record(writer, tools, Request([{"op": "erase", "target": name}], "owner"))
    ledger.close()


@settings(max_examples=25 if NIGHTLY else 5, deadline=None, suppress_health_check=[*HealthCheck])
@given(steps=STEPS, gone=st.integers(0, 3))
def test_an_erasure_takes_its_texts_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Step], gone: int
):
    folder = tmp_path_factory.mktemp("random")
    home, name = folder / "home", NAMES[gone]
    with Damals.open(home) as memory:
        for n in range(4):
            done(memory, ("remember", n, n, n))
        for step in steps:
            done(memory, step)
        told = memory.history(name).to_dict()["versions"]
        memory.create_workspace("daneben")
    recorded_only(home, name)
    with Damals.open(home) as memory:
        before = others(memory, folder)
    with Damals.open(home, workspace="daneben") as beside:
        beside.remember("Damit geht es weiter")
    assert found(home, own_texts(told, str(before))) == []
    with Damals.open(home) as memory:
        assert memory.audit().ok
        assert others(memory, folder) == before
        done(memory, ("remember", (gone + 1) % 4, 0, 5))
        assert memory.audit().ok
    with Damals.open(folder / "elsewhere") as replayed:
        replayed.import_(folder / "events.jsonl")
        assert ids(replayed) == [one["id"] for one in before["entries"]]


def ids(memory: Damals) -> list[str]:
    return [one.id for one in memory.entries(limit=None)]
