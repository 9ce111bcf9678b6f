"""Where a note names the source of what it quotes."""

import pytest

from damals.adapters.vault.quotes import quoted


def links(text):
    """The links that name sources, in order."""
    return [link for start, end in quoted(text) for link in _links(text[start:end])]


def _links(text):
    return [part.partition("]]")[0] for part in text.split("[[")[1:]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("> Satz mit [[A]].", ["A"]),
        ("Kein Zitat: [[A]].", []),
        ("> Satz mit [[B]].\n> — [[A]]", ["A"]),
        ("> Satz mit [[B]].\n> – [[A]]", ["A"]),
        ("> Satz mit [[B]].\n> -- [[A]]", ["A"]),
        ("> Satz mit [[B]].\n> *— [[A]]*", ["A"]),
        ("> Satz.\n— [[A]] und [[B]]", ["A", "B"]),
        ("> Satz.\n\n— [[A]]", ["A"]),
        ("> Satz.\n\n\n— [[A]]", []),
        ("> Satz.\nQuelle: [[A]]", ["A"]),
        ("> Satz.\n> Source : [[A]]", ["A"]),
        ("> Satz mit [[B]].\n> — Goethe", []),
        ("> Satz.\n- [[A]]", []),
        ("> Satz.\n---\n[[A]]", []),
        ("> [!note] Hinweis\n> [[A]]", []),
        ("> [!quote] Zitat\n> [[A]]", ["A"]),
        ("> [!Cite]\n> Satz.\n> — [[A]]", ["A"]),
        ("> eins\n>> zwei [[A]]", ["A"]),
        ("   > eins [[A]]", ["A"]),
        ("    > kein Zitat [[A]]", []),
        ("> eins [[A]]\n\n> zwei [[B]]\n> — [[C]]", ["A", "C"]),
        ("> eins [[A]]\nText [[B]]", ["A"]),
        ("> eins [[A]]\n\nText — [[B]]", ["A"]),
        ("", []),
        (">", []),
        ("> ", []),
    ],
)
def test_the_source_of_a_quote_is_what_it_names(text, expected):
    assert links(text) == expected


def test_many_quotes_and_deep_ones_are_read_to_the_end():
    text = ">" * 200_000 + "\n\n" + "> [[A]]\n\n" * 50_000
    assert len(quoted(text)) == 50_001
