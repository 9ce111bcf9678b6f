"""The types by which a workspace derives: those of the home, and of the vaults in it.

A vault's file wins over that of the home. Where several vaults were imported, the rules of each of
them are carried out, and of two declarations of a relation that of the later name counts; only its
least visibility is the strictest of all, and no rule gives what more may see than that from which
it follows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from damals.app.ledger_port import LedgerReader
from damals.app.sources import vault_roots
from damals.app.types_model import Types
from damals.domain.access import VISIBILITIES
from damals.domain.types import DeriveRule, TypeCatalogue


def types_of(reader: LedgerReader, types: Types) -> TypeCatalogue:
    """What is in force in a workspace; a vault that is not there any more says nothing.

    Args:
        reader: of the owner, who alone knows where vaults lie.
        types: gives what files say.

    Raises:
        InvalidInput: ``types.*`` for a file that is wrong, with ``path`` and ``line``.
    """
    home = types.load().catalogue
    vaults = [types.load(Path(root)).catalogue for root in vault_roots(reader)]
    relations = home.overlaid(vaults).relations
    rules = tuple(dict.fromkeys(rule for one in vaults or [home] for rule in one.derive))
    strict = _strictest([home, *vaults], rules)
    relations = {name: replace(one, min_visibility=strict[name]) for name, one in relations.items()}
    return replace(home, relations=relations, derive=rules)


def _strictest(declared: Sequence[TypeCatalogue], rules: Sequence[DeriveRule]) -> dict[str, str]:
    """The least visibility of each relation."""
    found: dict[str, str] = {}
    for one in (one for types in declared for one in types.relations.values()):
        found[one.name] = _stricter(found.get(one.name, VISIBILITIES[0]), one.min_visibility)
    ties = [
        (name, given)
        for rule in rules
        for name in rule.of
        for given in _given(rule, name, declared)
        if name in found and given in found
    ]
    before: dict[str, str] = {}
    while before != found:
        before = dict(found)
        for name, given in ties:
            found[given] = _stricter(found[given], found[name])
    return found


def _given(rule: DeriveRule, name: str, declared: Sequence[TypeCatalogue]) -> Iterator[str]:
    """What a rule gives of a relation, by any of the declarations."""
    if rule.gives:
        yield rule.gives
    elif rule.rule == "inverse":
        known = (types.relations.get(name) for types in declared)
        yield from (one.inverse for one in known if one is not None and one.inverse)


def _stricter(one: str, other: str) -> str:
    return max(one, other, key=VISIBILITIES.index)
