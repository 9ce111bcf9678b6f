"""Point reads: the version of one entry, or of one key, at a pair of instants.

Of one entry, and of one key, no two versions overlap in valid and recorded time. Let ``c`` surely
hold at ``v`` and ``p`` perhaps, both known at one instant. One of them ends before the other
begins. If ``p`` does, then ``p.end.latest <= c.start.earliest <= v``, or ``p`` ends at the very
bound at which ``c`` begins, so ``p.end.latest = c.start.latest <= v``: ``p`` does not hold at
``v``. If ``c`` does, then ``c.end.latest <= p.start.earliest <= v``, or ``c.end.earliest =
p.start.earliest <= v``: ``c`` does not surely hold at ``v``. So *what surely holds is the only
version that can hold*, at every instant at which it is known.

A walk through an index therefore ends at the first version that may hold at ``v``:

* It surely holds and is known at ``t``: it is the answer.
* It surely holds, but was closed by ``t``, on a walk from the newest recorded by ``t`` backwards:
  there is no answer. Any other was recorded before it and would be known at ``t``, hence also
  while this one was known.
* It holds perhaps: another may be better, so all are compared.
* There is none: there is no answer.

How many versions an entry has had does not matter then, unless most of them end before ``v`` or
begin behind it.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Final, Literal

from sqlalchemy import ScalarSelect, bindparam, func, select

from damals.adapters.sql.access import AccessShape
from damals.adapters.sql.queries import CURRENT, Known, Query, found, known, possible, rank
from damals.adapters.sql.schema import versions
from damals.app.ledger_model import At
from damals.domain.instants import BEGINNING

Of = Literal["entry", "key"]
"""Whose version is asked for: parameter ``entry`` (16 bytes) or ``key`` (row of its text)."""

_COLUMNS: Final = {"entry": versions.c.entry_id, "key": versions.c.key_id}
_CURRENT: Final = {"entry": CURRENT, "key": "INDEXED BY versions_current_key"}
_NEWEST: Final = {"entry": "INDEXED BY versions_entry", "key": "INDEXED BY versions_key"}
_STARTS: Final = "INDEXED BY versions_key_start"
_GLANCE: Final = 64
"""How many of a key's newest versions are looked at before its starts are walked."""


def read(run: Callable[[Query], Any], shape: AccessShape, when: Known, of: Of, at: At) -> Any:  # noqa: ANN401 - a row
    """The row of the best version at a pair, or ``None``.

    Args:
        run: gives the first row of a statement.
        shape: of the asker's access.
        when: whether the newest state is asked for.
        of: what the parameters name.
        at: the pair.
    """
    row = next((row for walk in walks(shape, when, of) if (row := run(walk))), None)
    if row is None:
        return None
    if not row.start_latest <= at.as_of < row.end_earliest:
        return run(best(shape, when, of))
    return row if row.recorded_to > at.known_at else None


@cache
def walks(shape: AccessShape, when: Known, of: Of) -> tuple[Query, ...]:
    """Statements that stop at the first version that may hold; a later one when none did.

    By starts, backwards, where the current versions are asked for: the first one that may hold.
    Else from the newest backwards. A key may have had many holders since, so its newest versions
    only get a glance, and then its starts are walked, which are near the asked instant.
    """
    query = _of(shape, of).where(possible(versions)).limit(1)
    start, newest = versions.c.start_earliest.desc(), versions.c.recorded_from.desc()
    by_start = query.where(known(versions, when)).order_by(start)
    if when == "now":
        return (by_start.with_hint(versions, _CURRENT[of], "sqlite"),)
    walk = query.where(versions.c.recorded_from <= bindparam("known_at")).order_by(newest)
    walk = walk.with_hint(versions, _NEWEST[of], "sqlite")
    if of == "entry":
        return (walk,)
    return (
        walk.where(versions.c.recorded_from > func.coalesce(_some_versions_ago(), BEGINNING)),
        by_start.order_by(newest).with_hint(versions, _STARTS, "sqlite"),
    )


def _some_versions_ago() -> ScalarSelect[int]:
    """When the last but some of a key's versions was recorded; NULL when it has fewer."""
    one = versions.alias("one")
    return (
        select(one.c.recorded_from)
        .where(
            one.c.workspace_id == bindparam("workspace"),
            one.c.key_id == bindparam("key"),
            one.c.recorded_from <= bindparam("known_at"),
        )
        .with_hint(one, _NEWEST["key"], "sqlite")
        .order_by(one.c.recorded_from.desc())
        .limit(1)
        .offset(_GLANCE)
        .correlate(None)
        .scalar_subquery()
    )


@cache
def best(shape: AccessShape, when: Known, of: Of) -> Query:
    """The best of all versions that may hold."""
    query = _of(shape, of).where(known(versions, when), possible(versions))
    if when == "now":
        query = query.with_hint(versions, _CURRENT[of], "sqlite")
    return query.order_by(*(column.desc() for column in rank(versions))).limit(1)


def _of(shape: AccessShape, of: Of) -> Query:
    return found(shape).where(_COLUMNS[of] == bindparam(of))
