"""Who holds a key in a period is found from where periods start, as if all were looked at."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st
from test_periods import periods

from damals.domain.cuts import ALWAYS
from damals.domain.entries import Attributes
from damals.domain.holders import Holders, holds
from damals.domain.periods import Period, any_overlap
from damals.domain.state import EntryState, Rectangle

SEVERAL = st.lists(periods(), max_size=7)


@given(SEVERAL)
def test_any_two_of_some_periods_overlap_when_a_pair_does(several: list[Period]):
    pairs = ((a, b) for n, a in enumerate(several) for b in several[n + 1 :])
    assert any_overlap(several) == any(a.overlaps(b) for a, b in pairs)


@given(periods(), periods())
def test_periods_are_the_same_when_their_identities_are(first: Period, second: Period):
    assert first.same_as(second) == (first.identity == second.identity)


def holder(number: int, *held: Period) -> EntryState:
    said = Attributes(title=f"{number}", key="k")
    return EntryState(
        UUID(int=number), rectangles=tuple(Rectangle(p, said, 1, "UTC") for p in held)
    )


@given(SEVERAL, SEVERAL, periods(), st.randoms())
def test_whoever_holds_a_key_in_a_period_is_found(
    drawn: list[Period], former: list[Period], asked: Period, chance: object
):
    """Of any entries of which no two hold the key at once, whatever they held before."""
    apart: list[Period] = []
    for one in drawn:
        if not any_overlap([*apart, one]):
            apart.append(one)
    now = {UUID(int=n): holder(n, one) for n, one in enumerate(apart)}
    holders = Holders()
    for n, one in enumerate(former):
        holders.add(holder(n % (len(now) + 1), one))
    order = list(now.values())
    chance.shuffle(order)
    for state in order:
        holders.add(state)
    for period in (asked, ALWAYS):
        expected = {i for i, state in now.items() if holds(state, "k", period)}
        assert set(holders.within("k", period, now.get)) == expected
    assert set(holders.within("other", ALWAYS, now.get)) == set()
