"""Whether a sentence leaves together what a passage says together.

"The key is in the safe, a copy is with the notary" has all the words of "the copy is in the safe,
the key with the notary". What a passage says of its second subject is no statement on its first.
"""

import re
from typing import Final

from damals.app.passages import Reading
from damals.domain.evidence import matched

_CUT: Final = re.compile(
    r"[,;]\s+(?:(?:und|aber|and|but|while|während)\s+)?"
    r"(?=(?:ein(?:e[nmrs]?)?|der|die|das|dessen|deren|the|an?|one|another|its?|his|her|their)\s)",
    re.IGNORECASE,
)
"""Where a new subject begins."""
_TERM: Final = re.compile(r"\d+(?:[.,:]\d+)*|\w+")


def regrouped(said: str, quote: str, reading: Reading) -> bool:
    """Whether a part of a sentence takes words of several subjects of a passage as of one.

    It does when its words, those that are capitalised or numbers, stand in several parts of the
    passage, and it does not name the subject of each later one.
    """
    parts = [_terms(one, reading) for one in _CUT.split(quote)]
    parts = [one for one in parts if one]
    if len(parts) < 2:  # noqa: PLR2004 -- one subject
        return False
    return any(_mixes(one, parts, reading) for one in _CUT.split(said))


def _mixes(clause: str, parts: list[list[str]], reading: Reading) -> bool:
    """Whether a clause has words that only different parts have, without what these are about."""
    terms = set(_terms(clause, reading))
    first = set(parts[0])
    for place, part in enumerate(parts[1:], start=1):
        others = {one for other in parts[:place] for one in other} | first
        taken = (terms & set(part)) - others
        elsewhere = (terms & others) - set(part)
        stems = reading.stems(clause)
        if taken and elsewhere and not matched(part[0], stems, reading.groups):
            return True
    return False


def _terms(text: str, reading: Reading) -> list[str]:
    """Stems of the capitalised words and the numbers of a text, in their order."""
    found: list[str] = []
    for one in _TERM.findall(text):
        if one[0].isdigit():
            found.append(one)
        elif one != one.lower():
            found += sorted(reading.stems(one))
    return found
