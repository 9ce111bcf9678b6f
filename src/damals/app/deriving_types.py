"""The types by which a workspace derives: those of the home, and of the vaults in it.

A vault's file wins over that of the home. Where several vaults were imported, the rules of each of
them are carried out, and of two declarations of a relation that of the later name counts.
"""

from dataclasses import replace
from pathlib import Path

from damals.app.ledger_port import LedgerReader
from damals.app.sources import VAULT
from damals.app.types_model import Types
from damals.domain.types import TypeCatalogue


def types_of(reader: LedgerReader, types: Types) -> TypeCatalogue:
    """What is in force in a workspace; a vault that is not there any more says nothing.

    Args:
        reader: of the owner, who alone knows where vaults lie.
        types: gives what files say.

    Raises:
        InvalidInput: ``types.*`` for a file that is wrong, with ``path`` and ``line``.
    """
    home = types.load().catalogue
    roots = [run.root for run in reader.source_runs() if run.kind == VAULT]
    vaults = [types.load(Path(root)).catalogue for root in roots]
    relations = dict(home.relations)
    for vault in vaults:
        own = vault.relations.items()
        relations |= {name: one for name, one in own if home.relations.get(name) != one}
    rules = dict.fromkeys(rule for one in vaults or [home] for rule in one.derive)
    return replace(home, relations=relations, derive=tuple(rules))
