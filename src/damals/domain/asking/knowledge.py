"""Words that ask what was known: they put the times beside them on the axis of recorded time."""

import re
from dataclasses import dataclass, replace
from typing import Final, Literal

from damals.domain.natural_asked import MONTH, SEASON

Tense = Literal["past", "present"]

_W: Final = r"(?<![a-z0-9_-])"
_E: Final = r"(?![a-z0-9_])"


def _any(*words: str) -> re.Pattern[str]:
    return re.compile(rf"{_W}(?:{'|'.join(' '.join(words).split())}){_E}")


def _phrase(*phrases: str) -> re.Pattern[str]:
    return re.compile(rf"{_W}(?:{'|'.join(phrases)}){_E}")


_WE: Final = _any("wir ich du ihr uns mir dir we i you us system damals damaliger")
_MAN: Final = _any("man one anyone")
_KNEW: Final = _any(
    "wussten wusste wusstest glaubten glaubte glaubtest dachten dachte dachtest annahmen annahm",
    "vermuteten vermutete kannten kannte kanntest meinten meinte ahnten ahnte ausgingen ausging",
    "betrachteten ansahen schaetzten erwarteten unterstellten mutmassten",
    "knew believed thought assumed supposed presumed suspected understood expected reckoned",
)
_KNEW_ALONE: Final = _any("wusste wussten glaubte dachte knew believed thought")
_WENT_OUT: Final = _phrase(
    r"hielt(?: [^,;?!]{1,60})? fuer(?![^,;?!]* (?:an|auf|ein|ab)\W*$)",
    r"(?:da|wo)von ging(?: [^,;?!]{1,60})? aus",
    r"ging(?: [^,;?!]{1,60})? davon aus",
)
_KNOWN: Final = _any(
    "gewusst geglaubt gedacht angenommen vermutet gehalten ausgegangen notiert aufgeschrieben",
    "vermerkt festgehalten erfasst gespeichert eingetragen dokumentiert verzeichnet hinterlegt",
    "gekannt gemeint aufgezeichnet abgelegt erwartet gesagt geantwortet unterstellt",
    "stehen vorliegen kenntnis kenntnisse information informationen infos angaben ueberzeugt",
    "erfahren gelernt",
    "ueberzeugung meinung ansicht auffassung annahme vorstellung bild",
)
_HAD: Final = _any(
    "haben hatten hatte hatten haetten habe waren war wurden wurde hattest",
    "haette haettest haettet",
)
_PARTS: Final = (
    (_any("hielten hielt hieltest"), _any("fuer")),
    (_any("gingen ging gingst"), _any("von davon wovon")),
    (_any("nahmen nahm nahmst"), re.compile(r" an\W*$")),
    (_any("sahen sah fuehrten fuehrte"), _any("als")),
    (_any("rechneten rechnete"), _any("mit damit womit")),
    (_any("hast habt"), _any("gesagt geantwortet erzaehlt")),
    (_any("gerechnet"), _any("mit damit womit")),
    (_any("lag lagen"), _any("vor")),
    (_any("ausgegangen"), _any("sind bin waren war davon wovon")),
)
"""Verbs in two parts: ``gingen wir … aus``."""

_DID: Final = _any("did had would were was have")
_KNOW: Final = _any(
    "know believe think assume suppose expect consider understand suspect presume reckon imagine",
    "known believed thought assumed noted recorded written stored documented registered said",
    "answered told aware convinced sure informed say answer tell learn learned learnt",
)
_OUR_OWN: Final = _any("we i you us our my")

