"""Under which headings a place stands, in every way people write them."""

import pytest

from damals.domain.sections import Sections

LAW = """Vorwort

# Gesetz
## Buch 1
### § 204 Hemmung
1. die Klage,
6a. die Anmeldung

### § 205
Text
## Buch 2 ##
Ende
"""


@pytest.mark.parametrize(
    ("said", "path"),
    [
        ("Vorwort", ()),
        ("# Gesetz", ("Gesetz",)),
        ("## Buch 1", ("Gesetz", "Buch 1")),
        ("### § 204", ("Gesetz", "Buch 1", "§ 204 Hemmung")),
        ("6a.", ("Gesetz", "Buch 1", "§ 204 Hemmung")),
        ("Text", ("Gesetz", "Buch 1", "§ 205")),
        ("Ende", ("Gesetz", "Buch 2")),
    ],
)
def test_a_place_stands_under_the_headings_above_it(said: str, path: tuple[str, ...]):
    assert Sections(LAW).at(LAW.index(said)) == path


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("Titel\n=====\nX", ("Titel",)),
        ("# A\nTitel\n---\nX", ("A", "Titel")),
        ("# A\r\nX", ("A",)),
        ("```\n# kein Titel\n```\nX", ()),
        ("~~~ python\n# kein Titel\n```\n# auch keiner\n~~~\n# Titel\nX", ("Titel",)),
        ("    # Code\nX", ()),
        ("#kein Titel\nX", ()),
        ("#\nX", ()),
        ("#######  zu viele\nX", ()),
        ("Absatz\n\n---\nX", ()),
        ("- Punkt\n---\nX", ()),
        ("# A\n### B\n## C\nX", ("A", "C")),
        ("", ()),
    ],
)
def test_what_is_a_heading_and_what_is_none(text: str, path: tuple[str, ...]):
    assert Sections(text).at(max(len(text) - 1, 0)) == path


def test_a_very_long_text_is_read_at_once():
    text = "".join(f"## § {number}\n" + "Wort " * 50 + "\n" for number in range(5_000)) + "# " * 9
    assert Sections(text).at(text.index("## § 4999") + 20) == ("§ 4999",)
