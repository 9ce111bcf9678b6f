"""Exact words and phrases: what a text says letter by letter, apart from how it is written down.

Compared in NFC, case-folded, without invisible characters, any run of blanks as one. A phrase that
begins or ends with a letter or digit does not begin or end inside a longer word.
"""

import re
from collections.abc import Iterable
from typing import Final

from damals.domain.names import fold

_BLANKS: Final = re.compile(r"\s+")
_INVISIBLE: Final[dict[int, None]] = dict.fromkeys((0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))


def folded_text(text: str) -> str:
    """A text as phrases are looked for in it."""
    return _BLANKS.sub(" ", fold(text.translate(_INVISIBLE))).strip()


def says(text: str, phrase: str) -> bool:
    """Whether a text says a phrase; both folded by :func:`folded_text`."""
    place = text.find(phrase)
    while place >= 0:
        end = place + len(phrase)
        if not (_joined(text, place) or _joined(text, end)):
            return True
        place = text.find(phrase, place + 1)
    return False


def says_all(text: str, phrases: Iterable[str]) -> bool:
    """Whether a text says each of some phrases; all folded."""
    return all(says(text, phrase) for phrase in phrases)


def _joined(text: str, place: int) -> bool:
    """Whether a place in a text is inside a word, as an index cuts it."""
    return 0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum()


def halves(phrase: str) -> tuple[str, str] | None:
    """Two parts of a folded phrase, one of which is whole wherever it is cut in two between words.

    ``None`` for a single word, which is not cut.
    """
    words = words_of(phrase)
    half = len(words) // 2
    if not half:
        return None
    return " ".join(words[: len(words) - half]), " ".join(words[len(words) - half :])


def words_of(folded: str) -> tuple[str, ...]:
    """The runs of letters and digits of a folded text: how an index that has phrases cuts it."""
    cut = "".join(letter if letter.isalnum() else " " for letter in folded)
    return tuple(cut.split())
