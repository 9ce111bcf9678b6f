"""Rows and domain values: how each is written as the other."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import lru_cache
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row

from damals.adapters.sql.chain import canonical
from damals.app.ledger_model import ChunkRow, EntryInfo, Found, LoggedOperation
from damals.domain.chunks import CHUNKER_VERSION
from damals.domain.entries import (
    Archiving,
    Attributes,
    Json,
    Relation,
    Resolution,
    Source,
    Verification,
    Version,
)
from damals.domain.ids import id_of
from damals.domain.instants import FOREVER
from damals.domain.operations import CONTRADICTS
from damals.domain.periods import OPEN_END, Bound, BoundKind, Period

Values = dict[str, Any]

_OWN_COLUMNS: Final = frozenset(
    {"title", "content", "type", "key", "visibility", "sensitivity", "source", "properties"}
)
_DOCUMENT_FIELDS: Final = tuple(
    field.name for field in fields(Attributes) if field.name not in _OWN_COLUMNS
)
_TUPLES: Final = ("tags", "acl")
_SOURCE_FIELDS: Final = tuple(
    field.name for field in fields(Source) if field.name not in ("name", "path")
)
_DOCUMENT_VALUES: Final = attrgetter(*_DOCUMENT_FIELDS)
_SOURCE_VALUES: Final = attrgetter(*_SOURCE_FIELDS)
_UUID_BYTES: Final = 16
_KINDS: Final = {kind.value: kind for kind in BoundKind}
_OPEN: Final = BoundKind.OPEN.value

SHARED_TEXTS: Final = ("title", "content")
"""Parameters of operations that are kept like the same attributes of versions."""


def document(attributes: Attributes) -> str:
    """All attributes that have no column of their own, as canonical JSON."""
    values, source = _DOCUMENT_VALUES(attributes), _SOURCE_VALUES(attributes.source)
    if not attributes.properties:
        return _plain_document(*values, *source)
    return _document(values, dict(attributes.properties), source)


@lru_cache(maxsize=256, typed=True)
def _plain_document(*values: Json | tuple[str, ...]) -> str:
    """A document without properties: those of many entries are the same."""
    own = len(_DOCUMENT_FIELDS)
    return _document(values[:own], {}, values[own:])


def _document(
    values: Sequence[object], properties: dict[str, Json], source: Sequence[object]
) -> str:
    record: Values = dict(zip(_DOCUMENT_FIELDS, values, strict=True))
    record["properties"] = properties
    record["source"] = dict(zip(_SOURCE_FIELDS, source, strict=True))
    return canonical(record)


@lru_cache(maxsize=1_024)
def _read_document(text: str) -> tuple[Values, Source]:
    """The values of a document, and its source without name and path."""
    record: Values = json.loads(text) if text else {}
    values = {name: record[name] for name in _DOCUMENT_FIELDS if name in record}
    for name in _TUPLES:
        values[name] = tuple(record.get(name, ()))
    values["properties"] = MappingProxyType(record.get("properties", {}))
    said: Values = dict(record.get("source", {}))
    said["filled"] = tuple(said.get("filled", ()))
    return values, Source(name=None, path=None, **said)


def period_columns(period: Period) -> Values:
    """The ten columns of a period."""
    start, end = period.start, period.end
    return {
        "start_earliest": start.earliest,
        "start_latest": start.latest,
        "start_kind": start.kind.value,
        "start_text": start.text,
        "start_uncertain": int(start.uncertain),
        "end_earliest": end.earliest,
        "end_latest": end.latest,
        "end_kind": end.kind.value,
        "end_text": end.text,
        "end_uncertain": int(end.uncertain),
    }


def period_of(row: Row[Any]) -> Period:
    """The period in a row."""
    start = _bound(
        row.start_earliest, row.start_latest, row.start_kind, row.start_text, row.start_uncertain
    )
    end = _bound(row.end_earliest, row.end_latest, row.end_kind, row.end_text, row.end_uncertain)
    return Period(start, end)


def _bound(earliest: int, latest: int, kind: str, text: str | None, uncertain: int) -> Bound:
    if kind == _OPEN and not uncertain:
        return OPEN_END
    return Bound(earliest, latest, _KINDS[kind], text, bool(uncertain))


def recorded_columns(value: Version | Relation | Archiving | Verification | ChunkRow) -> Values:
    """When a row is known."""
    return {
        "recorded_from": value.recorded_from,
        "opened_by": value.opened_by,
        "recorded_to": value.recorded_to,
        "closed_by": value.closed_by,
    }


def version_columns(version: Version) -> Values:
    """Columns of a version; texts stand where the ids of their contents will."""
    attributes = version.attributes
    return {
        "entry_id": version.entry_id.bytes,
        **period_columns(version.period),
        "zone": version.zone,
        "generation": version.generation,
        "type": attributes.type,
        "title_id": attributes.title,
        "content_id": attributes.content,
        "key_id": attributes.key,
        "source_name_id": attributes.source.name,
        "path_id": attributes.source.path,
        "attributes_id": document(attributes),
        "visibility": attributes.visibility,
        "sensitivity": attributes.sensitivity,
        **recorded_columns(version),
        "operation": version.operation,
    }


def version_of(row: Row[Any], known_at: int = FOREVER, entry_id: UUID | None = None) -> Version:
    """The version in a row, as known at an instant: a later closing is not known yet."""
    open_ = row.recorded_to > known_at
    return Version(
        row=row.id,
        entry_id=entry_id or UUID(bytes=row.entry_id),
        period=period_of(row),
        attributes=attributes_of(row),
        generation=row.generation,
        zone=row.zone,
        recorded_from=row.recorded_from,
        opened_by=row.opened_by,
        operation=row.operation,
        recorded_to=FOREVER if open_ else row.recorded_to,
        closed_by=None if open_ else row.closed_by,
    )


def attributes_of(row: Row[Any]) -> Attributes:
    """The attributes in a row whose texts were joined."""
    values, source = _read_document(row.document or "")
    if row.path is not None or row.source_name is not None:
        source = replace(source, name=row.source_name, path=row.path)
    return Attributes(
        title=row.title or "",
        content=row.content or "",
        type=row.type,
        key=row.key,
        visibility=row.visibility,
        sensitivity=row.sensitivity,
        source=source,
        **values,
    )


def info_of(row: Row[Any], entry_id: UUID | None = None) -> EntryInfo:
    """An entry's identity, from a row with the columns of ``queries.INFO``."""
    return EntryInfo(
        id=entry_id or UUID(bytes=row.entry_id),
        external_id=row.external,
        created_at=row.created_at,
        updated_at=row.updated_at,
        last_transaction=row.last_transaction,
        erased=row.erased_at != FOREVER,
    )


