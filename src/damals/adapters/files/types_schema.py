"""The JSON schema of ``types.yaml``, for editors.

It is made of the same definitions as the reader, and refuses what that refuses as far as a schema
can: not what depends on other files, on how a value was written, or on several names together.
"""

from collections.abc import Callable, Mapping
from typing import Final

from damals.adapters.files.types_keys import KEYS, NAMES, ONLY_FOR
from damals.domain.entries import Json
from damals.domain.types import (
    GIVES,
    MAX_NAME,
    RESERVED,
    RULES,
    SYMMETRIC_TEMPORAL,
    TEMPORAL,
)

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"

# Names are compared in small letters and without blanks at their ends.
_TYPE_NAME: Final = r"^[^A-Z\s]([^A-Z\n\r\t]*[^A-Z\s])?$"
_RELATION_NAME: Final = r"^[^A-Z\s\d_.,:;\/-][^A-Z\s.,:;\/-]*$"

Describe = Callable[[str], str]
"""What a section or a key (``types.layer``) is about."""


def schema(describe: Describe) -> Mapping[str, Json]:
    """The schema.

    Args:
        describe: gives the texts that editors show.
    """
    layers: dict[str, Json] = {**NAMES.schema, "description": describe("layers")}
    layers["type"] = ["array", "null"]
    return {
        "$schema": DRAFT,
        "title": "damals types.yaml",
        "description": describe("merging"),
        "type": ["object", "null"],
        "properties": {
            "layers": layers,
            "types": _section("types", _TYPE_NAME, describe),
            "relations": _relations(describe),
            "domains": _section("domains", _TYPE_NAME, describe),
            "derive": {
                "description": describe("derive"),
                "type": ["array", "null"],
                "items": _rule(describe),
            },
        },
        "additionalProperties": False,
    }


def _section(name: str, pattern: str, describe: Describe) -> dict[str, Json]:
    """Names, and behind each its keys; a name alone declares it."""
    return {
        "description": describe(name),
        "type": ["object", "null"],
        "propertyNames": {"pattern": pattern, "maxLength": MAX_NAME},
        "additionalProperties": {
            "type": ["object", "null"],
            "properties": _properties(name, describe),
            "additionalProperties": False,
        },
    }


def _properties(section: str, describe: Describe) -> dict[str, Json]:
    return {
        key: {**kind.schema, "description": describe(f"{section}.{key}")}
        for key, kind in KEYS[section].items()
    }


def _relations(describe: Describe) -> dict[str, Json]:
    made = _section("relations", _RELATION_NAME, describe)
    names: dict[str, Json] = {
        "pattern": _RELATION_NAME,
        "maxLength": MAX_NAME,
        "not": {"enum": [*sorted(RESERVED)]},
    }
    one = made["additionalProperties"]
    opposite: list[Json] = [
        {"not": _said(directed=truth, symmetric=truth)} for truth in (True, False)
    ]
    every: dict[str, Json] = {**(one if isinstance(one, dict) else {}), "allOf": opposite}
    # The names of relations have their keys checked twice: as all relations, and as themselves.
    fixed: dict[str, Json] = {name: {"allOf": [every, _fixed(name)]} for name in TEMPORAL}
    return {**made, "propertyNames": names, "properties": fixed, "additionalProperties": every}


def _said(**values: bool) -> dict[str, Json]:
    """That some keys are there, with these values."""
    properties: dict[str, Json] = {name: {"const": value} for name, value in values.items()}
    return {"type": "object", "properties": properties, "required": list(values)}


def _fixed(name: str) -> dict[str, Json]:
    """What a relation with an effect on what holds may only say."""
    symmetric = name in SYMMETRIC_TEMPORAL
    return {
        "properties": {
            "symmetric": {"const": symmetric},
            "directed": {"const": not symmetric},
            "transitive": {"const": False},
        }
    }


def _rule(describe: Describe) -> dict[str, Json]:
    needing: list[Json] = [rule for rule in RULES if rule not in GIVES]
    conditions: list[Json] = [
        {"if": _is(needing), "then": {"required": ["of"]}},
        *({"if": {"required": [key]}, "then": _is(list(rules))} for key, rules in ONLY_FOR.items()),
    ]
    return {
        "type": "object",
        "properties": _properties("derive", describe),
        "required": ["rule"],
        "additionalProperties": False,
        "allOf": conditions,
    }


def _is(rules: list[Json]) -> dict[str, Json]:
    return {"properties": {"rule": {"enum": rules}}}
