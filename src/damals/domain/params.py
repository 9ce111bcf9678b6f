"""From parameters to operations: one reader for events, Python, command line and REST.

Parameters are a mapping with the documented names. Everything is checked here, once; an unknown
name is refused, since a parameter that is silently dropped is knowledge that is silently lost.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, cast
from uuid import UUID

from damals.domain.errors import InvalidInput
from damals.domain.fields import FIELDS, When, choice, nullable_text, share, texts, whole_number
from damals.domain.ids import parse_uuid
from damals.domain.operations import (
    ABSENT,
    CUTTING_RELATIONS,
    Correct,
    CuttingRelation,
    DeclaredRelation,
    End,
    OnOverlap,
    Operation,
    Remember,
    Retract,
    Update,
)

Params = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Reading:
    """What operations are read with.

    Attributes:
        when: zone and instant of the transaction.
        fresh_id: gives the id of an entry that has none.
    """

    when: When
    fresh_id: Callable[[], UUID]


def read_operation(params: Params, reading: Reading) -> Operation:
    """The operation that some parameters ask for.

    Args:
        params: ``op`` and its parameters, see the reference of operations.
        reading: zone and source of ids.

    Raises:
        InvalidInput: ``operation.*`` or ``field.*``, naming the parameter.
    """
    kind = params.get("op")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        raise InvalidInput("operation.unknown", op=kind, known=", ".join(_READERS))
    return reader(_Taker(dict(params), reading, str(kind)))


class _Taker:
    """Takes parameters out of a mapping; what is left over at the end is refused."""

    def __init__(self, params: dict[str, object], reading: Reading, kind: str) -> None:
        self._params = params
        self._reading = reading
        self._kind = kind
        del params["op"]

    def take(self, name: str) -> object:
        return self._params.pop(name, ABSENT)

    def text(self, name: str) -> str | None:
        value = self.take(name)
        return None if value is ABSENT else nullable_text(name, value)

    def required(self, name: str) -> str:
        value = self.text(name)
        if not value:
            raise InvalidInput("operation.missing", op=self._kind, name=name)
        return value

    def external_id(self) -> str | None:
        """``external_id``, which events also call ``ref``."""
        named, ref = self.text("external_id"), self.text("ref")
        if named and ref and named != ref:
            raise InvalidInput("field.twice", name="external_id", other="ref")
        return named or ref or None

    def entry_id(self) -> UUID | None:
        value = self.text("id")
        if value is None:
            return None
        entry_id = parse_uuid(value)
        if entry_id is None:
            raise InvalidInput("field.id", value=value)
        return entry_id

    def fresh_id(self) -> UUID:
        return self._reading.fresh_id()

    def expected_transaction(self) -> int | None:
        value = self.take("if_transaction")
        return None if value in (ABSENT, None) else whole_number("if_transaction", value)

    def fields(self) -> dict[str, object]:
        """The attributes among the parameters, checked and converted."""
        found = {name: self.take(name) for name in FIELDS}
        when = self._reading.when
        return {
            name: FIELDS[name](name, value, when)
            for name, value in found.items()
            if value is not ABSENT
        }

    def relations(self) -> tuple[DeclaredRelation, ...] | None:
        value = self.take("relations")
        if value is ABSENT:
            return None
        if not isinstance(value, list | tuple):
            raise InvalidInput("field.list", name="relations", value=value)
        return tuple(_relation(item) for item in cast("list[object]", value))

    def reason(self) -> str | None:
        return self.text("reason")

    def finish(self) -> None:
        if self._params:
            names = ", ".join(sorted(self._params))
            raise InvalidInput("operation.unknown_parameter", op=self._kind, name=names)


def _remember(take: _Taker) -> Remember:
    fields = take.fields()
    if "title" not in fields:
        raise InvalidInput("operation.missing", op="remember", name="title")
    given = take.entry_id()
    operation = Remember(
        entry_id=given or take.fresh_id(),
        external_id=take.external_id(),
        fields=fields,
        valid_from=take.take("valid_from"),
        valid_to=_valid_to(take),
        on_overlap=_on_overlap(take.take("on_overlap")),
        relations=take.relations() or (),
        identified=given is not None,
        reason=take.reason(),
    )
    take.finish()
    return operation


def _update(take: _Taker) -> Update:
    fields = take.fields()
    for name in ("title", "content"):
        if name not in fields:
            raise InvalidInput("operation.missing", op="update", name=name)
    operation = Update(
        entry_id=take.entry_id() or take.fresh_id(),
        target=take.required("target"),
        external_id=take.external_id(),
        fields=fields,
        valid_from=take.take("valid_from"),
        valid_to=_valid_to(take),
        relation=_cutting(take.take("relation")),
        relations=take.relations() or (),
        reason=take.reason(),
        if_transaction=take.expected_transaction(),
    )
    take.finish()
    return operation


def _correct(take: _Taker) -> Correct:
    operation = Correct(
        target=take.required("target"),
        fields=take.fields(),
        valid_from=take.take("valid_from"),
        valid_to=_valid_to(take),
        relations=take.relations(),
        reason=take.reason(),
        if_transaction=take.expected_transaction(),
    )
    take.finish()
    return operation


def _end(take: _Taker) -> End:
    at = take.take("at")
    if at is ABSENT or at is None or at == "":
        raise InvalidInput("operation.missing", op="end", name="at")
    operation = End(
        target=take.required("target"),
        at=at,
        reason=take.reason(),
        if_transaction=take.expected_transaction(),
    )
    take.finish()
    return operation


def _retract(take: _Taker) -> Retract:
    operation = Retract(
        target=take.required("target"),
        reason=take.reason(),
        if_transaction=take.expected_transaction(),
    )
    take.finish()
    return operation


_READERS: Final[dict[str, Callable[[_Taker], Operation]]] = {
    "remember": _remember,
    "update": _update,
    "correct": _correct,
    "end": _end,
    "retract": _retract,
}


def _valid_to(take: _Taker) -> object:
    """``valid_to``, also under its other name ``valid_until``."""
    value, until = take.take("valid_to"), take.take("valid_until")
    if value is not ABSENT and until is not ABSENT and value != until:
        raise InvalidInput("field.twice", name="valid_to", other="valid_until")
    return until if value is ABSENT else value


def _on_overlap(value: object) -> OnOverlap:
    if value is ABSENT or value is None:
        return OnOverlap.REFUSE
    return OnOverlap(choice("on_overlap", value, tuple(OnOverlap)))


def _cutting(value: object) -> CuttingRelation:
    if value is ABSENT or value is None:
        return "supersedes"
    return cast("CuttingRelation", choice("relation", value, tuple(sorted(CUTTING_RELATIONS))))


def _relation(item: object) -> DeclaredRelation:
    if not isinstance(item, Mapping):
        raise InvalidInput("field.relation", value=item)
    said = dict(cast("Mapping[str, object]", item))
    kind = nullable_text("relation.type", said.pop("type", None))
    dst = nullable_text("relation.dst", said.pop("dst", None))
    if not kind or not dst:
        raise InvalidInput("field.relation", value=dict(cast("Mapping[str, object]", item)))
    evidence = texts("evidence", said.pop("evidence", []))
    for text in evidence:
        if parse_uuid(text) is None:
            raise InvalidInput("field.id", value=text)
    made = DeclaredRelation(
        relation=kind,
        dst=dst,
        confidence=share("confidence", said.pop("confidence", 1.0)),
        evidence=tuple(UUID(text) for text in evidence),
        target=nullable_text("target", said.pop("target", None)),
        unresolved=bool(said.pop("unresolved", False)),
    )
    if said:
        raise InvalidInput("operation.unknown_parameter", op=kind, name=", ".join(sorted(said)))
    return made
