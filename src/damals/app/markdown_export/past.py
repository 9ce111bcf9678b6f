"""The section of a note that tells what was known of its entry before.

It is for people. An import leaves it out: it ends the text of a note whose frontmatter says so.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from damals import messages
from damals.app import looking
from damals.app.ledger_model import At, Found
from damals.app.ledger_port import LedgerReader
from damals.app.looking import Of, Part
from damals.app.results import VersionView
from damals.app.vault.exported import HISTORY_MARK
from damals.domain.instants import format_instant

if TYPE_CHECKING:
    from damals.app.markdown_export.notes import Kit


def past_of(reader: LedgerReader, kit: "Kit", found: Found, at: At, lang: str | None) -> str:
    """What is written behind the text of a note."""
    of = Of(str(found.version.entry_id))
    told = looking.history(reader, kit.clock, of, Part(), kit.ages).versions
    until = format_instant(at.known_at)
    lines = [HISTORY_MARK, "", f"## {_say('heading', lang)}", "", *_table(lang)]
    lines += [_row(one, lang) for one in told if one.recorded_from <= until]
    return "\n\n" + "\n".join(lines) + "\n"


def _table(lang: str | None) -> Iterator[str]:
    names = ("recorded", "until", "valid", "title", "operation", "actor", "reason")
    yield "| " + " | ".join(_say(name, lang) for name in names) + " |"
    yield "|" + " --- |" * len(names)


def _row(one: VersionView, lang: str | None) -> str:
    valid = f"{one.valid_from or '…'} – {one.valid_to or '…'}"
    cells = (
        one.recorded_from, one.recorded_to or _say("still", lang), valid, one.title, one.operation,
        one.actor, one.reason or "",
    )  # fmt: skip
    return "| " + " | ".join(map(cell, cells)) + " |"


def cell(text: str) -> str:
    """A text as a cell of a table of Markdown: no link, no table of its own, on one line."""
    said = " ".join(text.split())
    for one in "\\|[]<`":
        said = said.replace(one, f"\\{one}")
    return said


def _say(name: str, lang: str | None) -> str:
    return messages.text(f"export.history.{name}", lang)
