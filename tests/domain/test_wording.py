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


def test_of_very_long_texts_whole_lines_are_compared():
    lines = [f"Zeile {number} mit einigen Wörtern\n" for number in range(MAX_WORDS // 4)]
    changed = [*lines[:7], "Eine andere Zeile\n", *lines[8:]]
    assert wording("".join(lines), "".join(changed)) == (
        Passage("equal", "".join(lines[:7])),
        Passage("delete", lines[7]),
        Passage("insert", "Eine andere Zeile\n"),
        Passage("equal", "".join(lines[8:])),
    )
