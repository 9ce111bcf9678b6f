"""Findings about fields that do not fit each other: risk and half-life, importance and pin."""

from collections.abc import Iterator
from functools import partial

from damals.app.hygiene.lifecycle import days
from damals.app.hygiene.scene import Scene, Seen
from damals.app.repairs import choice, step
from damals.domain.ageing import STABLE
from damals.domain.findings import (
    IMPORTANT,
    Choice,
    Detail,
    Finding,
    Kind,
    fits,
    fitting_risk,
)


def risks(scene: Scene) -> Iterator[Finding]:
    """What is said to age at another rate than its importance does."""
    for one in scene.each_active():
        if not fits(one.ages, pinned=one.pinned):
            yield Finding(Kind.RISK, (one.id,), partial(_unfit, one))


def _unfit(one: Seen) -> Detail:
    return Detail(
        f"hygiene.risk.{'pinned' if one.pinned else 'half_life'}",
        {"title": one.title, "risk": one.ages.risk, "half_life": days(one.ages.decay)},
        tuple(_fitting(one)),
        decision=True,
    )


def _fitting(one: Seen) -> Iterator[Choice]:
    """Which of both is correct, somebody has to say."""
    risk = fitting_risk(one.ages, pinned=one.pinned)
    if risk is not None:
        said = step("correct", target=one.id, staleness_risk=risk, reason="hygiene.reason.risk")
        yield choice("risk", said)
    if one.pinned and one.ages.risk != STABLE:
        yield choice("unpin", step("unpin", target=one.id))


def unpinned(scene: Scene) -> Iterator[Finding]:
    """What is important and may be forgotten, since nobody pinned it."""
    for one in scene.each_active():
        if one.life.has.importance >= IMPORTANT and not one.lasting:
            yield Finding(Kind.UNPINNED, (one.id,), partial(_loose, one))


def _loose(one: Seen) -> Detail:
    return Detail(
        "hygiene.unpinned",
        {"title": one.title, "importance": one.life.has.importance},
        (choice("pin", step("pin", target=one.id)),),
    )
