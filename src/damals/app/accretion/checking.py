"""The integration check: what is filed against what is known, as somebody sees it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from damals.app.accretion.dates import Doubt, doubts
from damals.app.accretion.filing import Filing, claim_of
from damals.app.accretion.neighbours import Neighbours
from damals.app.accretion.proposing import Proposal, proposals
from damals.app.ledger_port import LedgerWriter
from damals.app.record import Recording
from damals.domain.candidates import Evidence, compared
from damals.domain.claims import Claim, Profile
from damals.domain.echoes import Known, echoed
from damals.domain.entries import Attributes
from damals.domain.state import EntryState
from damals.domain.types import TypeCatalogue
from damals.domain.zones import load_zone

NEW: Final = UUID(int=0)
"""Stands for what is filed, which has no id yet."""
TOLD: Final = 5
"""At most so many candidates are told."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What the check found.

    Attributes:
        evidence: candidates, the nearest first; ``NEW`` is what is filed.
        doubts: times that are to be made sure.
        proposals: relations that may be meant.
    """

    evidence: Sequence[Evidence]
    doubts: Sequence[Doubt]
    proposals: Sequence[Proposal]

    @property
    def decides(self) -> bool:
        """Whether something is left to decide."""
        return bool(self.evidence or self.doubts)


@dataclass(frozen=True, slots=True)
class Check:
    """Checks what is filed in a transaction.

    Attributes:
        near: what may have to do with it.
    """

    writer: LedgerWriter
    recording: Recording
    near: Neighbours

    def echo(self, filing: Filing) -> tuple[UUID, ...]:
        """What it is an echo of, the one that it says most of first; nothing when it is none.

        Without a time of its own it echoes what ever held; with one, what holds all that time. A
        name, a key or a relation of its own is something new.
        """
        if filing.own:
            return ()
        has = filing.has
        known = [
            Known(state.id, one.title, one.content, (*one.tags, one.key or ""))
            for state in self._states(filing)
            for one in self._echoing(filing, state)
        ]
        ids = echoed(has.title, has.content, known)
        return tuple(dict.fromkeys(ids))

    def _echoing(self, filing: Filing, state: EntryState) -> Iterator[Attributes]:
        for one in state.rectangles:
            same_key = filing.has.key is None or filing.has.key == one.attributes.key
            covered = not filing.dated or one.period.covers(filing.period)
            if same_key and covered:
                yield one.attributes

    def checked(self, filing: Filing, types: TypeCatalogue) -> Checked:
        """Compare what is filed with what is known, but for what it names itself."""
        mine = Profile(claim_of(NEW, filing.has, filing.period))
        found: dict[UUID, tuple[Claim, Evidence | None]] = {}
        for state in self._states(filing):
            if state.id in filing.decided or state.archiving is not None:
                continue
            for one in state.rectangles:
                claim = claim_of(state.id, one.attributes, one.period)
                evidence = compared(mine, Profile(claim))
                if state.id not in found or evidence is not None:
                    found[state.id] = (claim, evidence)
        evidence = [one for _, one in found.values() if one is not None]
        evidence.sort(key=lambda one: (one.kind, -one.likeness, one.b))
        zone, now = load_zone(self.recording.draft.zone), self.recording.draft.now
        return Checked(
            evidence[:TOLD],
            list(doubts(filing, mine, zone, now)),
            proposals(filing, list(found.values()), types),
        )

    def _states(self, filing: Filing) -> Sequence[EntryState]:
        """The neighbours that may be seen, as drafted, with those of this very transaction."""
        draft = self.recording.draft
        stated = [state.id for state in draft.stating(filing.has)]
        keyed: list[UUID] = []
        if filing.has.key is not None:
            held = draft.holding_key(filing.has.key, filing.period, but=NEW)
            keyed = [state.id for state in held]
        target = [] if filing.target is None else [filing.target.id]
        ids = dict.fromkeys((*target, *stated, *keyed, *self.near.ids, *draft.after))
        seen = self.writer.seen(list(ids))
        states = (draft.by_id(one) for one in ids)
        return [
            state
            for state in states
            if state is not None
            and not state.erased
            and (state.id in seen or not state.last_transaction)
        ]
