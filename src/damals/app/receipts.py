"""What is kept of an answer, and the answer again from that and the ledger.

Kept is what only the moment knew: the question, the weights, the parts of the scores, the caveats,
and of an entry what is told of it as known now (when it was last touched, whether its rectangle
is still open). Titles and texts are read from the ledger, at the instants of the receipt and as
known at its last transaction, so nothing that is learned later shows in them.

A result of a newer program has parts that are unknown here: they are kept as they are.
"""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, cast
from uuid import UUID

from damals.app.ledger_model import At, Found
from damals.app.ledger_port import LedgerReader
from damals.app.receipt_model import Receipt
from damals.app.receipt_paths import all_shown, premises_of, steps_told
from damals.app.views import entry_view, surroundings
from damals.domain.entries import Json
from damals.domain.errors import NotFound
from damals.domain.ids import parse_uuid, time_ordered_id
from damals.domain.instants import format_instant, from_datetime
from damals.domain.parsing import parse_instant
from damals.domain.zones import load_zone

AS_KNOWN_NOW: Final = ("external_id", "recorded_to", "updated_at", "transaction")
"""What is told of an entry whatever pair of instants is asked for."""

_RANDOM_BITS: Final = 74
_ID_CHARS: Final = 36
_SPAN: Final = "span"
_KEPT: Final = "kept"
_TITLE: Final = "title"

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


def place_of(reader: LedgerReader, told: Mapping[str, Any], now: int) -> Place:
    """The place of an answer (its JSON shape), told by the snapshot that it was read from."""
    head = reader.head()
    zone = load_zone(reader.workspace().zone)
    as_of, known_at = (
        parse_instant(told[name], zone=zone, now=now) for name in ("as_of", "known_at")
    )
    ids: set[str] = set()
    _note_ids(cast("Json", told), ids)
    named = {found for found in map(parse_uuid, ids) if found is not None}
    at = At(as_of, min(known_at, head.recorded_at))
    named |= premises_of(reader, steps_told(told), at)
    return Place(head.number, at.as_of, at.known_at, reader.seen(named))


def drafted(place: Place, told: Mapping[str, Any], asked: Asked) -> Receipt:
    """The receipt of an answer (its JSON shape)."""
    return Receipt(
        id=time_ordered_id(asked.now, secrets.randbits(_RANDOM_BITS)),
        kind=asked.kind,
        created_at=asked.now,
        number=place.number,
        as_of=place.as_of,
        known_at=place.known_at,
        principal=asked.principal,
        entries=place.entries,
        document={**asked.beside, "result": _folded(told)},
    )


def _note_ids(told: Json, ids: set[str]) -> None:
    """Notes the texts in an answer that may be ids."""
    if isinstance(told, str):
        if len(told) == _ID_CHARS:
            ids.add(told)
    elif isinstance(told, dict):
        # What stands in an entry is read from the ledger again, but for its id.
        for one in [told["id"]] if _is_entry(told) else told.values():
            if isinstance(one, str | dict | list):
                _note_ids(one, ids)
    elif isinstance(told, list):
        for one in told:
            _note_ids(one, ids)


def _is_entry(told: Mapping[str, Json]) -> bool:
    return "generation" in told and {"id", "recorded_from", "content"} <= told.keys()


def _folded(told: Mapping[str, Any]) -> Document:
    """A result without what the ledger can say."""
    folded: Document = {name: value for name, value in told.items() if name != "receipt"}
    if "results" in told:
        folded["results"] = [_folded_hit(hit) for hit in told["results"]]
    if "citations" in told:
        folded["citations"] = [_folded_citation(one) for one in told["citations"]]
    return folded


def _folded_citation(told: Mapping[str, Any]) -> Document:
    place: Json = _TITLE if told["start"] is None else [told["start"], told["end"]]
    return {**told, "quote": {_SPAN: place}}


def _folded_hit(hit: Mapping[str, Any]) -> Document:
    entry = cast("Mapping[str, Json]", hit["entry"])
    kept: Document = {name: entry[name] for name in AS_KNOWN_NOW if name in entry}
    return {
        **hit,
        "entry": {"id": entry["id"], _KEPT: kept},
        "chunk": _folded_text(hit["chunk"], "text", str(entry["content"])),
    }


def _folded_text(told: Mapping[str, Json], name: str, content: str) -> Document:
    """The same with the place of a text instead of it, when it stands in the content."""
    text = str(told[name])
    start = content.find(text)
    if start < 0:
        return dict(told)
    place: Json = [start, start + len(text)]
    return {key: {_SPAN: place} if key == name else value for key, value in told.items()}


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


def shown(reader: LedgerReader, receipt: Receipt) -> Document:
    """The JSON shape of the answer that a receipt is of, as it was told."""
    document = cast("Mapping[str, Any]", receipt.document)
    told = dict(cast("Document", document["result"]))
    hits = cast("list[Mapping[str, Any]]", told.get("results", []))
    cited = cast("list[Mapping[str, Any]]", told.get("citations", []))
    ids = [UUID(str(hit["entry"]["id"])) for hit in hits]
    ids += [UUID(str(one["entry_id"])) for one in cited]
    entries = _entries(reader, ids, At(receipt.as_of, receipt.known_at))
    if "results" in told:
        told["results"] = [_unfolded_hit(hit, entries) for hit in hits]
    if "citations" in told:
        told["citations"] = [_unfolded_text(one, entries[str(one["entry_id"])]) for one in cited]
    return {**told, "receipt": str(receipt.id)}


def _entries(reader: LedgerReader, ids: Sequence[UUID], at: At) -> dict[str, Document]:
    found: Mapping[UUID, Found] = reader.versions_at(list(dict.fromkeys(ids)), at)
    around = surroundings(reader, list(found.values()), at)
    return {str(key): entry_view(one, around).to_dict() for key, one in found.items()}


def _unfolded_hit(hit: Mapping[str, Any], entries: Mapping[str, Document]) -> Document:
    held = cast("Mapping[str, Any]", hit["entry"])
    entry = entries[str(held["id"])] | cast("Document", held[_KEPT])
    chunk = _unfolded_text(hit["chunk"], entry)
    return {**hit, "entry": entry, "chunk": chunk}


def _unfolded_text(told: Mapping[str, Any], entry: Mapping[str, Json]) -> Document:
    def value(given: Any) -> Json:  # noqa: ANN401 -- JSON
        folded = cast("Mapping[str, Any]", given if isinstance(given, dict) else {})
        if _SPAN not in folded:
            return cast("Json", given)
        place = cast("str | list[int]", folded[_SPAN])
        if isinstance(place, str):
            return entry[place]
        return str(entry["content"])[place[0] : place[1]]

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


__all__ = ["Asked", "Place", "drafted", "opened", "place_of", "plain", "shown"]
