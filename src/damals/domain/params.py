"""From parameters to operations: one reader for events, Python, command line and REST.

Parameters are a mapping with the documented names. Everything is checked here, once; an unknown
name is refused, since a parameter that is silently dropped is knowledge that is silently lost.
"""

from collections.abc import Callable, Mapping
from typing import Final, cast

from damals.domain import derived_parts
from damals.domain.errors import InvalidInput
from damals.domain.fields import choice, share
from damals.domain.operations import (
    ABSENT,
    CUTTING_RELATIONS,
    Accept,
    Archive,
    Contradict,
    Correct,
    CuttingRelation,
    Derive,
    End,
    Erase,
    Keep,
    OnOverlap,
    Operation,
    Pin,
    Relate,
    Remember,
    Resolve,
    Retract,
    Revert,
    Unrelate,
    Update,
    Verify,
)
from damals.domain.taking import Reading, Taker
from damals.domain.types import is_name

Params = Mapping[str, object]


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
    take = Taker(dict(params), reading, str(kind))
    operation = reader(take)
    take.finish()
    return operation


def _remember(take: Taker) -> Remember:
    fields = take.fields()
    if "title" not in fields:
        raise InvalidInput("operation.missing", op="remember", name="title")
    given = take.entry_id()
    return Remember(
        entry_id=given or take.fresh_id(),
        external_id=take.external_id(),
        fields=fields,
        valid_from=take.take("valid_from"),
        valid_to=take.valid_to(),
        on_overlap=_on_overlap(take.take("on_overlap")),
        relations=take.relations() or (),
        identified=given is not None,
        **take.why(),
    )


def _update(take: Taker) -> Update:
    fields = take.fields()
    for name in ("title", "content"):
        if name not in fields:
            raise InvalidInput("operation.missing", op="update", name=name)
    given = take.entry_id()
    return Update(
        entry_id=given or take.fresh_id(),
        target=take.required("target"),
        external_id=take.external_id(),
        fields=fields,
        valid_from=take.take("valid_from"),
        valid_to=take.valid_to(),
        relation=_cutting(take.take("relation")),
        relations=take.relations() or (),
        identified=given is not None,
        **take.why(),
    )


def _correct(take: Taker) -> Correct:
    return Correct(
        target=take.required("target"),
        fields=take.fields(),
        valid_from=take.take("valid_from"),
        valid_to=take.valid_to(),
        relations=take.relations(),
        **take.why(),
    )


def _end(take: Taker) -> End:
    at = take.take("at")
    if at is ABSENT or at is None or at == "":
        raise InvalidInput("operation.missing", op="end", name="at")
    return End(
        target=take.required("target"),
        at=at,
        **take.why(),
    )


def _retract(take: Taker) -> Retract:
    take.provenance()
    return Retract(
        target=take.required("target"),
        restore=take.flag("restore"),
        **take.why(),
    )


def _revert(take: Taker) -> Revert:
    return Revert(
        transaction=take.transaction(),
        **take.why(),
    )


def _relate(take: Taker) -> Relate:
    return Relate(
        src=take.required("src"),
        said=take.relation(),
        valid_from=take.take("valid_from"),
        valid_to=take.valid_to(),
        **take.why(),
    )


def _unrelate(take: Taker) -> Unrelate:
    return Unrelate(
        src=take.required("src"),
        relation=take.relation_type(),
        dst=take.required("dst"),
        **take.why(),
    )


def _derive(take: Taker) -> Derive:
    relation = take.relation_type()
    rule = take.required("rule")
    parts = take.take("parts")
    ended = take.take("ended")
    if not is_name(rule):
        raise InvalidInput("field.text", name="rule", value=rule)
    if not isinstance(parts, list | tuple):
        raise InvalidInput("field.list", name="parts", value=parts)
    if ended is not ABSENT and not derived_parts.is_ended(ended):
        raise InvalidInput("derive.part", value=str(ended))
    said = list(cast("list[object]", parts))
    return Derive(
        src=take.required("src"),
        relation=relation,
        dst=take.required("dst"),
        rule=rule,
        parts=tuple(derived_parts.read(one) for one in said),
        # What is no longer declared can still end.
        symmetric=said != [] and take.symmetric(relation),
        **take.why(),
    )


def _contradict(take: Taker) -> Contradict:
    return Contradict(
        a=take.required("a"),
        b=take.required("b"),
        **take.why(),
    )


def _resolve(take: Taker) -> Resolve:
    return Resolve(
        a=take.required("a"),
        b=take.required("b"),
        keep=cast("Keep", choice("keep", take.take("keep"), ("a", "b", "both"))),
        **take.why(),
    )


def _verify(take: Taker) -> Verify:
    score = take.take("score")
    return Verify(
        target=take.required("target"),
        score=1.0 if score is ABSENT or score is None else share("score", score),
        evidence=take.text("evidence"),
        **take.why(),
    )


def _pin(take: Taker) -> Pin:
    return Pin(
        target=take.required("target"),
        pinned=take.kind == "pin",
        **take.why(),
    )


def _accept(take: Taker) -> Accept:
    return Accept(
        target=take.required("target"),
        **take.why(),
    )


def _archive(take: Taker) -> Archive:
    return Archive(
        target=take.required("target"),
        **take.why(),
    )


def _erase(take: Taker) -> Erase:
    return Erase(
        target=take.required("target"),
        **take.why(),
    )


_READERS: Final[dict[str, Callable[[Taker], Operation]]] = {
    "remember": _remember,
    "update": _update,
    "correct": _correct,
    "end": _end,
    "retract": _retract,
    "revert": _revert,
    "relate": _relate,
    "unrelate": _unrelate,
    "derive": _derive,
    "contradict": _contradict,
    "resolve": _resolve,
    "verify": _verify,
    "pin": _pin,
    "unpin": _pin,
    "accept": _accept,
    "archive": _archive,
    "erase": _erase,
}


def _on_overlap(value: object) -> OnOverlap:
    if value is ABSENT or value is None:
        return OnOverlap.REFUSE
    return OnOverlap(choice("on_overlap", value, tuple(OnOverlap)))


def _cutting(value: object) -> CuttingRelation:
    if value is ABSENT or value is None:
        return "supersedes"
    return cast("CuttingRelation", choice("relation", value, tuple(sorted(CUTTING_RELATIONS))))
