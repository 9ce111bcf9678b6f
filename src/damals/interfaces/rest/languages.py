"""Which of our languages someone wants to be spoken to in."""

from typing import Final

from damals import messages

LONGEST: Final = 1_000
"""Headers that are longer are not read."""


def language_of(accepted: str | None) -> str:
    """The language that an ``Accept-Language`` prefers among ours; English for any other."""
    wanted = [_weighed(part) for part in (accepted or "")[:LONGEST].split(",")]
    for weight, lang in sorted(wanted, key=lambda pair: -pair[0]):
        if weight > 0 and lang in messages.LANGUAGES:
            return lang
    return messages.FALLBACK


def _weighed(part: str) -> tuple[float, str]:
    """Weight and language of a part: ``de-AT;q=0.8``."""
    tag, _, parameter = part.partition(";")
    _, _, weight = parameter.strip().partition("q=")
    try:
        return float(weight or 1), tag.strip().lower().partition("-")[0]
    except ValueError:
        return 0.0, ""
