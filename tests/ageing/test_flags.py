"""Flags before use, word for word, and what is noted of what was returned to someone."""

import sqlite3
from contextlib import closing
from uuid import UUID

import pytest
from ageing_home import Time, home

from damals import messages
from damals.api import Damals
from damals.app import stopping
from damals.app.accesses_model import HOUR
from damals.app.change_results import ChangedEntry
from damals.app.wire import from_wire, to_wire
from damals.domain.access import Principal
from damals.domain.instants import DAY
from damals.errors import InvalidInput

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


@pytest.mark.parametrize("risk", ["low", "fastdecay", "FAST_DECAY", "moderate"])
def test_a_risk_that_does_not_exist_is_refused_with_those_that_do(memory: Damals, risk: str):
    """It would age slowly without anybody being told."""
    memory.remember("x", external_id="a", staleness_risk=" stable ")
    assert memory.get("a").staleness_risk == "stable"
    for change in (
        lambda: memory.remember("y", staleness_risk=risk),
        lambda: memory.correct("a", staleness_risk=risk, reason="r"),
        lambda: memory.update("a", "y", "z", staleness_risk=risk, reason="r"),
    ):
        with pytest.raises(InvalidInput) as refused:
            change()
        assert refused.value.key == "field.choice"
        assert refused.value.values["allowed"] == "fast_decay, slow_decay, stable"
    memory.correct("a", staleness_risk=None, reason="r")
    assert memory.get("a").staleness_risk is None


def test_a_domain_that_is_not_declared_is_kept_and_told(memory: Damals):
    known = memory.remember("x", external_id="a", domain="ai_ml")
    assert known.caveats == ()
    other = memory.correct("a", domain="nope", reason="r")
    assert (other.domain, len(other.caveats)) == ("nope", 1)
    assert other.caveats[0].startswith(
        "The domain “nope” is not declared, so it changes nothing about how this entry ages; "
        "there are: ai_ml, api_docs, architecture, "
    )
    assert from_wire(ChangedEntry, to_wire(other)) == other
    done = memory.transact([{"op": "remember", "title": "y", "domain": "nope"}])
    assert done.results[0]["caveats"] == list(other.caveats)
    assert memory.correct("a", title="z", reason="r").caveats == (), "only where it is said"


@pytest.mark.parametrize("name", ["session", "source_session"])
def test_whoever_names_a_session_beside_its_source_is_told_where_it_belongs(
    memory: Damals, name: str
):
    with pytest.raises(InvalidInput) as refused:
        memory.remember("x", **{name: "s"})
    assert refused.value.key == "operation.session"
    assert "source.session" in messages.hint("operation.session")
    with pytest.raises(InvalidInput) as refused:
        memory.transact([{"op": "pin", "target": "a", name: "s"}])
    assert refused.value.key == "operation.unknown_parameter"


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


def test_a_replay_tells_the_status_that_was_told(memory: Damals, time: Time):
    memory.remember("Rate Limit", "Das Rate Limit liegt bei 100 Anfragen in der Minute.")
    time.days(200)
    told = memory.recall("Rate Limit")
    assert told.results[0].entry.status == "decayed"
    folder = memory.opened.parts.home.path / ".damals"
    folder.mkdir(exist_ok=True)
    (folder / "types.yaml").write_text("types:\n  fact: {staleness_risk: stable}\n", "utf-8")
    assert memory.recall("Rate Limit", receipt=False).results[0].entry.status == "active"
    assert memory.replay(told.receipt).to_dict() == told.to_dict()


# --- accesses


def count(memory: Damals, *names: str) -> int:
    ids = [UUID(one.id) for one in memory.entries(limit=None) if one.title in names]
    return noted(memory, *ids)


def noted(memory: Damals, *ids: UUID) -> int:
    """How many accesses of some entries are kept, as the file says."""
    path = memory.opened.parts.home.path / "ledger.db"
    places = ", ".join("?" * len(ids))
    query = f"SELECT COUNT(*) FROM accesses WHERE entry_id IN ({places})"  # noqa: S608 -- marks only
    with closing(sqlite3.connect(path)) as file:
        return file.execute(query, [one.bytes for one in ids]).fetchone()[0]


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
    assert noted(memory, UUID(found.id)) == 0
    assert memory.audit().ok


@pytest.mark.parametrize("name", ["recall", "ask"])
def test_of_what_nobody_waits_for_any_more_nothing_is_kept(memory: Damals, name: str):
    memory.remember("Rate Limit", "Das Rate Limit liegt bei 100 Anfragen in der Minute.")
    gone = stopping.Wait()
    gone.end()
    with stopping.waited_for(gone), pytest.raises(stopping.NobodyWaitsError):
        getattr(memory, name)("Wie hoch ist das Rate Limit?", receipt=True)
    assert count(memory, "Rate Limit") == 0
    path = memory.opened.parts.home.path / "ledger.db"
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("SELECT COUNT(*) FROM receipts").fetchone() == (0,)
