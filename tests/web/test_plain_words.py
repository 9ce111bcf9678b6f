"""Snippets show words, not Markdown's marks."""

import pytest

from damals.interfaces.web.plain import MAX_CHARS, plain


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("## Worum es geht\n\nNotfallplanung", "Worum es geht\nNotfallplanung"),
        ("Gehört zu [[BCM Müller GmbH]].", "Gehört zu BCM Müller GmbH."),
        ("Mit [[Kunden/Müller|der GmbH]] und ![[Bild.png]]", "Mit der GmbH und Bild.png"),
        ("siehe [[Vertrag#Preise]]", "siehe Vertrag Preise"),
        ("- eins\n* zwei\n1. drei\n- [x] vier", "eins\nzwei\ndrei\nvier"),
        ("[Preise](https://example.org/x) gelten", "Preise gelten"),
        ("bis **2027**, *nicht* ~~2026~~, ==ja==, `ls`", "bis 2027, nicht 2026, ja, ls"),
        ("> [!warning] Kündigung\n> drei Monate vorher", "Kündigung\ndrei Monate vorher"),
        ("| Posten | Preis |\n|---|---:|\n| Wartung | 40 € |", "Posten · Preis\nWartung · 40 €"),
        ("```python\nprint(1)\n```\n---\nEnde", "print(1)\nEnde"),
        ("__wichtig__ und _leise_", "wichtig und leise"),
    ],
)  # fmt: skip
def test_marks_go_and_words_stay(text: str, words: str):
    assert plain(text) == words


@pytest.mark.parametrize(
    "text",
    [
        "2 * 3 * 4 = 24", "snake_case_name bleibt", "a - b", "C# und F#", "#hashtag", "1.5 Meter",
        "[nur Klammern]", "ein | Strich", "kein [[Ende", "5 > 3", "", "Straße 1, 32657 Lemgo",
    ],
)  # fmt: skip
def test_what_is_no_mark_stays(text: str):
    assert plain(text) == text


def test_the_title_is_not_said_twice_and_nothing_else_is_left_out():
    assert plain("# Müller GmbH\n\nMetallbau", "Müller GmbH") == "Metallbau"
    assert plain("# Müller GmbH seit 1990\n\nMetallbau", "Müller GmbH") != "Metallbau"
    assert plain("Metallbau\n# Müller GmbH", "Müller GmbH") == "Metallbau\nMüller GmbH"
    assert plain(None) == ""


@pytest.mark.parametrize("mark", ["[[", "[", "![", "**", "_", "`", "> ", "|", "- ", "[a](", "=="])
def test_no_text_takes_more_than_its_beginning(mark: str):
    assert len(plain(mark * 200_000)) <= MAX_CHARS
    assert "Ende" not in plain("x" * MAX_CHARS + "Ende")
