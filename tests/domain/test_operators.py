"""A question is a sentence first; only what nobody writes in a sentence is an operator."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from damals.domain.errors import InvalidInput
from damals.domain.operators import Operators, read_operators
from damals.domain.phrases import folded_text, says, words_of

SENTENCES = [
    "Wann kam die E-Mail?",
    "Treffen um 10:30 Uhr",
    "-5 Grad",
    "Es waren -5 Grad und +3 am Mittag",
    "Wer lehrt C++ und C#?",
    "+49 30 1234567",
    "Haupt- und Nebenkosten",
    "Was leiten Privatpersonen und -organisationen?",
    "Import, -export und Handel",
    "Ein- bzw. -ausfuhr",
    "- Milch - Brot",
    "Was macht --force?",
    "Wer sagte: ja?",
    'Das Rohr hat 3/4" Durchmesser',
    'Wer schrieb "Faust?',
    "Was steht in „Faust“?",
    "Typ: Vertrag, Pfad: unklar",
    "What happened before: the war or after: the peace?",
    "https://example.org/path:80/x",
    "type://nothing",
    "a+b=c",
    "Ich-Erzähler",
    '"" und " "',
    "tag: arbeit",
    "Tag:arbeit",
    '" nichts',
]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_stays_a_sentence(sentence):
    assert read_operators(sentence) == Operators(sentence)


OPERATED = {
    '"vier Wochen" Frist': Operators(
        "vier Wochen Frist", phrases=("vier wochen",), found=('"vier Wochen"',)
    ),
    'Was heißt "Bitcoin"?': Operators(
        "Was heißt Bitcoin?", phrases=("bitcoin",), found=('"Bitcoin"',)
    ),
    "+Kündigung Frist -Mieter": Operators(
        "Kündigung Frist", phrases=("kündigung",), no_phrases=("mieter",),
        found=("+Kündigung", "-Mieter"),
    ),
    'Frist -"drei  Monate".': Operators(
        "Frist .", no_phrases=("drei monate",), found=('-"drei  Monate"',)
    ),
    "tag:arbeit/projekt type:person Wer?": Operators(
        "Wer?", types=("person",), tags=("arbeit/projekt",),
        found=("tag:arbeit/projekt", "type:person"),
    ),
    'path:"Meine Notizen/a.md" x -path:alt': Operators(
        "x", paths=("Meine Notizen/a.md",), no_paths=("alt",),
        found=('path:"Meine Notizen/a.md"', "-path:alt"),
    ),
    'x before:2024-06-01 after:"14. März 2023"': Operators(
        "x", before=("2024-06-01",), after=("14. März 2023",),
        found=("before:2024-06-01", 'after:"14. März 2023"'),
    ),
    "Wer (tag:arbeit)?": Operators("Wer ()?", tags=("arbeit",), found=("tag:arbeit",)),
    "-Hund Katze -Hund": Operators("Katze", no_phrases=("hund",), found=("-Hund", "-Hund")),
}  # fmt: skip


@pytest.mark.parametrize("query", OPERATED)
def test_operators_are_taken_out_and_the_rest_is_the_question(query):
    assert read_operators(query) == OPERATED[query]


@pytest.mark.parametrize(
    ("query", "key", "named"),
    [
        ("tag:a type:b", "query.only_operators", "tag:a type:b"),
        ("-Hund", "query.only_operators", "-Hund"),
        ("x -before:2024", "query.operator_sign", "-before:2024"),
        (" ".join(f"-wort{'x' * n}" for n in range(51)) + " y", "query.operators", "51"),
    ],
)
def test_an_error_names_the_operator(query, key, named):
    with pytest.raises(InvalidInput) as error:
        read_operators(query)
    assert error.value.key == key
    assert named in str(error.value)


@given(st.text('ab -+":.()5,tagu', max_size=30))
def test_no_question_breaks_the_reader_and_no_word_is_lost(query):
    try:
        read = read_operators(query + " z")
    except InvalidInput as error:
        assume(error.key != "query.operator_sign")
        raise
    said = read.text + "".join(read.found)
    assert {letter for letter in query if letter.isalnum()} <= set(said)
    assert read.found or read.text == query + " z"


def test_a_phrase_is_found_whatever_way_it_is_written():
    text = folded_text("Die Ku\u0308ndigungs\u00adfrist\n  beträgt VIER\tWochen; Straße.")
    assert says(text, folded_text("kündigungsfrist beträgt"))
    assert says(text, folded_text("vier  wochen"))
    assert says(text, folded_text("STRASSE"))
    assert not says(text, folded_text("frist"))
    assert not says(text, folded_text("vier woche"))


def test_signs_of_a_phrase_count():
    assert says(folded_text("Kurs C++ (neu)"), folded_text("C++"))
    assert not says(folded_text("Kurs C (neu)"), folded_text("C++"))
    assert says(folded_text("am 1.2.2024"), folded_text("1.2.2024"))
    assert not says(folded_text("am 11.2.2024"), folded_text("1.2.2024"))


def test_an_index_knows_a_phrase_by_its_words():
    assert words_of(folded_text("C++, R&D: ja!")) == ("c", "r", "d", "ja")
    assert words_of("++") == ()
