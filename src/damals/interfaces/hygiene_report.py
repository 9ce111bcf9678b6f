"""A hygiene report as a document: Markdown, and HTML that is made from it.

Everything that is known is data: it is escaped in Markdown, and HTML is never taken over from it.
"""

import html
import re
from collections.abc import Iterator, Sequence
from typing import Final

from damals import messages
from damals.app.commands import HERE, Where, placed
from damals.app.hygiene.results import FindingView, HygieneReport, KindCount
from damals.interfaces.cli.times import local

_READ: Final = re.compile(
    r"""
    (?=[`*<\[])                                # code, emphasis, HTML, links
    | (?=\\(?:[!-/:-@\[-`{-~]|$))              # an escape
    | (?<![^\W_])(?=_) | (?=_(?![^\W_]))       # emphasis, but not inside of a word
    | (?=~\S)                                  # what is struck through
    | (?=&\#?\w+;)                             # a character by its name
    | (?<=:)(?=//) | (?<=www)(?=\.)            # an address
    | ^(?=[#>=+-])                             # a heading, a quotation, an item of a list
    """,
    re.VERBOSE,
)
"""In front of what Markdown reads as anything but text."""
_NUMBERED: Final = re.compile(r"^(\d{1,9})([.)])")
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


def markdown(report: HygieneReport, lang: str, where: Where = HERE) -> str:
    """A report as Markdown, which reads well as it is."""
    return "\n".join(_lines(report, lang, where)) + "\n"


def as_html(report: HygieneReport, lang: str, where: Where = HERE) -> str:
    """A report as one page that needs nothing else, and prints well."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 -- only this page needs it

    read = MarkdownIt("commonmark", {"html": False}).enable("table")
    body = read.render(markdown(report, lang, where))
    return (
        f'<!doctype html>\n<html lang="{html.escape(lang)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\';'
        " style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title(report, lang))}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n{body}</body>\n</html>\n"
    )


def _lines(report: HygieneReport, lang: str, where: Where) -> Iterator[str]:
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
            yield from ("", escaped(rest(report, kind, lang, where)))


def head(report: HygieneReport, lang: str) -> Iterator[str]:
    """What a report is of, and how much there is."""
    yield clocks(report, lang)
    if report.topic is not None:
        yield messages.text("hygiene.about", lang, topic=report.topic)
    yield summary(report, lang)
    yield from report.caveats


def clocks(report: HygieneReport, lang: str) -> str:
    """Which pair of instants was understood, in the workspace's zone."""
    read = report.understood
    pair = {"as_of": local(read.as_of, read.zone), "known_at": local(read.known_at, read.zone)}
    return messages.text("cli.understood", lang, zone=read.zone, **pair)


def summary(report: HygieneReport, lang: str) -> str:
    """How much was found, in how much."""
    counts = {"findings": report.count, "entries": report.entries}
    values = {name: _counted(name, count, lang) for name, count in counts.items()}
    return messages.text(f"hygiene.{'summary' if report.kinds else 'sound'}", lang, **values)


def _counted(name: str, count: int, lang: str) -> str:
    return messages.text(f"hygiene.{name}.{'one' if count == 1 else 'many'}", lang, count=count)


def rest(report: HygieneReport, kind: KindCount, lang: str, where: Where) -> str:
    """How to see what is not told, where the report is of."""
    look = "lint --due" if report.due else "lint" if report.linter else "hygiene"
    line = placed(f"damals {look} --kind {kind.kind} --limit all", where)
    hidden = kind.count - kind.shown
    return messages.text("hygiene.rest", lang, rest=hidden, command=line)


def _table(kinds: Sequence[KindCount], lang: str) -> Iterator[str]:
    names = (
        messages.text(f"hygiene.column.{name}", lang) for name in ("kind", "severity", "count")
    )
    yield f"| {' | '.join(map(_cell, names))} |"
    yield "| --- | --- | ---: |"
    for one in kinds:
        kind = messages.text(f"hygiene.kind.{one.kind}", lang)
        severity = messages.text(f"hygiene.severity.{one.severity}", lang)
        yield f"| {_cell(kind)} | {_cell(severity)} | {one.count} |"


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
    return _NUMBERED.sub(r"\1\\\2", _READ.sub(r"\\", " ".join(text.split())))


def _cell(text: str) -> str:
    return escaped(text).replace("|", r"\|")