def found_of(row: Row[Any], known_at: int) -> Found:
    """A version with its entry's identity."""
    entry_id = id_of(row.entry_id)
    return Found(version_of(row, known_at, entry_id), info_of(row, entry_id))


def relation_columns(relation: Relation) -> Values:
    """Columns of a relation; the text of its target stands where its content's id will."""
    return {
        "relation_id": relation.id.bytes,
        "src_id": relation.src_id.bytes,
        "dst_id": relation.dst_id.bytes,
        "relation": relation.relation,
        **period_columns(relation.period),
        "symmetric": int(relation.symmetric),
        "confidence": float(relation.confidence),
        "evidence": packed(relation.evidence),
        "declared": int(relation.declared),
        "cuts": int(relation.cuts),
        "derived": int(relation.derived),
        "rule": relation.rule,
        "target_id": relation.target,
        "unresolved": int(relation.unresolved),
        "resolution": None if relation.contradicts else relation.resolution,
        "flags": " ".join(relation.flags) or None,
        "premises": None if relation.premises is None else packed(relation.premises),
        **recorded_columns(relation),
        "operation": relation.operation,
    }


def relation_of(row: Row[Any]) -> Relation:
    """The relation in a row whose target's text was joined."""
    return Relation(
        row=row.id,
        id=UUID(bytes=row.relation_id),
        src_id=UUID(bytes=row.src_id),
        dst_id=UUID(bytes=row.dst_id),
        relation=row.relation,
        period=period_of(row),
        recorded_from=row.recorded_from,
        opened_by=row.opened_by,
        operation=row.operation,
        recorded_to=row.recorded_to,
        closed_by=row.closed_by,
        symmetric=bool(row.symmetric),
        confidence=row.confidence,
        evidence=unpacked(row.evidence),
        declared=bool(row.declared),
        cuts=bool(row.cuts),
        derived=bool(row.derived),
        rule=row.rule,
        target=row.target,
        unresolved=bool(row.unresolved),
        resolution=resolution_of(row),
        flags=flags_of(row),
        premises=None if row.premises is None else unpacked(row.premises),
    )


