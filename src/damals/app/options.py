"""From the options of a recall to a question."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, cast

from damals.app.looking import Asked, several
from damals.app.recall import Question
from damals.domain.errors import InvalidInput
from damals.domain.ranking import Weights

WEIGHT_NAMES: Final = ("vec", "time", "graph", "persona", "importance")


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
        weights=_weights(given.pop("weights", None), given.pop("half_life", None), weights),
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
        unknown = named.keys() - set(WEIGHT_NAMES)
        if unknown:
            names = ", ".join(sorted(unknown))
            raise InvalidInput("weights.unknown", name=names, known=", ".join(WEIGHT_NAMES))
        weights = replace(weights, **{k: _number(k, v) for k, v in named.items()})
    if half_life is not None:
        weights = replace(weights, half_life_days=_number("half_life", half_life))
    return weights.normalised()


def _parsed(text: str) -> Mapping[str, object]:
    """``vec=0.7,time=0.2`` as a mapping."""
    pairs: Sequence[str] = [part for part in text.split(",") if part.strip()]
    split = [part.partition("=") for part in pairs]
    if not split or not all(sign for _, sign, _ in split):
        raise InvalidInput("weights.invalid", weights=text)
    return {name.strip(): value.strip() for name, _, value in split}


def _number(name: str, value: object) -> float:
    try:
        number = float(cast("str", value))
    except (TypeError, ValueError):
        raise InvalidInput("field.number", name=name, value=value) from None
    if math.isnan(number):
        raise InvalidInput("field.number", name=name, value=value)
    return number
