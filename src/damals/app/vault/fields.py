"""The fields of a frontmatter that mean something: the one list of their names and kinds."""

from collections.abc import Mapping
from typing import Final, Literal

from damals.domain.entries import Attributes, Json

Kind = Literal["bound", "moment", "truth", "number", "list", "text"]

KINDS: Final[Mapping[str, Kind]] = {
    **dict.fromkeys(("valid_from", "valid_to"), "bound"),
    **dict.fromkeys(
        ("created", "updated", "retrieved_at", "last_verified", "last_reviewed"), "moment"
    ),
    "pinned": "truth",
    **dict.fromkeys(("importance", "sensitivity", "persona_weight"), "number"),
    **dict.fromkeys(("tags", "aliases", "acl"), "list"),
    **dict.fromkeys(
        (
            *("id", "title", "type", "lang", "lang_original", "status", "domain"),
            *("staleness_risk", "visibility", "source_id"),
        ),
        "text",
    ),
}
"""What kind of value each field has, by its first name."""

OTHER_NAMES: Final[Mapping[str, str]] = {
    "valid_until": "valid_to",
    "tag": "tags",
    "alias": "aliases",
}
"""Names that mean a field where its first one is missing."""

SECOND_END: Final = "valid_until"
"""Of the other names the one that a note can give beside the first: it is kept as a property."""

KEY: Final = "damals_key"
EXTERNAL_ID: Final = "damals_external_id"
TYPED_PROPERTIES: Final = "damals_properties"
HISTORY: Final = "damals_history"
EXPORTED: Final = (KEY, EXTERNAL_ID, TYPED_PROPERTIES, HISTORY)
"""Fields that an export writes for the next import. Nobody else has them: a ``key`` that people
give their notes is a property."""

ORIGIN: Final = "damals_source"
"""Property of a note that an export wrote: where its entry came from before."""

MEANINGFUL: Final = frozenset((*KINDS, SECOND_END, *EXPORTED))
"""Names under which a reader of notes gives fields apart from properties."""

PROPERTIES: Final = ("aliases", "status", "last_verified")
"""Fields that mean something and are properties of an entry."""

WHO_SEES_IT: Final = ("acl", "visibility", "sensitivity")
"""Fields that say who may see a note: what is not clear about them hides it."""

NAMING: Final = ("id", "title")

SAID: Final = tuple(
    name for name in KINDS if KINDS[name] != "bound" and name not in (*PROPERTIES, *NAMING)
)
"""Fields that are attributes of an entry, but for its title, which every note has."""

PLAIN: Final = tuple(name for name in SAID if name != "tags")
"""Those of them that a note's text cannot say; tags stand in both."""

SOURCE_ID: Final = "source_id"
"""Of the fields that mean something the one that may be a link to a note."""

NOTE: Final = "note"
"""Type of a note that names none."""


def _usual() -> Mapping[str, Json]:
    known = Attributes("")
    said: dict[str, Json] = {name: getattr(known, name) for name in SAID}
    return {**said, "tags": [], "acl": [], "type": NOTE}


USUAL: Final = _usual()
"""What a note has that says nothing of a field, as parameters say it; for its visibility its type
decides."""
