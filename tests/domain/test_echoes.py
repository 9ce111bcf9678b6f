"""Echoes: what says nothing but what is known, and what only looks so."""

from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damals.domain.echoes import Known, echoed

ADDRESS = Known(
    "address",
    "Anschrift der Müller GmbH",
    "Die Müller GmbH sitzt in der Hauptstraße 1, 32108 Bad Salzuflen. "
    "Die Kündigungsfrist beträgt drei Monate zum Quartalsende.",
)
TIMEOUT = Known(
    "timeout",
    "Timeout von Dienst A",
    "Der Timeout von Dienst A beträgt 30 s und gilt für alle Anfragen.",
)
CHIEF = Known("chief", "Anna ist Chefin von Ben", "")
DENIED = Known("denied", "Server", "Es stimmt nicht, dass der Server läuft.")
ENGLISH = Known(
    "english",
    "Rate limit of the API",
    "The rate limit of the API is 100 requests per minute for each key. Burst traffic is rejected.",
)
KNOWN = (ADDRESS, TIMEOUT, CHIEF, DENIED, ENGLISH)

ALL = "und gilt für alle Anfragen."
NOTICE = "Die Kündigungsfrist beträgt drei Monate zum Quartalsende"
TURNED = "Für alle Anfragen gilt der Timeout von Dienst A: er beträgt 30 Sekunden."
LISTED = f"- {NOTICE}. [1]\n- Burst traffic is rejected. [2]"
LESS = "The rate limit of the API is 100 requests per minute for a key."
SEAT = "Die Müller GmbH sitzt nicht mehr in der Hauptstraße 1, 32108 Bad Salzuflen."
A = "Der Timeout von Dienst A beträgt"

ECHOES = [
    ("exact", ADDRESS.title, ADDRESS.content, {"address"}),
    ("title alone", "Anna ist Chefin von Ben", "", {"chief"}),
    ("upper case, blanks, no point", "Notiz", NOTICE.upper().replace(" ", "  "), {"address"}),
    ("decomposed letters", "Notiz", normalize("NFD", NOTICE), {"address"}),
    ("excerpt", "Rate limit", "Burst traffic is rejected.", {"english"}),
    ("quoted list with marks", "Zusammenfassung", LISTED, {"address", "english"}),
    (
        "concatenation",
        "Zusammenfassung",
        f"{ENGLISH.content} {TIMEOUT.content}",
        {"english", "timeout"},
    ),
    ("with its title before it", "Notiz", f"{TIMEOUT.title}: {TIMEOUT.content}", {"timeout"}),
    ("said to be from memory", "Notiz", f"Laut Gedächtnis: {TIMEOUT.content}", {"timeout"}),
    ("quoted", "Zitat", f"Nach meiner Erinnerung: „{TIMEOUT.content}“", {"timeout"}),
    ("quoted in English", "Quote", f"As far as I recall: “{ENGLISH.content}”", {"english"}),
    ("joined", "Zusammen", f"{ADDRESS.content} {TIMEOUT.content}", {"address", "timeout"}),
    ("joined excerpts", "Überblick", f"{NOTICE}. {TIMEOUT.content}", {"address", "timeout"}),
    ("turned around", "Timeout Dienst A", TURNED, {"timeout"}),
    ("another unit", "Timeout Dienst A", f"{A} 0,5 min {ALL}", {"timeout"}),
    ("one word less", "API rate limit", LESS, {"english"}),
]


@pytest.mark.parametrize(
    ("title", "content", "names"), [one[1:] for one in ECHOES], ids=[one[0] for one in ECHOES]
)
def test_what_was_told_is_recognised(title, content, names):
    assert set(echoed(title, content, KNOWN)) == names


