"""Whether one text denies what another says: words that deny, and words that are opposites."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from damals.domain.likeness import DENYING, folded

_ONLY: Final = re.compile(
    r"\bnicht nur\b|\bnot only\b|\bnot just\b|\bno longer than\b|\bnicht länger als\b"
    r"|\bkein problem\b|\bno problem\b",
    re.IGNORECASE,
)
"""What looks like a denial and is none."""
_DENIAL: Final = re.compile(
    rf"\b(?:{'|'.join(sorted(DENYING))}|niemand\w*|nirgend\w*|nowhere)\b|\b\w+n['’]t\b",
    re.IGNORECASE,
)
_ABBREVIATED: Final = re.compile(r"\bno\.?\s*\d", re.IGNORECASE)
"""``No. 5`` numbers something."""

_OPPOSITES: Final = """
aktiv inaktiv|active inactive|aktiviert deaktiviert|enabled disabled|aktivieren deaktivieren
enable disable|erlaubt verboten|erlaubt untersagt|allowed forbidden|allowed prohibited
permitted forbidden|allowed denied|offen geschlossen|geöffnet geschlossen|open closed
an aus|on off|ein aus|wahr falsch|true false|richtig falsch|right wrong|correct incorrect
gültig ungültig|valid invalid|möglich unmöglich|possible impossible
vorhanden fehlend|present absent|verheiratet ledig|married single|verheiratet geschieden
married divorced|lebt tot|alive dead|lebendig tot|intern extern|internal external
öffentlich privat|public private|vegetarisch fleischhaltig|steigt sinkt|stieg sank
rises falls|rose fell|increased decreased|erhöht gesenkt|zugenommen abgenommen|mehr weniger
more less|höher niedriger|higher lower|größer kleiner|larger smaller|schneller langsamer
faster slower|älter jünger|older younger|vor nach|before after|links rechts|left right
gewonnen verloren|won lost|angenommen abgelehnt|accepted rejected|genehmigt abgelehnt
approved rejected|bestanden durchgefallen|passed failed|erfolgreich erfolglos
successful unsuccessful|bezahlt unbezahlt|paid unpaid|bekannt unbekannt|known unknown
sicher unsicher|safe unsafe|kostenlos kostenpflichtig|free paid|pflicht freiwillig
mandatory optional|verpflichtend freiwillig|verpflichtend optional|required optional
erforderlich optional|immer selten|always rarely|minimum maximum|mindestens höchstens
min max|verfügbar vergriffen|available unavailable|online offline|befristet unbefristet
offen verschlossen|geöffnet verschlossen|offen zu|geöffnet zu|auf zu|offen verriegelt
verriegelt entriegelt|abgeschlossen aufgeschlossen|eingeschaltet ausgeschaltet
angeschaltet ausgeschaltet|angeschaltet abgeschaltet|eingeschaltet abgeschaltet
gesperrt freigegeben|gesperrt freigeschaltet|gesperrt entsperrt
blocked unblocked|besetzt frei|belegt frei|reserviert frei|occupied free|occupied vacant
voll leer|full empty|anwesend abwesend|angemeldet abgemeldet|zugesagt abgesagt
gestartet gestoppt|started stopped|running stopped|begonnen beendet|bestätigt widerrufen
confirmed revoked|gestattet verboten|gestattet untersagt|zulässig verboten|lieferbar vergriffen
pünktlich verspätet|nass trocken|wet dry|gesund krank|healthy sick|volljährig minderjährig
synchron asynchron|synchronous asynchronous|hell dunkel|warm kalt|hot cold|gut schlecht|good bad
""".replace("\n", "|")

OPPOSITES: Final[frozenset[frozenset[str]]] = frozenset(
    frozenset(map(folded, pair.split())) for pair in _OPPOSITES.split("|") if pair.strip()
)
"""Words of which one denies the other, folded as the words of claims are."""

_PREFIXES: Final = ("un", "in", "im", "non", "dis", "nicht", "miss", "anti", "de")
_ENDINGS: Final = re.compile(r"(?<=\w{4})(?:e[nmrs]?|s)$")
_WORDS: Final = 30_000
_LEAST: Final = 4
"""So many letters has a word of which another one is the opposite by a prefix."""


def denials(text: str) -> tuple[str, ...]:
    """The words of a text that deny, folded, in order."""
    plain = _ABBREVIATED.sub(" ", _ONLY.sub(" ", text))
    return tuple(found[0].casefold() for found in _DENIAL.finditer(plain))


def opposites(first: Iterable[str], second: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Pairs of folded words, one of each text, of which one is the opposite of the other."""
    theirs = {_bare(word): word for word in sorted(second)}
    bare = theirs.keys()
    for word in sorted(first):
        found = _against(word) & bare
        if found:
            yield word, theirs[min(found)]


@lru_cache(maxsize=_WORDS)
def _against(word: str) -> frozenset[str]:
    """The opposites of a word, without their endings."""
    bare = _bare(word)
    found = set(_BARE.get(bare, ()))
    for prefix in _PREFIXES:
        if len(bare) >= _LEAST:
            found.add(prefix + bare)
        if bare.startswith(prefix) and len(bare) - len(prefix) >= _LEAST:
            found.add(bare[len(prefix) :])
    return frozenset(found)


@lru_cache(maxsize=_WORDS)
def _bare(word: str) -> str:
    return _ENDINGS.sub("", word)


def _by_word() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for pair in sorted(map(sorted, OPPOSITES)):
        one, other = map(_bare, pair)
        found.setdefault(one, []).append(other)
        found.setdefault(other, []).append(one)
    return found


_BARE: Final = _by_word()
