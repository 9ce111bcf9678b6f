"""The passages of a ranking, each with what speaks for it."""

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from damals.app.ports import Embedder, LexicalEncoder
from damals.app.results import Hit, Recall
from damals.domain.answer_kinds import fits
from damals.domain.errors import DamalsError
from damals.domain.evidence import (
    Case,
    Evidence,
    Groups,
    coverage,
    matched,
    nearness,
    stems,
    weights_of,
)
from damals.domain.passages import Sentences, passages, readable, table_head

MOST: Final = 60
"""Passages that are compared by meaning; of more, those with the most words of the question."""
MOST_LEAD: Final = 0.4
COMPARED: Final = 3
"""With which of the others the best passage is compared."""
UNFIT: Final = 0.2
"""By how much a passage must be nearer to stand before one that has what is asked for."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What reads texts.

    Attributes:
        embedder: ``None`` where there is no model, or vectors are missing.
        sentences: cuts a text.
        groups: by stem, the groups of words that ask for the same.
    """

    lexical: LexicalEncoder
    embedder: Embedder | None
    sentences: Sentences
    groups: Groups

    def stems(self, text: str) -> frozenset[str]:
        """The stems of the content words of a text."""
        return stems(self.lexical.words(text))

    def nearness(self, vector: Sequence[float], text: str) -> float | None:
        """Cosine of a question's vector and a text; ``None`` when it cannot be told."""
        if self.embedder is None:
            return None
        try:
            other = array("f", self.embedder.passage(text))
        except DamalsError:
            return None
        return math.fsum(map(float.__mul__, vector, other))

    def same(self, one: str, other: str, least: float) -> bool:
        """Whether two texts are at least this near in meaning; never without a model."""
        if self.embedder is None:
            return False
        try:
            vector = array("f", self.embedder.passage(one))
        except DamalsError:
            return False
        near = self.nearness(vector, other)
        return near is not None and near >= least


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a result.

    Attributes:
        hit: the result, from 0.
        start, end: offsets in the content of the entry; ``None`` for its title.
        quote: what stands there.
        under: title and headings that it stands under.
    """

    hit: int
    entry_id: str
    chunk_id: str
    start: int | None
    end: int | None
    quote: str
    title: str
    under: str
    evidence: Evidence

    @property
    def nearness(self) -> float:
        """How good it is among others."""
        return nearness(self.evidence)


def ranked(found: Recall, reading: Reading, question: str) -> list[Passage]:
    """All passages of a ranking, best first."""
    asked = reading.stems(question)
    under = [_under(hit) for hit in found.results]
    texts = [
        reading.stems(f"{head} {hit.chunk.text}")
        for head, hit in zip(under, found.results, strict=True)
    ]
    weights = weights_of(asked, texts, reading.groups)
    best = max((hit.score for hit in found.results), default=0.0) or 1.0
    made = [
        _weighed(one, reading, question, weights)
        for place, hit in enumerate(found.results)
        for one in _of(place, hit, under[place], hit.score / best, reading.sentences)
    ]
    made.sort(key=_order)
    return _by_meaning(made[:MOST], reading, question)


def _order(one: Passage) -> tuple[float, int, int]:
    """Best first; what lacks the kind of thing that is asked for comes later."""
    unfit = UNFIT if one.evidence.fits == 0 else 0.0
    return unfit - one.nearness, one.hit, one.start or 0


def _under(hit: Hit) -> str:
    headings = [one for one in hit.chunk.heading if one != hit.entry.title]
    return " – ".join((hit.entry.title, *headings))


def _of(place: int, hit: Hit, under: str, rank: float, sentences: Sentences) -> Iterator[Passage]:
    entry, text = hit.entry, hit.chunk.text
    nothing = Evidence(0.0, 0.0, 0.0, rank)
    first = hit.chunk.start
    ids = (place, entry.id, hit.chunk.id)
    found = False
    for start, end in passages(text, sentences):
        quote = text[start:end]
        # Of a chunk that was edited since, each passage may still stand somewhere.
        at = entry.content.find(quote) if first is None else first + start
        if at >= 0:
            found = True
            head = table_head(text, start)
            above = f"{under} – {head}" if head else under
            yield Passage(*ids, at, at + len(quote), quote, entry.title, above, nothing)
    if not found:
        yield Passage(*ids, None, None, entry.title, entry.title, entry.title, nothing)


def _weighed(
    one: Passage, reading: Reading, question: str, weights: Mapping[str, float]
) -> Passage:
    said = readable(one.quote)
    own = reading.stems(said)
    evidence = replace(
        one.evidence,
        coverage=coverage(weights, own | reading.stems(one.under), reading.groups),
        own=coverage(weights, own, reading.groups),
        fits=fits(question, said, one.under),
    )
    return replace(one, evidence=evidence)


def _by_meaning(made: list[Passage], reading: Reading, question: str) -> list[Passage]:
    """The same, compared by meaning too where there is a model."""
    vector = _question_vector(reading.embedder, question)
    if vector is None:
        return made
    titles: dict[str, float | None] = {}
    compared: list[Passage] = []
    for one in made:
        if one.title not in titles:
            titles[one.title] = reading.nearness(vector, one.title)
        text = f"{one.under}. {readable(one.quote)}"
        near = reading.nearness(vector, text if one.start is not None else one.title)
        evidence = replace(one.evidence, cosine=near, title=titles[one.title])
        compared.append(replace(one, evidence=evidence))
    compared.sort(key=_order)
    return compared


def _question_vector(embedder: Embedder | None, question: str) -> Sequence[float] | None:
    if embedder is None:
        return None
    try:
        return array("f", embedder.query(question))
    except DamalsError:
        return None


def case_of(made: Sequence[Passage], reading: Reading, question: str) -> Case:
    """What speaks for the best of some passages, of which there is at least one."""
    best = made[0]
    others = sorted((one.nearness for one in made[1:]), reverse=True)[:COMPARED]
    lead = best.nearness - (others[-1] if others else 0.0)
    said = reading.stems(f"{best.under} {best.quote}")
    things = _things(question, reading.lexical)
    lacking = [one for one in things if not matched(one, said, reading.groups)]
    missing = len(lacking) / len(things) if things else 0.0
    return Case(best.evidence, min(max(lead, 0.0), MOST_LEAD), missing)


def _things(question: str, lexical: LexicalEncoder) -> list[str]:
    """The stems of words that German writes large, but for the first of the question."""
    return [
        stem
        for stem, start, _ in lexical.words(question)
        if question[start : start + 1].isupper() and question[:start].strip(" \t\"'„»¿¡(")
    ]
