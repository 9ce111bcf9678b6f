"""Findings about required fields that a source does not give, and that were filled."""

from collections.abc import Iterator
from functools import partial

from damals.app.hygiene.scene import Scene, Seen
from damals.app.repairs import choice, step
from damals.domain.entries import Json
from damals.domain.findings import Choice, Detail, Finding, Kind


def missing_fields(scene: Scene) -> Iterator[Finding]:
    """Notes that lack a title, a type or tags of their own."""
    for one in scene.each_active():
        if one.entry.attributes.source.filled:
            yield Finding(Kind.MISSING_FIELD, (one.id,), partial(_missing, scene, one))


def _missing(scene: Scene, one: Seen) -> Detail:
    source = one.entry.attributes.source
    fields = ", ".join(source.filled)
    values = {"title": one.title, "fields": fields, "path": source.path or ""}
    return Detail("hygiene.missing_field", values, tuple(_stated(scene, one, source.filled)))


def _stated(scene: Scene, one: Seen, filled: tuple[str, ...]) -> Iterator[Choice]:
    """What was filled, written into the note; tags are for people to choose."""
    has = one.entry.attributes
    path = scene.note_path(one)
    said: dict[str, Json] = {}
    if "title" in filled:
        said["title"] = has.title
    if "type" in filled:
        said["type"] = has.type
    if path is not None and said:
        yield choice("annotate", step("annotate", path=path, **said))
