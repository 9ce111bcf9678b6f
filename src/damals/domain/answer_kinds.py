"""Whether a passage has the kind of thing that a question asks for, in German and English.

A number for "wie viele", a time for "wann", a place for "wo", a name for "wer". A passage without
it is no answer, however near it is; whether one with it is, other evidence says.
"""

import re
from collections.abc import Callable
from datetime import date
from typing import Final

from damals.domain.figures import Figure, figures

# --- numbers and times

_COUNTED: Final = (
    r"zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|halb\w*|hälfte"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|half"
    r"|eine?[nrsm]?\s+(?:(?:einzige|halbe|ganze)\w*\s+)?(?:million\w*|stunde|tag\w*|woche|monat\w*"
    r"|jahr\w*|prozent|euro|drittel|viertel|mal)"
)
"""Numbers in words; "ein" is one before what is counted, else it is an article."""
_MONTHS: Final = (
    r"januar|jänner|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember"
    r"|january|february|march|may|june|july|october|december"
)
_DAYS: Final = (
    r"(?:mon|diens|donners|frei|sams|sonn)tag\w*|mittwoch\w*"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
)
_CALENDAR: Final = re.compile(f"{_MONTHS}|{_DAYS}")
_TIME: Final = re.compile(
    rf"\b(?:{_MONTHS}|{_DAYS}|heute|morgen|gestern|uhr|mittags?|mitternacht|nachts|abends|morgens"
    r"|(?:jahres|quartals|monats|wochen)?(?:ende|anfang|mitte)|stunden?|tag\w*|jahre?n?s?|jährlich"
    r"|monate?n?s?|monatlich|wochen?|wöchentlich|täglich|quartal\w*|ostern|pfingsten|weihnachten"
    r"|(?:früh|spät)?(?:sommer|herbst|winter|frühling|frühjahr)|today|tomorrow|yesterday|noon"
    r"|midnight|night|daily|weekly|monthly|yearly|annually|hours?|days?|years?|months?|weeks?"
    r"|quarters?|spring|summer|autumn|easter|christmas|o'clock)\b",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(rf"\d|\b(?:{_COUNTED})\b", re.IGNORECASE)
_AGED: Final = re.compile(
    r"\b(?:jahre?n? alt|jährig\w*|geboren|geburtstag|jahrgang|alter"
    r"|born|birthday|aged?|years? old)\b",
    re.IGNORECASE,
)
_DURATIONS: Final = ("s", "month")
_FIRST_YEAR: Final = date(1500, 1, 1).toordinal()
_LAST_YEAR: Final = date(2199, 12, 31).toordinal()


def _number(passage: str) -> bool:
    return bool(_NUMBER.search(passage))


def _amount(passage: str) -> bool:
    """Whether anything but a time is counted in it."""
    found = figures(passage)
    if any(one.kind == "number" and one.unit not in _DURATIONS for one in found):
        return True
    return not found and _number(passage)


def _time(passage: str) -> bool:
    return bool(_TIME.search(passage)) or any(map(_is_time, figures(passage)))


def _is_time(one: Figure) -> bool:
    if one.kind == "date" and one.unit == "day":  # a telephone number has months as well
        return one.low >= _FIRST_YEAR and one.high <= _LAST_YEAR
    return one.kind == "date" or one.unit in _DURATIONS


def _age(passage: str) -> bool:
    return bool(_AGED.search(passage))


# --- places

_HOUSE: Final = (
    r"[A-ZÄÖÜ][\w.-]*(?:\s(?:den|der|dem)\s[A-ZÄÖÜ]\w*)?,?\s\d{1,3}\s?[a-z]?(?![\w.:%€])"
)
"""A street with a number of a house, or a post-office box: ``Am Markt 3``, ``Kaiserring 7a``."""
_STREET: Final = rf"\b\d{{5}}\b|(?i:stra(?:ß|ss)e|\bplatz\b|allee|\w(?:gasse|platz)\b)|{_HOUSE}"
_NO_TIME: Final = (
    rf"(?!\s+(?:(?:de[mnr]|the)\s+)?(?:\d|(?i:{_MONTHS}|{_DAYS}|jahr|year|{_COUNTED})\b))"
)
_PLACED: Final = re.compile(
    rf"{_STREET}|\b(?:in|im|am|beim?|an|auf|aus|unter|hinter|neben|gegenüber|at|on|from|near)\b"
    rf"{_NO_TIME}"
)
_BARE: Final = re.compile(
    r"\W*[A-ZÄÖÜ][\w-]+(?:[ ,/]+[A-ZÄÖÜ][\w-]+){0,3}\W*|.*,\s[A-ZÄÖÜ][\w-]+\W*", re.DOTALL
)
"""A passage that is a name and nothing else, or ends with one as an address does."""
_OF_PLACE: Final = re.compile(
    r"\b(?:\w*(?:anschrift|adresse|sitz|standort|wohnort|lage)|address|location|seat|site)\b",
    re.IGNORECASE,
)
"""A title under which a place stands."""
_NAMED_PLACE: Final = re.compile(
    _STREET
    + r"|\b(?i:in|aus|nach|at|from|near|bei|Raum|Stadt|Ort|town|city)\s+[A-ZÄÖÜ][a-zäöüß]{2,}"
)
"""A place with a name: that has no article before it, which a thing has."""
_PLACE_NAME: Final = re.compile(
    r"\b(?:(?i:in|im|aus|nach|at|from|beim?|am|auf)|\d{5})\s+((?:[A-ZÄÖÜ][\w-]+\s?){1,3})"
)

# --- others

_PERSON: Final = re.compile(
    r"\b(?:(?:Herrn?|Frau|Dr\.|Prof\.|Mrs?\.?|Ms\.?)\s+)?"
    r"([A-ZÄÖÜ][a-zäöüß]+)[ -]([A-ZÄÖÜ][a-zäöüß]+)\b"
)
_NO_NAMES: Final = re.compile(
    r"der|die|das|eine?[nmr]?|de[sm]|den|the|an?|in|im|am|bei|zu|für|mit|von|we[rm]|was|wie|wo|wann"
    r"|erste|zweite"
)
"""What is capitalised at a beginning, and is no part of a name."""
_CAPITAL: Final = re.compile(r"\b[A-ZÄÖÜ]\w+")
_COLOUR: Final = re.compile(
    r"(?:rot|blau|grün|gelb|schwarz|weiß|grau|braun|orange|lila|violett|rosa|silber|gold|beige|türkis)"
    r"|\b(?:red|blue|green|yellow|black|white|grey|gray|brown|purple|pink|silver|golden)\b|farb|colou?r",
    re.IGNORECASE,
)
_BEGINS: Final = re.compile(
    r"\b(?:beginn\w*|begann|fängt|fing|starte\w*|begins?|began|starts?)\b", re.IGNORECASE
)
_ENDS: Final = re.compile(
    r"\b(?:ende[tn]?s?|endete\w*|bis|läuft|lief|dauert?e?|befristet|gekündigt|\w*ablauf\w*|until|till"
    r"|ends?|ended|expires?|runs?|lasts?|through)\b",
    re.IGNORECASE,
)

_WHERE: Final = re.compile(r"\b(?:wo|wohin|woher|adresse|anschrift|where|address)\b", re.IGNORECASE)
_SETTLEMENT: Final = (
    r"\b(?:welche[rmns]?|which|what) (?:stadt|städten|ort|orten|dorf|gemeinde|land|straße|town|city"
    r"|place|village|country|street)\b"
)
_PLACE_ASKED: Final = re.compile(f"{_WHERE.pattern}|{_SETTLEMENT}", re.IGNORECASE)
_LIVES: Final = re.compile(r"\bwo (?:wohn|leb)\w+|\bwhere (?:do|does|did)\b.*\blive", re.IGNORECASE)
_WHO: Final = re.compile(r"\b(?:wer|wen|wem|wessen|who|whom|whose)\b", re.IGNORECASE)
_WHO_IS: Final = re.compile(r"\b(?:wer (?:ist|war|wird)|who (?:is|was|'s))\b", re.IGNORECASE)
_MEASURED: Final = (
    r"\b(?:wie ?viele?|wie (?:hoch|schnell|lange|oft|groß)"
    r"|how (?:many|fast|long|often|high|large|big))\b"
)
_PRICE: Final = (
    r"\b(?:was koste[tn]|wie teuer|welcher betrag|how much|what does [^?]* cost"
    r"|wie hoch (?:ist|sind|war|waren) (?:\w+ )?\w*(?:miete|rate|preis|kosten|gebühr\w*|umsatz"
    r"|beitrag|betrag|gehalt|lohn|rechnung|kaution|strafe|rabatt|steuer))\b"
)

_KINDS: Final[tuple[tuple[re.Pattern[str], Callable[[str], object]], ...]] = tuple(
    (re.compile(asked, re.IGNORECASE), said)
    for asked, said in (
        (r"\b(?:wie alt|how old)\b", _age),
        (_PRICE, _amount),
        (_MEASURED, _number),
        (
            r"\b(?:wann|wochentag|monat\w*|uhrzeit\w*|geburtstag|when|what time|which day)\b",
            _time,
        ),
        (r"\b(?:welche farbe|what colou?r|which colou?r)\b", _COLOUR.search),
        (_SETTLEMENT, _NAMED_PLACE.search),
    )
)


def fits(question: str, passage: str, under: str = "") -> float:
    """1 when a passage has the kind of thing that is asked for, 0 when not, ½ when unknown.

    A name in it is no more than ½ for who somebody is: it says nothing of the role.

    Args:
        question: as it was asked.
        passage: what may answer.
        under: what it stands under, which may name the person that it tells of.
    """
    if _WHO_IS.search(question):
        return 0.5 if _has_person(question, f"{under}. {passage}") else 0.0
    for asked, said in _KINDS:
        if asked.search(question):
            return 1.0 if said(passage) and not _other_end(question, passage) else 0.0
    if _WHERE.search(question):
        placed = _NAMED_PLACE if _LIVES.search(question) else _PLACED
        return 1.0 if placed.search(passage) or _is_place(passage, under) else 0.0
    if asks_for_person(question):
        return 1.0 if _has_name(question, passage) else 0.0
    return 0.5


def _other_end(question: str, passage: str) -> bool:
    """Whether it says when something begins and is asked when it ends, or the other way round."""
    begins, ends = bool(_BEGINS.search(question)), bool(_ENDS.search(question))
    if begins == ends:
        return False
    wanted, other = (_BEGINS, _ENDS) if begins else (_ENDS, _BEGINS)
    return bool(other.search(passage)) and not wanted.search(passage)


def _is_place(passage: str, under: str) -> bool:
    """Whether a passage is a place by what it stands under, or by being but a name."""
    return bool(under) and bool(_OF_PLACE.search(under) or _BARE.fullmatch(passage))


def _has_person(question: str, text: str) -> bool:
    """Whether a text names somebody whom the question does not."""
    asked = set(re.findall(r"\w+", question.casefold()))
    pairs = ([one.casefold() for one in found.groups()] for found in _PERSON.finditer(text))
    return any(not any(one in asked or _NO_NAMES.fullmatch(one) for one in pair) for pair in pairs)


def _has_name(question: str, passage: str) -> bool:
    """Whether a passage has a capitalised word that may name somebody."""
    asked = set(re.findall(r"\w+", question.casefold()))
    return any(
        word not in asked and not _NO_NAMES.fullmatch(word) and not _CALENDAR.fullmatch(word)
        for word in (found[0].casefold() for found in _CAPITAL.finditer(passage))
    )


def asks_for_person(question: str) -> bool:
    """Whether a question asks who: of that, a capital letter tells little."""
    return bool(_WHO.search(question))


def places(question: str, text: str) -> frozenset[str]:
    """The words of a text that stand where a place does, for a question for a place."""
    if not _PLACE_ASKED.search(question):
        return frozenset()
    return frozenset(word for found in _PLACE_NAME.findall(text) for word in found.split())
