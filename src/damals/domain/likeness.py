"""How near two texts are, by their words: cheap, deterministic, for German and English.

The words that carry the text count, in a form that most inflections share. Numbers, dates and
denials do not count here: what differs in them is told apart (``figures.py``, ``negation.py``).
"""

import re
from functools import lru_cache
from typing import Final
from unicodedata import normalize

UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
"""How umlauts are written out."""
_INVISIBLE: Final[dict[int, None]] = dict.fromkeys((0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))
WORD: Final = re.compile(r"\w+(?:['’]\w+)?")
_ENDING: Final = re.compile(r"(?:innen|ern|est|ing|ed|em|en|er|es|e|s|n|t)$")
_LEAST: Final = 4
"""So many letters of a word are left of it at least."""
_FORMS: Final = 30_000


def words_of(text: str) -> frozenset[str]:
    """Words of a list, folded."""
    return frozenset(word.casefold() for word in text.split())


SMALL: Final = words_of("""
der die das des dem den ein eine einer eines einem einen und oder aber auch als am an auf aus
bei bin bis bist da dann dass daß dazu denn deren dessen dies diese diesem diesen dieser dieses
doch dort durch er es für gegen hat habe haben hatte hatten hier ich ihm ihn ihr ihre ihrem
ihren ihrer im in ins ist ja jede jedem jeden jeder jedes man mein meine mit nach noch nun nur
ob sein seine seinem seinen seiner seit sich sie sind so sowie über um uns unser unsere unter
vom von vor war waren wann was weil wenn wer werden wie wir wird wo wurde wurden zu zum zur zwar
derzeit aktuell gerade momentan inzwischen bereits schon jetzt zurzeit etwa circa ca rund genau
insgesamt jeweils lautet heißt beträgt betragen liegt liegen gilt gelten befindet kostet steht
gibt laut gemäß
a an and are as at be been being but by can could did do does for from had has have he her his
i if into is it its just my of on or our she so some such than that the their them then there
these they this those to up was we were what when where which who will with would you your
currently now presently about approximately exactly amounts called stands costs per
""")
"""Words that carry little, among them those that only link a thing with its value."""
ADDING: Final = words_of(
    "auch außerdem zusätzlich ebenfalls ferner zudem weitere weiterer weiteres"
    " also additionally furthermore moreover another too besides"
)
"""Words that say that something comes to what is known."""
DENYING: Final = words_of(
    "nicht nichts kein keine keinen keinem keiner keines nie niemals niemand ohne weder nein kaum"
    " not no never none nobody nothing cannot without neither hardly"
)
"""Words that deny."""


@lru_cache(maxsize=_FORMS)
def folded(word: str) -> str:
    """A word as it is compared, umlauts written out."""
    return normalize("NFC", word).casefold().translate(UMLAUTS)


ADDING_FOLDED: Final = frozenset(map(folded, ADDING))
"""The same as they are compared."""


@lru_cache(maxsize=_FORMS)
def stem(word: str) -> str:
    """What most forms of a word share, of at least four letters; ``""`` for a small word."""
    plain = normalize("NFC", word).casefold()
    if plain in SMALL or plain in DENYING or plain in ADDING:
        return ""
    plain = plain.translate(UMLAUTS)
    if any(letter.isdigit() for letter in plain):
        return plain
    for _ in range(2):
        found = _ENDING.search(plain)
        if found is None or found.start() < _LEAST:
            break
        plain = plain[: found.start()]
    return plain


def plain(text: str) -> str:
    """A text in NFC, without invisible letters."""
    return normalize("NFC", text.translate(_INVISIBLE))


def alike(first: str, second: str, *, name: bool = False) -> bool:
    """Whether two stems are one word, written otherwise or with a slip.

    Args:
        first: of one word.
        second: of another.
        name: both may be names, of which there are many that differ little.
    """
    if first == second:
        return True
    short, long = (first, second) if len(first) <= len(second) else (second, first)
    more = len(long) - len(short)
    if short[:1] != long[:1] or len(short) <= _LEAST or more > _ENDING_CHARS:
        return False
    if name and len(short) <= _LONG:
        return False
    if _DIGIT.search(first + second):
        return False
    return (not name and long.startswith(short)) or _one_slip(short, long)


def _one_slip(short: str, long: str) -> bool:
    """Whether one letter was left out, added, taken for another, or changed places."""
    if len(long) - len(short) > 1:
        return False
    pairs = enumerate(zip(short, long, strict=False))
    same = next((place for place, (one, other) in pairs if one != other), len(short))
    if len(short) < len(long):
        return short[same:] == long[same + 1 :]
    turned = long[same + 1 : same + 2] + long[same : same + 1] + long[same + 2 :]
    return short[same + 1 :] == long[same + 1 :] or short[same:] == turned


_ENDING_CHARS: Final = 3
_DIGIT: Final = re.compile(r"\d")
_LONG: Final = 8
"""Longer names may be written with a slip."""
