"""From the options of a recall to a question."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from damals.app.looking import Asked, several
from damals.app.question_times import checked_times
from damals.app.recall import Question
from damals.domain.errors import InvalidInput
from damals.domain.fields import nullable_text, whole_number
from damals.domain.ranking import SHARES, Weights


def question(
    query: str, limit: int | None, options: Mapping[str, object], weights: Weights
) -> Question:
    """The question that some options ask.

    Raises:
        InvalidInput: ``operation.unknown_parameter``, ``weights.*``.
    """
    given = dict(options)
    asked = Asked(given.pop("as_of", None), given.pop("known_at", None))
    path = given.pop("path", None)
    half_life = given.pop("half_life", None)
    persona = nullable_text("persona", given.pop("persona", None))
    made = Question(
        query=query,
        asked=asked,
        certain=bool(given.pop("certain", False)),
        types=several(given.pop("type", None)),
        tags=several(given.pop("tag", None)),
        path=str(path).strip("/") if path else None,
        since=given.pop("since", None),
        until=given.pop("until", None),
        limit=limit,
        weights=_weights(given.pop("weights", None), half_life, weights),
        one_half_life=half_life is not None,
        persona=(persona or "").strip() or None,
        min_grounding=_optional("min_grounding", given.pop("min_grounding", None)),
        diversity=_optional("diversity", given.pop("diversity", None)) or 0.0,
        neighbours=_whole("neighbours", given.pop("neighbours", None)),
        times=checked_times(given.pop("times", None)),
        literal=bool(given.pop("literal", False)),
        explain=bool(given.pop("explain", False)),
    )
    if given:
        names = ", ".join(sorted(given))
        raise InvalidInput("operation.unknown_parameter", op="recall", name=names)
    return made


def _weights(given: object, half_life: object, weights: Weights) -> Weights:
    if isinstance(given, str):
        given = _parsed(given)
    if given is not None:
        if not isinstance(given, Mapping):
            raise InvalidInput("weights.invalid", weights=str(given))
        named = {str(k): v for k, v in cast("Mapping[object, object]", given).items()}
        unknown = named.keys() - set(SHARES)
        if unknown:
            names = ", ".join(sorted(unknown))
            raise InvalidInput("weights.unknown", name=names, known=", ".join(SHARES))
        weights = replace(weights, **{k: _number(k, v) for k, v in named.items()})
    if half_life is not None:
        weights = replace(weights, half_life_days=_number("half_life", half_life))
    weights.normalised()  # what is wrong with them is said before anything is done
    return weights


def _parsed(text: str) -> Mapping[str, object]:
    """``vec=0.7,time=0.2`` as a mapping."""
    pairs: Sequence[str] = [part for part in text.split(",") if part.strip()]
    split = [part.partition("=") for part in pairs]
    if not split or not all(sign for _, sign, _ in split):
        raise InvalidInput("weights.invalid", weights=text)
    return {name.strip(): value.strip() for name, _, value in split}


def _optional(name: str, value: object) -> float | None:
    return None if value is None else _number(name, value)


def _whole(name: str, value: object) -> int:
    return 0 if value is None else whole_number(name, value)


def _number(name: str, value: object) -> float:
    try:
        number = float(cast("str", value))
    except (TypeError, ValueError):
        raise InvalidInput("field.number", name=name, value=value) from None
    if math.isnan(number):
        raise InvalidInput("field.number", name=name, value=value)
    return number
