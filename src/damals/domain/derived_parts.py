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

_KEYS: Final = frozenset({"from", "to", "confidence", "evidence", "premises"})
_BOUND_KEYS: Final = frozenset({"kind", "earliest", "latest", "text", "uncertain"})


@dataclass(frozen=True, slots=True)
class Part:
    """Where a derived edge holds, and how sure it is there.

    Attributes:
        evidence: chunks that show it.
        premises: the entries that it follows from there, beside its ends, by id; ``None`` where
            nobody knows them any more.
    """

    period: Period
    confidence: float
    evidence: tuple[UUID, ...] = ()
    premises: tuple[UUID, ...] | None = ()

    @property
    def place(self) -> tuple[object, ...]:
        """Where it stands among others: the surest first, then by period, then by what it needs."""
        start, end = self.period.start, self.period.end
        bounds = (start.earliest, start.latest, end.earliest, end.latest)
        needs = (-1, ()) if self.premises is None else (len(self.premises), self.premises)
        return (-self.confidence, *bounds, *needs, self.evidence)

    @property
    def said(self) -> tuple[object, ...]:
        """Equal for two parts that say the same, however their bounds were written."""
        return (self.period.identity, self.confidence, self.evidence, self.premises)


def written(part: Part) -> dict[str, Json]:
    """A part as a parameter of the operation."""
    made: dict[str, Json] = {
        "from": _written_bound(part.period.start),
        "to": _written_bound(part.period.end),
        "confidence": part.confidence,
    }
    if part.evidence:
        made["evidence"] = [str(one) for one in part.evidence]
    if part.premises is not None:
        made["premises"] = [str(one) for one in part.premises]
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
    try:
        period = Period(
            _read_bound(said.get("from"), BEGINNING), _read_bound(said.get("to"), FOREVER)
        )
    except DamalsError as error:
        raise InvalidInput("derive.part", value=str(value)) from error
    return Part(
        period,
        share("confidence", said.get("confidence", 1.0)),
        _ids("evidence", said),
        tuple(sorted(set(_ids("premises", said)))) if "premises" in said else None,
    )


def is_ended(value: object) -> bool:
    """Whether this may stand in the log for what the parts followed from that an edge lost.

    It changes nothing: what ends follows from the parts that are given.
    """
    if not isinstance(value, list | tuple):
        return False
    return all(one is None or _are_ids(one) for one in cast("list[object]", value))


def _are_ids(value: object) -> bool:
    if not isinstance(value, list | tuple):
        return False
    return all(
        isinstance(one, str) and parse_uuid(one) is not None for one in cast("list[object]", value)
    )


def _ids(name: str, said: Mapping[str, object]) -> tuple[UUID, ...]:
    found = [parse_uuid(text) for text in texts(name, said.get(name))]
    return tuple(one for one in found if one is not None)


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
