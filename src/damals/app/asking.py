"""Answers in the words of the sources: the best passages with numbered citations, or none.

Whether anything answers is decided by how much of the question the best passage covers, how near
it is in meaning, how much more it says than its title, and how far it leads the others; see
:mod:`damals.domain.evidence`. What is thin is not told.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from damals import messages
from damals.app.answer_results import Answer, Citation, Reason, reasons_of
from damals.app.passages import Passage, Reading, case_of, ranked
from damals.app.relevance import Wanted
from damals.app.results import Entry, Hit, Recall
from damals.domain.asking.frames import core
from damals.domain.evidence import confidence, weights_of
from damals.domain.operators import read_operators
from damals.domain.passages import readable

THRESHOLD: Final = 0.5
"""Below this confidence nothing is told; calibrated on the questions of the demo archive."""
MOST_QUOTED: Final = 3
NEAR_BEST: Final = 0.85
"""A further passage is quoted when it is nearly as good as the best."""
UNSAID: Final = 0.2
"""A passage that says so much less of the question than what it stands under is told with that."""

_ENDS: Final = (".", "!", "?", "…")


@dataclass(frozen=True, slots=True)
class Found:
    """What there is to answer from.

    Attributes:
        passages: best first.
        confidence: that the best of them answers.
    """

    recall: Recall
    passages: Sequence[Passage]
    confidence: float

    @property
    def answers(self) -> bool:
        """Whether it is enough to tell anything."""
        return self.confidence >= THRESHOLD


def found(recall: Recall, reading: Reading) -> Found:
    """Read the passages of a ranking that was explained."""
    question = _without_times(recall)
    made = ranked(recall, reading, question)
    sure = confidence(case_of(made, reading, question)) if made else 0.0
    return Found(recall, made, sure)


def relevant(recall: Recall, reading: Reading) -> tuple[Hit, ...]:
    """Those results of a ranking that was explained which words or the meaning find.

    Others are in a ranking because they are new, important or near to something.
    """
    question = _timeless(recall, read_operators(recall.query).text)
    asked = reading.stems(question)
    if not asked:
        return ()
    made = ranked(recall, reading, question)

    def answers(place: int, hit: Hit) -> bool:
        said = hit.explanation.matched if hit.explanation else ()
        own = [one for one in made if one.hit == place]
        if asked & reading.stems(" ".join(said)) or any(one.evidence.coverage for one in own):
            return True
        # Alone it leads nothing, whatever comes behind it.
        return bool(own) and (
            confidence(replace(case_of(own, reading, question), lead=0.0)) >= THRESHOLD
        )

    return tuple(hit for place, hit in enumerate(recall.results) if answers(place, hit))


def _without_times(recall: Recall) -> str:
    """The question without the words that said when, and those around it: no passage needs them."""
    text = core(_timeless(recall, recall.query))
    return text if text.strip(" ?!.,") else recall.query


def _timeless(recall: Recall, text: str) -> str:
    for said in (recall.understood.as_of_text, recall.understood.known_at_text):
        text = text.replace(said, " ") if said else text
    return text


def wanted(recall: Recall, given: Sequence[Passage], reading: Reading) -> Wanted:
    """What is asked, weighed by what there is to answer from."""
    question = _without_times(recall)
    texts = [reading.stems(f"{one.under} {one.quote}") for one in given]
    return Wanted(question, weights_of(reading.stems(question), texts, reading.groups))


def extractive(there: Found) -> Answer:
    """The answer in the words of the sources."""
    if not there.answers:
        return answer_of(there, messages.text("answer.abstained"), (), abstained=True)
    quoted = _quoted(there.passages)
    lines = [f"{_said(one)} [{n}]" for n, one in enumerate(quoted, start=1)]
    return answer_of(there, "\n".join(lines), quoted)


def _quoted(made: Sequence[Passage]) -> list[Passage]:
    """The best passages, none of them twice."""
    enough = NEAR_BEST * made[0].nearness
    kept: dict[str, Passage] = {}
    for one in made:
        if one.nearness >= enough and len(kept) < MOST_QUOTED:
            kept.setdefault(readable(one.quote).casefold(), one)
    return list(kept.values())


def _said(one: Passage) -> str:
    """A passage as a line of an answer, with what it stands under where it needs that."""
    text = readable(one.quote)
    if one.start is None:
        return text
    bare = not text.endswith(_ENDS)
    if bare or one.evidence.coverage - one.evidence.own > UNSAID:
        return f"{one.under}: {text}"
    return text


def answer_of(
    there: Found,
    text: str,
    quoted: Sequence[Passage],
    *,
    abstained: bool = False,
    model: str | None = None,
    caveats: Sequence[str] = (),
) -> Answer:
    """An answer whose citations are numbered in the order of some passages."""
    recall = there.recall
    citations = tuple(_citation(n, one) for n, one in enumerate(quoted, start=1))
    used = {one.hit for one in quoted}
    entries = [hit.entry for place, hit in enumerate(recall.results) if place in used]
    said = [*recall.caveats, *caveats, *_contradictions(entries)]
    for place, hit in enumerate(recall.results):
        said += hit.caveats if place in used else ()
    return Answer(
        question=recall.query,
        understood=recall.understood,
        answer=text,
        citations=citations,
        reasons=_reasons(recall, citations),
        model=model,
        as_of=recall.as_of,
        known_at=recall.known_at,
        receipt=None,
        abstained=abstained,
        caveats=tuple(dict.fromkeys(said)),
    )


def _citation(n: int, one: Passage) -> Citation:
    return Citation(n, one.entry_id, one.chunk_id, one.start, one.end, one.quote)


def _reasons(recall: Recall, citations: Sequence[Citation]) -> tuple[Reason, ...]:
    cited: dict[str, list[int]] = {}
    for one in citations:
        cited.setdefault(one.entry_id, []).append(one.n)
    return tuple(
        replace(reason, cited=tuple(cited.get(reason.entry_id, ())))
        for reason in reasons_of(recall)
    )


def _contradictions(entries: Sequence[Entry]) -> list[str]:
    """What is in an open contradiction with something that is quoted."""
    return [
        messages.text(
            "answer.contradicted", None, title=entry.title, other=one.title or one.entry_id
        )
        for entry in entries
        for one in entry.relations
        if one.resolution == "required"
    ]
