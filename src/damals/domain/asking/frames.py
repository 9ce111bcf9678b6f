"""What a question asks, without the words that it is asked with, in German and English.

"Was wussten wir über die Miete?" asks for the rent; no passage has to have "wussten" in it. The
frame is told by its place: at the beginning, and with its verb perhaps at the end.
"""

import re
from typing import Final

_SOON: Final = (
    r"(?:\s+(?:damals|denn|schon|bereits|eigentlich|alles|noch|da|so|genau|heute|jetzt|inzwischen"
    r"|then|back then|already|actually|now|really|so far))*"
)
_ABOUT: Final = r"(?:über|von|vom|zu|zum|zur|bezüglich|hinsichtlich|für|bei|beim)"
_OF: Final = r"(?:about|of|on|regarding|concerning|for)"
_KEPT: Final = r"(?:bekannt|gespeichert|notiert|hinterlegt|vermerkt|dokumentiert|festgehalten)"
_KNOW: Final = (
    r"(?:wissen|wussten|wusste|weiß|weißt|wisst|dachten|dachte|denken|glaubten|glaubte|glauben"
    r"|kannten|kennen|vermuteten|meinten|haben|hatten|hatte)"
)
_US: Final = r"(?:wir|ich|man|du|ihr)"
_SAID: Final = r"(?:gewusst|geglaubt|gedacht|angenommen|erfahren|gelernt|" + _KEPT[3:]
_ENGLISH_US: Final = r"(?:we|i|you|one|anyone)"


def _frames(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"\s*{one}", re.IGNORECASE | re.DOTALL) for one in patterns)


_GERMAN: Final = _frames(
    rf"was\s+{_KNOW}\s+{_US}{_SOON}\s+{_ABOUT}\s+(?P<core>.+?)(?:\s+{_SAID})?\s*\?*\s*$",
    rf"was\s+(?:ist|war|sind|waren)(?:\s+uns)?{_SOON}\s+{_ABOUT}\s+(?P<core>.+?)\s+{_KEPT}\s*\?*\s*$",
    rf"was\s+(?:gilt|galt|gibt es|gab es|steht|stand){_SOON}\s+{_ABOUT}\s+(?P<core>.+?)\s*\?*\s*$",
    rf"(?:bitte\s+)?(?:sage?|nenne?|zeige?|erzähle?|gib)\s+(?:mir|uns)(?:\s+(?:bitte|etwas|alles|mehr))*"
    rf"\s+{_ABOUT}\s+(?P<core>.+?)[.!?\s]*$",
)
_ENGLISH: Final = _frames(
    rf"what\s+(?:do|did|have|had)\s+{_ENGLISH_US}{_SOON}\s+(?:know|known|believe|believed|think"
    rf"|thought|assume|assumed|have|had|recorded|learned){_SOON}\s+{_OF}\s+(?P<core>.+?)\s*\?*\s*$",
    rf"what\s+(?:is|was|are|were){_SOON}\s+(?:known|recorded|stored|noted|believed|on record)"
    rf"(?:\s+to us)?{_SOON}\s+{_OF}\s+(?P<core>.+?)\s*\?*\s*$",
    rf"(?:(?:can|could)\s+you\s+|please\s+)*tell\s+(?:me|us)(?:\s+(?:something|everything|more))?"
    rf"\s+{_OF}\s+(?P<core>.+?)[.!?\s]*$",
)
_WORD: Final = (
    r"(?:wer|wen|wem|was|wo|wohin|woher|wann|wie|welche[nrms]?|warum|ob|dass"
    r"|who|whom|whose|what|where|when|how|which|why|whether|if|that)\b"
)
_LED: Final = _frames(
    rf"(?:was\s+)?{_KNOW}\s+{_US}{_SOON}\s*,\s*(?P<core>{_WORD}.+)$",
    rf"(?:kannst|könntest)\s+du\s+(?:mir|uns)(?:\s+bitte)?\s+sagen\s*,\s*(?P<core>{_WORD}.+)$",
    rf"(?:bitte\s+)?(?:sage?|verrate?)\s+(?:mir|uns)(?:\s+bitte)?\s*,?\s*(?P<core>{_WORD}.+)$",
    rf"(?:what\s+)?(?:do|did)\s+{_ENGLISH_US}{_SOON}\s+(?:know|remember|recall|believe|think){_SOON}"
    rf"\s*,?\s*(?P<core>{_WORD}.+)$",
    rf"(?:(?:can|could)\s+you\s+|please\s+)*tell\s+(?:me|us)\s*,?\s*(?P<core>{_WORD}.+)$",
)
"""Frames around a question that has its own word: ``Weißt du, wo …``."""


def core(question: str) -> str:
    """A question without its frame; as it is where it has none that is known.

    Args:
        question: without the words that say when.
    """
    for frames, lead in ((_LED, ""), (_GERMAN, "Was ist "), (_ENGLISH, "What is ")):
        for frame in frames:
            found = frame.match(question)
            if found:
                bare = found["core"].strip(" ?!.,")
                return f"{lead}{bare}?" if bare else question
    return question
