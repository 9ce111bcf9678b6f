"""The person that answers are seen from when the question names none."""

from uuid import UUID

from damals.app.ledger_model import At, Head
from damals.app.ledger_port import LedgerReader
from damals.app.people import RELATION_TO_OWNER, chosen_at, self_among


class DefaultPersona:
    """Tells who is the default persona at a pair, as :func:`damals.app.people.people` does.

    Who ever said to be the owner or not is looked for once, and then among what was recorded since;
    who of them is the persona is decided for each pair anew, since a person may come to hold or
    end while nothing is recorded. Any thread may ask.
    """

    def __init__(self, chosen: str | None = None) -> None:
        """Know whom to look for.

        Args:
            chosen: id or external id of the persona that the settings name.
        """
        self._chosen = chosen
        self._kept: dict[str, tuple[Head, frozenset[UUID]]] = {}

    def __call__(self, reader: LedgerReader, at: At) -> UUID | None:
        """The person, or ``None`` when it is not clear who it is, or the asker may not see them."""
        if self._chosen:
            found = chosen_at(reader, at, self._chosen)
        else:
            found = self_among(reader, at, sorted(self._candidates(reader)))
        return None if found is None else UUID(found)

    def _candidates(self, reader: LedgerReader) -> frozenset[UUID]:
        """Those who ever said something of the owner, whoever may see them."""
        name, head = reader.workspace().name, reader.head()
        kept = self._kept.get(name)
        if kept is not None and kept[0] == head:
            return kept[1]
        # What was undone may have left its number, the newest, to another transaction.
        known, after = frozenset[UUID](), 0
        if kept is not None and kept[0].number < head.number:
            known, after = kept[1], max(kept[0].number - 1, 0)
        said = reader.unrestricted().saying(RELATION_TO_OWNER, after)
        found = known.union(said)
        self._kept[name] = head, found
        return found
