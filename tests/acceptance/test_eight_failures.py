"""The eight ways in which language models fail at time, and what is right instead.

Each case runs on the product: its parser, its intervals, its ledger, its recall. Source: the
project's temporal design, "8 Known LLM Temporal Failures".
"""

import pytest
from failing_cases import BERLIN, World
from failing_intervals import ASYMMETRY, CLOSURE, COMPOSITION, CONFUSION, TOKENS
from failing_knowledge import BINDING, GROUNDING, GUESSING

from damals.bootstrap import init_home, open_home

FAILURES = (TOKENS, COMPOSITION, CONFUSION, CLOSURE, ASYMMETRY, GUESSING, GROUNDING, BINDING)
CASES = [
    pytest.param(body, id=f"{one.number}: {right}")
    for one in FAILURES
    for right, body in one.cases.items()
]
LISTED = {
    1: "Treat time as tokens, not dimensions",
    2: "Allen composition failures",
    3: "Relation confusion",
    4: "Temporal closure incompleteness",
    5: "Asymmetric performance",
    6: "Force-assign values when info is underspecified",
    7: "No temporal grounding",
    8: "No time-binding",
}


@pytest.fixture
def world(tmp_path) -> World:
    made = World(None)
    init_home(tmp_path / "home", timezone=BERLIN)
    with open_home(tmp_path / "home", clock=made.clock, brief=True, embedder="none") as memory:
        made.memory = memory
        yield made


def test_all_eight_failures_are_covered_by_at_least_five_cases_each():
    assert {one.number: one.failure for one in FAILURES} == LISTED
    assert all(len(one.cases) >= 5 for one in FAILURES)


@pytest.mark.parametrize("case", CASES)
def test_it_is_right_where_models_fail(world, case):
    case(world)
