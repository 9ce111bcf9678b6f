"""A small archive answers what it knows, and says so of what only lies near to it."""

from pathlib import Path

import pytest

from damals.bootstrap import init_home, open_home

pytestmark = pytest.mark.model

KNOWN = {
    "Hausmeister": "Der Hausmeister ist Jürgen Brandt, erreichbar unter 05231 7788-12.",
    "Heizung": "Die Heizung wird jedes Jahr im September gewartet, zuletzt durch die Firma Lüking.",
    "Dienstwagen": "Der Dienstwagen, ein Skoda Octavia, steht in der Tiefgarage auf Platz 14.",
    "Pachtvertrag Garten": "Der Pachtvertrag für den Garten beginnt am 1. März 2025.",
    "Praktikum": "Mia Sander macht im Frühjahr ein Praktikum in der Buchhaltung.",
    "Reinigung": "Die Reinigung kostet 380 Euro im Monat und kommt dienstags.",
    "Alarm system": "The alarm system was installed by Norton Security in June 2024.",
    "Anschrift Steuerbüro": "Am Bahnhof 9, Lage",
}


def test_what_is_known_is_answered_and_what_is_not_is_not(tmp_path: Path):
    init_home(tmp_path / "home", timezone="Europe/Berlin")
    with open_home(tmp_path / "home") as memory:
        for title, content in KNOWN.items():
            memory.remember(title, content, valid_from="2024-01-01")
        memory.reindex()

        answered = {
            "Wer ist der Hausmeister?": "Brandt",
            "Wann wird die Heizung gewartet?": "September",
            "Wo steht der Dienstwagen?": "Tiefgarage",
            "Wann beginnt der Pachtvertrag?": "1. März 2025",
            "Was kostet die Reinigung?": "380 Euro",
            "Was wissen wir über die Reinigung?": "380 Euro",
            "Who installed the alarm system?": "Norton",
            "Wie lautet die Anschrift des Steuerbüros?": "Am Bahnhof 9",
        }
        for question, expected in answered.items():
            answer = memory.ask(question)
            assert not answer.abstained, question
            assert expected in answer.answer, (question, answer.answer)

        for question in (
            "Wann hat Jürgen Brandt Geburtstag?",
            "Wie alt ist Mia Sander?",
            "Wo wohnt Mia Sander?",
            "Wann endet der Pachtvertrag?",
            "Welche Farbe hat der Dienstwagen?",
            "Was kostet die Heizung?",
            "Wie hoch ist die Pachtrate?",
            "Wer ist der Rechtsanwalt?",
        ):
            answer = memory.ask(question)
            assert answer.abstained, (question, answer.answer)
