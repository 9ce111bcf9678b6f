"""Which entries were told to somebody lately, as every ledger says it."""

from accreting import START, TIMEOUT

from damals.domain.instants import DAY


def recent(memory, since: int, limit: int = 10) -> list[str]:
    return [str(one) for one in memory._ledger().accesses.recent("default", since, limit)]  # noqa: SLF001 -- the port has no other door


def test_what_was_told_last_comes_first(memory, clock):
    first, second = memory.remember(*TIMEOUT), memory.remember("Sitz", "Detmold")
    for one in (first, second, first):
        clock.days(1)
        memory.get(one.id)
    assert recent(memory, START) == [first.id, second.id]
    assert recent(memory, START, limit=1) == [first.id]
    assert recent(memory, START + 3 * DAY) == [first.id]
    assert recent(memory, START + 4 * DAY) == []


def test_what_was_erased_was_never_told(memory, clock):
    gone = memory.remember(*TIMEOUT)
    clock.days(1)
    memory.get(gone.id)
    memory.erase("entry", gone.id)
    assert recent(memory, START) == []
