"""What must be true of the relations that rules give."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from damals.adapters.files.types_keys import TypesFile
from damals.domain.access import VISIBILITIES
from damals.domain.errors import InvalidInput
from damals.domain.types import TEMPORAL, DeriveRule, RelationType, near_names


def unknown(file: TypesFile, place: str, name: str, known: Iterable[str]) -> NoReturn:
    """Refuse a name that is not declared.

    Raises:
        InvalidInput: ``types.unknown_name``.
    """
    allowed = ", ".join(known)
    raise InvalidInput(
        "types.unknown_name",
        path=file.path,
        line=file.line_of(place, place.rpartition(".")[0]),
        place=place,
        value=name,
        near=near_names(name, known) or allowed,
    )


@dataclass(frozen=True, slots=True)
class DerivedRelation:
    """Checks the relations that the rules of a file give, once all relations are known."""

    file: TypesFile
    relations: Mapping[str, RelationType]

    def check(self, rule: DeriveRule, place: str) -> None:
        """See that a rule gives nothing that it must not.

        Raises:
            InvalidInput: ``types.unknown_name``, ``types.derive_temporal`` for a relation with an
                effect on what holds, ``types.derive_symmetric``, ``types.derive_open``.
        """
        if rule.gives is not None and rule.gives not in self.relations:
            unknown(self.file, f"{place}.gives", rule.gives, self.relations)
        for name in rule.of:
            given = rule.gives or self.relations[name].inverse or name
            given = name if rule.rule == "closure" else given
            if given in TEMPORAL:
                self._refuse("types.derive_temporal", place, name, given)
            if rule.gives is None:
                continue
            if rule.rule == "co_mention" and not self.relations[given].symmetric:
                self._refuse("types.derive_symmetric", place, name, given)
            ranks = [self.relations[one].min_visibility for one in (given, name)]
            if VISIBILITIES.index(ranks[0]) < VISIBILITIES.index(ranks[1]):
                self._refuse("types.derive_open", place, name, given)

    def _refuse(self, key: str, place: str, of: str, given: str) -> NoReturn:
        line = self.file.line_of(f"{place}.gives", f"{place}.of", place, f"relations.{given}")
        raise InvalidInput(key, path=self.file.path, line=line, place=place, of=of, gives=given)
