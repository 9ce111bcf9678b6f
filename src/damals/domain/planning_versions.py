"""Versions of a plan: ``2``, ``v1.10``, ``1.9.3``, ``2026-03``: numbers compared as numbers."""

import re
from dataclasses import dataclass, field
from typing import Final

from damals.domain.entries import Json

_VERSION: Final = re.compile(r"(?:version\s*|v\.?\s*)?(\d+(?:[._-]\d+)*)", re.IGNORECASE | re.ASCII)
_JOINT: Final = re.compile(r"[._-]")
_LONGEST: Final = 100


@dataclass(frozen=True, slots=True, order=True)
class PlanVersion:
    """A version.

    Attributes:
        numbers: its parts without zeros at the end: ``1`` and ``1.0`` are the same.
        text: as it was written, without what stands before the numbers: ``1.10`` of ``v1.10``.
    """

    numbers: tuple[int, ...]
    text: str = field(compare=False)


def parse_version(value: Json) -> PlanVersion | None:
    """The version that a value means; ``None`` when it means none.

    A decimal that was a number once is read as it is printed: whoever means ``1.10`` writes text.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = str(value).strip()
    found = _VERSION.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        return None
    numbers = [int(part) for part in _JOINT.split(found[1])]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return PlanVersion(tuple(numbers), found[1])
