"""What is kept of an answer, and the answer again from that and the ledger.

Kept is what only the moment knew: the question, the weights, the parts of the scores, the caveats,
and of an entry what is told of it as known now (when it was last touched, whether its rectangle
is still open) or by the types in force (its status). Titles and texts are read from the ledger, at
the instants of the receipt and as known at its last transaction, so nothing that is learned later
shows in them.

A result of a newer program has parts that are unknown here: they are kept as they are.
"""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, cast
from uuid import UUID

from damals.app.ages import Ages
from damals.app.answer_results import Answer, Citation
from damals.app.ledger_model import At, Found
from damals.app.ledger_port import LedgerReader
from damals.app.receipt_model import Receipt
from damals.app.receipt_paths import all_shown, premises_of, steps_told
from damals.app.results import Hit, Recall
from damals.app.views import entry_view, surroundings
from damals.domain.entries import Json
from damals.domain.errors import NotFound
from damals.domain.ids import parse_uuid, time_ordered_id
from damals.domain.instants import format_instant, from_datetime, instant_of

OF_THE_MOMENT: Final = ("external_id", "recorded_to", "updated_at", "transaction", "status")
"""What is told of an entry that its rows at the pair do not say again: what is known now, whatever
pair is asked for, and what follows from the types in force."""

_RANDOM_BITS: Final = 74
_ID_CHARS: Final = 36
_SPAN: Final = "span"
_KEPT: Final = "kept"
_TITLE: Final = "title"
_SOURCE: Final = "source"
_FOLDED: Final = ("chunk", "explanation", "context")
"""The parts of a result that hold places in its entry."""

Document = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Asked:
    """What is kept beside the answer.

    Attributes:
        kind: ``recall`` or ``ask``.
        principal: who asked; ``None`` for the owner.
        now: when.
        beside: what else is kept: options, weights, engines.
    """

    kind: str
    principal: str | None
    now: int
    beside: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the ledger an answer stands.

    Attributes:
        number: of the last transaction.
        as_of, known_at: the instants that were read; nothing later was known.
        entries: ids of the entries that are named, and of those that a named relation follows from.
    """

    number: int
    as_of: int
    known_at: int
    entries: frozenset[UUID]


def place_of(reader: LedgerReader, told: Document) -> Place:
    """The place of a folded answer, told by the snapshot that it was read from."""
    head = reader.head()
    as_of, known_at = (instant_of(str(told[name])) for name in ("as_of", "known_at"))
    ids: set[str] = set()
    _note_ids(cast("Json", told), ids)
    named = {found for found in map(parse_uuid, ids) if found is not None}
    at = At(as_of, min(known_at, head.recorded_at))
    named |= premises_of(reader, steps_told(told), at)
    return Place(head.number, at.as_of, at.known_at, reader.seen(named))


def drafted(place: Place, told: Document, asked: Asked) -> Receipt:
    """The receipt of a folded answer."""
    return Receipt(
        id=time_ordered_id(asked.now, secrets.randbits(_RANDOM_BITS)),
        kind=asked.kind,
        created_at=asked.now,
        number=place.number,
        as_of=place.as_of,
        known_at=place.known_at,
        principal=asked.principal,
        entries=place.entries,
        document={**asked.beside, "result": told},
    )


def _note_ids(told: Json, ids: set[str]) -> None:
    """Notes the texts in an answer that may be ids."""
    if isinstance(told, dict):
        # What else is kept of an entry names no other.
        inside = (told["id"],) if _KEPT in told else told.values()
    else:
        inside = told if isinstance(told, list) else (told,)
    for one in inside:
        kind = type(one)  # asked some hundred times: whether it is an instance takes longer
        if kind is str:
            if len(cast("str", one)) == _ID_CHARS:
                ids.add(cast("str", one))
        elif kind is dict or kind is list:
            _note_ids(one, ids)


def folded(found: Recall | Answer) -> Document:
    """The JSON shape of an answer, without what the ledger can say."""
    if isinstance(found, Recall):
        told = found.to_dict_with(results=[_folded_hit(hit) for hit in found.results])
    else:
        told = found.to_dict_with(citations=[_folded_citation(one) for one in found.citations])
    del told["receipt"]
    return told


def _folded_citation(citation: Citation) -> Document:
    place: Json = _TITLE if citation.start is None else [citation.start, citation.end]
    return {**citation.to_dict(), "quote": {_SPAN: place}}


def _folded_hit(hit: Hit) -> Document:
    entry = hit.entry
    kept: Document = {name: getattr(entry, name) for name in OF_THE_MOMENT}
    told = hit.to_dict_with(entry={"id": entry.id, _KEPT: kept})
    for name in ("chunk", "context"):
        if name in told:
            told[name] = _folded_text(cast("Document", told[name]), entry.content)
    explanation = cast("Document | None", told.get("explanation"))
    if explanation and hit.explanation and hit.explanation.provenance == entry.source:
        explanation["provenance"] = {_SPAN: _SOURCE}
    return told


def _folded_text(told: Document, content: str) -> Document:
    """A passage with the place of its text instead of it, when it stands there in the content."""
    start, end = told["start"], told["end"]
    if not (isinstance(start, int) and isinstance(end, int)) or content[start:end] != told["text"]:
        return told
    place: Json = [start, end]
    return {**told, "text": {_SPAN: place}}


# --- and back


def opened(
    reader: LedgerReader, receipt: Receipt | None, id: str, principal: str | None, *, all_: bool
) -> Receipt:
    """A receipt that may be shown, with its document.

    Args:
        reader: of who asks for it.
        receipt: as it was found.
        id: as it was asked for.
        principal: who asks for it; ``None`` for the owner.
        all_: whether they may see those of others.

    Raises:
        NotFound: ``receipt.unknown`` also for that of somebody else; ``receipt.erased`` when
            something that it names was erased, or that a relation which it names follows from;
            ``receipt.hidden`` when an entry or a relation that it names may not be seen any more.
    """
    if receipt is None or not (all_ or receipt.principal == principal):
        raise NotFound("receipt.unknown", id=id)
    if receipt.document is None:
        raise NotFound("receipt.erased", id=id)
    told = cast("Mapping[str, Any]", receipt.document["result"])
    at = At(receipt.as_of, receipt.known_at)
    seen = len(reader.seen(receipt.entries)) == len(receipt.entries)
    if not (seen and all_shown(reader, steps_told(told), at)):
        raise NotFound("receipt.hidden", id=id)
    return receipt


def asked_at(receipt: Receipt) -> At:
    """The pair of a receipt, with the instant at which its entries' lives were read."""
    document = cast("Mapping[str, Any]", receipt.document)
    told = document["result"]
    stated = document["options"].get("known_at") or told["understood"].get("known_at_text")
    known_at = instant_of(told["known_at"]) if stated else receipt.as_of
    return At(receipt.as_of, receipt.known_at, min(receipt.as_of, known_at))


