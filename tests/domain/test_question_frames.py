"""What a question asks for, without the words around it."""

import pytest

from damals.domain.asking.frames import core


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Was wussten wir  über die Miete des Büros?", "Was ist die Miete des Büros?"),
        ("Was wissen wir über Anna Berg", "Was ist Anna Berg?"),
        ("Was haben wir damals über die Miete gewusst?", "Was ist die Miete?"),
        ("Was ist über die Köster KG bekannt?", "Was ist die Köster KG?"),
        ("Was war damals zur Miete notiert?", "Was ist Miete?"),
        ("Was gilt für Rechnungen?", "Was ist Rechnungen?"),
        ("Erzähl mir etwas über Anna Berg.", "Was ist Anna Berg?"),
        ("Was dachten wir , wie hoch die Miete ist?", "wie hoch die Miete ist?"),
        ("Weißt du, wo die Köster KG sitzt?", "wo die Köster KG sitzt?"),
        ("Kannst du mir bitte sagen, wer Anna vertritt?", "wer Anna vertritt?"),
        ("What did we know about the rent?", "What is the rent?"),
        ("What is known about Anna Berg?", "What is Anna Berg?"),
        ("Do we know where Koester is?", "where Koester is?"),
        ("Please tell me about the rent.", "What is the rent?"),
    ],
)
def test_the_frame_of_a_question_is_not_asked_for(question: str, asked: str):
    assert core(question) == asked


@pytest.mark.parametrize(
    "question",
    [
        "Wie hoch ist die Miete?",
        "Was wussten die Prüfer über die Miete?",
        "Was wissen wir?",
        "Was steht im Vertrag?",
        "Über wen wissen wir etwas?",
        "What is the rent?",
        "Who knew about the rent?",
        "Miete über 900 Euro",
        "",
    ],
)
def test_other_questions_stay_as_they_are(question: str):
    assert core(question) == question
