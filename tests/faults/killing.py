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
import shutil
import signal
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final, NamedTuple

import pytest
from forks import Fork, fork

NIGHTLY: Final = os.environ.get("DAMALS_TEST_PROFILE") == "nightly"

SCENARIOS: Final = 8
"""Import, update, index maintenance, erasure, backup, restore (of a home there is, and of one that
is lost), migration."""

KILLS_OVER_ALL: Final = int(os.environ.get("DAMALS_TEST_KILLS", "1000" if NIGHTLY else "30"))
KILLS: Final = math.ceil(KILLS_OVER_ALL / SCENARIOS)
"""How many kills a scenario gets."""

GIVE_UP_S: Final = 180.0
MOST_ATTEMPTS_PER_KILL: Final = 4


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
        at_once: called after each kill, before anybody opens the home, with all that was
            acknowledged so far; it asserts.
        holds: called then with what the home looks like, and the same; it asserts.
        work_s: how long a program works that never ends; ``None`` when it ends by itself.
        environment: beside that of the test.
        look: whether the home is looked at after each kill; ``False`` where it may be in pieces
            and ``holds`` looks at another by :func:`look`.
        changes: whether who looks at it changes something first; that is what brings to an end
            what only changes go on with.
        kills_of_a_home: after so many there is none, and what was acknowledged is forgotten: homes
            of programs that never end grow, and looking at them takes longer and longer.
    """

    home: Path
    program: str
    prepare: Callable[[int], object] = nothing
    at_once: Callable[[Sequence[Said]], object] = nothing
    holds: Callable[[Seen, Sequence[Said]], object] = nothing
    work_s: float | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    look: bool = True
    changes: bool = False
    kills_of_a_home: int | None = None


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
    """What came of a scenario.

    Attributes:
        at_work: kills that came after the work had begun.
        said: what was acknowledged of the home that there is.
        acknowledged: how much was, altogether.
    """

    kills: int = 0
    attempts: int = 0
    at_work: int = 0
    said: list[Said] = field(default_factory=list)
    acknowledged: int = 0


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
        if run.killed and outcome.kills % (scenario.kills_of_a_home or kills) == 0:
            _begin_anew(scenario, outcome, last=outcome.kills >= kills)
        steps = max(steps, run.steps)
        if run.ended and kill.after_s is not None:
            works_s = 0.7 * works_s + 0.3 * run.worked_s  # what it works on changes as it grows
    return outcome


def _begin_anew(scenario: Scenario, outcome: Outlived, *, last: bool) -> None:
    if last:
        return
    home = scenario.home
    for folder in (home, home.with_name(f"{home.name}.backups")):
        shutil.rmtree(folder, ignore_errors=True)
    outcome.said.clear()


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
        return _Kill(after_s=chance.uniform(0.0, 0.3), since="process")
    if how < 0.4:
        # A program that never ends may never get so far.
        most_s = works_s if endless else None
        return _Kill(after_s=most_s, since="ack", step=chance.randint(1, max(steps, 1)))
    since = "ack" if endless and how < 0.9 else "work"
    return _Kill(after_s=chance.uniform(0.0, works_s), since=since)


def _attempt(scenario: Scenario, outcome: Outlived, kill: _Kill) -> Run:
    outcome.attempts += 1
    attempt = outcome.attempts
    scenario.prepare(attempt)
    run = _run(scenario, attempt, kill)
    assert run.ended or run.killed, f"it failed instead of being killed: {run.errors}"
    outcome.said += run.said
    outcome.acknowledged += len(run.said)
    try:
        scenario.at_once(outcome.said)
        seen = Seen({}, {})
        if scenario.look:
            seen = look(scenario.home, scenario.environment, changes=scenario.changes)
        scenario.holds(seen, outcome.said)
    except BaseException as error:
        error.add_note(f"attempt {attempt}, {kill}, killed: {run.killed}, steps: {run.steps}")
        raise
    return run


def _run(scenario: Scenario, attempt: int, kill: _Kill) -> Run:
    program = scenario.home.parent / f"{scenario.home.name}.program.py"
    program.write_text(scenario.program, encoding="utf-8")
    listening, telling = os.pipe()
    with _environment(scenario.environment), program.with_suffix(".stderr").open("w+b") as errors:
        arguments = [str(kill.step), str(program), str(scenario.home), str(attempt)]
        process = fork("program_to_kill:run", arguments, telling, errors.fileno())
        os.close(telling)
        try:
            run = _heard(process, listening, attempt, kill)
        finally:
            os.close(listening)
            process.end_group()
        errors.seek(0)
        run.errors = errors.read().decode("utf-8", "replace")
    return run


@contextmanager
def _environment(more: Mapping[str, str]) -> Generator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in more.items():
            patch.setenv(name, value)
        yield


def _heard(process: Fork, listening: int, attempt: int, kill: _Kill) -> Run:
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
    if time.monotonic() < due:  # it has closed its pipe, and may first end by itself
        process.ended(GIVE_UP_S / 3)
    status = process.end_group()
    while piece := os.read(listening, 1 << 16):
        text += piece
    # A line that was cut off by the kill was not said.
    for line in text.split(b"\n")[:-1]:
        kind, value, run.steps = json.loads(line)
        run.ended = run.ended or kind == "ended"
        if kind == "ack":
            run.said.append(Said(attempt, value))
    run.killed = status == -signal.SIGKILL and not run.ended
    return run


def look(
    home: Path, environment: Mapping[str, str] | None = None, *, changes: bool = False
) -> Seen:
    """Open a home in a new process and see that it is sound: health, chains, index.

    Args:
        home: the home.
        environment: beside that of the test.
        changes: whether something is remembered first.

    Raises:
        AssertionError: something is not well.
    """
    more = {"DAMALS_INDEX_MODE": "inline", **(environment or {})}
    with _environment(more), TemporaryFile() as said, TemporaryFile() as errors:
        arguments = [str(home), "changes" if changes else ""]
        process = fork("look_at_home:look", arguments, said.fileno(), errors.fileno())
        process.ended(GIVE_UP_S)
        status = process.end_group()
        said.seek(0)
        errors.seek(0)
        problem = errors.read().decode("utf-8", "replace")
        assert status == 0, f"it does not open: {problem}"
        found = json.loads(said.read())
    unwell = [one for one in found["health"]["checks"] if not one["ok"]]
    # A draft that was not put in its place is named with what removes it, and harms nobody.
    assert [one for one in unwell if one["name"] != "leftovers"] == []
    assert all(one["repair"] for one in unwell)
    for name, workspace in found["workspaces"].items():
        assert workspace["audit"]["ok"], (name, workspace["audit"]["breaks"])
        numbers = [one["number"] for one in workspace["log"]]
        assert numbers == list(range(1, len(numbers) + 1)), (name, numbers)
    return Seen(found["health"], found["workspaces"])
