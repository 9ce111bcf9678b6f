"""Which entries were told to somebody lately, as every ledger says it."""

from accreting import START, TIMEOUT

from damals.domain.access import Principal
from damals.domain.instants import DAY

GUEST = Principal("gast", roles=("writer",), visibility="internal")


def recent(memory, since: int, limit: int = 10) -> list[str]:
    with memory._reader() as reader:  # noqa: SLF001 -- the port has no other door
        return [str(one) for one in reader.lately_accessed(since, limit)]


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


def test_what_is_hidden_was_told_to_nobody_and_takes_no_place(memory, clock):
    seen = memory.remember(*TIMEOUT)
    memory.get(seen.id)
    for number in range(3):
        clock.days(1)
        memory.get(memory.remember(f"Geheim {number}", "x", visibility="restricted").id)
    assert recent(memory, START, limit=2)[:1] != [seen.id]
    assert recent(memory.under(GUEST), START, limit=2) == [seen.id]
