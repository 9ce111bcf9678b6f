"""Results as an assistant gets them: the documented names, without what costs and says nothing.

Whoever reads pays for every token. A field that is null, empty, or what it nearly always is (an
active status, a certain entry) is left out; a long text is cut, with the address of the rest.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, cast
from urllib.parse import quote, urlencode

from damals import messages
from damals.app.accretion.results import Integration
from damals.app.answer_results import Answer, Citation
from damals.app.change_results import ChangedEntries, ChangedEntry
from damals.app.diff_results import ChangeView, TextPart
from damals.app.hygiene.results import FindingView, HygieneReport
from damals.app.results import Entry, Hit, Recall, RelationItem, SourceView, VersionView
from damals.domain.entries import Json

MAX_PASSAGE_CHARS: Final = 1_200
"""Of what answered a question; a chunk is rarely longer."""

MAX_CONTENT_CHARS: Final = 2_000
"""Of a version in a history."""

MAX_SIDE_CHARS: Final = 400
"""Of a content in a diff, and of each passage that changed in it."""

MAX_SAME_CHARS: Final = 40
"""Of a passage that did not change, on either end."""

MAX_ENTRIES: Final = 5
"""Of a finding; its message says how many there are."""

Fields = dict[str, Json]


def lean(fields: Mapping[str, Json]) -> Fields:
    """The fields that say something: those that are null, empty or false are left out."""
    return {name: value for name, value in fields.items() if not _silent(value)}


def _silent(value: Json) -> bool:
    return value is None or value is False or value in ("", [], {})


def address(entry_id: str, pair: Mapping[str, str] | None = None) -> str:
    """The address of the resource that an entry is."""
    asked = f"?{urlencode(pair)}" if pair else ""
    return f"entry://{quote(entry_id, safe='')}{asked}"


def cut(text: str, most: int, rest: str) -> str:
    """A text of at most so many characters, with a note where the rest is."""
    if len(text) <= most:
        return text
    note = messages.text("mcp.cut", count=len(text) - most, uri=rest)
    return f"{text[:most]} {note}"


def card(entry: Entry) -> Fields:
    """What an entry is, without its content."""
    return lean({
        "id": entry.id,
        "external_id": entry.external_id,
        "type": entry.type,
        "title": entry.title,
        "key": entry.key,
        "tags": list(entry.tags),
        "status": None if entry.status == "active" else entry.status,
        "valid_from": entry.valid_from,
        "valid_to": entry.valid_to,
        "uncertain": entry.uncertain,
        "certainty": None if entry.certainty == "certain" else entry.certainty,
        "recorded_from": entry.recorded_from,
        "recorded_to": entry.recorded_to,
        "staleness_risk": entry.staleness_risk,
        "grounding_score": entry.grounding_score,
        "last_verified": entry.last_verified,
        "source": _source(entry.source),
    })  # fmt: skip


def _source(source: SourceView) -> Fields:
    """Where an entry can be read in the original; nothing for what was only said."""
    place: Fields = {"path": source.path, "uri": source.uri, "heading": source.heading}
    return lean(place)


def _relation(relation: RelationItem) -> Fields:
    return lean({
        "type": relation.type,
        "direction": relation.direction,
        "entry_id": relation.entry_id,
        "title": relation.title,
        "resolution": relation.resolution,
    })  # fmt: skip


def _cards(entries: Iterable[Entry]) -> list[Json]:
    return [card(entry) for entry in entries]


def related_card(entry: Entry) -> Fields:
    """A card with the relations of the entry."""
    relations: list[Json] = [_relation(relation) for relation in entry.relations]
    return card(entry) | lean({"relations": relations})


def changed(entry: ChangedEntry) -> Fields:
    """What a change did: the content is left out, since it has just been said."""
    did: Fields = {
        "unchanged": entry.unchanged,
        "replaced": _cards(entry.replaced),
        "restored": _cards(entry.restored),
        "integration": _integration(entry.integration),
    }
    if entry.integration is not None:
        did["caveats"] = list(entry.integration.caveats)
    return {"entry": related_card(entry), **lean(did)}


def _integration(found: Integration | None) -> Fields | None:
    """What is to be decided about what was filed; nothing for what is in use at once."""
    if found is None or (found.status == "active" and not found.findings):
        return None
    findings: list[Json] = [
        lean({
            "kind": one.kind,
            "entries": list(one.entries),
            "likeness": one.likeness,
            "relation": one.relation,
            "confidence": one.confidence,
            "commands": list(one.commands),
        })
        for one in found.findings
    ]  # fmt: skip
    return {"status": found.status, "findings": findings}


def changed_entries(done: ChangedEntries) -> Fields:
    """What a change of several entries did."""
    did = lean({"transaction": done.transaction, "unchanged": bool(done.unchanged)})
    return {"entries": [related_card(entry) for entry in done.entries], **did}


def recalled(found: Recall, pair: Mapping[str, str] | None = None) -> Fields:
    """A ranked answer.

    Args:
        found: the answer.
        pair: the instants that were asked for, when they were.
    """
    limits: Fields = {
        "index_lag": found.index_lag or None,
        "withheld": found.withheld or None,
        "receipt": found.receipt,
        "caveats": list(found.caveats),
    }
    # Notes on how the question was read are among the caveats.
    understood = lean(replace(found.understood, notes=()).to_dict())
    answer: Fields = {
        "understood": understood,
        "results": [_hit(hit, pair) for hit in found.results],
    }
    return answer | lean(limits)


def answered(answer: Answer) -> Fields:
    """An answer; where its quotes stand is said in full, reasons are not."""
    titles = {reason.entry_id: reason.title for reason in answer.reasons}
    citations: list[Json] = [_citation(one, titles.get(one.entry_id)) for one in answer.citations]
    told: Fields = {
        "understood": lean(answer.understood.to_dict()),
        "answer": answer.answer,
        "abstained": answer.abstained,
    }
    more: Fields = {
        "citations": citations,
        "caveats": list(answer.caveats),
        "model": answer.model,
        "receipt": answer.receipt,
    }
    return told | lean(more)


def _citation(one: Citation, title: str | None) -> Fields:
    said: Fields = {
        "n": one.n,
        "entry_id": one.entry_id,
        "title": title,
        "start": one.start,
        "end": one.end,
        "quote": cut(one.quote, MAX_PASSAGE_CHARS, address(one.entry_id)),
    }
    return lean(said)


def _hit(hit: Hit, pair: Mapping[str, str] | None) -> Fields:
    whole = address(hit.entry.id, pair)
    said_there = hit.chunk if hit.context is None else hit.context
    passage: Fields = {
        "text": cut(said_there.text, MAX_PASSAGE_CHARS, whole),
        "heading": list(hit.chunk.heading),
    }
    said: Fields = {
        "entry": card(hit.entry),
        "chunk": lean(passage),
        "score": round(hit.score, 3),
        "contradicts": list(hit.contradicts),
        "caveats": list(hit.caveats),
        "grounding": None if hit.grounding is None else round(hit.grounding, 3),
        "explanation": _reasons(hit),
        # A passage of a longer text says where the whole of it is.
        "resource": whole if len(hit.chunk.text) < len(hit.entry.content) else None,
    }
    return lean(said)


def _reasons(hit: Hit) -> Fields | None:
    """Why it is a result, without what stands beside it anyway."""
    because = hit.explanation
    if because is None:
        return None
    parts = ((name, value) for name, value in hit.parts.to_dict().items() if value)
    return lean({
        "parts": {name: round(cast("float", value), 3) for name, value in parts},
        "matched": list(because.matched),
        "chain": cast("Json", list(because.chain)),
        "layer": because.layer,
    })  # fmt: skip


def versions(page: Iterable[VersionView]) -> list[Json]:
    """Rectangles of a history; a content stands only where it differs from the one before.

    A page can be read without the one before it: its first content always stands.
    """
    before: VersionView | None = None
    told: list[Json] = []
    for version in page:
        told.append(_version(version, before))
        before = version
    return told


def _version(version: VersionView, before: VersionView | None) -> Fields:
    same = before is not None and (before.id, before.content) == (version.id, version.content)
    pair = {"as_of": version.valid_from or "", "known_at": version.recorded_from}
    rest = address(version.id, {name: value for name, value in pair.items() if value})
    how: Fields = {
        "content": None if same else cut(version.content, MAX_CONTENT_CHARS, rest),
        "operation": version.operation,
        "actor": version.actor,
        "reason": version.reason,
        "transaction": version.transaction,
    }
    return card(version) | lean(how)


def change(view: ChangeView) -> Fields:
    """One change of a diff."""
    parts = view.text or ()
    said: Fields = {
        "kind": view.kind,
        "relation": view.relation,
        "at": view.at,
        "reason": view.reason,
        "actor": view.actor,
        "entry_id": view.entry_id,
        "before": _side(view.before, content=not parts),
        "after": _side(view.after, content=not parts),
        "text": [_part(part) for part in parts],
    }
    return lean(said)


def _side(entry: Entry | None, *, content: bool) -> Fields | None:
    """An entry on one side of a change."""
    if entry is None:
        return None
    shown = cut(entry.content, MAX_SIDE_CHARS, address(entry.id)) if content else None
    return lean({
        "id": entry.id,
        "title": entry.title,
        "content": shown,
        "valid_from": entry.valid_from,
        "valid_to": entry.valid_to,
    })  # fmt: skip


def _part(part: TextPart) -> Fields:
    most = 2 * MAX_SAME_CHARS if part.op == "equal" else MAX_SIDE_CHARS
    if len(part.text) <= most:
        shown = part.text
    else:
        half = most // 2
        shown = f"{part.text[:half]} … {part.text[-half:]}"
    section = " › ".join(part.section)[-MAX_SAME_CHARS:]
    return lean({"op": part.op, "text": shown, "section": section or None})


def upkeep(report: HygieneReport) -> Fields:
    """A report: what there is of each kind, and the findings that are told."""
    read = report.understood
    told: Fields = {
        "understood": {"as_of": read.as_of, "known_at": read.known_at, "zone": read.zone},
        "entries": report.entries,
        "kinds": [{"kind": one.kind, "count": one.count} for one in report.kinds],
        "findings": [_finding(one) for one in report.findings],
    }
    return told | lean({"caveats": list(report.caveats)})


def _finding(found: FindingView) -> Fields:
    """A finding, with all ways to repair it where somebody has to choose one."""
    choices: list[Json] = [{"label": one.label, "command": one.command} for one in found.choices]
    return lean({
        "kind": found.kind,
        "severity": found.severity,
        "entries": list(found.entries[:MAX_ENTRIES]),
        "message": found.message,
        "repair": found.repair,
        "decision": found.decision,
        "choices": choices if found.decision else None,
    })  # fmt: skip