def shown(reader: LedgerReader, receipt: Receipt, ages: Ages) -> Document:
    """The JSON shape of the answer that a receipt is of, as it was told."""
    document = cast("Mapping[str, Any]", receipt.document)
    told = dict(cast("Document", document["result"]))
    hits = cast("list[Mapping[str, Any]]", told.get("results", []))
    cited = cast("list[Mapping[str, Any]]", told.get("citations", []))
    ids = [UUID(str(hit["entry"]["id"])) for hit in hits]
    ids += [UUID(str(one["entry_id"])) for one in cited]
    entries = _entries(reader, ids, asked_at(receipt), ages)
    if "results" in told:
        told["results"] = [_unfolded_hit(hit, entries) for hit in hits]
    if "citations" in told:
        told["citations"] = [_unfolded_text(one, entries[str(one["entry_id"])]) for one in cited]
    return {**told, "receipt": str(receipt.id)}


def _entries(reader: LedgerReader, ids: Sequence[UUID], at: At, ages: Ages) -> dict[str, Document]:
    found: Mapping[UUID, Found] = reader.versions_at(list(dict.fromkeys(ids)), at)
    around = surroundings(reader, list(found.values()), at, ages)
    return {str(key): entry_view(one, around).to_dict() for key, one in found.items()}


def _unfolded_hit(hit: Mapping[str, Any], entries: Mapping[str, Document]) -> Document:
    held = cast("Mapping[str, Any]", hit["entry"])
    entry = entries[str(held["id"])] | cast("Document", held[_KEPT])
    parts = {name: _unfolded_text(hit[name], entry) for name in _FOLDED if hit.get(name)}
    return {**hit, "entry": entry, **parts}


def _unfolded_text(told: Mapping[str, Any], entry: Mapping[str, Json]) -> Document:
    content = str(entry["content"])

    def value(given: Any) -> Json:  # noqa: ANN401 -- JSON
        folded = cast("Mapping[str, Any]", given if isinstance(given, dict) else {})
        if _SPAN not in folded:
            return cast("Json", given)
        place = cast("str | list[int]", folded[_SPAN])
        if isinstance(place, str):
            return entry[place]
        return content[place[0] : place[1]]

    return {name: value(given) for name, given in told.items()}


def plain(value: object) -> Json:
    """An option as JSON that means the same later.

    Instants of the clock's day ("yesterday") are read from the asked instant, which is kept.
    """
    if isinstance(value, datetime):
        return format_instant(from_datetime(value))
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in cast("Mapping[object, object]", value).items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(one) for one in cast("Iterable[object]", value)]
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return value.isoformat() if isinstance(value, date) else str(value)


__all__ = [
    "Asked",
    "Place",
    "asked_at",
    "drafted",
    "folded",
    "opened",
    "place_of",
    "plain",
    "shown",
]
