"""What a sentence of a model may say of a passage that it cites."""

import pytest

from damals.adapters.text.german import GermanLexicalEncoder
from damals.adapters.text.related import related
from damals.app.passages import Passage, Reading
from damals.app.support import supported
from damals.domain.evidence import Evidence


@pytest.fixture(scope="module")
def reading() -> Reading:
    lexical = GermanLexicalEncoder()
    return Reading(lexical, None, lambda _, start, end: [(start, end)], related(lexical.words))


def passage(quote: str, under: str = "Notiz") -> Passage:
    return Passage(0, "e", "c", 0, len(quote), quote, under, under, Evidence(1, 1, 1, 1))


def says(reading: Reading, said: str, quote: str, under: str = "Notiz", question: str = "") -> bool:
    return supported(said, passage(quote, under), reading, reading.stems(question))


SEAT = "Die Müller GmbH sitzt in Köln."
CONTACT = "Ansprechpartnerin bei der Müller GmbH ist Frau Schmidt."
NOTICE = "Die Kündigungsfrist des Vertrags beträgt drei Monate zum Jahresende."
KEY = "Der Schlüssel liegt im Banktresor, eine Kopie beim Notar."
LINK = "Die Regeln der Müller GmbH stehen unter [Regeln](https://mueller.example/regeln)."
RENT = "Die Miete des Büros beträgt 990 Euro im Monat."
DEBT = "Anna Berg schuldet Bernd Kluge 500 Euro."
BACKUP = "Der Server Atlas wird jede Nacht um zwei Uhr gesichert."
TIMEOUT = "The gateway timeout is 30 seconds for service Alpha."
ENGLISH = (
    "Miller Ltd moved to London in May 2023 and has three offices. Anna Peters is the contact."
)


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        (SEAT, SEAT),
        ("In Köln sitzt die Müller GmbH.", SEAT),
        ("Die Müller GmbH liegt in Köln.", SEAT),
        ("Frau Schmidt ist Ansprechpartnerin bei der Müller GmbH.", CONTACT),
        ("Die Frist des Vertrages beträgt 3 Monate.", NOTICE),
        ("Beim Vertrag beträgt die Kündigungsfrist drei Monate.", NOTICE),
        ("Zuständig ist Frau Schmidt.", "Frau Schmidt ist zuständig."),
        ("Die Müller GmbH sitzt nicht in Köln.", "Die Müller GmbH sitzt nicht in Köln."),
        ("Dort erreichen Sie Frau Schmidt.", "Frau Schmidt erreichen: montags."),
        (KEY, KEY),
        ("Der Schlüssel liegt im Banktresor.", KEY),
        ("Eine Kopie liegt beim Notar.", KEY),
        ("Die Kopie des Schlüssels liegt beim Notar.", KEY),
        ("Die Regeln der Müller GmbH: https://mueller.example/regeln.", LINK),
        ("Miller Ltd moved to London in May 2023.", ENGLISH),
        ("The contact is Anna Peters.", ENGLISH),
        ("It has 3 offices.", ENGLISH),
        ("Die Mu\u0308ller GmbH sitzt in Ko\u0308ln.", SEAT),
        ("Offices are in London.", "They have an office in London."),
        ("The contract can't be cancelled.", "The contract can’t be cancelled."),
        ("Die Miete des Büros beträgt 990 Euro.", RENT),
        ("990 Euro beträgt die Miete des Büros im Monat.", RENT),
        ("Anna Berg schuldet Bernd Kluge 500 Euro.", DEBT),
        ("Atlas wird jede Nacht um 2 Uhr gesichert.", BACKUP),
        ("The gateway timeout for service Alpha is 30 seconds.", TIMEOUT),
        ("Die Müller GmbH könnte umziehen.", "Die Müller GmbH wird vielleicht umziehen."),
        ("Leiterin ist Anna Berg.", "Anna Berg ist Leiterin."),
    ],
)
def test_what_a_passage_says_is_kept(reading: Reading, said: str, quote: str):
    assert says(reading, said, quote)


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("Die Müller GmbH sitzt in Berlin.", SEAT),
        ("Berlin ist der Sitz der Müller GmbH.", SEAT),
        ("Die Müller AG sitzt in Köln.", SEAT),
        ("Die Müller GmbH sitzt nicht in Köln.", SEAT),
        ("Die Müller GmbH sitzt in Köln.", "Die Müller GmbH sitzt nicht in Köln."),
        ("Ansprechpartnerin bei der Müller GmbH ist Frau Weber.", CONTACT),
        ("Ansprechpartnerin bei der Müller GmbH ist Frau Schmidtke.", CONTACT),
        ("Ansprechpartner ist Peter.", "Ansprechpartner ist Peters."),
        ("Friedrich leitet den Vertrieb.", "Friedrichshafen leitet den Vertrieb."),
        ("Die Kündigungsfrist des Vertrags beträgt zwei Monate zum Jahresende.", NOTICE),
        ("Die Kündigungsfrist des Vertrags beträgt drei Wochen zum Jahresende.", NOTICE),
        ("Die Müller GmbH ist im Handel.", "Branche der Müller GmbH: Metallbau."),
        ("Die IT der Müller GmbH sitzt in Köln.", SEAT),
        ("IT der Müller GmbH sitzt in Köln.", SEAT),
        ("Ansprechpartnerin ist Frau Klein.", "Ansprechpartnerin im klein Büro ist Frau Schmidt."),
        ("Ansprechpartnerin ist Dr. Klein.", "Ansprechpartnerin im klein Büro ist Dr. Schmidt."),
        ("Frau Schmidt hat den Erfolg.", "Frau Schmidt hat den Misserfolg."),
        ("Die Müller GmbH verklagt Köln.", SEAT),
        ("Der Schlüssel liegt beim Notar, eine Kopie im Banktresor.", KEY),
        ("Der Schlüssel liegt beim Notar.", KEY),
        ("Eine Kopie liegt im Banktresor, der Schlüssel beim Notar.", KEY),
        ("Die Regeln der Müller GmbH stehen unter https://evil.example/regeln.", LINK),
        ("Die Regeln der Müller GmbH stehen unter mueller.example.evil.", LINK),
        ("Miller Ltd moved to Paris in May 2023.", ENGLISH),
        ("Miller Ltd moved to London in June 2023.", ENGLISH),
        ("Miller Ltd moved to London in May 2024.", ENGLISH),
        ("Miller Ltd has four offices.", ENGLISH),
        ("The contact is Anna Peter.", ENGLISH),
        ("Paris is the contact.", ENGLISH),
        ("Miller Ltd never moved to London.", ENGLISH),
        ("Miller Ltd cannot move to London.", ENGLISH),
        *(
            (said, RENT)
            for said in (
                "Die Miete des Büros beträgt mehr als 990 Euro.",
                "Die Miete des Büros liegt unter 990 Euro.",
                "Bis gestern betrug die Miete des Büros 990 Euro.",
                "Die Miete des Büros beträgt 990 Dollar.",
                "Beträgt die Miete des Büros 990 Euro?",
            )
        ),
        *(
            (said, DEBT)
            for said in (
                "Bernd Kluge schuldet Anna Berg 500 Euro.",
                "Anna Berg schuldet Bernd Kluge weniger als 500 Euro.",
                "Anna Berg schuldet Bernd Kluge höchstens 500 Euro.",
                "Anna Berg schuldet Bernd Kluge fast 500 Euro.",
                "Anna Berg könnte Bernd Kluge 500 Euro schulden.",
                "Anna Berg schuldet Bernd Kluge 500 Euro mehr.",
            )
        ),
        *(
            (said, BACKUP)
            for said in (
                "Der Server Atlas wird jede zweite Nacht um zwei Uhr gesichert.",
                "Der Server Atlas wird jede Nacht vor zwei Uhr gesichert.",
                "Der Server Atlas wird jede Nacht bis zwei Uhr gesichert.",
                "Der Server Atlas wird selten um zwei Uhr gesichert.",
            )
        ),
        *(
            (said, TIMEOUT)
            for said in (
                "The gateway timeout is 30 minutes for service Alpha.",
                "The gateway timeout is less than 30 seconds for service Alpha.",
                "The gateway timeout is at least 30 seconds for service Alpha.",
                "The gateway timeout should be 30 seconds for service Alpha.",
            )
        ),
        ("Die Miete beträgt 990 Euro.", "Die Miete beträgt etwa 990 Euro."),
        ("Die Müller GmbH zieht um.", "Die Müller GmbH zieht vielleicht um."),
    ],
)
def test_what_a_passage_does_not_say_is_dropped(reading: Reading, said: str, quote: str):
    assert not says(reading, said, quote)


def test_title_and_headings_count_and_their_denials_too(reading: Reading):
    assert says(reading, SEAT, "Sie sitzt in Köln.", "Müller GmbH – Sitz")
    assert not says(reading, "Die Müller GmbH ist Kunde.", "Müller GmbH", "Keine Kunden")
    assert says(reading, "Die Müller GmbH ist kein Kunde.", "Kunde: Müller GmbH", "Keine Kunden")


def test_a_word_that_asks_for_the_same_counts_when_the_question_has_it(reading: Reading):
    said, quote = "Die Adresse ist Hauptstraße 1.", "Anschrift: Hauptstraße 1"
    assert says(reading, said, quote, question="Welche Adresse hat sie?")
    assert not says(reading, said, quote)