NEW = [
    ("another number", "Timeout", f"{A} 60 s {ALL}"),
    ("another unit", "Timeout", f"{A} 30 min {ALL}"),
    (
        "another name",
        "Timeout",
        "Der Timeout von Dienst B beträgt 30 s und gilt für alle Anfragen.",
    ),
    ("another name in the title", "Timeout von Dienst B", TIMEOUT.content),
    ("another thing in the title", "Timeout der Produktion", TIMEOUT.content),
    ("a numbered thing in the title", "Timeout 2", TIMEOUT.content),
    ("a number behind its title", f"{ADDRESS.title}2", ADDRESS.content),
    ("a number in brackets behind it", f"{ENGLISH.title} (2)", ENGLISH.content),
    ("another thing with a number", "Dienst2", TIMEOUT.content),
    ("quoted, but not to the letter", "Zitat", f"Zitat: „{A} 31 s {ALL}“"),
    ("a year in the title", "Timeout 2027", TIMEOUT.content),
    ("a denial", "Timeout", f"{A} nicht 30 s {ALL}"),
    ("a denial in the title", "Kein Timeout", TIMEOUT.content),
    ("no denial any more", "Server", "der Server läuft"),
    ("no longer", "Müller GmbH", SEAT),
    ("the other way round", "Ben ist Chef von Anna", ""),
    ("one more sentence", "Timeout", f"{TIMEOUT.content} Ab Mai gilt er auch für Dienst C."),
    ("one more date", "Timeout", f"{A} ab 2027 30 s {ALL}"),
    ("an addition", "Timeout", f"{A} auch 30 s {ALL}"),
    ("an opposite", "Rate limit", "Burst traffic is accepted."),
    ("nothing known", "Urlaub", "Anna ist im August in Italien."),
    ("empty", "", ""),
]


@pytest.mark.parametrize(
    ("title", "content"), [one[1:] for one in NEW], ids=[one[0] for one in NEW]
)
def test_what_says_anything_of_its_own_is_no_echo(title, content):
    assert echoed(title, content, KNOWN) == ()


@pytest.mark.parametrize("title", ["a-4", "b-3", "A 3 b"])
def test_a_code_is_a_thing_of_its_own_however_short_it_is(title: str):
    assert echoed(title, "zugleich", [Known("one", "a-3", "zugleich")]) == ()


RABATT = Known(
    "rabatt", "Rabatt Ilse", "Ilse Brandt erhält 5 Prozent Rabatt auf alle Bestellungen."
)
ALPHA = Known("alpha", "Server Alpha", "Der Server hat 16 GB Speicher und vier Kerne im Rack.")
SHORT = Known("short", "Frist", "Die Frist beträgt drei Monate.")
TOLD = (RABATT, ALPHA, SHORT, TIMEOUT)
ALL_TOLD = ("rabatt", "alpha", "short", "timeout")


@pytest.mark.parametrize(
    ("title", "content"),
    [
        ("Anderer Titel", RABATT.content),
        ("Vom Vertrieb", RABATT.content),
        ("Gespräch vom Vormittag", f"Laut Gedächtnis: {RABATT.content}"),
        ("Anderer Titel", RABATT.content.upper()),
        ("Produktion", TIMEOUT.content),
    ],
)
def test_a_text_that_was_told_is_an_echo_under_any_label(title: str, content: str):
    [name] = echoed(title, content, TOLD, ALL_TOLD)
    assert name in ("rabatt", "timeout")
    assert echoed(title, content, TOLD) == (), "it was told to nobody"


@pytest.mark.parametrize(
    ("title", "content"),
    [
        ("Rabatt Weber", RABATT.content),
        ("Kunde 7", RABATT.content),
        ("A-3", RABATT.content),
        ("B", RABATT.content),
        ("XR", RABATT.content),
        ("Kein Grund", RABATT.content),
        ("Beta", ALPHA.content),
        ("Weber", SHORT.content),
        ("Timeout der Produktion", TIMEOUT.content),
        ("Anderer Titel", RABATT.content.replace("5", "7")),
        ("Anderer Titel", f"{RABATT.content} {TIMEOUT.content}"),
    ],
)
def test_a_title_that_may_tell_one_thing_from_another_is_none(title: str, content: str):
    assert echoed(title, content, TOLD, ALL_TOLD) == ()


def test_the_source_that_most_is_said_of_comes_first():
    assert echoed("Notiz", f"Burst traffic is rejected. {TIMEOUT.content}", KNOWN) == (
        "timeout",
        "english",
    )


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80), st.text(max_size=200))
def test_any_text_is_an_echo_of_itself_or_says_nothing(title, content):
    found = echoed(title, content, [Known("self", title, content)])
    assert found in ((), ("self",))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from([one for one in KNOWN if one.content]), st.integers(1, 9_999))
def test_a_number_of_its_own_is_never_dropped(known, number):
    assert echoed("Notiz", f"{known.content} Es sind {number} km.", KNOWN) == ()
