"""The harness of the kills: a program is killed at any instant, and nothing acknowledged is lost.

A scenario is a program and what must hold after each kill. :func:`outlive` runs it in a process
group of its own, kills the whole group with SIGKILL (between two instants of the clock, between
two steps on files, or while it starts), looks at the home in a new process, and asks the scenario.
"""

import json
import math
import os
import random
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

NIGHTLY: Final = os.environ.get("DAMALS_TEST_PROFILE") == "nightly"

SCENARIOS: Final = 7
"""Import, update, index maintenance, erasure, backup, restore, migration."""

KILLS_OVER_ALL: Final = 1_000 if NIGHTLY else 30
KILLS: Final = math.ceil(KILLS_OVER_ALL / SCENARIOS)
"""How many kills a scenario gets."""

GIVE_UP_S: Final = 180.0
MOST_ATTEMPTS_PER_KILL: Final = 4
HERE: Final = Path(__file__).parent


class Said(NamedTuple):
    """Something that a program has acknowledged, and in which attempt."""

    attempt: int
    value: Any


@dataclass(frozen=True)
class Seen:
    """A home as its next process sees it.

    Attributes:
        health: of ``doctor``.
        workspaces: by name ``entries`` that hold now (by id: ``title``, ``content``, ``number``),
            ``log`` (the transactions with their ``ops``) and ``audit``.
    """

    health: dict[str, Any]
    workspaces: dict[str, dict[str, Any]]

    def entries(self, workspace: str = "default") -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = self.workspaces.get(workspace, {}).get("entries", {})
        return found

    def log(self, workspace: str = "default") -> str:
        """All operations as one text, in which an id can be looked for."""
        return json.dumps(self.workspaces.get(workspace, {}).get("log", []))


def nothing(*_: object) -> None:
    """There is nothing to do, or to hold."""


@dataclass(frozen=True)
class Scenario:
    """A program to kill.

    Attributes:
        home: the home that is looked at after each kill.
        program: Python source; it has ``home`` (a ``Path``), ``attempt`` (a number) and
            ``ack(value)``, to be called with something JSON can hold as soon as it must not be
            lost.
        prepare: called with the attempt before each, so that there is something to do.
        holds: called after each kill with what the home looks like and with all that was
            acknowledged so far; it asserts.
        work_s: how long a program works that never ends; ``None`` when it ends by itself.
        environment: beside that of the test.
        look: whether the home is looked at after each kill; ``False`` where it may be in pieces
            and ``holds`` looks at another by :func:`look`.
    """

    home: Path
    program: str
    prepare: Callable[[int], object] = nothing
    holds: Callable[[Seen, Sequence[Said]], object] = nothing
    work_s: float | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    look: bool = True


@dataclass
class Run:
    """One attempt: what it said, and how it ended."""

    said: list[Said] = field(default_factory=list)
    steps: int = 0
    worked_s: float = 0.0
    ended: bool = False
    killed: bool = False
    errors: str = ""


@dataclass
class Outlived:
    """What came of a scenario."""

    kills: int = 0
    attempts: int = 0
    at_work: int = 0
    said: list[Said] = field(default_factory=list)


def outlive(scenario: Scenario, *, kills: int = KILLS, seed: int = 1) -> Outlived:
    """Kill a program until it was killed often enough; nothing acknowledged may be lost.

    Raises:
        AssertionError: something is lost or broken; which attempt, and how it was killed.
    """
    chance, outcome = random.Random(seed), Outlived()
    steps, works_s = 40, scenario.work_s
    endless = works_s is not None
    if works_s is None:
        # Nobody kills the first one: it shows how long the work takes, and how many steps.
        whole = _attempt(scenario, outcome, _Kill())
        steps, works_s = whole.steps, whole.worked_s
    while outcome.kills < kills:
        assert outcome.attempts <= kills * MOST_ATTEMPTS_PER_KILL, "it ends before it is killed"
        kill = _drawn(chance, works_s, steps, endless=endless)
        run = _attempt(scenario, outcome, kill)
        outcome.kills += run.killed
        outcome.at_work += run.killed and run.worked_s > 0
        steps = max(steps, run.steps)
        if run.ended and kill.after_s is not None:
            works_s = 0.7 * works_s + 0.3 * run.worked_s  # what it works on changes as it grows
    return outcome


@dataclass(frozen=True)
class _Kill:
    """When to kill: at a step, or so long after something.

    Attributes:
        since: the start of the ``process``, the begin of its ``work``, or its first word (``ack``).
    """

    after_s: float | None = None
    since: str = "work"
    step: int = -1


