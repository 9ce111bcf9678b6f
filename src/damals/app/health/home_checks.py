"""Checks of the home around ledger and index: who can read it, what lies about, space, backups."""

from collections.abc import Iterator
from typing import Final

from damals.app.health.model import MEND, Scene, unwell, well
from damals.app.results import Check
from damals.domain.errors import DamalsError
from damals.domain.instants import DAY, format_instant

OLD_BACKUP: Final = 8 * DAY
"""A week, and the day on which the next is due."""

BACK_UP: Final = "damals backup create"
VERIFY_BACKUPS: Final = "damals backup verify"
MOST_NAMED: Final = 3


def home(scene: Scene) -> Iterator[Check]:
    """Where it is, and whether anything can be written there."""
    problem = scene.around.unwritable()
    if problem is None:
        yield well("home", "doctor.home", path=str(scene.home))
    else:
        yield unwell("home", "doctor.home_unwritable", None, path=str(scene.home), reason=problem)


def config(scene: Scene) -> Iterator[Check]:
    """Settings that make no sense are refused before a home is opened; these do."""
    there = scene.around.settings_file
    key = "doctor.config_none" if there is None else "doctor.config"
    yield well("config", key, path=str(there))


def access(scene: Scene) -> Iterator[Check]:
    """That nobody else reads knowledge, passwords, or the token that opens the home."""
    exposed = scene.around.exposed()
    if exposed and scene.repair:
        scene.around.close_off()
        exposed = scene.around.exposed()
    if exposed:
        names = ", ".join(str(one) for one in exposed[:MOST_NAMED])
        yield unwell("access", "doctor.exposed", MEND, count=len(exposed), paths=names)
    else:
        yield well("access", "doctor.access")


def leftovers(scene: Scene) -> Iterator[Check]:
    """What broken off work has left. Copies of knowledge are told, and never removed."""
    found = scene.around.leftovers()
    if found and scene.repair:
        scene.around.clear()
        found = scene.around.leftovers()
    if found:
        names = ", ".join(one.name for one in found[:MOST_NAMED])
        yield unwell("leftovers", "doctor.leftovers", MEND, count=len(found), paths=names)
    else:
        yield well("leftovers", "doctor.leftovers_none")
    copies = scene.around.copies()
    if copies:
        names = ", ".join(one.name for one in copies[:MOST_NAMED])
        yield well("copies", "doctor.copies", count=len(copies), paths=names)


def space(scene: Scene) -> Iterator[Check]:
    """Whether there is room to upgrade the ledger and to build the index anew."""
    room = scene.around.room()
    told = {"free_mb": room.free // 1_000_000, "needed_mb": room.needed // 1_000_000}
    if room.free >= room.needed:
        yield well("space", "doctor.space", **told)
    else:
        yield unwell("space", "doctor.space_little", None, **told)


def backups(scene: Scene) -> Iterator[Check]:
    """The age of the last backup, where there are any, and whether each can be read."""
    try:
        found = scene.keeping().backing.shelf.listed()
    except DamalsError as error:
        yield unwell("backups", "doctor.fails", VERIFY_BACKUPS, cause=error)
        return
    damaged = [one.id for one in found if one.manifest is None]
    whole = [one.created_at for one in found if one.manifest is not None]
    if damaged:
        named = ", ".join(damaged[:MOST_NAMED])
        yield unwell("backups", "doctor.backups_damaged", VERIFY_BACKUPS, ids=named)
    elif not whole:
        yield well("backups", "doctor.backups_none")
    else:
        last = max(whole)
        told = {"count": len(whole), "last": format_instant(last)}
        if scene.clock() - last > OLD_BACKUP:
            yield unwell("backups", "doctor.backups_old", BACK_UP, **told)
        else:
            yield well("backups", "doctor.backups", **told)
