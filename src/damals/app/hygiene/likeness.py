"""Findings about entries that say nearly the same, or something else of the same."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from damals.app.claims import claim_of
from damals.app.hygiene.scene import Scene, Seen
from damals.app.repairs import choice, step
from damals.domain.candidates import Evidence, candidates
from damals.domain.claims import Claim
from damals.domain.findings import Choice, Detail, Finding, Kind

_UNTOLD: Final = frozenset({"links_to", "linked_from"})
"""Relations that say nothing of whether two entries say the same."""

SHOWN: Final = 3


def alike(scene: Scene) -> Iterator[Finding]:
    """Candidates of duplicates and contradictions, but for those that somebody has decided.

    Two entries that stand in a stated relation to each other were looked at: that is also how a
    candidate is put aside.
    """
    decided = {
        frozenset((tie.src_id, tie.dst_id))
        for tie in scene.snapshot.ties
        if not tie.derived and tie.relation not in _UNTOLD
    }
    for found in candidates(map(_claim, scene.each_active())):
        if frozenset((found.a, found.b)) not in decided:
            yield _finding(scene, found)


def _claim(one: Seen) -> Claim:
    return claim_of(one.id, one.entry.attributes, one.entry.period)


def _finding(scene: Scene, found: Evidence) -> Finding:
    kind = Kind.NEAR_DUPLICATE if found.kind == "duplicate" else Kind.POSSIBLE_CONTRADICTION
    detail = partial(_alike, scene.active[found.a], scene.active[found.b], found)
    return Finding(kind, (found.a, found.b), detail)


def _alike(a: Seen, b: Seen, found: Evidence) -> Detail:
    duplicate = found.kind == "duplicate"
    values = {
        "a": a.title,
        "b": b.title,
        "likeness": found.likeness,
        "differences": _differences(found),
    }
    choices = _one_goes(found) if duplicate else _one_stays(found, a, b)
    key = f"hygiene.{'duplicate' if duplicate else 'differs'}"
    return Detail(key, values, (*_apart(found), *choices), decision=True)


def _differences(found: Evidence) -> str:
    """``30 s – 60 s``: what one says, and what the other says."""
    return "; ".join(f"{one.a or '–'} ↔ {one.b or '–'}" for one in found.differences[:SHOWN])


def _apart(found: Evidence) -> Iterator[Choice]:
    """Both stay; that they belong together is said, and they are no candidates any more."""
    said = step("relate", src=found.a, type="related_to", dst=found.b)
    yield choice("relate", said)


def _one_goes(found: Evidence) -> Iterator[Choice]:
    for name, entry_id in (("archive_b", found.b), ("archive_a", found.a)):
        gone = step("archive", target=entry_id, reason="hygiene.reason.duplicate")
        yield choice(name, gone)


def _one_stays(found: Evidence, a: Seen, b: Seen) -> Iterator[Choice]:
    open_ = step("contradict", a=found.a, b=found.b, reason="hygiene.reason.differs")
    yield choice("contradict", open_)
    later = a.entry.period.start.earliest, b.entry.period.start.earliest
    new, old = (found.a, found.b) if later[0] > later[1] else (found.b, found.a)
    if later[0] != later[1]:
        yield choice("supersede", step("relate", src=new, type="supersedes", dst=old))
