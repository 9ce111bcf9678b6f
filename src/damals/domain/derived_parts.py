"""Where derived edges hold, and how that is written into the log.

Bounds are written with both instants between which they lie: they are those of other entries, and
may have been read in another zone or first recorded at another instant.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast
from uuid import UUID

from damals.domain.entries import Json
from damals.domain.errors import DamalsError, InvalidInput
from damals.domain.fields import nullable_text, share, texts, truth
from damals.domain.ids import parse_uuid
from damals.domain.instants import BEGINNING, FOREVER, format_instant, instant_of
from damals.domain.periods import Bound, BoundKind, Period

_KEYS: Final = frozenset({"from", "to", "confidence", "evidence"})
_BOUND_KEYS: Final = frozenset({"kind", "earliest", "latest", "text", "uncertain"})


@dataclass(frozen=True, slots=True)
class Part:
    """Where a derived edge holds, and how sure it is there."""

    period: Period
    confidence: float
    evidence: tuple[UUID, ...] = ()

    @property
    def place(self) -> tuple[object, ...]:
        """Where it stands among others: the surest first, then by period."""
        start, end = self.period.start, self.period.end
        bounds = (start.earliest, start.latest, end.earliest, end.latest)
        return (-self.confidence, *bounds, self.evidence)

    @property
    def said(self) -> tuple[object, ...]:
        """Equal for two parts that say the same, however their bounds were written."""
        return (self.period.identity, self.confidence, self.evidence)


def written(part: Part) -> dict[str, Json]:
    """A part as a parameter of the operation."""
    made: dict[str, Json] = {
        "from": _written_bound(part.period.start),
        "to": _written_bound(part.period.end),
        "confidence": part.confidence,
    }
    if part.evidence:
        made["evidence"] = [str(one) for one in part.evidence]
    return made


def _written_bound(bound: Bound) -> dict[str, Json]:
    made: dict[str, Json] = {
        "kind": bound.kind.value,
        "earliest": _instant(bound.earliest),
        "latest": _instant(bound.latest),
        "text": bound.text,
        "uncertain": bound.uncertain or None,
    }
    return {name: value for name, value in made.items() if value is not None}


def _instant(instant: int) -> str | None:
    return None if instant in (BEGINNING, FOREVER) else format_instant(instant)


def read(value: object) -> Part:
    """A part of a parameter.

    Raises:
        InvalidInput: ``derive.part`` and those of its fields.
    """
    said = _mapping(value, _KEYS)
    evidence = [parse_uuid(text) for text in texts("evidence", said.get("evidence"))]
    try:
        period = Period(
            _read_bound(said.get("from"), BEGINNING), _read_bound(said.get("to"), FOREVER)
        )
    except DamalsError as error:
        raise InvalidInput("derive.part", value=str(value)) from error
    return Part(
        period,
        share("confidence", said.get("confidence", 1.0)),
        tuple(one for one in evidence if one is not None),
    )


def _read_bound(value: object, sentinel: int) -> Bound:
    said = _mapping(value, _BOUND_KEYS)
    kind = nullable_text("kind", said.get("kind"))
    if kind not in tuple(BoundKind):
        raise InvalidInput("derive.part", value=str(value))
    latest_sentinel = FOREVER if kind == BoundKind.OPEN else sentinel
    return Bound(
        earliest=_read_instant(said.get("earliest"), _first(BoundKind(kind))),
        latest=_read_instant(said.get("latest"), latest_sentinel),
        kind=BoundKind(kind),
        text=nullable_text("text", said.get("text")),
        uncertain=truth("uncertain", said.get("uncertain", False)),
    )


def _first(kind: BoundKind) -> int:
    """The earliest instant of a bound that names none."""
    return FOREVER if kind is BoundKind.OPEN else BEGINNING


def _read_instant(value: object, absent: int) -> int:
    if value is None:
        return absent
    if not isinstance(value, str):
        raise InvalidInput("derive.part", value=str(value))
    try:
        return instant_of(value)
    except ValueError as error:
        raise InvalidInput("derive.part", value=str(value)) from error


def _mapping(value: object, allowed: frozenset[str]) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise InvalidInput("derive.part", value=str(value))
    said = cast("Mapping[str, object]", value)
    if not allowed.issuperset(said):
        raise InvalidInput("derive.part", value=str(said))
    return said
