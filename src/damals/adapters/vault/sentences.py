"""Sentences of German text, as ranges."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from importlib import import_module
from typing import Final

WINDOW: Final = 10_000
"""Characters that are cut into sentences at once."""

_ABBREVIATION: Final = re.compile(
    r"(?<!\w)(?:inkl|exkl|zzgl|einschl|Fa|Fam|Gebr|geb|gest|verh|Gem|gem|Abs|Art|Nr|Ziff"
    r"|Buchst|Anm|Bd|Hrsg|hrsg|Aufl|Kap|Jh|Mio|Mrd|Tsd|ca|bzw|ggf|evtl|vgl|Vgl|sog"
    r"|insb|Str|Std|Min|Tel|Hbf"
    r"|Mo|Di|Mi|Do|Fr|Sa|So)\.,?\s*$"
)
_ORDINAL: Final = re.compile(r"(?<![\w.,])(?:\d{1,2}\.\s?)?\d{1,2}\.\s*$")
_AFTER_WEEKDAY: Final = re.compile(r"(?<!\w)(?:Mo|Di|Mi|Do|Fr|Sa|So)\.,?\s*\d{1,2}\.\s*$")
_STARTER: Final = re.compile(
    r"(?:Aber|Alle[ns]?|Als|Am|An|Auch|Auf|Aus|Bei|Beide|Bis|Da|Dabei|Dafür|Daher|Damals|Damit"
    r"|Danach|Dann|Daran|Darauf|Darum|Das|Dass|Davon|Dazu|Dem|Den|Denn|Der|Deshalb"
    r"|Des|Die|Dies\w*|Doch"
    r"|Dort|Du|Durch|Ein\w{0,2}|Er|Erst|Es|Etwas|Für|Heute|Hier|Ich|Ihr\w*|Im|In|Jede\w?|Jetzt"
    r"|Kein\w*|Man|Manche\w?|Mein\w*|Mit|Nach|Nicht|Noch|Nun|Nur|Ob|Oder|Ohne|Seit|Sein\w*|Sie"
    r"|So|Sobald|Sonst|Trotz\w*|Über|Um|Und|Unser\w*|Unter|Viele|Vom|Von|Vor|Während|Wann|Warum|Was"
    r"|Weil|Wenn|Wer|Wie|Wieder|Wir|Wo|Zu|Zum|Zur|Zwischen)(?!\w)"
)
"""Words that open a sentence. After "19." any other capitalised word is the noun it counts."""


def sentence_ranges(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Ranges of the sentences of ``text[start:end]``; they join without gaps.

    The library cuts after abbreviations and ordinals it does not know; those parts are joined.
    """
    begin = start
    for position in _cuts(text, start, end):
        if not _goes_on(text, begin, position, end):
            yield begin, position
            begin = position
    if begin < end:
        yield begin, end


def _cuts(text: str, start: int, end: int) -> Iterator[int]:
    """Where the library cuts, inside ``start`` to ``end``.

    It takes time in the square of what it is given, so it sees no more than a window at once; the
    next one begins with the last sentence of it, which may go on.
    """
    while start < end:
        stop = min(start + WINDOW, end)
        position = previous = start
        for part in _segmenter()("de", text[start:stop]):
            if position > start:
                yield position
            # A library that changed a character would shift every offset behind it.
            if not text.startswith(part, position):
                return
            previous, position = position, position + len(part)
        if stop == end:
            return
        start = previous if previous > start else stop


@lru_cache(maxsize=1)
def _segmenter() -> Callable[[str, str], Iterable[str]]:
    # Loaded late, for only long paragraphs are cut into sentences. It has no types.
    segment: Callable[[str, str], Iterable[str]] = import_module("sentencex").segment
    return segment


def _goes_on(text: str, begin: int, cut: int, end: int) -> bool:
    """Whether the sentence that begins at ``begin`` goes on behind ``cut``."""
    before = text[max(begin, cut - 40) : cut]
    if _ABBREVIATION.search(before) or _AFTER_WEEKDAY.search(before):
        return True
    if not _ORDINAL.search(before):
        return False
    following = text[cut : min(end, cut + 40)].lstrip()
    return following[:1].isalpha() and not _STARTER.match(following)
