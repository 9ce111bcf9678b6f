"""How far what is known reaches; conventions as in ``results.py``."""

from dataclasses import dataclass

from damals.app.result import Result


@dataclass(frozen=True, slots=True)
class Reach(Result):
    """How far one clock reaches.

    Attributes:
        first, last: the outermost instants; null where there are none.
        first_day, last_day: their days in the zone of the workspace (``2024-06-01``).
    """

    first: str | None
    last: str | None
    first_day: str | None
    last_day: str | None


@dataclass(frozen=True, slots=True)
class TimeSpan(Result):
    """How far what the asker may see reaches on both clocks, whenever it was known.

    Attributes:
        valid: from the first to the last instant at which a dated bound can lie.
        recorded: from when the first entry was recorded up to now; nulls while there is none.
        now: the instant that an empty clock stands for.
        today: its day.
        zone: in which days are told.
    """

    valid: Reach
    recorded: Reach
    now: str
    today: str
    zone: str
