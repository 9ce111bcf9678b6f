"""What the gate looks at for a query: what its words or its meaning find, and nothing beside."""

import pytest
from ageing_home import Time, titles

from damals.api import Damals


@pytest.fixture
def limits(memory: Damals) -> Damals:
    """Research of an API, of the first day."""
    memory.remember("limits", "Stille", domain="ai_ml", retrieved_at="2024-01-01", external_id="a")
    return memory


def test_what_has_nothing_to_do_with_a_query_is_neither_flagged_nor_accepted(
    limits: Damals, time: Time
):
    """It stands in a ranking because it is new or important; nobody builds on it."""
    limits.remember("new", "Lärm", domain="security", importance=5, pinned=True)
    time.days(100)
    for query in ("zzzz", "Gewitter", "der die das", "zzzz im Januar 2024"):
        report = limits.gate(query=query, accept=True, reason="anyway")
        assert (report.findings, report.checked, report.accepted) == ((), 0, ()), query
    assert titles(limits.gate().findings) == ["new", "limits"]
    assert not any(one.accepted for one in limits.gate().findings)


def test_operators_of_a_query_are_no_words_of_it(limits: Damals, time: Time):
    limits.remember("other", "api", domain="ai_ml", tags=["api"], retrieved_at="2024-01-01")
    time.days(100)
    assert titles(limits.gate(query="tag:api api").findings) == ["other"]
    assert titles(limits.gate(query="tag:api Stille").findings) == []
    assert titles(limits.gate(query='"Stille"').findings) == ["limits"]


def test_a_query_finds_words_in_titles_and_in_other_forms(limits: Damals, time: Time):
    time.days(100)
    assert titles(limits.gate(query="limits von gestern").findings) == ["limits"]
    assert titles(limits.gate(query="stillen").findings) == ["limits"]
