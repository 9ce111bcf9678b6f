"""Whether a sentence limits what it says as its source does, in German or English.

"At least 30 seconds" and "30 minutes" share every word that carries a name with "30 seconds", and
say something else. So a figure must be meant alike, unit and bound included, and a word that makes
a statement weaker, rarer, wider or narrower must stand on both sides.

Tenses are left alone: of an instant that has passed, a right answer speaks in the past.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from damals.domain.figures import Figure, figures
from damals.domain.likeness import UMLAUTS, words_of
from damals.domain.natural import NUMBERS


def _classes(rows: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """By name, one a line, a pattern of words of a class; a class may have several."""
    named = (row.split(": ", 1) for row in rows.strip().splitlines())
    return tuple((name, re.compile(rf"\b(?:{words})", re.IGNORECASE)) for name, words in named)


_BEFORE: Final = _classes(r"""
greater: (?:mehr als|über|oberhalb von|more than|over|above|exceed\w*|übersteigt)\b
less: (?:weniger als|unter|unterhalb von|less than|fewer than|under|below)\b
least: (?:mindestens|wenigstens|minimal|at least|a minimum of)\b|min\.
most: (?:höchstens|maximal|bis zu|nicht mehr als|at most|up to|no more than|a maximum of)\b|max\.
about: (?:fast|nahezu|beinahe|knapp|etwa|circa|ungefähr|rund|gegen)\b|ca\.?
about: (?:about|almost|nearly|approximately|roughly|around)\b|approx\.
before: (?:vor|before)\b
after: (?:nach|after)\b
until: (?:bis|until|till|by)\b
since: (?:ab|seit|vom|from|since)\b
""")
"""What stands before a figure and makes it a bound."""
_BEHIND: Final = _classes(r"""
greater: (?:(?:oder|und|or|and) )?(?:mehr|höher|more|higher)\b|\+
less: (?:(?:oder|und|or|and) )?(?:weniger|niedriger|less|fewer|lower)\b
after: (?:später|later)\b
before: (?:früher|earlier)\b
""")
_GAP: Final = re.compile(r"\s+(?:[a-zäöüß]+\s+)?\Z")
"""One small word may stand between: ``bis zum 3. Mai``."""
_REACH: Final = 32
"""How many characters before a figure its bound is looked for."""

_LIMITING: Final = _classes(r"""
possibly: (?:könnten?|möglicherweise|vielleicht|eventuell|vermutlich|wahrscheinlich)\b
possibly: (?:could|might|perhaps|maybe|probably|possibly|likely)\b
said to: (?:angeblich|allegedly|reportedly|supposedly)\b
ought: (?:sollten?|sollen?|müssten?|should|ought)\b
would: (?:würden?|dürften?|would)\b
must: (?:muss|müssen|must)\b
seldom: (?:selten|kaum|rarely|seldom|hardly|scarcely)\b
often: (?:oft|häufig|meist|meistens|often|frequently|usually|mostly)\b
sometimes: (?:manchmal|gelegentlich|teilweise|sometimes|occasionally|partly)\b
always: (?:immer|stets|always)\b
all: (?:alle[nrs]?|sämtliche\w*|jede[nrms]?|all|every|each)\b
only: (?:nur|lediglich|ausschließlich|only|solely|merely)\b
almost: (?:fast|nahezu|beinahe|almost|nearly)\b
formerly: (?:früher|ehemals|ehemalige\w*|einst|bisher|formerly|previously|former|once)\b
second: (?:zweite[nrms]?|every (?:second|other))\b
third: (?:dritte[nrms]?|third)\b
fourth: (?:vierte[nrms]?|fourth)\b
""")
_WEAKENING: Final = frozenset(
    ("possibly", "said to", "ought", "seldom", "sometimes", "almost", "formerly", "would")
)
"""What a statement loses its meaning without; the others may be left out."""
_OCLOCK: Final = re.compile(
    r"\b(?:ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf)(?=\s+uhr\b)",
    re.IGNORECASE,
)
_SEVERAL: Final = re.compile(r"[.!?]\s+[A-ZÄÖÜ\"„“]|\n")
"""A text of more than one sentence: what one of them limits may not be the one in question."""


def qualified(said: str, source: str, around: str = "") -> bool:
    """Whether figures and limits of a sentence are those of its source.

    Args:
        said: one statement.
        source: the passage that is to say it.
        around: what the passage stands under; it may name figures and limits too.
    """
    if said.rstrip(" \"'”“»)").endswith("?"):
        return False
    said, source = _with_hours(said), _with_hours(source)
    text = f"{around}\n{source}"
    limits, known = _limits(said), _limits(text)
    if not limits <= known:
        return False
    if not _SEVERAL.search(source) and (_limits(source) & _WEAKENING) - limits:
        return False
    theirs = [(one, _bounds(text, one)) for one in figures(text)]
    return all(
        any(_same(one, other) and bounds == _bounds(said, one) for other, bounds in theirs)
        for one in figures(said)
        if one.unit != "version"
    )


def _with_hours(text: str) -> str:
    """A text with its hours in digits, as a time of day is known by them."""
    return _OCLOCK.sub(lambda one: str(NUMBERS[one[0].casefold().translate(UMLAUTS)]), text)


def _limits(text: str) -> frozenset[str]:
    return frozenset(name for name, words in _LIMITING if words.search(text))


def _same(one: Figure, other: Figure) -> bool:
    """Whether two figures mean the same; what nobody says the unit of may be any."""
    if one.kind == other.kind == "number" and not (one.unit and other.unit):
        return one.low <= other.high and other.low <= one.high
    return one.agrees(other)


def _bounds(text: str, figure: Figure) -> frozenset[str]:
    before = text[max(figure.start - _REACH, 0) : figure.start]
    behind = text[figure.end :].lstrip()
    found = {name for name, words in _BEFORE if _ends(before, words)}
    # What is counted may stand between: "500 euros more".
    rest = (behind, behind.partition(" ")[2].lstrip())
    return frozenset(
        found | {name for name, words in _BEHIND if any(words.match(one) for one in rest)}
    )


def _ends(before: str, words: re.Pattern[str]) -> bool:
    """Whether a text ends with one of some words."""
    return any(_GAP.match(before, one.end()) for one in words.finditer(before))


# --- who does what to whom

_NAME: Final = re.compile(r"[A-ZÄÖÜ][\w-]*(?:\s+[A-ZÄÖÜ][\w-]*)*")
_WORD: Final = re.compile(r"[^\W\d_]+")
_EQUAL: Final = words_of(
    "ist sind war waren heißt hieß lautet bleibt wird und oder is are was were and or named"
)
"""Between two names they say that both are the same, or nothing of either."""


def exchanged(said: str, source: str) -> bool:
    """Whether a sentence has two names of its source in each other's place.

    Only names that no preposition and no article goes before: where one does, it says what part
    the name plays, wherever it stands.
    """
    ours, theirs = _names(said), _names(source)
    places = {name: (start, end) for name, start, end in theirs}
    for (first, _, end), (second, start, _) in _pairs(ours):
        if first == second or first not in places or second not in places:
            continue
        (begins, _), (_, ends) = places[first], places[second]
        if ends <= begins and _acts(said[end:start]) and _acts(source[ends:begins]):
            return True
    return False


def _names(text: str) -> Sequence[tuple[str, int, int]]:
    """Names with their places that stand alone, by place."""
    return [
        (found[0].casefold(), *found.span())
        for found in _NAME.finditer(text)
        if _alone(text[: found.start()])
    ]


def _alone(before: str) -> bool:
    word = re.search(r"([^\W\d_]+)\s+\Z", before)
    return word is None or word[1].casefold() not in _MARKING


_MARKING: Final = words_of("""
der die das des dem den ein eine einer eines einem einen im am zum zur beim vom ins in an auf aus
bei mit nach von vor zu für über unter durch gegen ohne um bis seit ab laut the a an of at on by to
for from with under over through against without until since per als as
""")


def _pairs(
    names: Sequence[tuple[str, int, int]],
) -> Iterator[tuple[tuple[str, int, int], tuple[str, int, int]]]:
    return ((one, other) for place, one in enumerate(names) for other in names[place + 1 :])


def _acts(between: str) -> bool:
    """Whether something is said between two names, beside that they are the same."""
    words = [one.casefold() for one in _WORD.findall(between) if one == one.lower()]
    return any(one not in _EQUAL and one not in _MARKING for one in words)
