"""``damals demo``: a walk through a small archive.

A consultant's vault and ten facts whose recorded time lies in the past are taken in, one note is
changed, and then the very commands that a user would type are run, one after the other.
"""

import shutil
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar, cast

from damals.app.errors import Conflict
from damals.app.results import Result
from damals.app.seen_results import SeenEntry
from damals.app.wire import to_wire
from damals.domain.entries import Json
from damals.domain.instants import from_datetime
from damals.interfaces.cli import options
from damals.interfaces.cli.output import print_json
from damals.interfaces.cli.progress import reporting
from damals.interfaces.cli.registry import command, find
from damals.interfaces.cli.session import Call, Session

if TYPE_CHECKING:
    from damals.api import Damals

R = TypeVar("R", bound=Result)

ZONE: Final = "Europe/Berlin"
VAULT: Final = "Beratung"
MANUAL: Final = "Notfallhandbuch Müller GmbH"
EARLIEST_NOW: Final = from_datetime(datetime(2026, 7, 15, 8, tzinfo=UTC))
"""The events reach into June 2026: on a clock that lags behind them, the walk takes this as now."""

ADDRESS: Final = "Welche Anschrift hat die Müller GmbH?"
RATE: Final = "Welcher Tagessatz gilt für die Müller GmbH?"
AUDIT: Final = "Welche Standorte umfasst das Audit der Stadtwerke?"
ASSUMED: Final = "Welchen Tagessatz nahmen wir am 1. Februar 2025 für die Müller GmbH an?"
RENT: Final = "Wie hoch ist die Miete der Müller GmbH?"
RESTART: Final = "Wie schnell muss die Auftragsverwaltung nach einem Ausfall wieder laufen?"


@command("demo", options.KEEP)
def demo(call: Call) -> None:
    """Build the archive, walk through it, and remove it unless it was asked to stay."""
    session = call.session
    asked = session.options.home
    home = Path(asked) if asked else Path(tempfile.mkdtemp(prefix="damals-demo-"))
    keep = bool(asked or call.values.get("keep"))
    if asked and home.exists() and any(home.iterdir()):
        raise Conflict("demo.home_taken", path=str(home))
    try:
        told = walk(session, home)
    finally:
        if not keep:
            shutil.rmtree(home, ignore_errors=True)
    if session.options.json:
        print_json({"home": str(home) if keep else None, "steps": told})
    elif keep:
        session.screen.line(session.say("demo.kept", home=str(home)))
    else:
        session.screen.line(session.say("demo.removed"))


@dataclass(frozen=True)
class Walk(Session):
    """A session whose commands all work on one open memory, and whose results are kept."""

    memory: "Damals | None" = None
    results: list[Json] = field(default_factory=list[Json])

    def open(self, *, brief: bool = True) -> "Damals":
        """The open memory; the commands do not close it."""
        del brief
        return cast("Damals", _Shared(self.memory))

    def show(self, result: R, view: Callable[[Session, R], None]) -> None:
        """Keep the result; print it when people read along."""
        self.results.append(result.to_dict())
        if not self.options.json:
            view(self, result)

    def show_entry(self, entry: SeenEntry, view: Callable[[Session, SeenEntry], None]) -> None:
        """As :meth:`show`."""
        self.results.append(to_wire(entry))
        if not self.options.json:
            view(self, entry)


class _Shared:
    """A memory that is left open at the end of a ``with``."""

    def __init__(self, memory: object) -> None:
        self._memory = memory

    def __getattr__(self, name: str) -> object:
        return getattr(self._memory, name)

    def __enter__(self) -> object:
        return self._memory

    def __exit__(self, *_: object) -> None:
        return None


def walk(session: Session, home: Path) -> list[Json]:
    """Build the archive in ``home`` and take every step.

    Returns:
        What was asked and answered, step by step.
    """
    with _built(session, home) as memory:
        guide = Walk(session.options, session.lang, memory)
        told: list[Json] = []
        for number, (name, words) in enumerate(_steps(memory), start=1):
            told.append(_step(guide, number, name, words))
    return told


