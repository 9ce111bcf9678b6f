"""What is kept about a person, as a document to read: Markdown, or one page of HTML.

Everything that is known is data: nothing of it is read as Markdown or HTML.
"""

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from damals import messages
from damals.app.person_export.model import MentionAt, MentionedIn, PersonExport
from damals.app.results import VersionView
from damals.domain.entries import Json

_MARKS: Final = re.compile(r"([\\`*_{}\[\]<>#|~!&])")
_TICKS: Final = re.compile(r"`+")
_STYLE: Final = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: #1b1b1b; background: #fff; }
h2 { margin-top: 2rem; border-bottom: 1px solid #ccc; }
table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid #ccc; padding: .2rem .6rem; text-align: left; vertical-align: top;
  overflow-wrap: anywhere; }
pre { background: #f4f4f4; padding: .5rem; white-space: pre-wrap; overflow-wrap: anywhere; }
@media print { body { margin: 0; max-width: none; } pre { border: 1px solid #ccc; } }
"""


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class _Text:
    """A paragraph, or words as they stand somewhere (``verbatim``)."""

    text: str
    verbatim: bool = False


@dataclass(frozen=True, slots=True)
class _Table:
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


_Block = _Heading | _Text | _Table


def as_markdown(told: PersonExport, lang: str) -> str:
    """The document as Markdown."""
    lines: list[str] = []
    for block in _blocks(told, lang):
        match block:
            case _Heading():
                lines.append(f"{'#' * block.level} {_plain(block.text)}")
            case _Text(verbatim=False):
                lines.append(_plain(block.text))
            case _Text():
                fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(block.text)), default=0))
                lines.append(f"{fence}\n{block.text}\n{fence}")
            case _Table():
                rows = [block.head, ["---"] * len(block.head), *block.rows]
                lines.append("\n".join(map(_row, rows)))
    return "\n\n".join(lines) + "\n"


def as_html(told: PersonExport, lang: str) -> str:
    """The document as one page that needs nothing else, and prints well."""
    body = "\n".join(map(_html, _blocks(told, lang)))
    title = html.escape(_say("title", lang, name=told.person.title))
    return (
        f'<!doctype html>\n<html lang="{html.escape(lang)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\';'
        " style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n"
        "</html>\n"
    )


def _plain(text: str) -> str:
    return _MARKS.sub(r"\\\1", " ".join(text.split()))


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(one if one == "---" else _plain(one) for one in cells) + " |"


def _html(block: _Block) -> str:
    match block:
        case _Heading():
            return f"<h{block.level}>{html.escape(block.text)}</h{block.level}>"
        case _Text():
            tag = "pre" if block.verbatim else "p"
            return f"<{tag}>{html.escape(block.text)}</{tag}>"
        case _Table():
            head = "".join(f"<th>{html.escape(one)}</th>" for one in block.head)
            rows = (
                "<tr>" + "".join(f"<td>{html.escape(one)}</td>" for one in row) + "</tr>"
                for row in block.rows
            )
            return f"<table>\n<tr>{head}</tr>\n" + "\n".join(rows) + "\n</table>"


def _blocks(told: PersonExport, lang: str) -> Iterator[_Block]:
    yield _Heading(1, _say("title", lang, name=told.person.title))
    yield _Text(
        _say("about", lang, made_at=told.made_at, made_for=told.made_for, workspace=told.workspace)
    )
    yield _Text(_say("names", lang, names=", ".join(f"»{one}«" for one in told.person.names)))
    yield from _versions(told.versions, lang)
    yield from _listed("relations", _relations(told, lang), lang)
    yield from _mentions(told.mentions, lang)
    yield from _listed("transactions", _deeds(told, lang), lang)
    yield from _listed("verifications", _verifications(told), lang)
    yield from _listed("accesses", _accesses(told, lang), lang)
    yield from _listed("answers", _answers(told, lang), lang)
    yield from _listed("sources", _sources(told), lang)
    yield from _listed("keys", _keys(told), lang)
    yield _Heading(2, _say("limits.heading", lang))
    yield _Text(_say("limits", lang))


_HEADS: Final[Mapping[str, Sequence[str]]] = {
    "relations": ("relation", "direction", "entry", "valid", "known"),
    "transactions": ("number", "recorded", "actor", "operations", "reason"),
    "verifications": ("recorded", "score", "evidence"),
    "accesses": ("accessed", "channel", "principal"),
    "answers": ("id", "created", "principal", "question"),
    "sources": ("kind", "source", "path", "uri"),
    "keys": ("name", "roles", "created", "revoked"),
}


def _listed(name: str, rows: Iterable[Sequence[str]], lang: str) -> Iterator[_Block]:
    found = list(rows)
    yield _Heading(2, _say(f"{name}.heading", lang))
    if found:
        yield _Table([_say(f"column.{one}", lang) for one in _HEADS[name]], found)
    else:
        yield _Text(_say("nothing", lang))


def _versions(versions: Sequence[VersionView], lang: str) -> Iterator[_Block]:
    yield _Heading(2, _say("versions.heading", lang))
    for one in versions:
        known = _known(one.recorded_from, one.recorded_to, lang)
        yield _Heading(3, _say("version", lang, valid=_valid(one, lang), known=known))
        yield _Table(
            (_say("column.field", lang), _say("column.value", lang)), list(_fields(one, lang))
        )
        if one.content:
            yield _Text(one.content, verbatim=True)


_SHOWN: Final = (
    "title", "type", "external_id", "key", "tags", "properties", "created", "updated",
    "retrieved_at", "last_reviewed", "importance", "pinned", "domain", "lang", "source_id",
    "visibility", "sensitivity", "acl", "operation", "actor", "reason", "transaction",
)  # fmt: skip


def _fields(one: VersionView, lang: str) -> Iterator[Sequence[str]]:
    told = one.to_dict()
    for name in _SHOWN:
        value = told[name]
        if isinstance(value, bool):
            value = _say("yes" if value else "no", lang)
        if value not in (None, [], {}, ""):
            yield (_say(f"field.{name}", lang), _written(value))


def _written(value: Json) -> str:
    if isinstance(value, list):
        return ", ".join(map(_written, value))
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_written(one)}" for name, one in value.items())
    return "" if value is None else str(value)


def _relations(told: PersonExport, lang: str) -> Iterator[Sequence[str]]:
    for one in told.relations:
        yield (
            one.type,
            _say(f"direction.{one.direction}", lang),
            one.title or one.entry_id,
            f"{one.valid_from or '…'} – {one.valid_to or '…'}",
            _known(one.recorded_from, one.recorded_to, lang),
        )


def _mentions(mentions: Sequence[MentionedIn], lang: str) -> Iterator[_Block]:
    yield _Heading(2, _say("mentions.heading", lang))
    if not mentions:
        yield _Text(_say("nothing", lang))
    columns = [_say(f"column.{one}", lang) for one in ("place", "quote", "known")]
    for one in mentions:
        yield _Heading(3, f"{one.title} ({one.type})")
        where = " / ".join(part for part in (one.source, one.path) if part)
        yield _Text(_say("mention", lang, id=one.entry_id, where=where or "–"))
        yield _Table(columns, list(dict.fromkeys(_row_of(place, lang) for place in one.places)))


def _row_of(place: MentionAt, lang: str) -> tuple[str, str, str]:
    where = _say(f"field.{place.field}", lang)
    if place.line is not None:
        where = _say("line", lang, field=where, line=place.line)
    return where, place.quote, _known(place.recorded_from, place.recorded_to, lang)


def _deeds(told: PersonExport, lang: str) -> Iterator[Sequence[str]]:
    for one in told.transactions_about:
        done = ", ".join(one.operations) or _say("named_only", lang)
        yield (str(one.number), one.recorded_at, one.actor, done, one.reason or "")


def _verifications(told: PersonExport) -> Iterator[Sequence[str]]:
    for one in told.verifications:
        yield tuple(_written(one[name]) for name in ("recorded_from", "score", "evidence"))


def _accesses(told: PersonExport, lang: str) -> Iterator[Sequence[str]]:
    for one in told.accesses:
        yield (one.accessed_at, one.channel, one.principal or _say("owner", lang))


def _answers(told: PersonExport, lang: str) -> Iterator[Sequence[str]]:
    for one in told.answers:
        yield (one.id, one.created_at, one.principal or _say("owner", lang), one.question or "")


def _sources(told: PersonExport) -> Iterator[Sequence[str]]:
    for one in told.sources:
        yield (one.kind, one.name or "", one.path or "", one.uri or "")


def _keys(told: PersonExport) -> Iterator[Sequence[str]]:
    for one in told.keys:
        yield (one.name, ", ".join(one.roles), one.created_at, one.revoked_at or "")


def _valid(one: VersionView, lang: str) -> str:
    return _say("period", lang, start=one.valid_from or "…", end=one.valid_to or "…")


def _known(since: str, until: str | None, lang: str) -> str:
    return _say("period", lang, start=since, end=until or "…")


def _say(name: str, lang: str, /, **values: object) -> str:
    return messages.text(f"export.person.{name}", lang, **values)
