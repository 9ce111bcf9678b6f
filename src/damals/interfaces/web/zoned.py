"""Instants as people read them: in the zone in which the days of a workspace are meant."""

from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo

from damals.domain.errors import InvalidInput
from damals.domain.instants import instant_of
from damals.domain.zones import load_zone, to_local

LENGTH: Final = len("2026-06-01T08:00:00.000000Z")
"""Of an instant as it is told; bounds that were given as days or months are shorter."""


@dataclass(frozen=True, slots=True)
class Zoned:
    """A zone to read instants in."""

    zone: ZoneInfo

    @classmethod
    def of(cls, name: str) -> "Zoned":
        """The zone of this name.

        Raises:
            InvalidInput: there is none.
        """
        return cls(load_zone(name))

    def day(self, text: str | None) -> str:
        """The day of an instant; a bound stays as it was given (``2024-09``)."""
        return self._told(text, "%Y-%m-%d")

    def moment(self, text: str | None) -> str:
        """An instant to the second, with the name of the zone: ``2026-06-01 10:00:00 CEST``."""
        return self._told(text, "%Y-%m-%d %H:%M:%S %Z")

    def _told(self, text: str | None, form: str) -> str:
        if not text or len(text) != LENGTH:
            return text or ""
        try:
            local = to_local(instant_of(text), self.zone)
        except (ValueError, InvalidInput):
            return text
        if local.year < 1000:  # noqa: PLR2004 -- strftime writes such years without zeros
            return text[:10]
        return f"{local:{form}}"
