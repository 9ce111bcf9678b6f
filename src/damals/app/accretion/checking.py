"""The integration check: what is filed against what is known, as somebody sees it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from damals.app.accretion.compared import Side
from damals.app.accretion.dates import Doubt, doubts
from damals.app.accretion.filing import Filing
from damals.app.accretion.neighbours import Neighbours
from damals.app.accretion.proposing import Proposal, proposals
from damals.app.claims import claim_of
from damals.app.ledger_port import LedgerWriter
from damals.app.record import Recording
from damals.domain.candidates import Evidence, compared, uncrowded
from damals.domain.claims import Profile
from damals.domain.echoes import echoed
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
        filing: it.
        states: what may have to do with it, as drafted, as far as who files sees it.
        told: ids of what was told to somebody lately.
    """

    recording: Recording
    filing: Filing
    states: Sequence[EntryState]
    told: frozenset[UUID] = frozenset()

    def echo(self) -> tuple[UUID, ...]:
        """What it is an echo of, the one that it says most of first; nothing when it is none.

        Without a time of its own it echoes what ever held; with one, what holds all that time. A
        name, a key or a relation of its own is something new.
        """
        if self.filing.own:
            return ()
        has = self.filing.has
        known = [one.known for state in self.states for one in self._echoing(state)]
        ids = echoed(has.title, has.content, known, self.told)
        return tuple(dict.fromkeys(ids))

    def _echoing(self, state: EntryState) -> Iterator[Side]:
        filing = self.filing
        for side in self.recording.compared.sides(state):
            same_key = filing.has.key is None or filing.has.key == side.said.attributes.key
            covered = not filing.dated or side.said.period.covers(filing.period)
            if same_key and covered:
                yield side

    def checked(self, types: TypeCatalogue) -> Checked:
        """Compare what is filed with what is known, but for what it names itself."""
        filing = self.filing
        mine = Profile(claim_of(NEW, filing.has, filing.period))
        found: dict[UUID, tuple[Profile, Evidence | None]] = {}
        for state in self.states:
            if state.id in filing.decided or state.archiving is not None:
                continue
            for side in self.recording.compared.sides(state):
                evidence = compared(mine, side.profile)
                if state.id not in found or evidence is not None:
                    found[state.id] = (side.profile, evidence)
        evidence = list(uncrowded(one for _, one in found.values() if one is not None))
        evidence.sort(key=lambda one: (one.kind, -one.likeness, one.b))
        zone, now = load_zone(self.recording.draft.zone), self.recording.draft.now
        return Checked(
            evidence[:TOLD],
            list(doubts(filing, mine, zone, now)),
            proposals(filing, mine, list(found.values()), types),
        )


def near_states(
    writer: LedgerWriter, recording: Recording, filing: Filing, near: Neighbours
) -> Sequence[EntryState]:
    """What may have to do with something filed and may be seen, as drafted.

    Beside the neighbours, what holds its key, what says the very same, and what is near it of this
    very transaction.
    """
    draft = recording.draft
    stated = [state.id for state in draft.stating(filing.has)]
    keyed: list[UUID] = []
    if filing.has.key is not None:
        held = draft.holding_key(filing.has.key, filing.period, but=NEW)
        keyed = [state.id for state in held]
    target = [] if filing.target is None else [filing.target.id]
    drafted = recording.compared.drafted(filing.has)
    ids = dict.fromkeys((*target, *stated, *keyed, *near.ids, *drafted))
    seen = writer.seen(list(ids))
    states = (draft.by_id(one) for one in ids)
    return [
        state
        for state in states
        if state is not None
        and not state.erased
        and (state.id in seen or not state.last_transaction)
    ]