def flags_of(row: Row[Any]) -> tuple[str, ...]:
    """How the link of a relation was read."""
    return tuple(row.flags.split()) if row.flags else ()


def resolution_of(row: Row[Any]) -> Resolution | None:
    """How a contradiction was decided; ``None`` for every other relation."""
    return row.resolution or ("required" if row.relation == CONTRADICTS else None)


def chunk_columns(chunk: ChunkRow) -> Values:
    """Columns of a chunk row; texts stand where the ids of their contents will."""
    return {
        "point_id": chunk.point_id.bytes,
        "chunk_id": chunk.chunk_id.bytes,
        "entry_id": chunk.entry_id.bytes,
        **period_columns(chunk.period),
        "digest": bytes.fromhex(chunk.digest),
        "title_id": chunk.title,
        "heading_id": _listed(chunk.heading),
        "content_id": chunk.content,
        "start_offset": chunk.start,
        "end_offset": chunk.end,
        "head_start": chunk.head and chunk.head[0],
        "head_end": chunk.head and chunk.head[1],
        "line": chunk.line,
        "page": None,
        "chunker": CHUNKER_VERSION,
        "type": chunk.type,
        "lang": chunk.lang,
        "tags_id": _listed(chunk.tags),
        "path_id": chunk.path,
        "age_at": chunk.age_at,
        **recorded_columns(chunk),
    }


def chunk_of(row: Row[Any], texts: Mapping[int, str]) -> ChunkRow:
    """The chunk in a row; ``texts`` holds every content it names."""
    return ChunkRow(
        row=row.id,
        point_id=id_of(row.point_id),
        chunk_id=id_of(row.chunk_id),
        entry_id=id_of(row.entry_id),
        period=period_of(row),
        digest=row.digest.hex(),
        title=texts[row.title_id],
        heading=_strings(texts[row.heading_id]),
        content=texts[row.content_id],
        start=row.start_offset,
        end=row.end_offset,
        line=row.line,
        type=row.type,
        lang=row.lang,
        tags=_strings(texts[row.tags_id]),
        path=None if row.path_id is None else texts[row.path_id],
        age_at=row.age_at,
        recorded_from=row.recorded_from,
        opened_by=row.opened_by,
        recorded_to=row.recorded_to,
        closed_by=row.closed_by,
        head=None if row.head_start is None else (row.head_start, row.head_end),
    )


def operation_columns(number: int, seq: int, operation: LoggedOperation) -> Values:
    """Columns of a logged operation; texts stand where the ids of their contents will.

    A text among its parameters that versions share is kept beside them, not repeated in them.
    Whether a parameter is there is a matter of its column, so no value is ever read as anything
    but itself.
    """
    params, shared = dict(operation.params), dict[str, str | None]()
    for name in SHARED_TEXTS:
        value = params.get(name)
        shared[f"{name}_id"] = value if isinstance(value, str) else None
        if isinstance(value, str):
            del params[name]
    return {
        "number": number,
        "seq": seq,
        "kind": operation.kind,
        "entry_id": None if operation.entry_id is None else operation.entry_id.bytes,
        "params_id": canonical(params),
        **shared,
        "reason_id": operation.reason,
        "touched": packed(operation.touched),
    }


def _params_of(row: Row[Any]) -> dict[str, Json]:
    params: dict[str, Json] = json.loads(row.params) if row.params else {}
    if row.title_id is not None:
        params["title"] = row.title or ""
    if row.content_id is not None:
        params["content"] = row.content or ""
    return dict(sorted(params.items()))


def operation_of(row: Row[Any]) -> LoggedOperation:
    """The logged operation in a row whose texts were joined."""
    return LoggedOperation(
        kind=row.kind,
        entry_id=None if row.entry_id is None else UUID(bytes=row.entry_id),
        params=_params_of(row),
        reason=row.reason,
        touched=unpacked(row.touched),
    )


def packed(ids: Iterable[UUID]) -> bytes:
    """Ids, one behind the other."""
    return b"".join([one.bytes for one in ids])


def unpacked(blob: bytes) -> tuple[UUID, ...]:
    """The ids in a blob of :func:`packed`."""
    return tuple(UUID(bytes=blob[at : at + _UUID_BYTES]) for at in range(0, len(blob), _UUID_BYTES))


@lru_cache(maxsize=256)
def _listed(texts: tuple[str, ...]) -> str:
    return canonical(texts)


@lru_cache(maxsize=256)
def _strings(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text)) if text else ()
