"""One table says what each class of errors is called outside."""

import pickle

import pytest

from damals.app import errors
from damals.app.errors import INTERNAL, OUTCOMES, DamalsError, outcome_of


@pytest.mark.parametrize(
    ("name", "code", "exit_code", "http_status"),
    [
        ("InvalidInput", "invalid_input", 2, 400),
        ("NotFound", "not_found", 3, 404),
        ("Conflict", "conflict", 4, 409),
        ("Unavailable", "unavailable", 5, 503),
        ("Denied", "denied", 6, 403),
        ("Corrupt", "corrupt", 7, 500),
    ],
)
def test_every_class_has_its_code_exit_code_and_status(
    name: str, code: str, exit_code: int, http_status: int
):
    outcome = outcome_of(getattr(errors, name)("some.key"))
    assert (outcome.code, outcome.exit_code, outcome.http_status) == (code, exit_code, http_status)


def test_no_class_is_forgotten_and_no_exit_code_is_used_twice():
    assert set(DamalsError.__subclasses__()) == set(OUTCOMES)
    codes = [outcome.exit_code for outcome in (INTERNAL, *OUTCOMES.values())]
    assert sorted(codes) == list(range(1, 8))


def test_a_child_of_a_class_is_called_as_its_parent():
    class Overlap(errors.Conflict):
        pass

    assert outcome_of(Overlap("key.overlap")).code == "conflict"


def test_what_nobody_expected_is_internal():
    assert outcome_of(ValueError("x")) is INTERNAL
    assert outcome_of(DamalsError("some.key")) is INTERNAL


def test_an_error_crosses_process_borders_with_key_and_values():
    error = pickle.loads(pickle.dumps(errors.NotFound("entry.unknown", id="x")))  # noqa: S301 -- our own bytes
    assert isinstance(error, errors.NotFound)
    assert (error.key, error.values) == ("entry.unknown", {"id": "x"})
