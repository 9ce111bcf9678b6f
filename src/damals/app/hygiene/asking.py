"""Asking for a report: what was wanted, read and checked, and what it is made of."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from damals.app.ages import Ages
from damals.app.collecting import collecting_rarely
from damals.app.commands import Where
from damals.app.diff import Words, topic_stems
from damals.app.hygiene import report
from damals.app.hygiene.report import LIMIT, Frame, Wanted
from damals.app.hygiene.results import HygieneReport
from damals.app.hygiene.scene import Scene, Seen
from damals.app.ledger_port import LedgerReader
from damals.app.looking import Asked, checked_limit, pair, present, understood
from damals.app.ports import Clock
from damals.app.results import Understood
from damals.domain.fields import choice
from damals.domain.findings import HYGIENE, LINT, Finding, Kind


@dataclass(frozen=True, slots=True)
class Order:
    """A report as it was asked for.

    Attributes:
        topic: words that an entry of each finding must all say; ``None`` for everything.
        kinds: names of kinds; none for all.
        limit: findings of each kind; ``None`` for all.
        linter: the linter's report is wanted.
        due: it looks at what is due by its risk, and at nothing else.
    """

    asked: Asked
    topic: str | None = None
    kinds: tuple[str, ...] = ()
    limit: int | None = LIMIT
    linter: bool = False
    due: bool = False


@dataclass(frozen=True, slots=True)
class Tools:
    """What a report is made with.

    Attributes:
        words: the words of a text by which it is known whether it is about a topic.
        ages: by what entries age.
        accesses: it is noted what was returned to whom.
        owns: the owner asks, who alone may learn where files lie on this machine.
    """

    clock: Clock
    words: Words
    ages: Ages
    accesses: bool = True
    owns: bool = True


def look(reader: LedgerReader, tools: Tools, order: Order) -> HygieneReport:
    """What is to be looked at in a workspace.

    Raises:
        InvalidInput: ``diff.topic_empty``, ``field.choice`` for a kind, ``limit.invalid``, and
            what instants are refused for.
    """
    kinds, limit = _kinds(order), checked_limit(order.limit)
    stems = topic_stems(order.topic, tools.words)
    now = present(reader, tools.clock)
    at = pair(reader, now, order.asked)
    with collecting_rarely():
        scene = Scene(reader.snapshot(at), tools.ages.types(reader), files=tools.owns)
        found = _found(scene, order, kinds)
        about = _about(scene, stems, tools.words) if stems else None
        frame = _frame(order, reader.workspace().name, understood(reader, at, now))
        frame = replace(frame, accesses=tools.accesses)
        return report.report(scene, found, Wanted(about, limit), frame)


def _kinds(order: Order) -> Sequence[Kind]:
    allowed = HYGIENE if not order.linter else (*LINT, Kind.DUE) if order.due else LINT
    names = tuple(kind.value for kind in allowed)
    return [Kind(choice("kind", one, names)) for one in order.kinds] or allowed


def _found(scene: Scene, order: Order, kinds: Sequence[Kind]) -> list[Finding]:
    if order.linter:
        return report.lint(scene, kinds, due=order.due)
    return report.hygiene(scene, kinds)


def _about(scene: Scene, stems: frozenset[str], words: Words) -> frozenset[UUID]:
    """The entries that say all words of a topic, in any inflection."""
    return frozenset(one.id for one in scene.seen.values() if stems <= _said(one, words))


def _said(one: Seen, words: Words) -> set[str]:
    has = one.entry.attributes
    said = "\n".join((has.title, *has.tags, has.key or "", has.content))
    return {stem for stem, _, _ in words(said)}


def _frame(order: Order, workspace: str, read: Understood) -> Frame:
    return Frame(
        understood=read,
        topic=order.topic,
        linter=order.linter,
        due=order.due,
        where=Where.of(workspace),
    )
