"""Taking parameters: one by one, checked and converted; what nobody takes is refused."""

from collections.abc import Callable, Mapping
from typing import TypedDict, cast
from uuid import UUID

from damals.domain.entries import FLAGS
from damals.domain.errors import InvalidInput
from damals.domain.fields import (
    FIELDS,
    When,
    nullable_text,
    share,
    source,
    texts,
    truth,
    unknown_parameters,
    whole_number,
)
from damals.domain.ids import parse_uuid
from damals.domain.instants import format_instant
from damals.domain.operations import ABSENT, DeclaredRelation, TransactionName
from damals.domain.parsing import parse_moment
from damals.domain.types import relation_name
from damals.domain.values import frozen


def _one_sided(relation: str) -> bool:
    """Knows every type of relations, as one that says different things of its ends."""
    del relation
    return False


@frozen
class Reading:
    """What operations are read with.

    Attributes:
        when: zone and instant of the transaction.
        fresh_id: gives the id of an entry that has none.
        symmetric: whether a type of relations says the same of both ends; refuses one that is
            not known.
    """

    when: When
    fresh_id: Callable[[], UUID]
    symmetric: Callable[[str], bool] = _one_sided


class Why(TypedDict):
    """Why an operation is done, and on which condition."""

    reason: str | None
    if_transaction: int | None


class Taker:
    """Takes parameters out of a mapping; what is left over at the end is refused."""

    def __init__(self, params: dict[str, object], reading: Reading, kind: str) -> None:
        self._params = params
        self._reading = reading
        self.kind = kind
        self.when = reading.when
        self.symmetric = reading.symmetric
        del params["op"]

    def take(self, name: str) -> object:
        """The value of a parameter; ``ABSENT`` when it was not given."""
        return self._params.pop(name, ABSENT)

    def text(self, name: str) -> str | None:
        """A text; ``None`` for null, empty and not given."""
        value = self._params.pop(name, None)
        return None if value is None else nullable_text(name, value)

    def required(self, name: str) -> str:
        """A text that must be there.

        Raises:
            InvalidInput: ``operation.missing``.
        """
        value = self.text(name)
        if not value:
            raise InvalidInput("operation.missing", op=self.kind, name=name)
        return value

    def external_id(self) -> str | None:
        """``external_id``, which events also call ``ref``."""
        named, ref = self.text("external_id"), self.text("ref")
        if named and ref and named != ref:
            raise InvalidInput("field.twice", name="external_id", other="ref")
        return named or ref or None

    def entry_id(self) -> UUID | None:
        """``id``, which must be a UUID; ``None`` when it was not given."""
        value = self.text("id")
        if value is None:
            return None
        entry_id = parse_uuid(value)
        if entry_id is None:
            raise InvalidInput("field.id", value=value)
        return entry_id

    def fresh_id(self) -> UUID:
        """An id for an entry that has none."""
        return self._reading.fresh_id()

    def expected_transaction(self) -> int | None:
        """``if_transaction``; ``None`` when any will do."""
        value = self.take("if_transaction")
        return None if value in (ABSENT, None) else whole_number("if_transaction", value)

    def fields(self) -> dict[str, object]:
        """The attributes among the parameters, checked and converted."""
        params, when = self._params, self._reading.when
        given = [name for name in FIELDS if name in params]
        return {name: FIELDS[name](name, params.pop(name), when) for name in given}

    def relations(self) -> tuple[DeclaredRelation, ...] | None:
        """``relations``; ``None`` when they were not given."""
        value = self.take("relations")
        if value is ABSENT:
            return None
        if not isinstance(value, list | tuple):
            raise InvalidInput("field.list", name="relations", value=value)
        return tuple(_relation(item, self.symmetric) for item in cast("list[object]", value))

    def valid_to(self) -> object:
        """``valid_to``, also under its other name ``valid_until``."""
        value, until = self.take("valid_to"), self.take("valid_until")
        if value is not ABSENT and until is not ABSENT and value != until:
            raise InvalidInput("field.twice", name="valid_to", other="valid_until")
        return until if value is ABSENT else value

    def relation_type(self) -> str:
        """``type`` of a relation, as types are compared."""
        return relation_name(self.required("type"))

    def relation(self) -> DeclaredRelation:
        """One relation: ``type`` and ``dst``, perhaps ``confidence`` and ``evidence``."""
        said = {"type": self.required("type"), "dst": self.required("dst")}
        others = {name: self.take(name) for name in ("confidence", "evidence")}
        given = {name: value for name, value in others.items() if value is not ABSENT}
        return _relation(said | given, self.symmetric)

    def transaction(self) -> TransactionName:
        """``transaction``: a number, or the recorded instant that it is known by elsewhere."""
        return _transaction(self.take("transaction"), self.when)

    def provenance(self) -> None:
        """``source`` of an operation that says nothing: who did it there stands in the log."""
        value = self.take("source")
        if value is not ABSENT:
            source("source", value, self.when)

    def flag(self, name: str) -> bool:
        """True or false; false when it was not given."""
        value = self.take(name)
        return False if value is ABSENT or value is None else truth(name, value)

    def why(self) -> Why:
        """What every operation may say of itself: ``reason`` and ``if_transaction``."""
        return Why(reason=self.text("reason"), if_transaction=self.expected_transaction())

    def finish(self) -> None:
        """Refuse what nobody took.

        Raises:
            InvalidInput: ``operation.unknown_parameter``, ``operation.session``.
        """
        if self._params:
            raise unknown_parameters(self.kind, self._params)


def _relation(item: object, symmetric: Callable[[str], bool]) -> DeclaredRelation:
    if not isinstance(item, Mapping):
        raise InvalidInput("field.relation", value=item)
    said = dict(cast("Mapping[str, object]", item))
    kind = nullable_text("relation.type", said.pop("type", None))
    dst = nullable_text("relation.dst", said.pop("dst", None))
    if not kind or not dst:
        raise InvalidInput("field.relation", value=dict(cast("Mapping[str, object]", item)))
    kind = relation_name(kind)
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
        symmetric=symmetric(kind),
        flags=_flags(said.pop("flags", [])),
    )
    if said:
        raise InvalidInput("operation.unknown_parameter", op=kind, name=", ".join(sorted(said)))
    return made


def _flags(value: object) -> tuple[str, ...]:
    flags = tuple(sorted(texts("flags", value)))
    if unknown := [flag for flag in flags if flag not in FLAGS]:
        allowed = ", ".join(sorted(FLAGS))
        raise InvalidInput("field.choice", name="flags", value=unknown[0], allowed=allowed)
    return flags


def _transaction(value: object, when: When) -> TransactionName:
    """A transaction: its number, or its recorded instant in the one form it is stored in."""
    if value is ABSENT or value is None or value == "":
        raise InvalidInput("operation.missing", op="revert", name="transaction")
    if isinstance(value, int) or (
        isinstance(value, str) and value.strip().removeprefix("-").isdigit()
    ):
        return whole_number("transaction", value)
    return format_instant(parse_moment(value, zone=when.zone))
