"""What ranking knows of a base beside its ledger and its index."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from damals.app.finding.persona import DefaultPersona
from damals.app.finding.question import Base
from damals.app.ledger_port import LedgerReader
from damals.app.ports import Chunker
from damals.app.sources import vault_roots
from damals.app.types_model import Types
from damals.domain.ageing import SUPERSEDED_SHARE
from damals.domain.errors import InvalidInput
from damals.domain.types import TypeCatalogue


def base_of(
    types: Types, chunker: Chunker, persona: str | None, share: float = SUPERSEDED_SHARE
) -> Base:
    """What ranking asks of a home.

    Args:
        types: gives what the files of types say.
        chunker: that the texts were stored with.
        persona: id or external id of the default persona, when the settings name one.
        share: of the grounding of a superseded entry that is left.
    """
    return Base(VaultTypes(types), DefaultPersona(persona), chunker.split, share)


class VaultTypes:
    """The types of a home, and of the vaults in a workspace of it.

    A vault's file wins; one that is wrong or gone says nothing. Where vaults lie is asked once for
    each state of the ledger; their files are looked at each time. Any thread may ask.
    """

    def __init__(self, types: Types) -> None:
        """Know where files are read.

        Args:
            types: gives what they say.
        """
        self._types = types
        self._roots: dict[str, tuple[int, tuple[str, ...]]] = {}

    def __call__(self, reader: LedgerReader) -> TypeCatalogue:
        """The types in force.

        Raises:
            InvalidInput: ``types.*`` for a file of the home that is wrong.
        """
        home = self._types.load().catalogue
        roots = self._roots_of(reader)
        return home.overlaid(self._vaults(roots)) if roots else home

    def _vaults(self, roots: Sequence[str]) -> Iterator[TypeCatalogue]:
        for root in roots:
            with suppress(InvalidInput):
                yield self._types.load(Path(root)).catalogue

    def _roots_of(self, reader: LedgerReader) -> tuple[str, ...]:
        name, number = reader.workspace().name, reader.head().number
        known = self._roots.get(name)
        if known is None or known[0] != number:
            known = self._roots[name] = number, vault_roots(reader.unrestricted())
        return known[1]