def _drawn(chance: random.Random, works_s: float, steps: int, *, endless: bool) -> _Kill:
    how = chance.random()
    if how < 0.1:
        return _Kill(after_s=chance.uniform(0.0, 0.8), since="process")
    if how < 0.4:
        return _Kill(step=chance.randint(1, max(steps, 1)))
    since = "ack" if endless and how < 0.9 else "work"
    return _Kill(after_s=chance.uniform(0.0, works_s), since=since)


def _attempt(scenario: Scenario, outcome: Outlived, kill: _Kill) -> Run:
    outcome.attempts += 1
    attempt = outcome.attempts
    scenario.prepare(attempt)
    run = _run(scenario, attempt, kill)
    assert run.ended or run.killed, f"it failed instead of being killed: {run.errors}"
    outcome.said += run.said
    try:
        seen = look(scenario.home, scenario.environment) if scenario.look else Seen({}, {})
        scenario.holds(seen, outcome.said)
    except BaseException as error:
        error.add_note(f"attempt {attempt}, {kill}, killed: {run.killed}, steps: {run.steps}")
        raise
    return run


def _run(scenario: Scenario, attempt: int, kill: _Kill) -> Run:
    program = scenario.home.parent / f"{scenario.home.name}.program.py"
    program.write_text(scenario.program, encoding="utf-8")
    listening, telling = os.pipe()
    with (program.with_suffix(".stderr")).open("w+b") as errors:
        process = subprocess.Popen(
            [
                *(sys.executable, "-P", str(HERE / "program_to_kill.py"), str(telling)),
                *(str(kill.step), str(program), str(scenario.home), str(attempt)),
            ],
            env={**os.environ, **scenario.environment},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
            pass_fds=(telling,), start_new_session=True,
        )  # fmt: skip
        os.close(telling)
        try:
            run = _heard(process, listening, attempt, kill)
        finally:
            os.close(listening)
            _end(process, at_once=True)
        errors.seek(0)
        run.errors = errors.read().decode("utf-8", "replace")
    return run


def _heard(process: "subprocess.Popen[bytes]", listening: int, attempt: int, kill: _Kill) -> Run:
    """Listen until the process is killed or has ended, and take all that it has said."""
    run, text = Run(), b""
    started = time.monotonic()
    begun: float | None = None
    after_s = GIVE_UP_S if kill.after_s is None else kill.after_s
    due = started + (after_s if kill.since == "process" else GIVE_UP_S)
    while (left_s := due - time.monotonic()) > 0:
        if not select.select([listening], [], [], left_s)[0]:
            break
        piece = os.read(listening, 1 << 16)
        if not piece:
            break
        text += piece
        begun = begun or time.monotonic()
        if b'["ack"' in text if kill.since == "ack" else kill.since == "work":
            due = min(due, time.monotonic() + after_s)
    run.worked_s = 0.0 if begun is None else time.monotonic() - begun
    _end(process, at_once=time.monotonic() >= due)
    while piece := os.read(listening, 1 << 16):
        text += piece
    # A line that was cut off by the kill was not said.
    for line in text.split(b"\n")[:-1]:
        kind, value, run.steps = json.loads(line)
        run.ended = run.ended or kind == "ended"
        if kind == "ack":
            run.said.append(Said(attempt, value))
    run.killed = process.returncode == -signal.SIGKILL and not run.ended
    return run


def _end(process: "subprocess.Popen[bytes]", *, at_once: bool = False) -> None:
    """End the whole group; one that has closed its pipe may first end by itself."""
    if not at_once:
        try:
            process.wait(GIVE_UP_S / 3)
        except subprocess.TimeoutExpired:
            at_once = True
    with suppress(ProcessLookupError):  # nobody of the group is left
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(30)


def look(home: Path, environment: Mapping[str, str] | None = None) -> Seen:
    """Open a home in a new process and see that it is sound: health, chains, index.

    Raises:
        AssertionError: something is not well.
    """
    done = subprocess.run(
        [sys.executable, "-P", str(HERE / "look_at_home.py"), str(home)],
        capture_output=True, text=True, check=False, timeout=GIVE_UP_S,
        env={**os.environ, "DAMALS_INDEX_MODE": "inline", **(environment or {})},
    )  # fmt: skip
    assert done.returncode == 0, f"it does not open: {done.stdout}{done.stderr}"
    found = json.loads(done.stdout)
    assert found["health"]["ok"], [one for one in found["health"]["checks"] if not one["ok"]]
    for name, workspace in found["workspaces"].items():
        assert workspace["audit"]["ok"], (name, workspace["audit"]["breaks"])
        numbers = [one["number"] for one in workspace["log"]]
        assert numbers == list(range(1, len(numbers) + 1)), (name, numbers)
    return Seen(found["health"], found["workspaces"])
