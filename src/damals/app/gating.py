"""The research gate: what was looked up long ago is flagged before anything is built on it.

It never blocks. Skipped are entries that are stable, and planning artefacts, which have a gate of
their own (:mod:`damals.domain.planning`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from damals import messages
from damals.app import commands, looking
from damals.app.ages import Ages, clock_of, lives, worded
from damals.app.commands import Where
from damals.app.gating_results import GateFinding, GateReport
from damals.app.ledger_model import At, Found, Workspace
from damals.app.ledger_port import LedgerReader
from damals.app.snapshot_model import Standing
from damals.domain.ageing import STABLE, Life, ResearchAge, half_lives, stands_accepted
from damals.domain.entries import Json
from damals.domain.errors import InvalidInput, NotFound
from damals.domain.instants import format_instant
from damals.domain.planning import is_planning_artefact
from damals.domain.research import researched
from damals.domain.signals import Signal
from damals.domain.types import TypeCatalogue
from damals.domain.zones import load_zone, to_local

STALE: Final = "stale_research"

LIMIT: Final = 100
"""So many findings are told unless somebody asks for more."""

MOST_FOUND: Final = 10
"""So many of the entries that answer a query are looked at."""


@dataclass(frozen=True, slots=True)
class GateAsked:
    """What the gate is to look at: some entries, or everything that holds.

    Attributes:
        ids: ids or external ids; ``None`` for everything.
        at: the pair, as asked for.
        limit: so many findings are told; ``None`` for all.
    """

    ids: Sequence[str] | None
    at: looking.Asked
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class _Researched:
    """Something that the gate looks at."""

    id: UUID
    life: Life


def checked_choice(ids: object, query: object) -> None:
    """Refuse entries and a question at once.

    Raises:
        InvalidInput: ``gate.which``.
    """
    if ids and query is not None:
        raise InvalidInput("gate.which")


def gate(reader: LedgerReader, now: int, asked: GateAsked, ages: Ages) -> GateReport:
    """What is to be minded before something is built on research.

    Raises:
        NotFound: ``entry.unknown``, ``entry.erased`` or, at that pair, ``entry.not_then``.
    """
    at = looking.pair(reader, now, asked.at)
    telling = _Telling(at, ages.types(reader), reader.workspace())
    looked_at = list(_everything(reader, at) if asked.ids is None else _named(reader, at, asked))
    aged = {one.id: one.life for one in looked_at if telling.is_about(one.life)}
    told_of = worded(reader, aged).items()
    found = [one for each in told_of if (one := telling.finding(*each)) is not None]
    found.sort(key=lambda one: (-one.ratio, one.entries))
    told = looking.understood(reader, at, now)
    return GateReport(
        findings=tuple(found[: asked.limit]),
        flagged=len(found),
        checked=len(looked_at),
        skipped=len(looked_at) - len(aged),
        as_of=told.as_of,
        known_at=told.known_at,
    )


def _named(reader: LedgerReader, at: At, asked: GateAsked) -> Iterator[_Researched]:
    """Some entries, each once; of one that does not hold what was last known."""
    found: dict[UUID, Found] = {}
    for name in asked.ids or ():
        entry_id = looking.entry_named(reader, name)
        one = reader.version_at(entry_id, at) or reader.latest_version(entry_id, at)
        if one is None:
            read = looking.understood(reader, at, at.as_of)
            raise NotFound("entry.not_then", id=name, as_of=read.as_of, known_at=read.known_at)
        found[entry_id] = one
    known: Mapping[int, Life] = lives(reader, list(found.values()), at)
    for entry_id, one in found.items():
        yield _Researched(entry_id, known[one.version.row])


def _everything(reader: LedgerReader, at: At) -> Iterator[_Researched]:
    """What holds at a pair."""
    for one in reader.snapshot(at, ties=False).entries.values():
        if one.standing is Standing.HELD:
            yield _Researched(one.id, one.life)


@dataclass(frozen=True, slots=True)
class _Telling:
    """Says what the gate makes of an entry, at a pair."""

    at: At
    types: TypeCatalogue
    workspace: Workspace

    def is_about(self, life: Life) -> bool:
        """Whether the gate is about an entry at all."""
        has = life.has
        planned = is_planning_artefact(has.source.path, has.properties, has.last_reviewed)
        return not planned and half_lives(self.types, has).risk != STABLE

    def finding(self, entry_id: UUID, life: Life) -> GateFinding | None:
        """What the gate says of an entry; ``None`` when nothing."""
        made = researched(life, self.types, self.at.as_of, self.workspace.zone)
        age, severity = made.age, made.age.severity
        if severity is None:
            return None
        return GateFinding(
            kind=STALE,
            severity=severity,
            entries=(str(entry_id),),
            message=_message(age, severity),
            repair=self._repair(entry_id),
            title=life.has.title,
            ratio=round(age.ratio, 4),
            age_days=float(age.days),
            half_life_days=age.half_life,
            since=format_instant(age.since),
            origin=age.origin,
            account=_account(age, made.signal, self.workspace.zone),
            accepted=stands_accepted(life, clock_of(self.at)),
        )

    def _repair(self, entry_id: UUID) -> str:
        """The command that says that it was looked up anew."""
        reason = messages.text("gate.repair.reason")
        params: dict[str, Json] = {"target": str(entry_id), "retrieved_at": "now"}
        where = Where.of(self.workspace.name)
        return commands.command("correct", params | {"reason": reason}, where)


def _message(age: ResearchAge, severity: str) -> str:
    values = {"days": age.days, "half_life": f"{age.half_life:g}"}
    return messages.text(f"gate.{severity.lower()}", None, **values)


def _account(age: ResearchAge, signal: Signal | None, zone: str) -> str:
    """From when the age counts, and by which account."""
    date = to_local(age.since, load_zone(zone)).date().isoformat()
    text = "" if signal is None else signal.text
    return messages.text(f"gate.age.{age.origin}", None, date=date, text=text)
