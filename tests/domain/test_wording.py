"""How a text became another: nothing is lost, and words stay whole."""

from hypothesis import given, settings
from hypothesis import strategies as st

from damals.domain.wording import MAX_WORDS, Passage, wording

written = st.text(st.sampled_from("ab ä.\n"), max_size=40)


@settings(max_examples=200, derandomize=True)
@given(old=written, new=written)
def test_both_texts_can_be_read_out_of_the_passages(old: str, new: str):
    passages = wording(old, new)
    assert "".join(one.text for one in passages if one.op != "insert") == old
    assert "".join(one.text for one in passages if one.op != "delete") == new
    assert all(one.text for one in passages)


@settings(max_examples=50, derandomize=True)
@given(text=written)
def test_a_text_that_stayed_is_one_passage(text: str):
    assert wording(text, text) == ((Passage("equal", text),) if text else ())


def test_whole_words_change_and_what_was_deleted_stands_first():
    assert wording("Gilt bis März 2024.", "Gilt bis Mai 2024.") == (
        Passage("equal", "Gilt bis "),
        Passage("delete", "März"),
        Passage("insert", "Mai"),
        Passage("equal", " 2024."),
    )


LINES = [f"Zeile {number} mit einigen Wörtern\n" for number in range(MAX_WORDS // 4)]


def test_of_very_long_texts_lines_are_compared_and_words_where_they_differ():
    changed = [*LINES[:7], "Zeile 7 mit wenigen Wörtern\n", *LINES[8:]]
    assert wording("".join(LINES), "".join(changed)) == (
        Passage("equal", "".join(LINES[:7]) + "Zeile 7 mit "),
        Passage("delete", "einigen"),
        Passage("insert", "wenigen"),
        Passage("equal", " Wörtern\n" + "".join(LINES[8:])),
    )


def test_of_very_long_texts_that_differ_everywhere_lines_are_compared():
    changed = [f"{line[:-1]} mehr\n" for line in LINES]
    passages = wording("".join(LINES), "".join(changed))
    assert passages == (Passage("delete", "".join(LINES)), Passage("insert", "".join(changed)))


@settings(max_examples=8, derandomize=True, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(LINES) - 1), written), max_size=5))
def test_both_texts_can_be_read_out_of_the_passages_of_long_ones_too(edits):
    changed = list(LINES)
    for place, text in edits:
        changed[place] = text
    passages = wording("".join(LINES), "".join(changed))
    assert "".join(one.text for one in passages if one.op != "insert") == "".join(LINES)
    assert "".join(one.text for one in passages if one.op != "delete") == "".join(changed)
    assert all(one.text for one in passages)
