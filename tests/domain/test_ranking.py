"""A score is the sum of its parts, and nothing that is left out could have changed the answer."""

import math
from operator import add
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damals.domain.errors import InvalidInput
from damals.domain.ranking import (
    PARTS,
    Candidate,
    Context,
    Weights,
    added,
    contenders,
    in_context,
    personal,
    rank,
    time_decay,
)

GROUPS = [UUID(int=number) for number in range(10)]
SHARE = st.floats(0, 1)
WEIGHTS = st.builds(
    Weights,
    *[st.floats(0, 5) for _ in range(5)],
    text_share=SHARE,
    half_life_days=st.floats(0.5, 1e5) | st.just(math.inf),
).filter(lambda w: w.vec + w.time + w.graph + w.persona + w.importance > 0.01)
CANDIDATES = st.lists(
    st.builds(
        Candidate,
        point=st.uuids(),
        group=st.sampled_from(GROUPS),
        cosine=st.none() | st.floats(-1, 1),
        lexical=st.floats(0, 30),
        age_days=st.floats(0, 1e5),
        half_life_days=st.none() | st.floats(1, 1e4) | st.just(math.inf),
    ),
    max_size=20,
    unique_by=lambda c: c.point,
)
CONTEXTS = st.dictionaries(st.sampled_from(GROUPS), st.builds(Context, SHARE, SHARE, SHARE))


@given(CANDIDATES, WEIGHTS, CONTEXTS)
def test_the_parts_add_up_to_the_score_exactly_in_their_order(candidates, weights, contexts):
    for one in rank(candidates, weights.normalised(), contexts):
        assert tuple(one.parts) == PARTS
        total = 0.0
        for name in PARTS:
            total += one.parts[name]
        assert total == one.score
        assert -1e-9 <= one.score <= 1 + 1e-9


@given(CANDIDATES, WEIGHTS, CONTEXTS, st.integers(1, 12))
def test_what_is_no_contender_is_among_the_best_in_no_context(
    candidates, weights, contexts, wanted
):
    weights = weights.normalised()
    plain = rank(candidates, weights)
    few = {one.candidate.group for one in contenders(plain, weights, wanted)}
    cut = {group: one for group, one in contexts.items() if group in few}
    best = in_context(plain, weights, cut)[:wanted]
    everybody = in_context(plain, weights, contexts)[:wanted]
    assert [one.score for one in best] == pytest.approx([one.score for one in everybody])


@given(CANDIDATES, WEIGHTS, st.randoms())
def test_the_order_does_not_depend_on_the_order_of_what_was_found(candidates, weights, chance):
    weights = weights.normalised()
    before = rank(candidates, weights)
    chance.shuffle(candidates)
    assert rank(candidates, weights) == before


def test_a_sum_is_made_from_left_to_right():
    parts = [0.1, 0.2, 0.3, 1e16, -1e16]
    total = 0.0
    for part in parts:
        total = add(total, part)
    assert added(parts) == total


def test_a_type_has_a_half_life_of_its_own():
    def scored(own: float | None) -> float:
        [one] = rank(
            [Candidate(GROUPS[0], GROUPS[1], 1.0, 1.0, 365.0, own)], Weights().normalised()
        )
        return one.parts["time"]

    assert scored(None) == pytest.approx(0.1)
    assert scored(math.inf) == pytest.approx(0.2)
    assert scored(365.0 / 2) == pytest.approx(0.05)


def test_after_a_half_life_half_is_left_and_without_one_everything():
    assert time_decay(0.0, 365.0) == 1.0
    assert time_decay(365.0, 365.0) == pytest.approx(0.5)
    assert time_decay(1e9, math.inf) == 1.0


def test_weights_are_normalised_and_wrong_ones_refused():
    weights = Weights(vec=3, time=1, graph=0).normalised()
    assert (weights.vec, weights.time, weights.graph) == (0.75, 0.25, 0.0)
    for wrong in (Weights(vec=-1), Weights(0, 0, 0), Weights(vec=math.inf), Weights(text_share=2)):
        with pytest.raises(InvalidInput, match=r"weights\.invalid"):
            wrong.normalised()
    with pytest.raises(InvalidInput, match=r"weights\.half_life"):
        Weights(half_life_days=0).normalised()


def test_links_and_what_a_note_says_of_itself_both_make_it_personal():
    assert personal(0.0, None) == 0.0
    assert personal(0.5, None) == personal(0.0, 0.5) == 0.5
    assert personal(0.5, 0.5) == 0.75
    assert personal(1.0, 0.0) == 1.0
