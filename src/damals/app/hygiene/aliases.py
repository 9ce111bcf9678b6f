"""Findings about names that several entries go by, so that a link may mean either."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final
from uuid import UUID

from damals.app.hygiene.lifecycle import names
from damals.app.hygiene.scene import Scene, Seen
from damals.app.linking import link_names, note_names
from damals.app.repairs import choice, step
from damals.app.vault.notes import aliases_of
from damals.domain.findings import Choice, Detail, Finding, Kind
from damals.domain.names import fold

AMBIGUOUS: Final = "ambiguous"
_MOST: Final = 5
"""Of so many entries with a name at most it is said how each could lose it."""

Place = tuple[str | None, str]
"""A name as it is compared, and the source inside which links look for it."""


def ambiguous_aliases(scene: Scene) -> Iterator[Finding]:
    """Other names that several entries have, and links whose name may mean several."""
    owners = _owners(scene)
    told: set[tuple[UUID, ...]] = set()
    for (_, name), entries in sorted(owners.items(), key=lambda item: _order(item[0])):
        listed = tuple(sorted(entries))
        if len(listed) > 1 and any(entries.values()):
            told.add(listed)
            detail = partial(_shared, scene, name, entries)
            yield Finding(Kind.AMBIGUOUS_ALIAS, listed, detail, name)
    linked: set[tuple[UUID, str]] = set()
    for one in _links(scene, owners, told):
        if (one.entries[0], one.part) not in linked:
            linked.add((one.entries[0], one.part))
            yield one


def _order(place: Place) -> tuple[str, str]:
    source, name = place
    return name, source or ""


def _shared(scene: Scene, name: str, entries: Mapping[UUID, bool]) -> Detail:
    listed = tuple(sorted(entries))
    values = {"name": name, "count": len(listed), "names": names(scene, listed)}
    choices = tuple(_renamed(scene, name, entries))
    return Detail("hygiene.alias.shared", values, choices, decision=True)


def _owners(scene: Scene) -> Mapping[Place, Mapping[UUID, bool]]:
    """By name, the entries that have it, and whether it is only another name of theirs."""
    found: dict[Place, dict[UUID, bool]] = {}
    for one in scene.each_active():
        source, aliases = one.entry.attributes.source, _aliases(one)
        own = note_names(source.path, ()) if source.path else frozenset({fold(one.title.strip())})
        for name in (*own, *aliases):
            entries = found.setdefault((source.name, name), {})
            entries[one.id] = entries.get(one.id, True) and name not in own
    return found


def _aliases(one: Seen) -> dict[str, str]:
    """Other names of an entry, by how they are compared."""
    return {fold(name.strip()): name for name in aliases_of(one.entry.attributes.properties)}


def _renamed(scene: Scene, name: str, entries: Mapping[UUID, bool]) -> Iterator[Choice]:
    """Each note that could do without the name, as its file would say it."""
    for entry_id in sorted(entries)[:_MOST]:
        one = scene.seen[entry_id]
        path = scene.note_path(one)
        if entries[entry_id] and path is not None:
            gone = _aliases(one)[name]  # the others stay, whatever is done about them
            yield choice("rename", step("annotate", path=path, dropped=[gone]))


def _links(
    scene: Scene, owners: Mapping[Place, Mapping[UUID, bool]], told: set[tuple[UUID, ...]]
) -> Iterator[Finding]:
    """Links that were read as one of several notes, where more than one of them is seen."""
    for tie in scene.snapshot.ties:
        one = scene.active.get(tie.src_id)
        if one is None or AMBIGUOUS not in tie.flags or tie.target is None:
            continue
        source = one.entry.attributes.source
        meant = {
            entry_id
            for name in link_names(tie.target, source.path or "")
            for entry_id in owners.get((source.name, name), ())
        }
        listed = tuple(sorted(meant))
        if len(listed) > 1 and listed not in told:
            entries = (one.id, *(other for other in listed if other != one.id))
            detail = partial(_unclear, scene, one, tie.target, listed)
            yield Finding(Kind.AMBIGUOUS_ALIAS, entries, detail, tie.target)


def _unclear(scene: Scene, one: Seen, target: str, meant: tuple[UUID, ...]) -> Detail:
    values = {"title": one.title, "target": target, "names": names(scene, meant)}
    return Detail("hygiene.alias.link", values)
