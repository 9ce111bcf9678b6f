"""Putting together what is kept about a person."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from damals.app.access_model import Key
from damals.app.ages import Ages
from damals.app.ledger_model import EVERYTHING, At
from damals.app.ledger_port import Ledger, LedgerReader
from damals.app.looking import Of, Part, entry_named, history, present
from damals.app.person_export.model import (
    Access,
    AnswerKept,
    Deed,
    KeyOf,
    MentionAt,
    MentionedIn,
    PersonExport,
    RelationOf,
    SourceOf,
    Subject,
)
from damals.app.person_export.names import Names
from damals.app.ports import Clock
from damals.app.receipt_model import Receipt
from damals.app.redaction import Redaction
from damals.app.results import VersionView
from damals.app.vault.notes import aliases_of
from damals.app.views import given
from damals.domain.access import Principal
from damals.domain.entries import Json, Version
from damals.domain.instants import BEGINNING, FOREVER, format_instant

FORMAT: Final = 1
_PAGE: Final = 200
"""The versions of so many entries are looked through at once."""
_EVER: Final = (BEGINNING, FOREVER - 1)


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks, and with what."""

    asker: Principal
    clock: Clock
    ages: Ages


def collected(ledger: Ledger, reader: LedgerReader, name: str, asking: Asking) -> PersonExport:
    """Everything that is kept about a person, as far as who asks may see it.

    Args:
        ledger: what is beside the log is read from it.
        reader: of the workspace, with what the asker may see.
        name: id or external id of the person.
        asking: who asks.

    Raises:
        NotFound: ``entry.unknown``, ``entry.erased``.
    """
    entry_id = entry_named(reader, name)
    workspace = reader.workspace().name
    known = history(reader, asking.clock, Of(str(entry_id)), Part(), asking.ages).versions
    names = Names(_names(known))
    keys = _keys(ledger.registry.all_keys(), names, asking.asker)
    return PersonExport(
        format=FORMAT,
        workspace=workspace,
        made_at=format_instant(present(reader, asking.clock)),
        made_for=asking.asker.name,
        transactions=reader.head().number,
        person=_subject(entry_id, known, names),
        versions=known,
        relations=tuple(_relations(reader, entry_id)),
        mentions=tuple(_mentions(reader, entry_id, names)),
        transactions_about=tuple(_deeds(reader, entry_id, names)),
        accesses=tuple(
            Access(format_instant(one.accessed_at), one.channel, one.principal)
            for one in ledger.accesses.of(workspace, entry_id)
        ),
        answers=tuple(_answers(reader, ledger.receipts.all(workspace), entry_id, names)),
        sources=tuple(_sources(known)),
        keys=tuple(keys),
        verifications=tuple(_verifications(reader, entry_id)),
    )


def mentioning(reader: LedgerReader, entry_id: UUID, asking: Asking) -> Sequence[MentionedIn]:
    """The other entries that name a person, at whatever pair of instants."""
    known = history(reader, asking.clock, Of(str(entry_id)), Part(), asking.ages).versions
    return tuple(_mentions(reader, entry_id, Names(_names(known))))


def _names(known: Sequence[VersionView]) -> Iterator[str]:
    for one in known:
        yield one.title
        yield from aliases_of(one.properties)


def _subject(entry_id: UUID, known: Sequence[VersionView], names: Names) -> Subject:
    last = known[-1]
    return Subject(str(entry_id), last.external_id, last.title, last.type, names.names)


def _relations(reader: LedgerReader, entry_id: UUID) -> Iterator[RelationOf]:
    rows = [one for one in reader.relations_between([entry_id], *_EVER) if not one.unresolved]
    ends = {one.dst_id if one.src_id == entry_id else one.src_id for one in rows}
    seen = reader.seen(ends)
    titles = reader.titles_at(sorted(seen), EVERYTHING)
    for one in rows:
        outgoing = one.src_id == entry_id
        other = one.dst_id if outgoing else one.src_id
        if other in seen and one.relation not in reader.access.hidden_relations:
            yield RelationOf(
                type=one.relation,
                direction="out" if outgoing else "in",
                entry_id=str(other),
                title=titles.get(other),
                valid_from=given(one.period.start),
                valid_to=given(one.period.end),
                recorded_from=format_instant(one.recorded_from),
                recorded_to=_open(one.recorded_to),
                confidence=one.confidence,
                derived=one.derived,
            )


