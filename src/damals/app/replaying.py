"""An answer again, its reasons, and what would be different if it were computed anew."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, cast

from damals.app.ages import Ages
from damals.app.answer_results import Answer, Citation, Reason, Reasons, reasons_of
from damals.app.finding.question import Viewpoint
from damals.app.ledger_port import LedgerReader
from damals.app.receipt_model import Receipt
from damals.app.receipts import asked_at, shown
from damals.app.results import Recall
from damals.app.wire import from_wire
from damals.domain.entries import Json
from damals.domain.ids import parse_uuid
from damals.domain.instants import format_instant
from damals.domain.ranking import Weights

ASK: Final = "ask"
RECALL: Final = "recall"

SHOWN_PERSONA: Final = "shown_persona"
"""Under this name the receipt of an answer keeps whom its ranking was seen from."""

Document = Mapping[str, Any]
Differences = tuple[Mapping[str, Json], ...]


@dataclass(frozen=True, slots=True)
class Again:
    """What was asked, in the words in which it can be asked again.

    Attributes:
        options: of the recall, with both instants as they were understood, and as known at the
            last transaction then.
        weights: those that the options were read with.
        lang: the language that the answer was told in; ``None`` where none was kept.
        viewpoint: whom the ranking was seen from; ``None`` where that was not kept.
        aged_at: where lives were read.
    """

    kind: str
    question: str
    limit: int | None
    options: dict[str, object]
    weights: Weights
    lang: str | None
    viewpoint: Viewpoint | None
    aged_at: int | None


def again(receipt: Receipt) -> Again:
    """What to ask to get the same answer from the same knowledge."""
    document = cast("Document", receipt.document)
    options = cast("dict[str, object]", dict(document["options"]))
    limit = cast("int | None", options.pop("limit", None))
    options.pop("weights", None)  # as they were in force
    result = cast("Document", document["result"])
    weights = document["shown_weights"] if receipt.kind == ASK else result["weights"]
    if result["understood"].get("from_text") and weights["half_life_days"] is None:
        options["half_life"] = "inf"  # nobody gave it, but the question said when
    options |= {
        "as_of": format_instant(receipt.as_of),
        "known_at": format_instant(receipt.known_at),
        "times": "off",
    }
    given = {name: float(value) for name, value in document["weights"].items()}
    return Again(
        kind=receipt.kind,
        question=str(document["question"]),
        limit=limit,
        options=options,
        weights=Weights(**given),
        lang=document.get("lang"),
        viewpoint=_viewpoint(receipt.kind, document),
        aged_at=asked_at(receipt).aged_at,
    )


def _viewpoint(kind: str, document: Document) -> Viewpoint | None:
    """The person that the ranking was seen from, who may be another one by now."""
    kept = document if kind == ASK else cast("Document", document["result"])
    name = SHOWN_PERSONA if kind == ASK else "persona"
    if name not in kept:
        return None
    return Viewpoint(parse_uuid(kept[name]) if kept[name] else None)


def told_weights(weights: Weights) -> dict[str, Json]:
    """Weights as a receipt keeps them; an endless half-life as ``inf``."""
    said = ((one.name, getattr(weights, one.name)) for one in fields(weights))
    values = {name: float(value) for name, value in said if isinstance(value, int | float)}
    return {name: str(v) if v == float("inf") else v for name, v in values.items()}


def replayed(reader: LedgerReader, receipt: Receipt, ages: Ages) -> Recall | Answer:
    """The answer as it was told."""
    told = shown(reader, receipt, ages)
    if receipt.kind == ASK:
        return from_wire(Answer, told)
    found = from_wire(Recall, told)
    options = cast("Document", receipt.document)["options"]
    return found if options.get("explain") else unexplained(found)


def explained(reader: LedgerReader, receipt: Receipt, ages: Ages) -> Recall:
    """A ranking as it was told, with its reasons, which are kept in any case."""
    return from_wire(Recall, shown(reader, receipt, ages))


def unexplained(found: Recall) -> Recall:
    """The same without reasons, which are kept but were not asked for."""
    bare = tuple(replace(hit, explanation=None) for hit in found.results)
    return replace(found, results=bare, layers=None)


def why(reader: LedgerReader, receipt: Receipt, ages: Ages, *, owns: bool) -> Reasons:
    """The reasons of an answer; only who owns the home is told of transactions."""
    document = cast("Document", receipt.document)
    told = shown(reader, receipt, ages)
    found = from_wire(Answer if receipt.kind == ASK else Recall, told)
    asked = isinstance(found, Answer)
    reasons = found.reasons if asked else reasons_of(found)
    citations: tuple[Citation, ...] = found.citations if asked else ()
    weights = document["shown_weights"] if asked else found.weights
    return Reasons(
        receipt=str(receipt.id),
        kind=receipt.kind,
        question=str(document["question"]),
        created_at=format_instant(receipt.created_at),
        transaction=receipt.number if owns else None,
        understood=found.understood,
        as_of=found.as_of,
        known_at=found.known_at,
        options=document["options"],
        weights=weights,
        engines=document["engines"],
        answer=found.answer if asked else None,
        citations=citations,
        reasons=reasons,
        layers=_layers(reasons),
        caveats=found.caveats,
    )


def _layers(reasons: Sequence[Reason]) -> dict[str, Json]:
    """The entries by layer; those of none under an empty name."""
    found: dict[str, Json] = {}
    for one in reasons:
        cast("list[Json]", found.setdefault(one.layer or "", [])).append(one.entry_id)
    return found


# --- computed again


def ranking_differences(before: Sequence[Reason], after: Sequence[Reason]) -> Differences:
    """What is not as it was in a ranking: by entry, in the order of the first."""
    then = {one.entry_id: one for one in before}
    now = {one.entry_id: one for one in after}
    made: list[Mapping[str, Json]] = []
    for entry_id in dict.fromkeys((*then, *now)):
        was, is_ = then.get(entry_id), now.get(entry_id)
        if was is None or is_ is None:
            what = "added" if was is None else "missing"
            made.append(_difference(what, entry_id, _place(was), _place(is_)))
        elif _place(was) != _place(is_):
            what = "rank" if was.rank != is_.rank else "score"
            if was.chunk_id != is_.chunk_id:
                what = "passage"
            made.append(_difference(what, entry_id, _place(was), _place(is_)))
    return tuple(made)


def _difference(what: str, about: str | None, before: Json, after: Json) -> Mapping[str, Json]:
    return {"what": what, "entry_id": about, "before": before, "after": after}


def _place(reason: Reason | None) -> Json:
    if reason is None:
        return None
    parts: Json = dict(reason.parts.to_dict())
    return {
        "rank": reason.rank,
        "chunk_id": reason.chunk_id,
        "score": reason.score,
        "parts": parts,
        "matched": list(reason.matched),
    }


def engines_of(receipt: Receipt) -> Json:
    """What answered then."""
    return cast("Document", receipt.document)["engines"]


def value_differences(
    pairs: Mapping[str, tuple[Json, Json]],
) -> Differences:
    """What is not as it was among named values."""
    return tuple(
        _difference(name, None, was, is_) for name, (was, is_) in pairs.items() if was != is_
    )


def recall_differences(
    then: Recall, receipt: Receipt, now: Recall, engines: Mapping[str, Json]
) -> Differences:
    """What is not as it was told, if a ranking were computed now.

    Args:
        then: what was told, with its reasons.
        receipt: of that.
        now: the same question asked again, explained.
        engines: those that answered now.
    """
    document = cast("Document", receipt.document)
    named = value_differences(
        {
            "engines": (document["engines"], dict(engines)),
            "weights": (dict(then.weights), dict(now.weights)),
            "caveats": (_caveats(then), _caveats(now)),
        }
    )
    return (*named, *ranking_differences(reasons_of(then), reasons_of(now)))


def answer_differences(then: Answer, now: Answer, engines: tuple[Json, Json]) -> Differences:
    """What is not as it was told, if an answer were given now.

    Args:
        then: as it was told.
        now: as it would be now.
        engines: those that answered then and now.
    """
    named = value_differences(
        {
            "engines": engines,
            "answer": (then.answer, now.answer),
            "abstained": (then.abstained, now.abstained),
            "citations": (_citations(then), _citations(now)),
            "caveats": (_caveats(then), _caveats(now)),
        }
    )
    return (*named, *ranking_differences(then.reasons, now.reasons))


def _caveats(found: Recall | Answer) -> Json:
    """Without those about how the question was read: it is asked again at the same instants."""
    return [one for one in found.caveats if one not in found.understood.notes]


def _citations(answer: Answer) -> Json:
    return [one.to_dict() for one in answer.citations]
