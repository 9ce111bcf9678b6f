"""Integrating: something filed is checked and added to a transaction, or known and left out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from damals import messages
from damals.app.accretion.checking import Check, near_states
from damals.app.accretion.dates import Doubt
from damals.app.accretion.filing import filing_of, insists, without_insisting
from damals.app.accretion.neighbours import Neighbours
from damals.app.accretion.proposing import Proposal
from damals.app.accretion.results import (
    Differs,
    Integrated,
    Integration,
    IntegrationStatus,
)
from damals.app.answering import Added, Answer, Show, add, known
from damals.app.change_results import ChangedEntry
from damals.app.commands import Where
from damals.app.ledger_port import LedgerWriter
from damals.app.record import Recording
from damals.app.repairs import command, step
from damals.domain.candidates import Evidence
from damals.domain.findings import Step
from damals.domain.params import Params
from damals.domain.state import EntryState
from damals.domain.types import TypeCatalogue

_OVER: Final = ("superseded", "archived")


@dataclass(frozen=True, slots=True)
class Desk:
    """Where what is filed is taken in.

    Attributes:
        actor: who files.
        types: gives the types in force.
    """

    writer: LedgerWriter
    recording: Recording
    actor: str
    types: Callable[[], TypeCatalogue]


def integrate(desk: Desk, params: Params, near: Neighbours) -> Added:
    """Add what an assistant files to a transaction, with what a check of it found.

    What is known is not added: it is answered with the entry that says it. What leaves something
    to decide is added as ``acquired``, and everything else as it is.

    Raises:
        InvalidInput, NotFound, Conflict: it cannot be done; the whole transaction is off.
    """
    desk.recording.compared.count()
    filing = filing_of(desk.writer, desk.recording, params)
    states = near_states(desk.writer, desk.recording, filing, near)
    check = Check(desk.recording, filing, states, frozenset(near.told))
    asked = without_insisting(params)
    if not insists(params):
        said = check.echo()
        if said and (filing.target is None or said == (filing.target.id,)):
            return _echo(desk, said)
    found = check.checked(desk.types())
    asked = {name: value for name, value in asked.items() if name != "acquired"}
    if found.decides:
        asked["acquired"] = True
    added = add(desk.writer, desk.recording, asked, desk.actor)
    status: IntegrationStatus = "acquired" if found.decides else "active"
    titles = _titles(desk, (one.b for one in found.evidence)) | _titles(
        desk, (one.other for one in found.proposals)
    )

    def told(show: Show) -> Answer:
        answer = added.told(show)
        if not isinstance(answer, ChangedEntry) or answer.unchanged:
            return answer
        say = _Saying(desk.recording, UUID(answer.id), answer.workspace, titles)
        findings = (
            *map(say.evidence, found.evidence),
            *map(say.doubt, found.doubts),
            *map(say.proposal, found.proposals),
            *(() if near.complete else (_unchecked(),)),
        )
        return replace(answer, integration=Integration(status, findings))

    return Added(told)


def _unchecked() -> Integrated:
    return Integrated("unchecked", (), messages.text("accretion.unchecked"))


def _titles(desk: Desk, ids: Iterator[UUID]) -> dict[UUID, str]:
    states = ((one, desk.recording.draft.by_id(one)) for one in ids)
    return {one: _title(state) for one, state in states if state is not None}


def _title(state: EntryState) -> str:
    held = state.rectangles[-1] if state.rectangles else state.last
    return "" if held is None else held.attributes.title


def _echo(desk: Desk, ids: Sequence[UUID]) -> Added:
    """What is answered when nothing new was said: the entry that says it already."""
    titles = _titles(desk, iter(ids))

    def told(show: Show) -> Answer:
        answer = known(ids[0], show)
        shown = (messages.text("accretion.said", title=titles.get(i, ""), id=i) for i in ids)
        over = answer.status in _OVER or answer.valid_to is not None
        key = "accretion.echo_past" if over else "accretion.echo"
        message = messages.text(key, entries=", ".join(shown))
        one = Integrated("echo", tuple(map(str, ids)), message)
        return replace(answer, integration=Integration("echo", (one,)))

    return Added(told)


@dataclass(frozen=True, slots=True)
class _Saying:
    """Tells what was found, once what was filed has an id."""

    recording: Recording
    id: UUID
    workspace: str
    titles: "dict[UUID, str]"

    def evidence(self, one: Evidence) -> Integrated:
        other = one.b
        values = {"title": self.titles.get(other, ""), "id": other, "likeness": one.likeness}
        differs = tuple(Differs(d.aspect, d.a, d.b) for d in one.differences)
        shown = "; ".join(
            messages.text("accretion.differs", filed=d.filed or "–", known=d.known or "–")
            for d in differs
        )
        message = messages.text(f"accretion.{one.kind}", None, differences=shown, **values)
        ways = self._same(other) if one.kind == "duplicate" else self._other(other)
        return Integrated(
            one.kind,
            (str(other),),
            message,
            likeness=one.likeness,
            differences=differs,
            commands=tuple(map(self._command, ways)),
        )

    def _same(self, other: UUID) -> Iterator[Step]:
        yield step("verify", target=self.id)
        yield step("retract", target=self.id, reason="accretion.reason.duplicate")
        yield step("relate", src=self.id, type="supersedes", dst=other)

    def _other(self, other: UUID) -> Iterator[Step]:
        yield step("contradict", a=self.id, b=other, reason="accretion.reason.contradiction")
        yield step("relate", src=self.id, type="supersedes", dst=other)
        yield step("retract", target=self.id, reason="accretion.reason.wrong")

    def doubt(self, one: Doubt) -> Integrated:
        message = messages.text(one.key, text=one.text)
        ways = [step("verify", target=self.id)]
        if one.sure:
            bound = {one.bound: one.text}
            ways.insert(0, step("correct", target=self.id, reason="accretion.reason.date", **bound))
        return Integrated("uncertain_date", (), message, commands=tuple(map(self._command, ways)))

    def proposal(self, one: Proposal) -> Integrated:
        title = self.titles.get(one.other, "")
        values = {"relation": one.relation, "title": title, "confidence": one.confidence}
        made = step(
            "relate", src=self.id, type=one.relation, dst=one.other, confidence=one.confidence
        )
        return Integrated(
            "relation",
            (str(one.other),),
            messages.text("accretion.relation", None, **values),
            relation=one.relation,
            confidence=one.confidence,
            commands=(self._command(made),),
        )

    def _command(self, made: Step) -> str:
        return command(made, _reason, Where.of(self.workspace))


def _reason(key: str) -> str:
    return messages.text(key)
