"""How old the research in an entry is: by its dates, else by what its text gives away."""

from dataclasses import dataclass

from damals.domain.ageing import Life, ResearchAge, half_lives, research_age
from damals.domain.signals import Signal, estimated
from damals.domain.types import TypeCatalogue
from damals.domain.zones import load_zone


@dataclass(frozen=True, slots=True)
class Researched:
    """How old it is, and what in its text gave that away, if that is what counts."""

    age: ResearchAge
    signal: Signal | None


def researched(life: Life, types: TypeCatalogue, as_of: int, zone: str) -> Researched:
    """How old the research in an entry is.

    Args:
        life: of the entry.
        types: by which it ages.
        as_of: the asked instant.
        zone: of the workspace: the days in its text are days there.
    """
    has, signal = life.has, None
    if has.retrieved_at is None:
        text = f"{has.title}\n{has.content}"
        signal = estimated(text, life.known_since, load_zone(zone))
    told = None if signal is None else signal.at
    return Researched(research_age(life, half_lives(types, has), as_of, told), signal)
