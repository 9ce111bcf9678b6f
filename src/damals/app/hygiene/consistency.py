"""Findings about fields that do not fit each other: risk and half-life, importance and pin."""

from collections.abc import Iterator
from functools import partial

from damals.app.hygiene.lifecycle import days
from damals.app.hygiene.scene import Scene, Seen
from damals.app.repairs import choice, step
from damals.domain.ageing import STABLE
from damals.domain.fields import RISKS
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
        if (one.life.has.staleness_risk or STABLE) not in RISKS:
            yield Finding(Kind.RISK, (one.id,), partial(_unheard, one))
        elif not fits(one.ages, pinned=one.pinned):
            yield Finding(Kind.RISK, (one.id,), partial(_unfit, one))


def _unheard(one: Seen) -> Detail:
    """A risk that there is not, from a home that took any."""
    values = {"title": one.title, "said": one.life.has.staleness_risk, "risk": one.ages.risk}
    found = fitting_risk(one.ages, pinned=one.pinned) or one.ages.risk
    risk = {"staleness_risk": found, "reason": "hygiene.reason.risk"}
    said = step("correct", target=one.id, **risk)
    return Detail("hygiene.risk.unheard", values, (choice("risk", said),), decision=True)


def _unfit(one: Seen) -> Detail:
    way = "pinned" if one.pinned else "lasting" if one.lasting else "half_life"
    return Detail(
        f"hygiene.risk.{way}",
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
    values = {"title": one.title, "importance": one.life.has.importance}
    if all(fits(one.ages, pinned=way) for way in (True, False)):
        kept = (choice("pin", step("pin", target=one.id)),)
        return Detail("hygiene.unpinned.stable", values, kept)
    # A pin alone would not fit its risk, now or when another finding is settled.
    lasting = {"pinned": True, "staleness_risk": STABLE, "reason": "hygiene.reason.lasting"}
    usual = {"importance": IMPORTANT - 1, "reason": "hygiene.reason.less_important"}
    return Detail(
        "hygiene.unpinned.ages",
        {**values, "risk": one.ages.risk},
        (
            choice("pin_stable", step("correct", target=one.id, **lasting)),
            choice("less_important", step("correct", target=one.id, **usual)),
        ),
        decision=True,
    )