_IMPERSONAL: Final = _phrase(
    r"(?:war|waren|ist gewesen)(?: (?!als|fuer|wofuer|unter)[^,;?!]{1,60}?)? bekannt"
    r"(?! (?:als|fuer|unter|durch|wegen))",
    r"bekannt (?:war|waren|gewesen)(?! (?:als|fuer))",
    r"(?:war|waren|wurde|wurden)(?: [^,;?!]{1,60}?)? (?:hinterlegt|vermerkt|notiert|verzeichnet"
    r"|gespeichert|festgehalten)",
    r"(?:hinterlegt|vermerkt|notiert|verzeichnet|gespeichert|festgehalten) (?:war|waren)",
    r"(?:was|were|wasn't)(?: [^,;?!]{1,60}?)? known(?! (?:as(?! of| at)|for|by|under))",
    r"known to (?:us|me)",
    r"(?:was|were)(?: [^,;?!]{1,60}?)? (?:believed|assumed|presumed|thought)",
    r"(?:what|which (?:address|price|name|number|rent|value|contact|record|fact)s?) (?:was|were)"
    r" (?:stored|recorded|noted|saved|written down)",
    r"hat (?:das|die|der|unsere?) (?:archiv|system|wiki|gedaechtnis|datenbank|wissensbasis|kartei)"
    r"(?: [^,;?!]{1,60})? (?:gesagt|gezeigt|gewusst|geantwortet|enthalten)",
    r"(?:sagte|zeigte|fuehrte|meldete|enthielt)(?: [^,;?!]{1,60})? (?:das|unser)"
    r" (?:archiv|system|wiki|gedaechtnis|verzeichnis)",
    r"was (?:wurde|war)(?: [^,;?!]{1,60})? (?:angenommen|geglaubt|vermutet)",
)
_NAMED_FOR: Final = _phrase(
    r"wofuer", r"wodurch", r"unter welche[mnr] namen", r"how", r"known (?:as(?! of| at)|for|by)",
    r"bekannt (?:als|fuer|unter|durch|wegen|geworden|gegeben|gemacht)", r"for what", r"what for",
    r"als was", r"register\w*", r"grundbuch\w*",
)  # fmt: skip
_DATE: Final = (
    rf"(?:(?:{MONTH})\b|(?:jahr |year )?(?:1[89]|20)[0-9]{{2}}\b|(?:the )?(?:{SEASON})\b)"
)
_STATE: Final = _phrase(
    r"(?:nach |laut |gemaess |zum )?(?:unsere[mnrs]? |dem |den |der |damalige[mnrs]? |im )*"
    r"(?:kenntnis|wissens|informations|daten|erkenntnis)st(?:and|aende)e?s?",
    r"akten-?lage", r"datenlage",
    r"damalige[mnrs]? (?:st(?:and|aenden)|wissen|kenntniss?e?n?|sicht|informationen|annahmen?|akten"
    r"|unterlagen|notizen|glauben|meinung|ansicht|auffassung|einschaetzung|daten|aufzeichnungen"
    r"|ueberzeugung|erkenntniss?e?n?)",
    r"(?:laut|nach|gemaess) (?:dem )?stand(?= vom| von| zum| des| am)",
    r"unseres (?:damaligen )?wissens", r"(?:nach )?unserem (?:damaligen )?wissen",
    r"(?:aus (?:der )?sicht|(?:mit|nach) (?:dem |den |unserem |unseren )?(?:wissen|kenntnissen"
    r"|informationen))(?= vom| von| des)",
    r"soweit (?:uns )?(?:damals )?bekannt(?: war)?",
    rf"(?:according to|laut|gemaess) (?:our|unsere[nrm]) [a-z]+(?= (?:in|im) {_DATE})",
    r"on record", r"on file", r"state of (?:our )?knowledge", r"to (?:our|my) (?:best )?knowledge",
    r"as (?:it was )?known", r"our (?:then |best )?(?:knowledge|understanding|belief|information)",
    r"our (?:beliefs|assumptions|assumption)", r"as far as (?:we|anyone) knew",
    r"(?:information|knowledge|facts|records|notes) (?:did|had) (?:we|i|you)",
    r"(?:was|were|had been) (?:recorded|noted) in",
)  # fmt: skip
"""States of knowledge: with a time, they always ask what was known then."""

_HOLDINGS: Final = _phrase(
    r"(?:unsere?[nmr]?|den|der|die|im|in|ins|meine[nmr]?|aus) (?:eigenen )?"
    r"(?:notizen|notiz|akten|akte|unterlagen|aufzeichnungen"
    r"|system|archiv|wiki|datenbank|kartei|wissensbasis|gedaechtnis|daten|datenbestand|buechern|ablage|verzeichnis|speicher)",
    r"(?:our|the|my) (?:own )?(?:notes|records|files|books|data|database|memory|system|archive)",
)
"""What holds knowledge: ``in unseren Notizen``."""
_HELD: Final = _any(
    "stand standen gestanden fand fanden sagten sagte hatten lag lagen zeigte zeigten fuehrte",
    "said say showed show had contained listed held stored",
)
_ATTACHED: Final = re.compile(
    r"[ ,:]{1,2}(?:(?:as )?(?:of|from|on|at|vom|von|am|per|zum|im|in|des|bis|before|vor|nach"
    r"|after|until)(?: (?:the|dem|den|der))? )?$"
)

_PRESENT: Final = _phrase(
    r"(?:wissen|glauben|denken|kennen|vermuten|nehmen) wir",
    r"(?:weisst|kennst|glaubst) du", r"weiss (?:ich|man|damals|das system)",
    r"wir (?:[^,;?!]{1,40}? )?(?:wissen|glauben|kennen|vermuten|annehmen)",
    r"(?:ist|sind) (?:[^,;?!]{1,40}? )?bekannt",
    r"do (?:we|i|you) (?:know|believe|think|assume|have)",
    r"(?:is|are) (?:[^,;?!]{1,40}? )?known", r"we know", r"we believe",
    r"(?:heutige|aktuelle|jetzige)[mnrs]? (?:sicht|st(?:and|aende)|wissen|\w*stand"
    r"|erkenntniss?e?n?)",
    r"steht", r"stehen",
)  # fmt: skip
_TODAYS: Final = re.compile(r"(?:heutig|aktuell|jetzig|gegenwaertig|current|present|today's)\w* $")


