"""A new version of a vision comes in: whether the roadmap beside it was written against it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol
from uuid import UUID

from damals.app.commands import Where
from damals.app.ledger_model import SourceNote
from damals.app.planning import looking_at
from damals.app.source_model import ParsedNote
from damals.app.vault.notes import Identity
from damals.domain.entries import Json
from damals.domain.errors import InvalidInput
from damals.domain.planning import LINKED, VERSION, alignment, artefact_of
from damals.domain.planning_versions import parse_version


class Planned(Protocol):
    """What an import knows of its notes before it tells them."""

    before: dict[UUID, SourceNote]

    @property
    def identified(self) -> Sequence[tuple[str, ParsedNote, Identity]]:
        """Path, text and identity of the files that were read."""
        ...


def misaligned(plan: Planned, source: str, where: Where) -> Iterator[tuple[str, InvalidInput]]:
    """Paths of the roadmaps that a new version of their vision has left behind, and what to say.

    Args:
        plan: of the import.
        source: its name.
        where: commands are to run.
    """
    for path, parsed, identity in plan.identified:
        if artefact_of(path) != "vision":
            continue
        version = parse_version(parsed.properties.get(VERSION))
        known = plan.before.get(identity.entry_id)
        before = known.attributes.properties.get(VERSION) if known else None
        if version is None or version == parse_version(before):
            continue
        folder = path.rpartition("/")[0]
        for file, linked in _roadmaps(plan, folder).items():
            said = alignment(version.text, _text(linked))
            if said is not None and said.key == "planning.behind":
                place = "/".join(filter(None, (source, folder)))
                line = looking_at(place, where)
                yield file, InvalidInput(said.key, **said.values, command=line)


def _roadmaps(plan: Planned, folder: str) -> Mapping[str, Json]:
    """By path, the version of the vision that the roadmaps of a folder name: as they say it now."""
    known = {note.path: note.attributes.properties for note in plan.before.values()}
    known |= {path: parsed.properties for path, parsed, _ in plan.identified}
    return {
        path: said.get(LINKED)
        for path, said in sorted(known.items())
        if artefact_of(path) == "roadmap" and path.rpartition("/")[0] == folder
    }


def _text(value: Json) -> str | None:
    version = parse_version(value)
    return None if version is None else version.text
