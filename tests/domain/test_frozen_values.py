"""Frozen values: made faster than dataclasses make them, and otherwise the same."""

import copy
import pickle
from dataclasses import KW_ONLY, FrozenInstanceError, InitVar, dataclass, field, fields, replace
from uuid import UUID

import pytest

from damals.domain.entries import Attributes, Relation, Source, Version
from damals.domain.errors import InvalidInput
from damals.domain.instants import FOREVER
from damals.domain.periods import OPEN_END, Bound, BoundKind, Period
from damals.domain.state import EntryState
from damals.domain.values import frozen


@frozen
class Made:
    first: int
    second: str = "b"
    third: list[int] = field(default_factory=list[int])


@dataclass(frozen=True, slots=True)
class Usual:
    first: int
    second: str = "b"
    third: list[int] = field(default_factory=list[int])


@pytest.mark.parametrize("values", [{}, {"second": "c"}, {"third": [1]}])
def test_it_has_the_fields_defaults_and_equality_of_a_dataclass(values: dict[str, object]):
    made, usual = Made(1, **values), Usual(1, **values)
    assert [getattr(made, one.name) for one in fields(made)] == [
        getattr(usual, one.name) for one in fields(usual)
    ]
    assert made == Made(1, **values)
    assert repr(made) == repr(usual).replace("Usual", "Made")


def test_what_a_factory_makes_is_made_anew_each_time():
    assert Made(1).third is not Made(1).third


def test_it_is_closed():
    with pytest.raises(FrozenInstanceError):
        Made(1).first = 2  # type: ignore[misc] -- that it is refused is what is tested
    with pytest.raises((AttributeError, TypeError)):
        Made(1).other = 2  # type: ignore[attr-defined] -- likewise


@pytest.mark.parametrize("wrong", [(), (1, "b", [], 4)])
def test_too_few_and_too_many_values_are_refused(wrong: tuple[object, ...]):
    with pytest.raises(TypeError, match=r"Made.__init__|argument"):
        Made(*wrong)


def test_it_can_be_replaced_copied_and_sent_to_another_process():
    made = Made(1, third=[2])
    assert replace(made, second="c") == Made(1, "c", [2])
    assert copy.deepcopy(made) == made
    state = EntryState(UUID(int=1), "name")
    assert pickle.loads(pickle.dumps(state)) == state  # noqa: S301 - our own
    assert hash(OPEN_END) == hash(Bound(FOREVER, FOREVER, BoundKind.OPEN))


def test_its_own_check_still_runs():
    start = Bound(5, 5, BoundKind.EXACT)
    with pytest.raises(InvalidInput, match=r"period\.empty"):
        Period(start, start)


class OwnInit:
    first: int

    def __init__(self) -> None:
        """Nothing is given."""


class NotGiven:
    first: int
    second: int = field(init=False, default=2)


class ByNameOnly:
    first: int
    _: KW_ONLY
    second: int = 2


class MovedBehind:
    first: int = field(kw_only=True)
    second: int


class GivenAndGone:
    first: int
    second: InitVar[int] = 2

    def __post_init__(self, second: int) -> None:
        """It is used up."""


@pytest.mark.parametrize("other", [OwnInit, NotGiven, ByNameOnly, MovedBehind, GivenAndGone])
def test_a_class_that_is_not_made_of_its_fields_in_their_order_is_refused(other: type):
    with pytest.raises(TypeError, match=rf"{other.__name__} is not made of its fields"):
        frozen(other)


def test_a_value_of_another_value_has_the_fields_of_both():
    @frozen
    class More(Made):
        second: str = "z"
        fourth: int = 4

    assert More(1) == More(1, "z", [], 4)
    assert replace(More(1), first=2).fourth == 4
    with pytest.raises(FrozenInstanceError):
        More(1).first = 2  # type: ignore[misc] -- that it is refused is what is tested


@pytest.mark.parametrize("kind", [Attributes, Bound, EntryState, Period, Relation, Source, Version])
def test_no_field_of_it_can_be_set_afterwards(kind: type):
    assert kind.__dataclass_params__.frozen
    assert kind.__slots__ == tuple(one.name for one in fields(kind))
