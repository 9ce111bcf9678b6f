"""The infinitive of a form of a German or English verb.

The stemmer leaves ``saß``, ``sitzt`` and ``gesessen`` three words; here all are ``sitzen``. Known
are the verbs of the data files, German ones with any prefix, and German ones in ``-ieren``. What
is not known stays as it is.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_SHORTEST: Final = 3
_ENDINGS: Final = ("", "e", "em", "en", "er", "es")
_FOREIGN: Final = re.compile(r"(\w{2,}ier)(?:t|test|te|ten|tem|ter|tes)")
_FOREIGN_INFINITIVE: Final = re.compile(r"\w{2,}ieren")
_NEEDS_E: Final = re.compile(r"(?:[dt]|[^lrhmnaeiouäöü][mn]|ch[mn])$")
_DOUBLES: Final = re.compile(r"[^aeiou][aeiou][bdgklmnprt]$")
_HISSES: Final = re.compile(r"(?:s|x|z|ch|sh)$")


class Read(NamedTuple):
    """What a form was read as.

    Attributes:
        doubtful: it may be a noun whose writer uses no capitals.
    """

    infinitive: str
    doubtful: bool


class _Forms(NamedTuple):
    """Infinitives by form, umlauts written with e.

    Attributes:
        finite: present and preterite, and the infinitive itself.
        participles: of the past, inflected.
        bare: the same without ``ge``, as behind ``be`` and ``ver``.
    """

    finite: dict[str, str]
    participles: dict[str, str]
    bare: dict[str, str]


class _Prefixes(NamedTuple):
    """Prefixes by their first letter, the longest first.

    Attributes:
        together: those that may stay at their verb.
        apart: those that may leave it.
        leaving: those that always leave it in a main clause.
    """

    together: Mapping[str, Sequence[str]]
    apart: Mapping[str, Sequence[str]]
    leaving: frozenset[str]


def infinitive(word: str, *, large: bool) -> Read | None:
    """The verb of which a word is a form; ``None`` when it is none that is known.

    Args:
        word: folded.
        large: whether it was written with a capital, as nouns are and what begins a sentence.
    """
    plain = word.translate(UMLAUTS)
    if len(plain) < _SHORTEST or plain in _other_words("never"):
        return None
    known = _written_large(plain) if large else _written_small(plain)
    if known is None:
        return None
    return Read(known, doubtful=not large and _written_large(plain) is None)


def _written_small(word: str) -> str | None:
    return _german(word, large=False) or _english().get(word)


def _written_large(word: str) -> str | None:
    """Without forms that are nouns when they are written large, English ones in ``-ing`` too."""
    if word in _other_words("large"):
        return None
    english = None if word.endswith("ing") else _english().get(word)
    return _german(word, large=True) or english


def _german(word: str, *, large: bool) -> str | None:
    forms = _forms()
    known = forms.finite.get(word) or forms.participles.get(word)
    if known or (known := _together(word, large=False) or _apart(word, large=large)):
        return known
    foreign = _FOREIGN.fullmatch(word)
    return f"{foreign[1]}en" if foreign else None


def _together(word: str, *, large: bool) -> str | None:
    """Behind a prefix that stays: ``verstand``, ``beschlossen``, ``unterschrieben``."""
    forms = _forms()
    for prefix in _prefixes().together.get(word[:1], ()):
        if word.startswith(prefix):
            rest = word[len(prefix) :]
            known = None if large else forms.finite.get(rest)
            if known or (known := forms.bare.get(rest)):
                return prefix + known
    return None


def _apart(word: str, *, large: bool) -> str | None:
    """Behind a prefix that leaves: ``umgezogen``, ``umzuziehen``, ``umzog``, ``anerkannt``.

    No sentence begins with a form like ``ausgaben``: written large it is a noun.
    """
    forms, prefixes = _forms(), _prefixes()
    for prefix in prefixes.apart.get(word[:1], ()):
        if not word.startswith(prefix):
            continue
        rest = word[len(prefix) :]
        noun = large and prefix in prefixes.leaving
        known = forms.participles.get(rest) or _with_zu(rest) or _together(rest, large=noun)
        if known is None and not noun:
            known = forms.finite.get(rest)
        if known or (known := _apart(rest, large=large)):
            return prefix + known
    return None


def _with_zu(word: str) -> str | None:
    """An infinitive that has its ``zu`` inside: ``ziehen`` for ``zuziehen`` behind ``um``."""
    rest = word.removeprefix("zu")
    if rest == word:
        return None
    if _FOREIGN_INFINITIVE.fullmatch(rest):
        return rest
    known = _forms().finite.get(rest) or _together(rest, large=False)
    return known if known and _plain(known) == rest else None


@cache
def _forms() -> _Forms:
    strong = [line.split() for line in _lines("verbs_de.txt")]
    regular = [word for line in _lines("verbs_de_regular.txt") for word in line.split()]
    found = _Forms({}, {}, {})
    for verb in (*(parts[0] for parts in strong), *regular):
        found.finite[_plain(verb)] = verb
    for parts in strong:
        _add(found, parts[0], *_strong(parts))
    for verb in regular:
        _add(found, verb, *_regular(verb))
    return found


def _add(found: _Forms, verb: str, finite: Iterable[str], participles: Iterable[str]) -> None:
    for form in finite:
        found.finite.setdefault(_plain(form), verb)
    for participle in participles:
        for ending in _ENDINGS:
            form = _plain(participle + ending)
            found.participles.setdefault(form, verb)
            found.bare.setdefault(form.removeprefix("ge"), verb)


def _strong(parts: list[str]) -> tuple[list[str], list[str]]:
    """Finite forms and participles that follow from the principal parts of a verb."""
    _, present, preterite, participle, *others = parts
    finite = [present, f"{present}st", f"{present.removesuffix('t')}st", preterite]
    finite.append(f"{preterite}n" if preterite.endswith("e") else f"{preterite}en")
    participles = [participle]
    for other in others:
        (participles if other.startswith("ge") else finite).append(other)
        if other.endswith("te"):
            finite.append(f"{other}n")
    return finite, participles


def _regular(verb: str) -> tuple[list[str], list[str]]:
    """Finite forms and participle of a verb of which only the infinitive is told."""
    stem = verb.removesuffix("n").removesuffix("e")
    if _NEEDS_E.search(stem):
        stem += "e"
    return [stem + ending for ending in ("t", "st", "te", "ten", "test")], [f"ge{stem}t"]


@cache
def _prefixes() -> _Prefixes:
    named = {
        name: [*words, *(_plain(word) for word in words if _plain(word) != word)]
        for name, words in _sections("verb_prefixes.txt").items()
    }
    together, apart = (
        _by_letter(sorted(named[name] + named["both"], key=len, reverse=True))
        for name in ("together", "apart")
    )
    return _Prefixes(together, apart, frozenset(named["apart"]))


def _by_letter(words: Iterable[str]) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for word in words:
        found.setdefault(word[0], []).append(word)
    return found


@cache
def _english() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for line in _lines("verbs_en_regular.txt"):
        for base in line.split():
            found |= dict.fromkeys(_english_forms(base), base)
    for line in _lines("verbs_en.txt"):
        base, *others = line.split()
        found |= dict.fromkeys(others, base)
    return found


def _english_forms(base: str) -> Iterator[str]:
    if re.search(r"[^aeiou]y$", base):
        yield from (f"{base[:-1]}ies", f"{base[:-1]}ied", f"{base}ing")
        return
    stem = base if base.endswith("ee") else base.removesuffix("e")
    yield from (f"{base}{'es' if _HISSES.search(base) else 's'}", f"{stem}ed", f"{stem}ing")
    if base.endswith("ee"):
        yield f"{base}d"
    if _DOUBLES.search(base):
        yield from (f"{base}{base[-1]}ed", f"{base}{base[-1]}ing")


@cache
def _other_words(section: str) -> frozenset[str]:
    """What only looks like a form of a verb, with the endings of adjectives in place of a star."""
    words = map(_plain, _sections("verbs_kept.txt")[section])
    return frozenset(
        word.removesuffix("*") + ending
        for word in words
        for ending in (_ENDINGS if word.endswith("*") else ("",))
    )


def _plain(word: str) -> str:
    return word.casefold().translate(UMLAUTS)


def _lines(name: str) -> list[str]:
    text = (files("damals.adapters.text") / "data" / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def _sections(name: str) -> dict[str, list[str]]:
    """Words below lines of the form ``=name``."""
    found: dict[str, list[str]] = {}
    words: list[str] = []
    for line in _lines(name):
        if line.startswith("="):
            words = found.setdefault(line[1:], [])
        else:
            words += line.split()
    return found
