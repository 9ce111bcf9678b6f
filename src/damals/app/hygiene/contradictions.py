"""Findings about what cannot both be right, and nobody has decided."""

from collections.abc import Iterator
from functools import partial

from damals.app.hygiene.scene import Scene, Seen
from damals.app.repairs import choice, step
from damals.domain.findings import Detail, Finding, Kind


def contradictions(scene: Scene) -> Iterator[Finding]:
    """Contradictions that are open, between two entries that hold."""
    told: set[frozenset[object]] = set()
    for tie in scene.snapshot.ties:
        ends = frozenset((tie.src_id, tie.dst_id))
        if tie.resolution != "required" or ends in told or not ends <= scene.active.keys():
            continue
        told.add(ends)
        a, b = sorted((tie.src_id, tie.dst_id))
        sides = scene.active[a], scene.active[b]
        detail = partial(_undecided, *sides, tie.recorded_from)
        yield Finding(Kind.CONTRADICTION, (a, b), detail)


def _undecided(a: Seen, b: Seen, since: int) -> Detail:
    ways = (
        (keep, step("resolve", a=a.id, b=b.id, keep=keep, reason=f"hygiene.reason.keep_{keep}"))
        for keep in ("both", "a", "b")
    )
    return Detail(
        "hygiene.contradiction",
        {"a": a.title, "b": b.title, "since_at": since},
        tuple(choice(f"keep_{keep}", made) for keep, made in ways),
        decision=True,
    )
