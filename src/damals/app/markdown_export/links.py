"""Links in texts that would mean another note, or none, where the notes lie in the export."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from damals.app.ledger_port import LedgerReader
from damals.app.linking import LinkResolver
from damals.app.source_model import Link
from damals.app.vault.file_kinds import without_suffix

_ENDS: Final = ("\\|", "|", "#", "]]")
"""What ends the name of a note in a link."""


@dataclass(frozen=True, slots=True)
class Rewriting:
    """What links of notes mean.

    Attributes:
        means: of each note, the entry that each name in its links means, and whether others were
            as good.
        paths: of the entries that have a note in the export.
    """

    means: Mapping[UUID, Mapping[str, tuple[UUID, bool]]]
    paths: Mapping[UUID, str]

    @classmethod
    def of(
        cls, reader: LedgerReader, sources: Sequence[str], paths: Mapping[UUID, str]
    ) -> "Rewriting":
        """As the ledger knows it now; of what was said otherwise before nothing is known."""
        means: dict[UUID, dict[str, tuple[UUID, bool]]] = {}
        for source in sources:
            for one in reader.links(source):
                if one.dst in paths and one.entry_id in paths:
                    doubt = "ambiguous" in one.flags
                    means.setdefault(one.entry_id, {})[one.target] = (one.dst, doubt)
        return cls(means, paths)


def repaired(
    body: str,
    links: Sequence[Link],
    rewriting: Rewriting,
    resolver: LinkResolver,
    note: tuple[UUID, str],
) -> str:
    """A text whose links mean what they meant; the same text wherever they do."""
    entry_id, path = note
    known = rewriting.means.get(entry_id, {})
    for link in reversed(links):
        if link.target not in known or link.markdown or link.hidden:
            continue
        dst, doubtful = known[link.target]
        found = resolver.resolve(link.target, path)
        if found.entry_id != dst or (found.ambiguous and not doubtful):
            new = without_suffix(rewriting.paths[dst])
            body = (
                body[: link.start] + _renamed(body[link.start : link.end], new) + body[link.end :]
            )
    return body


def _renamed(written: str, name: str) -> str:
    """A wikilink with another name in it, shown as it was."""
    head, _, rest = written.partition("[[")
    places = [place for end in _ENDS if (place := rest.find(end)) >= 0]
    stop = min(places, default=len(rest))
    old, tail = rest[:stop], rest[stop:]
    if "|" not in tail and not head.startswith("!"):
        tail = tail.removesuffix("]]") + f"|{old.strip()}]]"
    return f"{head}[[{name}{tail}"