@dataclass(frozen=True, slots=True)
class Cue:
    """Words in a clause that ask what was known.

    Attributes:
        start, end: where they stand in the folded text.
        tense: ``present`` takes only words for now to its axis.
        binding: they speak of a time only when it stands right behind them.
        floating: with no time in their own clause, they speak of the one beside it.
    """

    start: int
    end: int
    tense: Tense
    binding: bool = False
    floating: bool = False


def cue_in(text: str, start: int, end: int) -> Cue | None:
    """What asks for knowledge in a clause of the folded text; ``None`` when nothing does."""
    clause = text[start:end]
    for find in (_state, _personal, _impersonal, _holding):
        cue = find(clause)
        if cue is not None:
            return replace(cue, start=start + cue.start, end=start + cue.end)
    match = _PRESENT.search(clause)
    return None if match is None else Cue(start + match.start(), start + match.end(), "present")


def states_knowledge(text: str) -> bool:
    """Whether a text names a state of knowledge, and so asks although it is no question."""
    return _state(text) is not None


_SUBJECT: Final = _any("wir ich man du ihr uns mir we i you one anyone us")
_CLAUSE_ENDS: Final = re.compile(r"[,;:?!]|(?<=[a-z]{2})\. ")
_NEAR: Final = 160

ABOUT: Final = frozenset(("ueber", "about", "fuer", "for"))
"""These lead to what something is known about."""


def subject_end(text: str, start: int, cue: Cue) -> int:
    """Where who knew ends, in a clause from ``start`` on; ``start`` when nobody is named."""
    ends = [match.end() for match in _SUBJECT.finditer(text, start, cue.end)]
    return ends[-1] if ends else start


def clause_around(text: str, place: int) -> tuple[int, int]:
    """The part of a text between two commas; of a long one what is near the place."""
    first, last = max(place - _NEAR, 0), min(place + _NEAR, len(text))
    before = [match.end() for match in _CLAUSE_ENDS.finditer(text, first, place)]
    behind = _CLAUSE_ENDS.search(text, place, last)
    return before[-1] if before else first, behind.start() if behind else last


def _state(clause: str) -> Cue | None:
    for match in _STATE.finditer(clause):
        if not _TODAYS.search(clause[: match.start()] or " ") and "heutig" not in match[0]:
            return Cue(match.start(), match.end(), "past", floating=True)
    return None


def _personal(clause: str) -> Cue | None:
    """Somebody of us and a verb of knowing, in whatever order German puts them."""
    place = _knew(clause) or (_WE.search(clause) and (_in_parts(clause) or _had_known(clause)))
    return Cue(*place, "past") if place else None


Place = tuple[int, int]


def _knew(clause: str) -> Place | None:
    """One word: ``wussten``, ``believed``."""
    ours = _WE.search(clause) or _OUR_OWN.search(clause)
    verb = _KNEW.search(clause) if ours else None
    if verb is None and _MAN.search(clause):
        verb = _KNEW_ALONE.search(clause) or _WENT_OUT.search(clause)
    return verb and verb.span()


def _in_parts(clause: str) -> Place | None:
    """Verbs whose parts stand apart: ``gingen wir davon aus``."""
    for first, second in _PARTS:
        begun = first.search(clause)
        if begun is not None and second.search(clause):
            return begun.span()
    return None


def _had_known(clause: str) -> Place | None:
    """With an auxiliary: ``haben wir gewusst``, ``did we know``."""
    had, known = _HAD.search(clause), _KNOWN.search(clause)
    if had is not None and known is not None:
        return min(had.span(), known.span())
    did, know = _DID.search(clause), _KNOW.search(clause)
    return know.span() if did and know and did.start() < know.start() else None


def _impersonal(clause: str) -> Cue | None:
    match = _IMPERSONAL.search(clause)
    if match is None or _NAMED_FOR.search(clause):
        return None
    return Cue(*match.span(), "past")


def _holding(clause: str) -> Cue | None:
    match = _HOLDINGS.search(clause)
    if match is None:
        return None
    past = _HELD.search(clause) is not None and " do " not in f" {clause} "
    return Cue(*match.span(), "past", binding=not past)


def is_attached(text: str, cue: Cue, start: int) -> bool:
    """Whether a time that begins at ``start`` stands right behind the words of a cue."""
    if start < cue.end or (cue.binding and text.startswith(("zum ", "im ", "in "), start)):
        return False
    between = text[cue.end : start]
    return between == " " or _ATTACHED.fullmatch(between) is not None
