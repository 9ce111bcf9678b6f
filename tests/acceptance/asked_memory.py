"""What tests ask of a memory: what it lists, how many transactions it has, what it refuses."""

from collections.abc import Callable

import pytest

from damals import Damals
from damals.app.errors import DamalsError, outcome_of


def refused(act: Callable[..., object], *given: object, **named: object) -> tuple[int, str]:
    """Exit code and key of the error that an operation raises."""
    with pytest.raises(DamalsError) as refusal:
        act(*given, **named)
    return outcome_of(refusal.value).exit_code, refusal.value.key


def said(memory: Damals, name: str, start: str = "2020-01-01", **fields) -> str:
    """Remember an entry under a name. Returns its id."""
    return memory.remember(name, name.lower(), external_id=name, valid_from=start, **fields).id


def listed(memory: Damals, as_of: str | None = None, known_at: str | None = None) -> list[str]:
    """Names of what holds at a pair."""
    page = memory.entries(as_of=as_of, known_at=known_at, limit=None)
    return sorted(entry.external_id or entry.id for entry in page)


def transactions(memory: Damals) -> int:
    """How many transactions were stored."""
    return len(memory.log().transactions)
