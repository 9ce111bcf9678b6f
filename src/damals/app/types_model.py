"""What use cases ask of types: the catalogue in force, and where each part of it was said."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import isinf
from pathlib import Path
from typing import Literal, Protocol

from damals.app.results import Result
from damals.domain.types import DeriveRule, TypeCatalogue

TypesOrigin = Literal["packaged", "home", "vault"]


@dataclass(frozen=True, slots=True)
class LoadedTypes:
    """The types in force.

    Attributes:
        files: that were read, in this order: a later one wins.
        origins: of each name, by section and name (``relations.extends``): the last file that says
            anything about it.
    """

    catalogue: TypeCatalogue
    files: tuple[tuple[TypesOrigin, str], ...]
    origins: Mapping[str, TypesOrigin]


class Types(Protocol):
    """Knows the types of entries, relations and domains."""

    def load(self, vault: Path | None = None) -> LoadedTypes:
        """The types in force, read anew: packaged, then the home's, then the vault's.

        Args:
            vault: folder of a vault, or a file that is read in place of a vault's.

        Raises:
            InvalidInput: ``types.*`` for a file that is wrong, with ``path`` and ``line``.
        """
        ...


@dataclass(frozen=True, slots=True)
class TypesFileView(Result):
    """A file of types that was read."""

    origin: TypesOrigin
    path: str


@dataclass(frozen=True, slots=True)
class TypeView(Result):
    """A type of entries; ``half_life_days`` is ``"inf"`` for timeless things."""

    name: str
    layer: str | None
    half_life_days: float | str | None
    staleness_risk: str
    visibility: str
    origin: TypesOrigin


@dataclass(frozen=True, slots=True)
class RelationTypeView(Result):
    """A type of relations."""

    name: str
    weight: float
    directed: bool
    symmetric: bool
    transitive: bool
    inverse: str | None
    scoring: float
    min_visibility: str
    origin: TypesOrigin


@dataclass(frozen=True, slots=True)
class DomainView(Result):
    """How fast a domain ages; days, ``"inf"`` for never."""

    name: str
    decay: float | str | None
    research: float | str | None
    verification: float | str | None
    risk: str
    origin: TypesOrigin


@dataclass(frozen=True, slots=True)
class DeriveView(Result):
    """A rule that adds edges.

    Attributes:
        max_hops: of a closure only.
        gives: the relation of an added edge; null where it follows from ``of``.
        min_count: of co-mentions only.
    """

    rule: str
    of: tuple[str, ...]
    max_hops: int | None
    confidence: float
    gives: str | None
    min_count: int | None


@dataclass(frozen=True, slots=True)
class TypesInForce(Result):
    """All types in force, each with the file that said something about it last."""

    types: tuple[TypeView, ...]
    relations: tuple[RelationTypeView, ...]
    layers: tuple[str, ...]
    domains: tuple[DomainView, ...]
    derive: tuple[DeriveView, ...]
    files: tuple[TypesFileView, ...]


def types_in_force(loaded: LoadedTypes) -> TypesInForce:
    """Loaded types as they are shown, in the order in which they were declared."""
    found, origins = loaded.catalogue, loaded.origins
    return TypesInForce(
        types=tuple(
            TypeView(
                one.name,
                one.layer,
                _days(one.half_life_days),
                one.staleness_risk,
                one.visibility,
                origins[f"types.{one.name}"],
            )
            for one in found.types.values()
        ),
        relations=tuple(
            RelationTypeView(
                **{field.name: getattr(one, field.name) for field in fields(one)},
                origin=origins[f"relations.{one.name}"],
            )
            for one in found.relations.values()
        ),
        layers=found.layers,
        domains=tuple(
            DomainView(
                one.name,
                _days(one.decay),
                _days(one.research),
                _days(one.verification),
                one.risk,
                origins[f"domains.{one.name}"],
            )
            for one in found.domains.values()
        ),
        derive=tuple(map(_rule, found.derive)),
        files=tuple(TypesFileView(origin, path) for origin, path in loaded.files),
    )


def _rule(one: DeriveRule) -> DeriveView:
    """A rule as it is shown, without what its kind has not."""
    return DeriveView(
        one.rule,
        one.of,
        one.max_hops if one.rule == "closure" else None,
        one.confidence,
        one.gives,
        one.min_count if one.rule == "co_mention" else None,
    )


def _days(days: float | None) -> float | str | None:
    """A half-life for JSON, which has no infinity."""
    return "inf" if days is not None and isinf(days) else days