def _step(guide: Walk, number: int, name: str, words: list[str]) -> Json:
    typed = " ".join(["damals", *(_quoted(word) for word in words)])
    question = guide.say(f"demo.{name}")
    if not guide.options.json:
        guide.screen.line()
        guide.screen.line((f"{number}. {question}", "bold yellow"))
        guide.screen.line((f"   $ {typed}", "green"))
        guide.screen.line()
    found, rest = find(words)
    found.run(guide, rest)
    moral = guide.say(f"demo.{name}.moral")
    if not guide.options.json:
        guide.screen.line()
        guide.screen.line(("   → ", "bold yellow"), moral)
    answer = guide.results[-1]
    return {"question": question, "command": typed, "answer": answer, "moral": moral}


def _steps(memory: "Damals") -> list[tuple[str, list[str]]]:
    """Name of each step and the command that a user would type."""
    before = _before_change(memory)
    best = ["--limit", "1"]
    return [
        ("now", ["recall", ADDRESS, *best]),
        ("then", ["recall", ADDRESS, "--as-of", "2026-04-01", *best]),
        (
            "unknown",
            ["recall", ADDRESS, "--as-of", "2026-07-01", "--known-at", "2026-05-01", *best],
        ),
        ("history", ["history", "--key", "mueller-gmbh/anschrift"]),
        ("believed", ["recall", RATE, "--as-of", "2025-02-01", "--known-at", "2025-02-01", *best]),
        ("corrected", ["recall", RATE, "--as-of", "2025-02-01", *best]),
        ("decided", ["recall", AUDIT, "--known-at", "2026-01-15", *best]),
        ("revised", ["history", "--key", "stadtwerke-hellental/auditumfang"]),
        ("changed", ["diff", "--from", "2026-02-01", "--to", "2026-07-01"]),
        ("note_before", ["recall", RESTART, "--known-at", before, *best]),
        ("note_now", ["recall", RESTART, "--explain", "--limit", "2"]),
        ("asked", ["ask", ASSUMED]),
        ("unanswered", ["ask", RENT]),
    ]


def _before_change(memory: "Damals") -> str:
    """The instant at which the manual's first text was recorded."""
    notes = [entry for entry in memory.entries(limit=None) if entry.title == MANUAL]
    return memory.history(notes[0].id).versions[0].recorded_from


@contextmanager
def _built(session: Session, home: Path) -> "Generator[Damals]":
    from damals.bootstrap import init_home, open_home  # noqa: PLC0415 -- wiring is loaded when needed

    started_s = time.monotonic()
    people = not session.options.json
    if people:
        session.screen.line((session.say("demo.title"), "bold"))
        session.screen.line(session.say("demo.intro"))
        session.screen.line((session.say("demo.building", home=str(home)), "dim"))
    init_home(str(home), "default", ZONE)
    with open_home(str(home), workspace="default", clock=_now) as memory:
        _fill(session, memory, home)
        if people:
            took = f"{time.monotonic() - started_s:.1f}"
            session.screen.line((session.say("demo.built", seconds=took), "dim"))
        yield memory


def _fill(session: Session, memory: "Damals", home: Path) -> None:
    """Replay the events, take in the vault, change a note, take it in again."""
    vault = home / VAULT
    with as_file(files("damals").joinpath("demo")) as data, reporting(session) as progress:
        memory.import_(data / "events.jsonl", source="events", progress=progress)
        shutil.copytree(data / "vault", vault)
        memory.import_(vault, source="vault", progress=progress)
        shutil.copytree(data / "later", vault, dirs_exist_ok=True)
        memory.import_(vault, source="vault", wait=True, progress=progress)


def _now() -> int:
    return max(time.time_ns() // 1000, EARLIEST_NOW)


def _quoted(word: str) -> str:
    plain = word and all(char.isalnum() or char in "-_/.:@" for char in word)
    return word if plain else f'"{word}"'
