"""The words of a text that a question has, found without the place of each."""

from hypothesis import given
from hypothesis import strategies as st

from damals.adapters.text.german import GermanLexicalEncoder

LEXICAL = GermanLexicalEncoder()
ODD = ("\u0308", "\u00ad", "\u200c", "\u200d", "_", "-", "·", "½", "²", "İ", "ß", "ﬁ", "漢", "\n")
PIECES = st.sampled_from(
    ["Frist", "Fristen", "saß", "sitzt", "u", "ue", "Kündigung", "x" * 70, *ODD]
)
TEXTS = st.one_of(st.lists(PIECES | st.just(" "), max_size=30).map("".join), st.text(max_size=40))


@given(TEXTS, TEXTS)
def test_matched_words_are_those_whose_stem_the_question_has(text: str, question: str):
    stems = frozenset(stem for stem, _, _ in LEXICAL.words(question))
    words = LEXICAL.words(text)
    expected = dict.fromkeys(text[start:end] for stem, start, end in words if stem in stems)
    assert list(LEXICAL.matched(text, stems)) == list(expected)


@given(st.lists(PIECES, max_size=12).map(" ".join))
def test_a_sign_that_stands_alone_changes_no_other_word(text: str):
    plain = [(stem, start) for stem, start, _ in LEXICAL.words(text)]
    for sign in ("_", "\u00ad", "\u0301"):
        assert [(stem, start) for stem, start, _ in LEXICAL.words(f"{text} {sign}")] == plain
