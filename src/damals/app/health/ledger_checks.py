"""Checks of the ledger: its files, its chains, its clock, and work that did not end."""

from collections.abc import Iterator
from typing import Final

from damals.app.health.model import MEND, LedgerClosedError, Scene, unwell, well
from damals.app.ledger_port import LedgerReader
from damals.app.results import Check
from damals.domain.instants import SECOND, format_instant

RESTORE: Final = "damals backup list"
VERIFY: Final = "damals audit verify"
AHEAD: Final = 60 * SECOND
"""A burst of changes puts recorded time a little ahead; more is a clock that went back."""
LOOKED_BACK: Final = 1_000
"""In so many of the last transactions it is looked whether the clock went back."""
MOST_JOBS: Final = 100


def ledger(scene: Scene) -> Iterator[Check]:
    """The files themselves, as the database sees them."""
    try:
        opened = scene.ledger()
    except LedgerClosedError:
        yield unwell("ledger", "doctor.fails", RESTORE, cause=scene.failed)
        return
    problems = opened.check()
    if problems:
        yield unwell("ledger", "doctor.ledger_damaged", RESTORE, problems="; ".join(problems))
    else:
        count = len(opened.workspaces())
        yield well("ledger", "doctor.ledger", workspaces=count, engine=opened.engine)


def chains(scene: Scene) -> Iterator[Check]:
    """That every row of every workspace is what was recorded."""
    opened, total = scene.ledger(), 0
    broken: list[str] = []
    for workspace in opened.workspaces():
        found = opened.audit(workspace.name)
        total += found.transactions
        if found.breaks:
            broken.append(workspace.name)
    if broken:
        yield unwell("chain", "doctor.chain_broken", VERIFY, workspaces=", ".join(broken))
    else:
        yield well("chain", "doctor.chain", transactions=total)


def clock(scene: Scene) -> Iterator[Check]:
    """A clock behind what was recorded makes every new instant a guess."""
    opened, now = scene.ledger(), scene.clock()
    last, jumps = now, 0
    heads: list[int] = []
    for workspace in opened.workspaces():
        with opened.read(workspace.name) as reader:
            heads.append(reader.head().recorded_at)
            jumps += _jumps(reader)
    last = max(heads, default=now)
    told = {"now": format_instant(now), "last": format_instant(last)}
    if last - now > AHEAD:
        yield unwell("clock", "doctor.clock_behind", None, **told)
    elif jumps:
        yield well("clock", "doctor.clock_jumped", count=jumps, **told)
    else:
        yield well("clock", "doctor.clock", **told)


def _jumps(reader: LedgerReader) -> int:
    """How often, lately, recorded time had to run ahead of a clock that went back."""
    after = max(reader.head().number - LOOKED_BACK, 0)
    ahead = [one.recorded_at - one.logged_at > AHEAD for one in reader.log(after=after)]
    return sum(now and not before for before, now in zip([False, *ahead], ahead, strict=False))


def jobs(scene: Scene) -> Iterator[Check]:
    """Long work that was lost with its process. Nothing of it has to be mended: it is done anew."""
    opened = scene.ledger()
    lost = sum(
        job.state == "lost"
        for workspace in opened.workspaces()
        for job in opened.registry.jobs(workspace.name, MOST_JOBS)
    )
    key = "doctor.jobs_lost" if lost else "doctor.jobs"
    yield well("jobs", key, count=lost)


def erasures(scene: Scene) -> Iterator[Check]:
    """Erasures that were recorded and whose bytes may still be there, in this home at least."""
    begun = scene.ledger().erasures
    waiting = [*begun.unfinished(), *begun.behind()]
    if waiting:
        yield unwell("erasures", "doctor.erasures", MEND, count=len(waiting))
    else:
        yield well("erasures", "doctor.erasures_none")
