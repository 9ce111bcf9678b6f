"""How a diff looks to people."""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Final

from damals.app.diff_results import ChangeView, Diff, PairView, TextPart
from damals.interfaces.cli.output import Span, clean_line
from damals.interfaces.cli.session import Session
from damals.interfaces.cli.times import local
from damals.interfaces.cli.views import BAD, FAINT, GOOD, NAME, STRONG, WARN, certainty, period

CONTEXT_CHARS: Final = 40
"""How much of what stayed the same is shown beside what changed."""

_CAME: Final = frozenset({"began", "learned", "extended"})
_WENT: Final = frozenset({"ended", "retracted", "closed", "archived", "erased"})


def diff(session: Session, result: Diff) -> None:
    """The changes of both phases, each with its reason."""
    screen = session.screen
    places = [_pair(session, pair, result.zone) for pair in (result.from_, result.to)]
    told = session.say("diff.way", start=places[0], end=places[1], zone=result.zone)
    screen.line((told, FAINT))
    if not result.changes:
        screen.line(session.say("diff.nothing"))
    for phase, changes in groupby(result.changes, lambda change: change.phase):
        screen.line()
        screen.line((session.say("diff.world" if phase == 1 else "diff.knowledge"), STRONG))
        for change in changes:
            _change(session, change, result.zone)


def _pair(session: Session, pair: PairView, zone: str) -> str:
    return session.say(
        "diff.pair", as_of=local(pair.as_of, zone), known_at=local(pair.known_at, zone)
    )


def _change(session: Session, change: ChangeView, zone: str) -> None:
    screen = session.screen
    kind = session.say(f"diff.kind.{change.kind}")
    screen.line(
        _mark(change.kind, kind), f"  {_moment(change.at, zone)}  ", *_sides(session, change)
    )
    for line in () if change.text is None else _wording(session, change.text):
        screen.line("      ", *line)
    why = " · ".join(filter(None, (change.reason, change.actor)))
    shown = change.after or change.before
    where = shown.id if shown else change.entry_id
    screen.line("      ", (clean_line(why), ""), ("  " + where, FAINT))


def _moment(instant: str, zone: str) -> str:
    """An instant; of one at midnight, the day."""
    return local(instant, zone).removesuffix(" 00:00")


def _mark(kind: str, named: str) -> Span:
    if kind in _CAME:
        return (f"  + {named}", GOOD)
    return (f"  - {named}", BAD) if kind in _WENT else (f"  ~ {named}", WARN)


def _sides(session: Session, change: ChangeView) -> Iterator[str | Span]:
    """``title  period``, with both titles where two entries meet that are called otherwise."""
    before, after = change.before, change.after
    if before is not None and after is not None and before.title != after.title:
        arrow = " ↔ " if change.relation == "contradicts" else " → "
        yield (clean_line(before.title), NAME)
        yield arrow
    shown = after or before
    if shown is None:
        yield (change.entry_id, FAINT)
        return
    yield (clean_line(shown.title), STRONG)
    yield f"  {period(session, shown)}"
    if shown.certainty == "possible":
        yield (f"  {certainty(session, shown)}", WARN)


def _wording(session: Session, parts: Sequence[TextPart]) -> Iterator[Sequence[Span]]:
    """What changed, a line for each section, under its headings; one line without any."""
    blank = _unmarked(parts)
    changed = [place for place, one in enumerate(parts) if one.op != "equal" and not blank[place]]
    if not changed:
        yield [(session.say("diff.blanks"), FAINT)]
    for section, places in groupby(changed, key=lambda place: _section(parts, place)):
        if section:
            above = "".join(f"{clean_line(one)} › " for one in section[:-1])
            yield [(above, FAINT), (clean_line(section[-1]), NAME)]
        yield list(marked(_around(parts, list(places))))


def _section(parts: Sequence[TextPart], place: int) -> tuple[str, ...]:
    """The headings over a change; where something took the place of another, those of the new."""
    one, after = parts[place], parts[place + 1 : place + 2]
    replaced = one.op == "delete" and after and after[0].op == "insert"
    return after[0].section if replaced else one.section


def _around(parts: Sequence[TextPart], places: Sequence[int]) -> Sequence[TextPart]:
    """Changes in a row, with what stayed on both sides."""
    first, end = places[0], places[-1] + 1
    first -= first > 0 and parts[first - 1].op == "equal"
    end += end < len(parts) and parts[end].op == "equal"
    return parts[first:end]


def _unmarked(parts: Sequence[TextPart]) -> Sequence[bool]:
    """Of each passage, whether it is a change of nothing but blanks."""
    found = [one.op != "equal" and not one.text.strip() for one in parts]
    for place, (old, new) in enumerate(pairwise(parts)):
        if (old.op, new.op) == ("delete", "insert"):
            same = old.text.split() == new.text.split()
            found[place] = found[place + 1] = same
    return found


def marked(parts: Sequence[TextPart]) -> Iterator[Span]:
    """``… gilt [-1-]{+2+} bis …``: what went and what came, between a little of what stayed.

    A change of nothing but blanks is none of words, and is shown as what stayed.
    """
    blank = _unmarked(parts)
    for place, part in enumerate(parts):
        text = _flat(part.text)
        if blank[place]:
            yield (text if part.op == "insert" else "", "")
        elif part.op == "delete":
            yield (f"[-{text}-]", BAD)
        elif part.op == "insert":
            yield (f"{{+{text}+}}", GOOD)
        else:
            yield (_context(text, first=place == 0, last=place == len(parts) - 1), "")


def _flat(text: str) -> str:
    """A text on one line that still stands apart from its neighbours where it did."""
    left = " " if text[:1].isspace() else ""
    right = " " if text[-1:].isspace() and text.strip() else ""
    return f"{left}{clean_line(text)}{right}"


def _context(text: str, *, first: bool, last: bool) -> str:
    """The ends of a text that are next to a change."""
    left = "" if first else text[:CONTEXT_CHARS]
    right = "" if last else text[-CONTEXT_CHARS:]
    if len(text) <= len(left) + len(right) + len(" … "):
        return text
    return f"{left.rstrip()}{' ' if left else ''}…{' ' if right else ''}{right.lstrip()}"
