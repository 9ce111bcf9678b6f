"""Flags before use, word for word, and what is noted of what was returned to someone."""

from uuid import UUID

import pytest
from ageing_home import Time, home

from damals import messages
from damals.api import Damals
from damals.app.accesses_model import HOUR
from damals.domain.access import Principal
from damals.domain.instants import DAY

EN = (
    "This knowledge entry has not been verified since {date}. Domain decay rate is {rate}. "
    "Verify before relying on it for a consequential decision."
)
DE = (
    "Dieser Wissenseintrag wurde seit dem {date} nicht geprüft. Sein Gebiet veraltet {rate}. "
    "Vor einer folgenreichen Entscheidung prüfen."
)


def caveats(memory: Damals) -> tuple[str, ...]:
    [hit] = memory.recall("Stille").results
    return hit.caveats


@pytest.mark.parametrize(
    ("fields", "days", "english", "german"),
    [
        ({"staleness_risk": "fast_decay"}, 30, "fast", "schnell"),
        ({"staleness_risk": "slow_decay"}, 180, "moderate", "mäßig schnell"),
        ({"domain": "architecture"}, 91, "slow", "langsam"),
    ],
)
def test_a_flag_says_since_when_and_how_fast(
    memory: Damals, time: Time, fields: dict[str, str], days: int, english: str, german: str
):
    memory.remember("x", "Stille", external_id="a", **fields)
    memory.verify("a")
    time.days(days - 1)
    assert caveats(memory) == ()
    time.now += DAY + 10  # what was recorded at once lies a microsecond apart
    assert caveats(memory) == (EN.format(date="2024-01-01", rate=english),)
    with messages.speaking("de"):
        assert caveats(memory) == (DE.format(date="2024-01-01", rate=german),)
    memory.verify("a")
    assert caveats(memory) == ()


def test_what_was_never_verified_is_flagged_since_it_was_recorded(memory: Damals, time: Time):
    memory.remember("x", "Stille", created="2020-01-01", valid_from="2020-01-01")
    time.days(180)
    assert caveats(memory) == (EN.format(date="2024-01-01", rate="moderate"),)


def test_an_answer_tells_the_flags_of_what_it_quotes(memory: Damals, time: Time):
    memory.remember("Rate Limit", "Das Rate Limit liegt bei 100 Anfragen in der Minute.",
                    staleness_risk="fast_decay")  # fmt: skip
    time.days(31)
    answer = memory.ask("Wie hoch ist das Rate Limit?")
    assert not answer.abstained
    assert EN.format(date="2024-01-01", rate="fast") in answer.caveats


# --- accesses


def count(memory: Damals, *names: str) -> int:
    ids = [UUID(one.id) for one in memory.entries(limit=None) if one.title in names]
    return memory.opened.ledger("default").accesses.count("default", ids)


def test_what_is_returned_is_noted_and_what_is_only_looked_at_is_not(memory: Damals, time: Time):
    memory.remember("x", "Stille", external_id="a")
    memory.remember("y", "Lärm", external_id="b")
    memory.entries()
    memory.history("a")
    memory.graph("a")
    memory.diff(start="2023-01-01", end="2024-02-01")
    memory.hygiene()
    memory.gate()
    memory.gate(query="Stille")
    memory.verify("a")
    assert count(memory, "x", "y") == 0
    time.now += 1
    memory.recall("Stille")
    assert (count(memory, "x"), count(memory, "y")) == (1, 0)
    memory.get("b")
    assert count(memory, "y") == 1
    memory.recall("Stille", receipt=False)
    assert count(memory, "x") == 1, "the first of an hour and channel"
    time.now += HOUR
    memory.recall("Stille", receipt=False)
    assert count(memory, "x") == 2


def test_an_answer_is_an_access_of_what_it_quotes(memory: Damals):
    memory.remember("Rate Limit", "Das Rate Limit liegt bei 100 Anfragen in der Minute.")
    memory.remember("Limit", "Ein anderes.")
    answer = memory.ask("Wie hoch ist das Rate Limit?")
    assert {one.entry_id for one in answer.citations}
    assert (count(memory, "Rate Limit"), count(memory, "Limit")) == (1, 0)


def test_it_is_noted_to_whom(memory: Damals):
    memory.remember("x", "Stille", external_id="a", visibility="public")
    memory.get("a")
    memory.under(Principal("bot")).get("a")
    memory.under(Principal("bot")).recall("Stille")
    assert count(memory, "x") == 3


def test_noting_can_be_switched_off(time: Time):
    with home(time, accesses=False) as memory:
        memory.remember("x", "Stille", external_id="a")
        memory.get("a")
        memory.recall("Stille")
        assert count(memory, "x") == 0


def test_nothing_fails_or_waits_because_an_access_cannot_be_noted(memory: Damals):
    memory.remember("x", "Stille", external_id="a")
    assert len(memory.recall("Stille").results) == 1
    with memory.transaction() as several:
        several.remember("y", "Ruhe")
        assert several.get("a").title == "x"
        assert len(several.recall("Stille").results) == 1
    assert count(memory, "x") == 1


def test_an_erased_entry_leaves_no_access(memory: Damals):
    memory.remember("x", "Stille", external_id="a")
    found = memory.get("a")
    memory.recall("Stille")
    memory.erase("entry", "a")
    assert memory.opened.ledger("default").accesses.count("default", [UUID(found.id)]) == 0
    assert memory.audit().ok
