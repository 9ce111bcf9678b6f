"""Who is refused what: the table of operations, row by row, and values that mean nothing."""

import pytest
from asked_memory import refused, said, transactions

from damals import Damals

STATES = {
    "archived": lambda memory, x: memory.archive(x, reason="r"),
    "retracted": lambda memory, x: memory.retract(x, reason="r"),
    "erased": lambda memory, x: memory.erase("entry", x),
}
OPERATIONS = {
    "update": lambda memory, x: memory.update(x, "T", "c", reason="r"),
    "correct": lambda memory, x: memory.correct(x, content="c", reason="r"),
    "correct with bounds": lambda memory, x: memory.correct(x, valid_to="2021-01-01", reason="r"),
    "end": lambda memory, x: memory.end(x, "2021-01-01", reason="r"),
    "retract": lambda memory, x: memory.retract(x, reason="r"),
    "verify": lambda memory, x: memory.verify(x),
    "pin": lambda memory, x: memory.pin(x),
    "archive": lambda memory, x: memory.archive(x, reason="r"),
    "relate": lambda memory, x: memory.relate(x, "extends", "Other"),
    "relate to it": lambda memory, x: memory.relate("Other", "extends", x),
    "contradict": lambda memory, x: memory.contradict(x, "Other", reason="r"),
    "erase": lambda memory, x: memory.erase("entry", x),
}
ARCHIVED, EMPTY, ERASED = (4, "entry.archived"), (4, "entry.nothing_current"), (3, "entry.erased")
REFUSED = {
    **{("archived", op): ARCHIVED for op in ("update", "end", "retract", "verify", "pin")},
    **{("retracted", op): EMPTY for op in ("update", "correct", "end", "verify", "pin")},
    **{("erased", op): ERASED for op in OPERATIONS},
}
UNCHANGED = {("archived", "archive"), ("retracted", "retract")}


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("state", STATES)
def test_what_is_refused_to_an_entry_without_standing(memory, state, operation):
    said(memory, "Other")
    entry = said(memory, "X")
    STATES[state](memory, entry)
    before = transactions(memory)
    expected = REFUSED.get((state, operation))
    if expected is not None:
        assert refused(lambda: OPERATIONS[operation](memory, entry)) == expected
        assert transactions(memory) == before
        return
    done = OPERATIONS[operation](memory, entry)
    unchanged = (state, operation) in UNCHANGED
    assert bool(getattr(done, "unchanged", False)) is unchanged
    assert transactions(memory) == before + (not unchanged)


CONDITIONED = {
    "update": lambda m, x, n: m.update(x, "T", "c", reason="r", if_transaction=n),
    "correct": lambda m, x, n: m.correct(x, content="c", reason="r", if_transaction=n),
    "end": lambda m, x, n: m.end(x, "2021-01-01", reason="r", if_transaction=n),
    "retract": lambda m, x, n: m.retract(x, reason="r", restore=True, if_transaction=n),
    "verify": lambda m, x, n: m.verify(x, if_transaction=n),
    "pin": lambda m, x, n: m.pin(x, if_transaction=n),
    "unpin": lambda m, x, n: m.unpin(x, if_transaction=n),
    "archive": lambda m, x, n: m.archive(x, reason="r", if_transaction=n),
    "relate": lambda m, x, n: m.relate(x, "extends", "Other", if_transaction=n),
    "unrelate": lambda m, x, n: m.unrelate(x, "extends", "Old", if_transaction=n),
    "contradict": lambda m, x, n: m.contradict(x, "Other", reason="r", if_transaction=n),
    "resolve": lambda m, x, n: m.resolve(x, "Rival", keep="both", reason="r", if_transaction=n),
    "erase": lambda m, x, n: m.erase("entry", x, if_transaction=n),
    "revert": lambda m, _, n: m.revert(7, reason="r", if_transaction=n),
}


@pytest.mark.parametrize("operation", CONDITIONED)
def test_every_change_can_be_made_on_condition_of_the_last_transaction(memory, operation):
    for name in ("Other", "Old", "Rival", "X"):
        said(memory, name)
    memory.relate("X", "extends", "Old")
    memory.contradict("X", "Rival", reason="r")
    last = (memory.pin if operation == "unpin" else memory.verify)("X").transaction
    change = CONDITIONED[operation]
    code, key = refused(lambda: change(memory, "X", last - 1))
    assert (code, key) == (4, "transaction.changed" if operation == "revert" else "entry.changed")
    assert transactions(memory) == last
    change(memory, "X", last)
    assert transactions(memory) == last + 1


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.update("X", "T", "c", reason=" "),
        lambda m: m.correct("X", reason=""),
        lambda m: m.end("X", "2021-01-01", reason=""),
        lambda m: m.retract("X", reason=""),
        lambda m: m.revert(1, reason=""),
        lambda m: m.contradict("X", "Y", reason=""),
        lambda m: m.resolve("X", "Y", keep="a", reason=""),
        lambda m: m.archive("X", reason=""),
    ],
)
def test_changes_that_take_something_from_an_entry_say_why(memory, change):
    said(memory, "X")
    said(memory, "Y")
    assert refused(lambda: change(memory)) == (2, "operation.missing")


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.verify("X", score=1.5),
        lambda m: m.verify("X", score=-0.1),
        lambda m: m.verify("X", score=float("nan")),
        lambda m: m.verify("X", score="viel"),
        lambda m: m.retract("X", reason="r", restore="vielleicht"),
        lambda m: m.revert("abc", reason="r"),
        lambda m: m.revert(None, reason="r"),
        lambda m: m.pin(""),
        lambda m: m.pin("X", if_transaction="viel"),
        lambda m: m.erase("person", "X"),
        lambda m: m.erase("dream", "X"),
        lambda m: m.erase("entry", ""),
        lambda m: m.archive("X", reason="NUL \0"),
    ],
)
def test_a_value_that_means_nothing_is_invalid_input(memory, change):
    said(memory, "X")
    assert refused(lambda: change(memory))[0] == 2
    assert transactions(memory) == 1


@pytest.mark.parametrize("number", [0, 2, 99])
def test_a_transaction_that_there_is_not_is_not_found(memory, number):
    said(memory, "X")
    assert refused(lambda: memory.revert(number, reason="r")) == (3, "transaction.unknown")


def test_a_name_can_be_remembered_on_condition_that_it_is_free_or_as_it_was(memory):
    first = memory.remember("X", external_id="x", if_transaction=0)
    assert refused(lambda: memory.remember("X", external_id="x", if_transaction=0)) == (
        4, "entry.changed",
    )  # fmt: skip
    again = memory.remember("X", external_id="x", if_transaction=first.transaction)
    assert again.unchanged


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_unknown_entry_is_not_found_and_makes_no_home(tmp_path, monkeypatch, operation):
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    with Damals.open(tmp_path / "home") as memory:
        code, _ = refused(lambda: OPERATIONS[operation](memory, "nobody"))
    assert code == 3
    assert not (tmp_path / "home").exists()
