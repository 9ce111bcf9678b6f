"""Findings about when entries hold, where nobody is sure of it."""

from collections.abc import Iterator
from functools import partial

from damals.app.hygiene.scene import Scene, Seen
from damals.app.repairs import choice, step
from damals.domain.findings import Choice, Detail, Finding, Kind
from damals.domain.periods import Bound, BoundKind


def uncertain_dates(scene: Scene) -> Iterator[Finding]:
    """Bounds that are marked as uncertain, starts that nobody knows, ends that nobody knows."""
    for one in scene.each_active():
        period = one.entry.period
        for part, bound in (("start", period.start), ("end", period.end)):
            if _is_unsure(bound):
                detail = partial(_unsure, scene, one, part, bound)
                yield Finding(Kind.UNCERTAIN_DATE, (one.id,), detail, part)


def _is_unsure(bound: Bound) -> bool:
    return bound.uncertain or bound.kind is BoundKind.UNKNOWN


def _unsure(scene: Scene, one: Seen, part: str, bound: Bound) -> Detail:
    why = "unknown" if bound.kind is BoundKind.UNKNOWN else "uncertain"
    return Detail(
        f"hygiene.date.{part}_{why}",
        {"title": one.title, "date": bound.text or ""},
        () if one.id in scene.snapshot.split else tuple(_confirmed(one, part, bound)),
        decision=True,
    )


def _confirmed(one: Seen, part: str, bound: Bound) -> Iterator[Choice]:
    """The date without its mark, if there is one: no date is ever guessed.

    What is known in several rectangles is left to people: a bound of a correction makes it one.
    """
    date = (bound.text or "").rstrip("~?").strip()
    if bound.kind is not BoundKind.UNKNOWN and date:
        name = "valid_from" if part == "start" else "valid_to"
        said = step("correct", target=one.id, **{name: date}, reason="hygiene.reason.date")
        yield choice("confirm", said)
