"""Times of something filed that nobody made sure: marked as doubtful, or only said in its text."""

from collections.abc import Iterator
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from damals.app.accretion.filing import Filing
from damals.domain.claims import Profile
from damals.domain.errors import DamalsError
from damals.domain.figures import Figure
from damals.domain.parsing import parse_end, parse_start


@dataclass(frozen=True, slots=True)
class Doubt:
    """A time that is to be made sure.

    Attributes:
        key: of the text that says why.
        text: the time as it is written.
        bound: ``valid_from`` or ``valid_to``, which it may be meant for.
        sure: it can be given there as it is written.
    """

    key: str
    text: str
    bound: str
    sure: bool


def doubts(filing: Filing, profile: Profile, zone: ZoneInfo, now: int) -> Iterator[Doubt]:
    """The times of something filed that are to be made sure; none is guessed.

    A bound that is marked as uncertain; and what stands in the text only: a start or an end (``ab
    1. Juni``, ``until 2027``), or a time that depends on when it is said (``gestern``).
    """
    for name, bound in (("valid_from", filing.period.start), ("valid_to", filing.period.end)):
        if bound.uncertain:
            yield Doubt("accretion.date_marked", bound.text or "", name, sure=False)
    for one in (*profile.values, *profile.qualifiers):
        side = _side(profile, one)
        given = {"valid_from": filing.starts, "valid_to": filing.ends}
        if side is not None and not given[side]:
            sure = _readable(one.text, side, zone, now)
            yield Doubt(f"accretion.date_said.{side}", one.text, side, sure=sure)


def _side(profile: Profile, one: Figure) -> str | None:
    """The bound that a time in the text may be meant for."""
    if one.kind != "date" or one.unit in ("clock", "recurring"):  # neither begins anything
        return None
    if one.unit == "relative":
        return "valid_from"
    if not profile.bounds(one):
        return None
    return "valid_to" if profile.ends_at(one) else "valid_from"


def _readable(text: str, side: str, zone: ZoneInfo, now: int) -> bool:
    try:
        (parse_end if side == "valid_to" else parse_start)(text, zone=zone, now=now)
    except DamalsError:
        return False
    return True
