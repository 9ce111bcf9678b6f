"""The report: every check, its findings grouped by kind and ranked, so many of each told."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from damals import messages
from damals.app import repairs
from damals.app.commands import HERE, Where
from damals.app.hygiene import (
    aliases,
    consistency,
    contradictions,
    dates,
    fields,
    lifecycle,
    likeness,
    links,
)
from damals.app.hygiene.results import ChoiceView, FindingView, HygieneReport, KindCount
from damals.app.hygiene.scene import Scene
from damals.app.results import Understood
from damals.domain.findings import (
    HYGIENE,
    LINT,
    SEVERITIES,
    SEVERITY,
    Choice,
    Finding,
    Kind,
)
from damals.domain.instants import to_datetime

LIMIT: Final = 10
"""So many findings of a kind are told unless somebody asks for more."""

Check = Callable[[Scene], Iterator[Finding]]

_ALIKE: Final = frozenset({Kind.NEAR_DUPLICATE, Kind.POSSIBLE_CONTRADICTION})
_CHECKS: Final[Mapping[Kind, Check]] = {
    Kind.CONTRADICTION: contradictions.contradictions,
    Kind.ACQUIRED: lifecycle.acquired,
    Kind.SUPERSEDED_REFERENCED: lifecycle.superseded_referenced,
    Kind.DECAYED: lifecycle.decayed,
    Kind.BROKEN_LINK: links.broken_links,
    Kind.AMBIGUOUS_ALIAS: aliases.ambiguous_aliases,
    Kind.RISK: consistency.risks,
    Kind.REVIEW: lifecycle.review,
    Kind.DUE: lifecycle.due,
    Kind.BELOW_THRESHOLD: lifecycle.below,
    Kind.UNPINNED: consistency.unpinned,
    Kind.UNCERTAIN_DATE: dates.uncertain_dates,
    Kind.MISSING_FIELD: fields.missing_fields,
    Kind.ORPHAN: links.orphans,
}
"""The check of each kind; what is alike is found by one check for two kinds."""

_ORDER: Final = {
    kind: place
    for place, kind in enumerate(
        kind for severity in SEVERITIES for kind in Kind if SEVERITY[kind] == severity
    )
}


def find(scene: Scene, kinds: Iterable[Kind]) -> Iterator[Finding]:
    """The findings of some kinds, in no particular order."""
    wanted = frozenset(kinds)
    for kind in _ORDER:
        if kind in wanted and kind not in _ALIKE:
            yield from _CHECKS[kind](scene)
    if wanted & _ALIKE:
        yield from (one for one in likeness.alike(scene) if one.kind in wanted)


def hygiene(scene: Scene, kinds: Sequence[Kind] = HYGIENE) -> list[Finding]:
    """The findings of a hygiene report. What has decayed is not told again as to be reviewed."""
    found = list(find(scene, kinds))
    if Kind.REVIEW not in kinds or Kind.DECAYED not in kinds:
        return found
    gone = {one.entries for one in found if one.kind is Kind.DECAYED}
    return [one for one in found if one.kind is not Kind.REVIEW or one.entries not in gone]


def lint(scene: Scene, kinds: Sequence[Kind] = LINT, *, due: bool = False) -> list[Finding]:
    """The findings of the linter; with ``due`` those of what is due by its risk."""
    if not due:
        return list(find(scene, kinds))
    wanted = {one.id for one in scene.each_active() if lifecycle.is_due(scene, one)}
    return [one for one in find(scene, kinds) if one.entries[0] in wanted]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which findings are told.

    Attributes:
        about: entries of which a finding must name one; ``None`` for all.
        limit: so many of each kind; ``None`` for all.
    """

    about: frozenset[UUID] | None = None
    limit: int | None = LIMIT


@dataclass(frozen=True, slots=True)
class Frame:
    """What else a report says.

    Attributes:
        linter, due: as of the report.
        where: commands are to run.
        accesses: it is noted what was returned to whom.
    """

    understood: Understood
    topic: str | None = None
    linter: bool = False
    due: bool = False
    where: Where = HERE
    accesses: bool = True


def report(scene: Scene, found: Sequence[Finding], wanted: Wanted, frame: Frame) -> HygieneReport:
    """Findings as they are told, in the language that is spoken."""
    groups: dict[Kind, list[Finding]] = {}
    for one in found:
        if wanted.about is None or not wanted.about.isdisjoint(one.entries):
            groups.setdefault(one.kind, []).append(one)
    views: list[FindingView] = []
    counts: list[KindCount] = []
    telling = _Telling(scene, frame)
    for kind in sorted(groups, key=_ORDER.__getitem__):
        ranked = sorted(groups[kind], key=lambda one: (-scene.rank(one), one.entries, one.part))
        shown = ranked if wanted.limit is None else ranked[: wanted.limit]
        views += map(telling.view, shown)
        counts.append(KindCount(kind.value, SEVERITY[kind], len(ranked), len(shown)))
    return HygieneReport(
        findings=tuple(views),
        kinds=tuple(counts),
        topic=frame.topic,
        entries=len(scene.seen),
        linter=frame.linter,
        due=frame.due,
        understood=frame.understood,
        caveats=tuple(_caveats(groups, frame)),
    )


def _caveats(groups: Mapping[Kind, object], frame: Frame) -> Iterator[str]:
    if Kind.BELOW_THRESHOLD in groups and not frame.accesses:
        yield messages.text("hygiene.caveat.no_accesses")


class _Telling:
    """Findings in words."""

    def __init__(self, scene: Scene, frame: Frame) -> None:
        self._scene, self._frame = scene, frame
        self._zone = ZoneInfo(frame.understood.zone)

    def view(self, found: Finding) -> FindingView:
        told = found.detail()
        choices = tuple(map(self._choice, told.choices))
        values = {name: self._value(name, value) for name, value in told.values.items()}
        return FindingView(
            kind=found.kind.value,
            severity=found.severity,
            entries=tuple(map(str, found.entries)),
            message=messages.text(told.key, None, **values),
            repair=choices[0].command if choices else None,
            titles=self._scene.titles(found),
            importance=round(self._scene.rank(found), 6),
            decision=told.decision,
            choices=choices,
            part=found.part,
        )

    def _choice(self, one: Choice) -> ChoiceView:
        file = one.step.op == "annotate"
        return ChoiceView(
            name=one.name,
            label=messages.text(f"hygiene.choice.{one.name}"),
            command=repairs.command(one.step, messages.text, self._frame.where),
            operations=() if file else (repairs.operation(one.step, messages.text),),
        )

    def _value(self, name: str, value: object) -> object:
        """A value as people read it: a day, a share with two digits, a rate in words."""
        if name.endswith("_at") and isinstance(value, int):
            return to_datetime(value).astimezone(self._zone).date().isoformat()
        if isinstance(value, float):
            return f"{value:.2f}"
        return messages.text(f"hygiene.rate.{value}") if name == "risk" else value
