"""Patterns: how a topic came to be what it is, and how stable it is."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from damals import messages
from damals.app import known
from damals.app.ages import Ages, clock_of, lives
from damals.app.diff import Words
from damals.app.ledger_model import At, EntryInfo, Found
from damals.app.ledger_port import LedgerReader
from damals.app.looking import Asked, pair, present, understood
from damals.app.pattern_results import EvidenceView, EvolutionStep, Pattern
from damals.app.ports import Clock
from damals.domain.ageing import half_lives, status
from damals.domain.diff_rows import Deed, Place, opened
from damals.domain.entries import Relation, Version
from damals.domain.errors import NotFound
from damals.domain.fields import needed_text
from damals.domain.instants import BEGINNING, format_instant
from damals.domain.names import folded_tag
from damals.domain.patterns import (
    EVOLVING,
    Observation,
    Step,
    Verdict,
    Windows,
    half_life,
    observed,
    verdict,
)
from damals.domain.zones import load_zone


@dataclass(frozen=True, slots=True)
class Looking:
    """What patterns are told with.

    Attributes:
        words: the words of a text, see :data:`damals.app.diff.Words`.
        windows: when a pattern counts as what.
    """

    words: Words
    ages: Ages
    windows: Windows


@dataclass(frozen=True, slots=True)
class _Example:
    """An example that supports a pattern.

    Attributes:
        found: the version of it that holds last, of those that are known.
    """

    found: Found
    seen: Observation

    @property
    def title(self) -> str:
        return self.found.version.attributes.title


def pattern(
    reader: LedgerReader, clock: Clock, topic: object, asked: Asked, looking: Looking
) -> Pattern:
    """How a topic or a tag stands at a pair of instants.

    Raises:
        NotFound: ``patterns.nothing``.
        InvalidInput: ``field.empty``.
    """
    name = needed_text("topic", topic)
    now = present(reader, clock)
    at = pair(reader, now, asked)
    members, rows = _members(reader, at, _about(reader, at, name, looking.words))
    examples = _examples(reader, at, members)
    if not examples:
        raise NotFound("patterns.nothing", topic=name)
    steps = _steps(rows, examples)
    accessed = max(reader.accessed_at(list(examples), at).values(), default=None)
    types = looking.ages.types(reader)
    ages = (half_lives(types, one.found.version.attributes) for one in examples.values())
    days = half_life(ages)
    evidence = [one.seen for one in examples.values()]
    asked_for = (at.as_of, load_zone(reader.workspace().zone), looking.windows)
    found = verdict(evidence, steps, accessed, days, asked_for)
    return Pattern(
        topic=name,
        understood=understood(reader, at, now),
        first_observed=format_instant(min(one.at for one in evidence)),
        evolution=_evolution(reader, steps, examples),
        evidence=_evidence(reader, at, examples, looking.ages),
        stability=found.stability,
        rule=_rule(found),
        half_life_days=days,
        last_accessed=None if accessed is None else format_instant(accessed),
    )


def _about(reader: LedgerReader, at: At, topic: str, words: Words) -> set[UUID]:
    """The entries that carry a tag of this name, or say all of its words."""
    wanted = known.Topic(frozenset(stem for stem, _, _ in words(topic)), folded_tag(topic) or "")
    found = known.saying(reader, at.known_at, wanted, words, still=True)
    return {one.entry_id for one in found}


def _members(
    reader: LedgerReader, at: At, about: set[UUID]
) -> tuple[Mapping[UUID, Sequence[Version]], Sequence[Relation]]:
    """The entries of a topic with those that they came from or became, and how.

    Of each the versions that are known; an entry of which there is none is no member.
    """
    members: dict[UUID, list[Version]] = {}
    seen, waiting = set[UUID](), about
    rows: dict[int, Relation] = {}
    while waiting:
        seen |= waiting
        listed = sorted(waiting)
        for one in known.versions_of(reader, listed, at.known_at):
            members.setdefault(one.entry_id, []).append(one)
        found = reader.relations_between(
            [one for one in listed if one in members], at.known_at, at.known_at
        )
        ties = [one for one in found if one.relation in EVOLVING and not one.unresolved]
        rows |= {one.row: one for one in ties}
        waiting = {end for one in ties for end in (one.src_id, one.dst_id)} - seen
    return members, [rows[row] for row in sorted(rows)]


def _examples(
    reader: LedgerReader, at: At, versions: Mapping[UUID, Sequence[Version]]
) -> Mapping[UUID, _Example]:
    """What was observed by the asked instant, in that order."""
    recorded: dict[UUID, int] = {}
    for one in reader.versions_between(sorted(versions), BEGINNING, at.known_at):
        recorded[one.entry_id] = min(recorded.get(one.entry_id, at.known_at), one.recorded_from)
    found: list[_Example] = []
    for entry_id, rows in versions.items():
        begun = [one for one in rows if one.period.start.earliest <= at.as_of]
        if not begun:
            continue
        start = recorded[entry_id]
        last = max(begun, key=lambda one: (one.period.end.latest, one.row))
        seen = observed(begun, start)
        if seen.at <= at.as_of:
            found.append(_Example(Found(last, EntryInfo(entry_id, None, start, start, 0)), seen))
    found.sort(key=lambda one: (one.seen.at, one.seen.entry_id))
    return {one.seen.entry_id: one for one in found}


def _steps(rows: Iterable[Relation], examples: Mapping[UUID, _Example]) -> Sequence[Step]:
    """The steps of an evolution, each once."""
    found: dict[tuple[UUID, str, UUID], Step] = {}
    for row in rows:
        new = examples.get(row.src_id)
        if new is not None and row.dst_id in examples:
            step = Step(new.seen.at, row.relation, row.src_id, row.dst_id, row)
            found.setdefault((row.src_id, row.relation, row.dst_id), step)
    return sorted(found.values(), key=lambda one: (one.at, one.new, one.relation, one.old))


def _evolution(
    reader: LedgerReader, steps: Sequence[Step], examples: Mapping[UUID, _Example]
) -> tuple[EvolutionStep, ...]:
    places: dict[UUID, Place] = {one.row.id: (opened(one.row), one.new) for one in steps}
    deeds: Mapping[Place, Deed] = reader.deeds(set(places.values())) if places else {}
    return tuple(
        EvolutionStep(
            at=format_instant(one.at),
            relation=one.relation,
            entry_id=str(one.new),
            title=examples[one.new].title,
            old_id=str(one.old),
            old_title=examples[one.old].title,
            reason=deeds[places[one.row.id]].reason,
            actor=deeds[places[one.row.id]].actor,
        )
        for one in steps
    )


def _evidence(
    reader: LedgerReader, at: At, examples: Mapping[UUID, _Example], ages: Ages
) -> tuple[EvidenceView, ...]:
    types = ages.types(reader)
    of = lives(reader, [one.found for one in examples.values()], at)
    clock = clock_of(at)

    def view(one: _Example) -> EvidenceView:
        life = of[one.found.version.row]
        return EvidenceView(
            entry_id=str(one.seen.entry_id),
            title=one.title,
            at=format_instant(one.seen.at),
            origin=one.seen.origin,
            status=status(life, half_lives(types, life.has), clock).value,
        )

    return tuple(map(view, examples.values()))


def _rule(found: Verdict) -> str:
    """What decided, with its figures."""
    return messages.text(
        f"patterns.rule.{found.stability}",
        None,
        days=f"{round(found.days, 1):g}",
        limit=f"{round(found.limit, 1):g}",
        count=found.count,
    )
