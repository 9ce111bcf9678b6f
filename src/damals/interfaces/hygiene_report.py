"""A hygiene report as a document: Markdown, and HTML that is made from it.

Everything that is known is data: it is escaped in Markdown, and HTML is never taken over from it.
"""

import html
import re
from collections.abc import Iterator, Sequence
from typing import Final

from damals import messages
from damals.app.hygiene.results import FindingView, HygieneReport, KindCount

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]()<>#+!|~&$^=:.\-])")
_TICKS: Final = re.compile(r"`+")
_STYLE: Final = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: #1b1b1b; background: #fff; }
h2 { margin-top: 2rem; border-bottom: 1px solid #ccc; }
table { border-collapse: collapse; } th, td { border: 1px solid #ccc; padding: .2rem .6rem;
  text-align: left; }
pre { background: #f4f4f4; padding: .5rem; white-space: pre-wrap; overflow-wrap: anywhere; }
li { margin-bottom: .8rem; } li > p { margin: 0 0 .3rem; }
@media (prefers-color-scheme: dark) { body { color: #eee; background: #1b1b1b; }
  pre { background: #2a2a2a; } h2, th, td { border-color: #555; } }
@media print { body { margin: 0; max-width: none; color: #000; background: #fff; }
  li { break-inside: avoid; } pre { background: none; border: 1px solid #ccc; } }
"""


def title(report: HygieneReport, lang: str) -> str:
    """What a report is called."""
    linter = ".due" if report.due else ".lint" if report.linter else ""
    return messages.text(f"hygiene.title{linter}", lang)


def markdown(report: HygieneReport, lang: str) -> str:
    """A report as Markdown, which reads well as it is."""
    return "\n".join(_lines(report, lang)) + "\n"


def as_html(report: HygieneReport, lang: str) -> str:
    """A report as one page that needs nothing else, and prints well."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 -- only this page needs it

    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown(report, lang))
    return (
        f'<!doctype html>\n<html lang="{html.escape(lang)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\';'
        " style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title(report, lang))}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n{body}</body>\n</html>\n"
    )


def _lines(report: HygieneReport, lang: str) -> Iterator[str]:
    yield from (f"# {escaped(title(report, lang))}", "")
    yield from (escaped(line) + "  " for line in head(report, lang))
    yield ""
    if report.kinds:
        yield from _table(report.kinds, lang)
    for kind in report.kinds:
        name = messages.text(f"hygiene.kind.{kind.kind}", lang)
        yield from ("", f"## {escaped(name)} ({kind.count})", "")
        for found in report.findings:
            if found.kind == kind.kind:
                yield from _finding(found, lang)
        if kind.count > kind.shown:
            yield from ("", escaped(rest(report, kind, lang)))


def head(report: HygieneReport, lang: str) -> Iterator[str]:
    """What a report is of, and how much there is."""
    read = report.understood
    yield messages.text(
        "hygiene.understood", lang, as_of=read.as_of, known_at=read.known_at, zone=read.zone
    )
    if report.topic is not None:
        yield messages.text("hygiene.about", lang, topic=report.topic)
    key = "hygiene.summary" if report.kinds else "hygiene.sound"
    yield messages.text(key, lang, count=report.count, entries=report.entries)


def rest(report: HygieneReport, kind: KindCount, lang: str) -> str:
    """How to see what is not told."""
    command = "lint --due" if report.due else "lint" if report.linter else "hygiene"
    hidden = kind.count - kind.shown
    return messages.text("hygiene.rest", lang, rest=hidden, kind=kind.kind, command=command)


def _table(kinds: Sequence[KindCount], lang: str) -> Iterator[str]:
    names = (
        messages.text(f"hygiene.column.{name}", lang) for name in ("kind", "severity", "count")
    )
    yield f"| {' | '.join(map(escaped, names))} |"
    yield "| --- | --- | ---: |"
    for one in kinds:
        kind = messages.text(f"hygiene.kind.{one.kind}", lang)
        severity = messages.text(f"hygiene.severity.{one.severity}", lang)
        yield f"| {escaped(kind)} | {escaped(severity)} | {one.count} |"


def _finding(found: FindingView, lang: str) -> Iterator[str]:
    yield f"* {escaped(found.message)}"
    if not found.choices:
        yield from ("", f"  *{escaped(messages.text('hygiene.by_hand', lang))}*")
    for place, one in enumerate(found.choices):
        key = "hygiene.or" if place else "hygiene.decide"
        fence = "`" * max(3, *(len(run) + 1 for run in _TICKS.findall(one.command)), 3)
        yield from ("", f"  {escaped(messages.text(key, lang, label=one.label))}", "")
        yield from (
            f"  {fence}sh",
            *(f"  {line}" for line in one.command.split("\n")),
            f"  {fence}",
        )
    yield ""


def escaped(text: str) -> str:
    """A text of which Markdown makes nothing else, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
