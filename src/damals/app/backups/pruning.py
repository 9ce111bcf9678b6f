"""Removing old backups by a retention."""

from collections.abc import Mapping, Sequence
from zoneinfo import ZoneInfo

from damals.app.backups.model import StoredBackup
from damals.app.backups.ports import Shelf
from damals.app.backups.results import Pruned, view_of, views_of
from damals.domain.retention import Keep, kept

DAMAGED = "damaged"
CHECKED = "checked"


def prune(shelf: Shelf, keep: Keep, zone: ZoneInfo, *, dry_run: bool) -> Pruned:
    """Remove what no rule keeps.

    The rules count sound backups, those of each home by themselves: one that is damaged, or that a
    check found wanting, pushes no other out. It stays itself, too: what it is worth is for people
    to say. Of those that no check has seen yet some may be damaged: where none that is kept was
    found sound, the newest that was stays as well.
    """
    with shelf.alone():
        found = shelf.listed()
        reasons: dict[str, tuple[str, ...]] = {}
        gone: list[StoredBackup] = []
        groups: dict[str, list[StoredBackup]] = {}
        for one in found:
            bad = one.manifest is None or (one.checked is not None and not one.checked.ok)
            if bad or one.manifest is None:
                reasons[one.id] = (DAMAGED,)
            else:
                groups.setdefault(one.manifest.home, []).append(one)
        for group in groups.values():
            found_by = kept([one.created_at for one in group], keep, zone)
            rules = {**found_by, **_last_resort(group, found_by)}
            reasons |= {group[place].id: names for place, names in rules.items()}
            gone += [one for place, one in enumerate(group) if place not in rules]
        if not dry_run:
            for one in gone:
                shelf.remove(one)
    removed = {one.id for one in gone}
    return Pruned(
        backups=views_of([one for one in found if one.id not in removed]),
        removed=tuple(view_of(one) for one in gone),
        kept_by=reasons,
        dry_run=dry_run,
    )


def _last_resort(
    group: Sequence[StoredBackup], rules: Mapping[int, tuple[str, ...]]
) -> dict[int, tuple[str, ...]]:
    """The newest backup that a check found sound, where no rule keeps any."""
    sound = [place for place, one in enumerate(group) if one.checked is not None]
    return {} if not sound or set(sound) & rules.keys() else {sound[-1]: (CHECKED,)}
