"""Findings about where entries stand in their lives: taken over, decayed, to be reviewed."""

from collections.abc import Iterator
from functools import partial
from uuid import UUID

from damals.app.hygiene.scene import Scene, Seen
from damals.app.repairs import choice, step
from damals.app.snapshot_model import Standing, Tie
from damals.domain.ageing import (
    ARCHIVAL_THRESHOLD,
    Status,
    below_threshold,
    days_since_access,
    overdue,
)
from damals.domain.findings import DUE_DAYS, Detail, Finding, Kind
from damals.domain.operations import CONTRADICTS, CUTTING_RELATIONS

SHOWN = 3
"""So many titles stand in a message; how many more there are is said."""


def superseded_referenced(scene: Scene) -> Iterator[Finding]:
    """What is superseded, while something that holds still refers to it."""
    for one in scene.seen.values():
        if one.entry.standing is Standing.SUPERSEDED:
            referring = tuple(sorted({tie.src_id for tie in _referring(scene, one.id)}))
            if referring:
                entries = (one.id, *referring)
                detail = partial(_still_referenced, scene, one, referring)
                yield Finding(Kind.SUPERSEDED_REFERENCED, entries, detail)


def _referring(scene: Scene, entry_id: UUID) -> list[Tie]:
    """By what something that holds refers to an entry; what took it over does not."""
    return [one for one in scene.into.get(entry_id, ()) if _refers(scene, one)]


def _refers(scene: Scene, tie: Tie) -> bool:
    stated = not tie.derived and tie.relation not in CUTTING_RELATIONS
    return stated and tie.relation != CONTRADICTS and tie.src_id in scene.active


def _still_referenced(scene: Scene, one: Seen, referring: tuple[UUID, ...]) -> Detail:
    heirs = _heirs(scene, one.id)
    values = {
        "title": one.title,
        "by": names(scene, tuple(heirs)),
        "count": len(referring),
        "names": names(scene, referring),
    }
    gone = step("archive", target=one.id, reason="hygiene.reason.replaced")
    return Detail(
        f"hygiene.superseded_referenced.{'told' if heirs else 'hidden'}",
        values,
        (choice("archive", gone),),
    )


def _heirs(scene: Scene, entry_id: UUID) -> list[UUID]:
    """What took an entry over, as far as it is seen."""
    ties = scene.into.get(entry_id, ())
    return sorted({one.src_id for one in ties if one.cuts and one.src_id in scene.active})


def names(scene: Scene, entries: tuple[UUID, ...]) -> str:
    """Titles for a message."""
    known = [scene.seen[one].title for one in entries if one in scene.seen]
    return ", ".join(known[:SHOWN]) + (", …" if len(known) > SHOWN else "")


def decayed(scene: Scene) -> Iterator[Finding]:
    """What was not verified for its window, or two after a reinforcement."""
    for one in scene.each_active():
        if one.status is Status.DECAYED:
            yield _unverified(scene, one, Kind.DECAYED)


def review(scene: Scene) -> Iterator[Finding]:
    """What is past its window."""
    for one in scene.each_active():
        if overdue(one.life, one.ages, scene.as_of):
            yield _unverified(scene, one, Kind.REVIEW)


def due(scene: Scene) -> Iterator[Finding]:
    """What is due for its weekly, monthly or quarterly look, and not past its window."""
    for one in scene.each_active():
        if is_due(scene, one) and not overdue(one.life, one.ages, scene.as_of):
            yield _unverified(scene, one, Kind.DUE)


def is_due(scene: Scene, one: Seen) -> bool:
    """Whether its last check, or its recorded start, is as long ago as its risk allows."""
    return one.life.days(one.life.known_good, scene.as_of) >= DUE_DAYS[one.ages.risk]


def _unverified(scene: Scene, one: Seen, kind: Kind) -> Finding:
    return Finding(kind, (one.id,), partial(_long_ago, scene.as_of, one, kind))


def _long_ago(as_of: int, one: Seen, kind: Kind) -> Detail:
    stale = step("archive", target=one.id, reason="hygiene.reason.stale")
    return Detail(
        f"hygiene.{kind}.{'verified' if one.life.checks else 'recorded'}",
        {
            "title": one.title,
            "since_at": one.life.known_good,
            "days": one.life.days(one.life.known_good, as_of),
            "window": days(one.ages.verification),
            "risk": one.ages.risk,
            "interval": days(DUE_DAYS[one.ages.risk]),
        },
        (choice("verify", step("verify", target=one.id)), choice("archive", stale)),
        decision=True,
    )


def days(number: float) -> str:
    """A number of days for a message."""
    return f"{number:g}"


def below(scene: Scene) -> Iterator[Finding]:
    """What nobody has needed for so long that it is to be archived."""
    for one in scene.seen.values():
        if one.entry.standing is not Standing.ARCHIVED and below_threshold(one.importance):
            detail = partial(_unused, scene.as_of, one)
            yield Finding(Kind.BELOW_THRESHOLD, (one.id,), detail)


def _unused(as_of: int, one: Seen) -> Detail:
    age = days_since_access(one.life, as_of)
    gone = step("archive", target=one.id, reason="hygiene.reason.unused")
    return Detail(
        f"hygiene.below_threshold.{age.origin}",
        {
            "title": one.title,
            "effective": one.importance,
            "importance": one.life.has.importance,
            "since_at": age.since,
            "days": age.days,
            "half_life": days(one.ages.decay),
            "threshold": ARCHIVAL_THRESHOLD,
        },
        (choice("archive", gone), choice("pin", step("pin", target=one.id))),
        decision=True,
    )


def acquired(scene: Scene) -> Iterator[Finding]:
    """What an assistant filed and nobody has decided on."""
    for one in scene.each_active():
        if one.status is Status.ACQUIRED:
            yield Finding(Kind.ACQUIRED, (one.id,), partial(_waiting, one))


def _waiting(one: Seen) -> Detail:
    wrong = step("retract", target=one.id, reason="hygiene.reason.not_so")
    return Detail(
        "hygiene.acquired",
        {"title": one.title, "since_at": one.life.recorded},
        (choice("verify", step("verify", target=one.id)), choice("retract", wrong)),
        decision=True,
    )
