"""The health of a home: what was looked at, what is wrong, and the command that mends it."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from damals import messages
from damals.app.ledger_port import Ledger
from damals.app.ports import Clock
from damals.app.results import Check, Health
from damals.app.search import Search
from damals.domain.errors import DamalsError
from damals.domain.instants import DAY, format_instant

LITTLE_SPACE_BYTES: Final = 500_000_000
REINDEX: Final = "damals doctor --repair"


def examine(ledger: Ledger, search: Search, home: Path, clock: Clock, repair: bool) -> Health:
    """Look at every part; with ``repair``, rebuild an index that disagrees with the ledger."""
    checks = [
        _check("home", True, "doctor.home", path=str(home)),
        _ledger(ledger),
        _clock(ledger, clock),
        *_index(ledger, search, clock, repair),
        _model(search),
        _space(home),
    ]
    return Health(all(check.ok for check in checks), tuple(checks))


def _check(name: str, ok: bool, key: str, repair: str | None = None, **values: object) -> Check:
    return Check(name, ok, messages.render(key, values), None if ok else repair)


def _ledger(ledger: Ledger) -> Check:
    problems = ledger.check()
    if problems:
        return _check("ledger", False, "doctor.ledger_damaged", problems="; ".join(problems))
    return _check("ledger", True, "doctor.ledger", workspaces=len(ledger.workspaces()))


def _clock(ledger: Ledger, clock: Clock) -> Check:
    """A clock far behind what was recorded makes every new instant a guess."""
    now = clock()
    heads: list[int] = []
    for workspace in ledger.workspaces():
        with ledger.read(workspace.name) as reader:
            heads.append(reader.head().recorded_at)
    last = max(heads, default=now)
    late = last - now > DAY
    key = "doctor.clock_behind" if late else "doctor.clock"
    return _check("clock", not late, key, now=format_instant(now), last=format_instant(last))


def _index(ledger: Ledger, search: Search, clock: Clock, repair: bool) -> Iterator[Check]:
    check = _agreement(search)
    if not check.ok and repair:
        try:
            search.rebuild(clock)
        except DamalsError as error:
            yield _check("index", False, "doctor.index_fails", REINDEX, cause=error)
            return
        check = _agreement(search)
    yield check
    if check.ok:
        missing = sum(search.lag(workspace.name).vectors for workspace in ledger.workspaces())
        key = "doctor.vectors_missing" if missing else "doctor.vectors"
        yield _check("vectors", True, key, count=missing)


def _agreement(search: Search) -> Check:
    try:
        search.catch_up(None)
        wrong = search.disagreement()
        if wrong is not None:
            return _check("index", False, "doctor.index_differs", REINDEX, difference=wrong)
        return _check("index", True, "doctor.index", points=search.count())
    except DamalsError as error:
        return _check("index", False, "doctor.index_fails", REINDEX, cause=error)


def _model(search: Search) -> Check:
    reason = search.model_problem()
    if reason is None:
        return _check("model", True, "doctor.model")
    return _check("model", True, "doctor.model_missing", reason=reason)


def _space(home: Path) -> Check:
    free = shutil.disk_usage(home).free
    enough = free >= LITTLE_SPACE_BYTES
    key = "doctor.space" if enough else "doctor.space_little"
    return _check("space", enough, key, free_mb=free // 1_000_000)