def _mentions(reader: LedgerReader, person: UUID, names: Names) -> Iterator[MentionedIn]:
    ends = At(BEGINNING, BEGINNING), At(FOREVER - 1, FOREVER - 1)
    every = [one for one in reader.moved(*ends) if one != person]
    for first in range(0, len(every), _PAGE):
        page = sorted(reader.seen(every[first : first + _PAGE]))
        versions: dict[UUID, list[Version]] = {}
        for one in reader.versions_between(page, *_EVER):
            versions.setdefault(one.entry_id, []).append(one)
        for entry_id, known in sorted(versions.items()):
            places = tuple(_places(known, names))
            if places:
                has = max(known, key=lambda one: one.row).attributes
                source = has.source
                yield MentionedIn(
                    str(entry_id), has.title, has.type, source.name, source.path, places
                )


def _places(known: Sequence[Version], names: Names) -> Iterator[MentionAt]:
    """Each place once, with all the time for which it was known."""
    found: dict[tuple[str, str, int | None, int | None], tuple[int, int]] = {}
    for one in known:
        for field, text in _texts(one):
            for place in names.places(text):
                line = text.count("\n", 0, place.start) + 1 if field == "content" else None
                start = place.start if field == "content" else None
                key = (field, place.quote, line, start)
                since, until = found.get(key, (one.recorded_from, one.recorded_to))
                found[key] = (min(since, one.recorded_from), max(until, one.recorded_to))
    for (field, quote, line, start), (since, until) in found.items():
        yield MentionAt(field, quote, format_instant(since), _open(until), line, start)


def _texts(version: Version) -> Iterator[tuple[str, str]]:
    has = version.attributes
    yield "title", has.title
    yield "content", has.content
    for field, said in (("key", has.key), ("path", has.source.path), ("uri", has.source.uri)):
        if said is not None:
            yield field, said
    yield from (("tags", one) for one in has.tags)
    yield from (("acl", one) for one in has.acl)
    yield from (("properties", one) for one in _strings(dict(has.properties)))


def _strings(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)
    elif isinstance(value, dict):
        for name, one in value.items():
            yield name
            yield from _strings(one)


def _deeds(reader: LedgerReader, person: UUID, names: Names) -> Iterator[Deed]:
    for one in Redaction(reader).for_people(reader.log()):
        own = [operation for operation in one.operations if person in operation.touched]
        reasons = (one.reason, *(operation.reason for operation in one.operations))
        why = {
            "entry": bool(own),
            "actor": names.are_in(one.actor),
            "reason": any(map(names.are_in, reasons)),
        }
        if any(why.values()):
            told = "; ".join(dict.fromkeys(reason for reason in reasons if reason))
            yield Deed(
                number=one.number,
                recorded_at=format_instant(one.recorded_at),
                actor=one.actor,
                reason=told or None,
                operations=tuple(operation.kind for operation in own),
                why=tuple(name for name, holds in why.items() if holds),
            )


def _answers(
    reader: LedgerReader, kept: Iterable[Receipt], person: UUID, names: Names
) -> Iterator[AnswerKept]:
    for one in kept:
        question = None if one.document is None else _question(one.document)
        about = person in one.entries or names.are_in(question)
        if about and one.entries <= reader.seen(one.entries):
            yield AnswerKept(
                str(one.id), one.kind, format_instant(one.created_at), one.principal, question
            )


def _question(document: Mapping[str, Json]) -> str | None:
    told = document.get("result")
    asked = (told.get(name) for name in ("question", "query")) if isinstance(told, dict) else ()
    return next((one for one in asked if isinstance(one, str)), None)


def _sources(known: Sequence[VersionView]) -> Iterator[SourceOf]:
    made = (SourceOf(s.kind, s.name, s.path, s.uri) for s in (one.source for one in known))
    yield from dict.fromkeys(made)


def _keys(every: Iterable[Key], names: Names, asker: Principal) -> Iterator[KeyOf]:
    for one in every:
        named = one.principal
        words = named.name.replace(".", " ").replace("_", " ").replace("-", " ")
        if (names.are_in(named.name) or names.are_in(words)) and asker.covers(named):
            revoked = None if one.revoked_at is None else format_instant(one.revoked_at)
            yield KeyOf(named.name, named.roles, format_instant(one.created_at), revoked)


def _verifications(reader: LedgerReader, entry_id: UUID) -> Iterator[Mapping[str, Json]]:
    for one in reader.verifications_at([entry_id], EVERYTHING).get(entry_id, ()):
        yield {
            "recorded_from": format_instant(one.recorded_from),
            "score": one.score,
            "evidence": one.evidence,
        }


def _open(instant: int) -> str | None:
    return None if instant >= FOREVER else format_instant(instant)
