"""Moving a home's ledger: in which order, and what has to be equal before the home is switched."""

import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Final

from damals import messages
from damals.app.migrating.model import (
    ChainSum,
    IndexSum,
    LedgerMove,
    Listener,
    Migration,
    MovedHome,
    RecallSum,
    Survey,
    TableSum,
)
from damals.app.migrating.sampling import asked, compare
from damals.domain.errors import InvalidInput

COPIED_PER_S: Final = 25_000
"""Rows that are copied in a second, about; measured, see ``docs/scale.md``."""

CHECKED_PER_S: Final = 8_000
"""Rows that are summed up on both sides, indexed and audited, all together."""

RECALLS_PER_S: Final = 10
"""Questions that both sides answer."""

MOST_SAMPLED: Final = 100_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for.

    Attributes:
        sample: how many recalls are compared.
        dry_run: only look.
    """

    sample: int = 200
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What the last part came to."""

    tables: tuple[TableSum, ...]
    chains: tuple[ChainSum, ...]
    recalls: RecallSum
    index: IndexSum


def migrate(
    move: LedgerMove | None, home: MovedHome, wanted: Wanted, listen: Listener
) -> Migration:
    """Move a home's ledger to a server, its index, or both; the home uses them from then on.

    Killed at any instant the home is as it was, and the next attempt goes on; or it is switched.

    Args:
        move: copies the ledger; ``None`` when only the index is moved.
        home: whose ledger it is.
        wanted: what was asked for.
        listen: hears of progress.

    Raises:
        InvalidInput: ``migrate.sample``.
        DamalsError: what is in the way; ``migrate.differs``, ``migrate.audit``,
            ``migrate.answers`` when both sides are not the same.
    """
    if not 0 <= wanted.sample <= MOST_SAMPLED:
        raise InvalidInput("migrate.sample", value=wanted.sample, high=MOST_SAMPLED)
    home.check_switch()
    survey = Survey("", {}, 0) if move is None else move.survey()
    if wanted.dry_run:
        return _plan(survey, home.index_missing(), wanted)
    for obstacle in survey.obstacles:
        raise obstacle
    plan = _plan(survey, (), wanted)
    with nullcontext() if move is None else move.alone():
        home.begin()
        if move is not None:
            move.copy(listen)
        with home.held() as owner:
            begun_s = time.monotonic()
            outcome = _last_part(move, home, owner, wanted, listen)
            if move is not None:
                move.release()
            switched = home.switch()
            held_s = time.monotonic() - begun_s
    return replace(
        plan,
        state="done",
        held_s=round(held_s, 3),
        tables=outcome.tables,
        chains=outcome.chains,
        recalls=outcome.recalls,
        index=outcome.index,
        switched=switched,
    )


def _last_part(
    move: LedgerMove | None, home: MovedHome, owner: str, wanted: Wanted, listen: Listener
) -> _Outcome:
    """What is done while nobody writes: make both sides equal, and ask both the same."""
    sample = home.questions(wanted.sample)
    with home.old() as memory:
        # First of all, since a question brings the index up to the ledger: that is copied, too.
        before = asked(memory, sample, listen)
    tables: Sequence[TableSum] = ()
    chains: Sequence[ChainSum] = ()
    if move is not None:
        tables, chains = move.finish(owner, listen), move.chains(listen)
    with home.new() as memory:
        index = home.index(memory, listen)
        after = asked(memory, sample, listen, before=len(sample))
    recalls = compare(sample, (before, after), index)
    return _Outcome(tuple(tables), tuple(chains), recalls, index)


def _plan(survey: Survey, missing: Sequence[str], wanted: Wanted) -> Migration:
    """What a migration would do."""
    rows = sum(survey.rows.values())
    left = max(rows - survey.copied, 0)
    held_s = rows / CHECKED_PER_S + wanted.sample / RECALLS_PER_S
    told = [messages.render(one.key, one.values) for one in survey.obstacles]
    return Migration(
        state="planned",
        ledger=survey.location,
        rows=rows,
        bytes=survey.source_bytes,
        copied_before=survey.copied,
        free_bytes=survey.free_bytes,
        estimate_s=round(left / COPIED_PER_S + held_s, 1),
        held_s=round(held_s, 1),
        missing=(*told, *missing),
        tables=tuple(TableSum(name, count, "") for name, count in survey.rows.items()),
    )
