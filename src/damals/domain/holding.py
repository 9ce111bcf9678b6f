"""What one alone is or does at a time: two who do it contradict each other."""

from typing import Final

from damals.domain.claims import Profile
from damals.domain.likeness import words_of
from damals.domain.paired import Pair

_ROLES: Final = (
    *("chef", "leiter", "leitung", "vorsitz", "vorsitzende", "praesident", "kanzler", "inhaber"),
    *("geschaeftsfuehrer", "geschaeftsfuehrung", "buergermeister", "direktor", "eigentuemer"),
    *("ceo", "cto", "cfo", "head", "leader", "chair", "president", "owner", "director", "mayor"),
)
"""Ends of stems of titles that name what one alone is."""
_DEEDS: Final = words_of("leitet leitete führt führte leads led heads headed chairs chaired")
"""What one alone does."""


def one_holder(pair: Pair) -> bool:
    """Whether both say, under one title, who it is of whom there is one."""
    if not pair.titled or any(not w.large for w in (*pair.only_a, *pair.only_b)):
        return False
    return any(root.startswith(_ROLES) or root.endswith(_ROLES) for root in pair.a.about) or (
        _leads(pair.a) and _leads(pair.b)
    )


def _leads(one: Profile) -> bool:
    return not _DEEDS.isdisjoint(one.claim.content.casefold().split())
