"""Candidates of duplicates and contradictions: two claims, compared, with what shows it.

Both say something of the same thing at the same time. A *duplicate* says it in nearly the same
words and differs in no number, date, name or denial; a *contradiction* says something else just
there. Nothing here decides anything: whoever is shown a candidate does.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal
from uuid import UUID

from damals.domain.blocking import near_pairs
from damals.domain.claims import Claim, Profile
from damals.domain.figures import Figure
from damals.domain.holding import one_holder
from damals.domain.likeness import stem, words_of
from damals.domain.names import fold
from damals.domain.paired import Pair, unspelled
from damals.domain.untitled import of_one_text
from damals.domain.values import frozen

Kind = Literal["duplicate", "contradiction"]
Aspect = Literal["number", "date", "negation", "value"]
Same = Literal["key", "subject", "content"]

NEAR: Final = 0.75
"""Least likeness of duplicates, and of claims of which one denies the other."""
FRAME: Final = 0.6
"""Least likeness of claims that differ in a number, date or value, when their titles do too."""
TITLED: Final = 0.3
"""The same under one title or key."""
LEAST: Final = 0.25
"""With less in common, longer claims are neither."""
CLOSE: Final = 0.9
"""From here on, common words may be others on both sides."""
LONG: Final = 12
"""So many words of a text make an accident unlikely."""
CROWD: Final = 3
"""What so many texts under other titles say otherwise, each in its own way, is a pattern."""
SHOWN: Final = 5
"""At most so many differences are told."""
_MOST_OTHER: Final = 4
"""So many other words on each side are still one value in the place of another."""
_FEW_OTHER: Final = 2
"""The same under titles that are not about the same."""

SERIES: Final = frozenset(("calibration", "journal", "experience"))
"""Types whose entries each say what was once seen: another one is no contradiction."""
_MANY: Final = words_of(
    "spricht sprech speak speaks mag moeg like likes unterstuetz support kenn know besuch visit"
    " lies read hat has spiel play enthaelt contain verkauf sell"
)
"""Stems of words that something may be said of many things with."""


@frozen
class Difference:
    """Where two claims differ: ``a`` and ``b`` as each writes it, empty for nothing."""

    aspect: Aspect
    a: str
    b: str


@frozen
class Evidence:
    """That two claims may be duplicates, or contradict each other.

    Attributes:
        a, b: their entries, the smaller id first.
        likeness: how near their words are, 0 to 1.
        same: by what they say something of the same thing.
        differences: in what they differ; none for a duplicate.
        common: words that both say, in alphabetical order.
    """

    kind: Kind
    a: UUID
    b: UUID
    likeness: float
    same: Same
    differences: tuple[Difference, ...] = ()
    common: tuple[str, ...] = ()

    def other(self, one: UUID) -> UUID:
        """The other one of both entries."""
        return self.b if one == self.a else self.a


def candidates(claims: Iterable[Claim]) -> Iterator[Evidence]:
    """All candidates among some claims, by ids; nearly linear in their number."""
    known: dict[UUID, Profile] = {}
    told: list[Evidence] = []
    for a, b in near_pairs(claims):
        for one in (a, b):
            if one.id not in known:
                known[one.id] = Profile(one)
        found = compared(known[a.id], known[b.id])
        if found is not None:
            told.append(found)
    return uncrowded(told)


def uncrowded(found: Iterable[Evidence]) -> Iterator[Evidence]:
    """Candidates without the contradictions of a text that is only a pattern.

    What differs from many under as many titles is said of many things in the same words.
    """
    every = list(found)
    loose = [one for one in every if one.kind == "contradiction" and one.same == "content"]
    others: dict[UUID, set[tuple[str, ...]]] = defaultdict(set)
    for one in loose:
        others[one.a].add(tuple(d.b for d in one.differences))
        others[one.b].add(tuple(d.a for d in one.differences))
    crowd = {side for side, said in others.items() if len(said) > CROWD}
    left = {(one.a, one.b) for one in loose if not crowd.isdisjoint((one.a, one.b))}
    return (one for one in every if (one.a, one.b) not in left)


def compare(a: Claim, b: Claim) -> Evidence | None:
    """What two claims are to each other; ``None`` for neither duplicate nor contradiction.

    It does not matter which of both comes first.
    """
    return compared(Profile(a), Profile(b))


def compared(a: Profile, b: Profile) -> Evidence | None:
    """As :func:`compare`, for claims that are taken apart."""
    if a.claim.id == b.claim.id or not a.claim.period.overlaps(b.claim.period):
        return None
    first, second = (a, b) if a.claim.id < b.claim.id else (b, a)
    return None if _far(first, second) else _evidence(Pair(first, second))


def _far(first: Profile, second: Profile) -> bool:
    """Whether two claims share so few words that nothing else has to be looked at."""
    total = len(first.words) + len(second.words)
    common = len(first.words.keys() & second.words.keys())
    return total > LONG and 2 * common < LEAST * total


def _evidence(pair: Pair) -> Evidence | None:
    same = _same(pair)
    if same == "content":
        pair = pair.untitled
    if same is None or pair.likeness < _least(pair, same):
        return None
    if same != "key" and _of_others(pair):
        return None
    differences = _differences(pair, same)
    if differences is None:
        return None
    kind: Kind = "contradiction" if differences else "duplicate"
    if not differences and not _says_same(pair):
        return None
    common = sorted({w.written for s, w in pair.a.words.items() if s in pair.b.words})
    ids = pair.a.claim.id, pair.b.claim.id
    likeness = round(pair.likeness, 3)
    return Evidence(kind, *ids, likeness, same, differences[:SHOWN], tuple(common))


def _least(pair: Pair, same: Same) -> float:
    """The least likeness of two that are anything to each other: of duplicates it is more."""
    return TITLED if same == "key" or pair.titled else FRAME


def _of_others(pair: Pair) -> bool:
    """Whether they name different things, times or occasions of which they speak."""
    return (pair.other_things and not one_holder(pair)) or any(pair.qualifiers)


def _same(pair: Pair) -> Same | None:
    """By what both say something of the same thing."""
    a, b = pair.a.claim, pair.b.claim
    if a.key is not None and b.key is not None:
        return "key" if fold(a.key) == fold(b.key) else None
    if a.subject and b.subject:
        return "subject" if pair.a.about == pair.b.about else None
    if pair.titled or _same_title(pair):
        return "content" if any(pair.qualifiers) and of_one_text(pair) else "subject"
    return "content" if of_one_text(pair) else None


def _same_title(pair: Pair) -> bool:
    """Whether what one title is about may be what the other one is about."""
    mine, theirs = pair.a.about, pair.b.about
    if not mine or not theirs:
        return pair.likeness >= NEAR and not _other_large(pair)
    only_a, only_b, spelled = unspelled(
        [pair.a.words[s] for s in sorted(mine - theirs) if s in pair.a.words],
        [pair.b.words[s] for s in sorted(theirs - mine) if s in pair.b.words],
    )
    common = len(mine & theirs) + spelled
    near = 2 * common / (len(mine) + len(theirs))
    if only_a and only_b:
        return near >= NEAR and not any(w.large for w in (*only_a, *only_b))
    # What one title says of the thing, the other one may say in its text.
    missing = {word.stem for word in (*only_a, *only_b)}
    said = missing <= (pair.a.words.keys() & pair.b.words.keys())
    return bool(common) and (said or near >= FRAME)


def _other_large(pair: Pair) -> bool:
    return any(w.large for w in pair.only_a) and any(w.large for w in pair.only_b)


def _says_same(pair: Pair) -> bool:
    """Whether both say nothing else, as far as their words tell."""
    if any(pair.values) or pair.denied or len(pair.types) > 1:
        return False
    if pair.a.adds != pair.b.adds or pair.likeness < NEAR:
        return False
    if not pair.other_words:
        return True
    other = (*pair.only_a, *pair.only_b)
    return pair.likeness >= CLOSE and not any(w.large for w in other)


def _differences(pair: Pair, same: Same) -> tuple[Difference, ...] | None:
    """Where two claims of the same thing differ; ``None`` when they tell of other occasions."""
    if len(pair.types) > 1 or pair.types & SERIES:
        return ()
    if pair.other_deeds and not _listed(pair):
        return ()
    figures = _figures(pair)
    if figures is None:
        return None
    denied = _denied(pair)
    if figures or denied:
        return (*figures, *denied, *(_values(pair, same) if figures else ()))
    return () if any(pair.values) else _values(pair, same)


def _listed(pair: Pair) -> bool:
    """Whether common words may differ: in a long text, or where nothing but a value is said."""
    if pair.likeness >= CLOSE:
        return True
    alone = pair.titled and max(len(pair.only_a), len(pair.only_b)) == 1
    return alone and not (pair.a.linked or pair.b.linked)


def _figures(pair: Pair) -> tuple[Difference, ...] | None:
    """The numbers and dates in which both differ; ``None`` for those of other occasions."""
    found = list(_matched(*pair.values))
    if not found:
        return None if all(pair.values) else ()
    dates = [(x, y) for x, y in found if x.kind == "date"]
    loose = [x for x, y in dates if _loose(pair, x, y)]
    measured = [v for v in pair.a.values if v.kind == "number" and not v.label]
    if loose and measured:
        return None
    if dates and len(dates) < len(found) and pair.a.measured and pair.b.measured:
        return None
    return tuple(Difference(x.kind, x.text, y.text) for x, y in found)


def _loose(pair: Pair, first: Figure, second: Figure) -> bool:
    """Whether two dates say when something was so, rather than when it begins or ends."""
    exact = first.low == first.high and second.low == second.high
    if exact and first.unit != "relative":
        return False
    return not (pair.a.bounds(first) and pair.b.bounds(second))


def _matched(first: Sequence[Figure], second: Sequence[Figure]) -> Iterator[tuple[Figure, Figure]]:
    """Figures in the place of one another: of one unit, or of none that is known."""
    left = list(second)
    rest: list[Figure] = []
    for one in first:
        same = next((o for o in left if _of_a_kind(one, o)), None)
        if same is None:
            rest.append(one)
        else:
            left.remove(same)
            yield one, same
    for one in rest:
        same = next((o for o in left if o.kind == one.kind and _counted(one, o)), None)
        if same is not None:
            left.remove(same)
            yield one, same


def _of_a_kind(first: Figure, second: Figure) -> bool:
    if first.kind != second.kind:
        return False
    return first.unit == second.unit or (bool(first.base) and first.base == second.base)


def _counted(first: Figure, second: Figure) -> bool:
    return first.kind == "number" and not {first.base, second.base} - {""}


def _denied(pair: Pair) -> tuple[Difference, ...]:
    if not pair.denied or pair.other_words or any(pair.values):
        return ()
    long = max(len(pair.a.words), len(pair.b.words)) > 5 * LONG
    if pair.likeness < (CLOSE if long else NEAR):
        return ()
    if pair.flips:
        said = ((pair.a.written(x), pair.b.written(y)) for x, y in pair.flips)
        return tuple(Difference("negation", x, y) for x, y in said)
    return (Difference("negation", pair.a.denying(pair.b), pair.b.denying(pair.a)),)


def _values(pair: Pair, same: Same) -> tuple[Difference, ...]:
    """A name or word in the place of another one."""
    only_a, only_b = pair.only_a, pair.only_b
    if same == "key":  # whatever the titles say of it
        only_a, only_b = ([w for w in one if not w.subject] for one in (only_a, only_b))
    if not (only_a and only_b) or max(len(only_a), len(only_b)) > _MOST_OTHER:
        return ()
    if pair.a.adds or pair.b.adds or pair.denied:
        return ()
    held = same != "key" and one_holder(pair)
    if (not held and any(w.subject for w in (*only_a, *only_b))) or _several(pair):
        return ()
    if same == "content" and max(len(only_a), len(only_b)) > _FEW_OTHER:
        return ()
    short = pair.titled and len(pair.a.words.keys() | pair.b.words.keys()) <= LONG
    large = any(w.large for w in only_a) and any(w.large for w in only_b)
    if not (large or short):
        return ()
    said = (" ".join(w.written for w in words) for words in (only_a, only_b))
    return (Difference("value", *said),)


def _several(pair: Pair) -> bool:
    """Whether what is said is of a kind of which several may be true at once."""
    said = pair.a.tokens & pair.b.tokens
    return any(stem(word) in _MANY or word in _MANY for word in said)
