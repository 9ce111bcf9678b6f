"""Putting the files of types together, and what must be true of the whole."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from damals.adapters.files.types_derived import DerivedRelation, unknown
from damals.adapters.files.types_keys import KEYS, TypesFile
from damals.adapters.files.yaml_nodes import Node
from damals.app.types_model import LoadedTypes, TypesOrigin
from damals.domain.access import VISIBILITIES
from damals.domain.errors import InvalidInput
from damals.domain.names import fold
from damals.domain.types import (
    MAX_NAME,
    RESERVED,
    SYMMETRIC_TEMPORAL,
    TEMPORAL,
    DeriveRule,
    DomainRule,
    NoteType,
    RelationType,
    TypeCatalogue,
    is_name,
)

Said = dict[str, dict[str, Any]]
"""Keys and values by name. Values are what the readers of ``types_keys`` give."""


@dataclass(slots=True)
class Merged:
    """What the files so far say; a key that a later file leaves out keeps its value."""

    layers: list[str] = field(default_factory=list[str])
    derive: tuple[DeriveRule, ...] = ()
    _said: dict[str, Said] = field(
        default_factory=lambda: {"types": {}, "relations": {}, "domains": {}}
    )
    _files: list[tuple[TypesOrigin, str]] = field(default_factory=list[tuple[TypesOrigin, str]])
    _origins: dict[str, TypesOrigin] = field(default_factory=dict[str, TypesOrigin])
    _relations: Mapping[str, RelationType] = field(default_factory=dict[str, RelationType])

    def begin(self, origin: TypesOrigin, path: str) -> None:
        """A file follows."""
        self._files.append((origin, path))

    def add_layers(self, names: Iterable[str]) -> None:
        """Layers behind those that are there."""
        self.layers += [name for name in names if name not in self.layers]

    def add_section(self, file: TypesFile, section: str, node: Node) -> None:
        """Names of a section, new ones or changed ones."""
        keys = KEYS[section]
        for name, place, value in file.pairs(node, section):
            self._check_name(file, section, name)
            self._origins[place] = self._files[-1][0]
            # A name alone declares it, with all defaults.
            pairs = () if value.null else file.pairs(value, place, keys)
            said = {key: keys[key](file, item, spot) for key, spot, item in pairs}
            whole = self._said[section].setdefault(name, {})
            if section == "relations":
                _settle_direction(file, name, said)
                _settle_own_inverse(file, name, said, whole)
            whole.update(said)

    def _check_name(self, file: TypesFile, section: str, name: str) -> None:
        place = f"{section}.{name}"
        if section == "relations":
            fine, key = is_name(name) and name not in RESERVED, "types.relation_name"
        else:
            shown = name.isprintable() and len(name) <= MAX_NAME
            fine, key = shown and name == fold(name.strip()) != "", "types.type_name"
        if not fine:
            line = file.line_of(place)
            raise InvalidInput(key, path=file.path, line=line, place=place, limit=MAX_NAME)

    # --- the whole

    def check(self, file: TypesFile) -> None:
        """See that the whole fits together; what does not is this file's doing.

        Raises:
            InvalidInput: ``types.value``, ``types.unknown_name``, ``types.inverse_taken``,
                ``types.inverse_transitive``, ``types.derive_inverse``, ``types.derive_closure``.
        """
        for name, said in self._said["types"].items():
            if (layer := said.get("layer")) is not None and layer not in self.layers:
                unknown(file, f"types.{name}.layer", str(layer), self.layers)
        relations = self._said["relations"].items()
        plain = {name: RelationType(name, **said) for name, said in relations}
        self._relations = _Inverses(file, plain).settled()
        for number, rule in enumerate(self.derive, start=1):
            for name in rule.of:
                self._check_rule(file, rule, f"derive.{number}.of", name)
            DerivedRelation(file, self._relations).check(rule, f"derive.{number}")

    def _check_rule(self, file: TypesFile, rule: DeriveRule, place: str, name: str) -> None:
        found = self._relations.get(name)
        if found is None:
            unknown(file, place, name, self._relations)
        elif rule.rule == "inverse" and (found.symmetric or found.inverse is None):
            line = file.line_of(place, f"relations.{name}.inverse", f"relations.{name}.symmetric")
            raise InvalidInput("types.derive_inverse", path=file.path, line=line, name=name)
        elif rule.rule == "closure" and not found.transitive:
            line = file.line_of(place, f"relations.{name}.transitive", f"relations.{name}")
            raise InvalidInput("types.derive_closure", path=file.path, line=line, name=name)

    def loaded(self) -> LoadedTypes:
        """What is in force."""
        catalogue = TypeCatalogue(
            types={name: NoteType(name, **said) for name, said in self._said["types"].items()},
            relations=self._relations,
            layers=tuple(self.layers),
            domains={name: DomainRule(name, **s) for name, s in self._said["domains"].items()},
            derive=self.derive,
        )
        return LoadedTypes(catalogue, tuple(self._files), dict(self._origins))


def _settle_direction(file: TypesFile, name: str, said: dict[str, Any]) -> None:
    """``directed`` and ``symmetric`` are opposites: one says the other.

    Raises:
        InvalidInput: ``types.direction`` when both say the same, ``types.fixed`` for a temporal
            relation turned into something else.
    """
    place = f"relations.{name}"
    if name in TEMPORAL:
        fixed = {"symmetric": name in SYMMETRIC_TEMPORAL, "transitive": False}
        fixed["directed"] = not fixed["symmetric"]
        for key, value in fixed.items():
            if said.get(key, value) is not value:
                line = file.line_of(f"{place}.{key}")
                spot, only = f"{place}.{key}", str(value).lower()
                raise InvalidInput("types.fixed", path=file.path, line=line, place=spot, only=only)
    if "symmetric" in said and said["symmetric"] == said.get("directed"):
        line = file.line_of(f"{place}.symmetric")
        raise InvalidInput("types.direction", path=file.path, line=line, place=place)
    if "symmetric" in said:
        said["directed"] = not said["symmetric"]
    elif "directed" in said:
        said["symmetric"] = not said["directed"]


def _settle_own_inverse(
    file: TypesFile, name: str, said: dict[str, Any], before: Mapping[str, Any]
) -> None:
    """A symmetric relation is its own inverse, no other is; what it had before goes.

    Raises:
        InvalidInput: ``types.inverse_symmetric`` when this file says otherwise.
    """
    symmetric = said.get("symmetric", before.get("symmetric", False))
    inverse = said.get("inverse")
    if inverse is not None and (inverse == name) is not symmetric:
        line = file.line_of(f"relations.{name}.inverse")
        raise InvalidInput(
            "types.inverse_symmetric", path=file.path, line=line, name=name, inverse=inverse
        )
    if symmetric:
        said["inverse"] = name
    elif before.get("inverse") == name:
        said.setdefault("inverse", None)


class _Inverses:
    """Settles which relation is which one's inverse: said on one side, it is so on both."""

    def __init__(self, file: TypesFile, relations: Mapping[str, RelationType]) -> None:
        self._file = file
        self._relations = dict(relations)

    def settled(self) -> Mapping[str, RelationType]:
        """The relations, with inverses on both sides and as much protection on both."""
        for name in list(self._relations):
            one = self._relations[name]
            if one.inverse is not None:
                self._settle(one, one.inverse)
        return self._relations

    def _settle(self, one: RelationType, inverse: str) -> None:
        place = f"relations.{one.name}"
        other = self._relations.get(inverse)
        if other is None:
            unknown(self._file, f"{place}.inverse", inverse, self._relations)
        if other.inverse not in (None, one.name):
            self._refuse("types.inverse_taken", one, other)
        if other.transitive is not one.transitive:
            self._refuse("types.inverse_transitive", one, other)
        # An edge seen from its other end says the same, so it is hidden from the same people.
        strictest = max(one.min_visibility, other.min_visibility, key=VISIBILITIES.index)
        for side, far in ((one, other), (other, one)):
            made = replace(side, inverse=far.name, min_visibility=strictest)
            self._relations[side.name] = made

    def _refuse(self, key: str, one: RelationType, other: RelationType) -> None:
        spots = [
            f"relations.{name}{tail}"
            for tail in (".inverse", ".symmetric", ".transitive", "")
            for name in (one.name, other.name)
        ]
        raise InvalidInput(
            key,
            path=self._file.path,
            line=self._file.line_of(*spots),
            name=one.name,
            inverse=other.name,
        )
