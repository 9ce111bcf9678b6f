"""Flags before use: what is to be minded about a result before anybody relies on it."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from damals import messages
from damals.app.ages import clock_of, life_of
from damals.app.building import Known, caveats
from damals.app.ledger_model import At, Found
from damals.app.ledger_port import LedgerReader
from damals.app.views import Surroundings
from damals.domain.ageing import (
    HalfLives,
    Life,
    Status,
    effective_grounding,
    half_lives,
    is_doubtful,
    status,
)
from damals.domain.zones import load_zone, to_local


@dataclass(frozen=True, slots=True)
class Flags:
    """What is to be minded about the results of a page.

    Attributes:
        at: the asked pair.
        lives: of the results.
        ages: their half-lives.
        built: what is built on stale research that somebody accepted.
        share: of the grounding of a superseded entry that is left.
    """

    at: At
    lives: Mapping[UUID, Life]
    ages: Mapping[UUID, HalfLives]
    built: Mapping[UUID, tuple[str, ...]]
    share: float

    @classmethod
    def read(
        cls,
        reader: LedgerReader,
        found: Mapping[UUID, Found],
        around: Surroundings,
        replaced: tuple[frozenset[UUID], float],
    ) -> "Flags":
        """Read what is not at hand.

        Args:
            reader: of who asks.
            found: the results, by id.
            around: with what they are shown.
            replaced: those that another may have superseded, and the share of grounding that such
                an entry has left.
        """
        superseded, share = replaced
        known: dict[UUID, Known] = {}
        for entry_id, one in found.items():
            events = around.events(entry_id)
            if entry_id in superseded:
                events = events.replaced()
            known[entry_id] = Known(one, life_of(one, events))
        relations = (one for of in around.relations.values() for one in of)
        return cls(
            at=around.at,
            lives={entry_id: one.life for entry_id, one in known.items()},
            ages={i: half_lives(around.types, one.life.has) for i, one in known.items()},
            built=caveats(reader, known, relations, around.at, around.types),
            share=share,
        )

    def caveats(self, found: Found) -> tuple[str, ...]:
        """What to mind before relying on a result."""
        entry_id = found.version.entry_id
        life, ages = self.lives[entry_id], self.ages[entry_id]
        standing = Status.SUPERSEDED if life.superseded else status(life, ages, clock_of(self.at))
        built = self.built.get(entry_id, ())
        if not is_doubtful(life, ages, self.at.as_of, standing):
            return built
        date = to_local(life.known_good, load_zone(found.version.zone)).date().isoformat()
        values = {"date": date, "rate": messages.text(f"caveat.rate.{ages.risk}")}
        return (messages.text("caveat.unverified", None, **values), *built)

    def grounding(self, found: Found) -> float | None:
        """How well a result is grounded at the asked pair; ``None`` when it was never verified."""
        life, ages = self.lives[found.version.entry_id], self.ages[found.version.entry_id]
        return effective_grounding(life, ages, self.at.as_of, self.share)
