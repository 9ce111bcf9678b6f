"""Findings about how entries stand to each other: broken links, and entries without any."""

from collections.abc import Iterator
from functools import partial
from uuid import UUID

from damals.app.hygiene.scene import Scene, Seen
from damals.app.repairs import choice, step
from damals.app.snapshot_model import Tie
from damals.domain.findings import Detail, Finding, Kind


def broken_links(scene: Scene) -> Iterator[Finding]:
    """Links to what nothing is known of, and relations to what is known no more."""
    told: set[tuple[UUID, str]] = set()
    for tie in scene.snapshot.ties:
        part = f"{tie.relation} {tie.dst_id}"
        if tie.derived or tie.src_id not in scene.active or (tie.src_id, part) in told:
            continue
        if tie.unresolved or not scene.snapshot.is_known(tie.dst_id):
            told.add((tie.src_id, part))
            detail = partial(_broken, scene.active[tie.src_id], tie)
            yield Finding(Kind.BROKEN_LINK, (tie.src_id,), detail, part)


def _broken(one: Seen, tie: Tie) -> Detail:
    path = one.entry.attributes.source.path
    gone = step("unrelate", src=tie.src_id, type=tie.relation, dst=tie.dst_id)
    return Detail(
        f"hygiene.broken_link.{'file' if tie.declared and path else 'relation'}",
        {
            "title": one.title,
            "target": tie.target or str(tie.dst_id),
            "relation": tie.relation,
            "path": path or "",
        },
        () if tie.declared else (choice("unrelate", gone),),
    )


def orphans(scene: Scene) -> Iterator[Finding]:
    """What stands in no relation to anything, but for those that were derived."""
    tied: set[UUID] = set()
    for tie in scene.snapshot.ties:
        if not tie.derived and not tie.unresolved and tie.src_id != tie.dst_id:
            tied |= {tie.src_id, tie.dst_id}
    for one in scene.each_active():
        if one.id not in tied:
            yield Finding(Kind.ORPHAN, (one.id,), partial(_alone, one))


def _alone(one: Seen) -> Detail:
    return Detail("hygiene.orphan", {"title": one.title})
