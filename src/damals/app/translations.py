"""What a translation says of its original.

``source_id`` of a note of type ``translation`` names it: by its id, by the name that it gives
itself (``id`` of its frontmatter), or by a link. That states ``translation_of``.
"""

from collections.abc import Iterator
from typing import Final

from damals.app.source_model import Link, ParsedNote
from damals.app.vault.fields import SOURCE_ID
from damals.domain.names import fold
from damals.domain.types import TypeCatalogue

TRANSLATION: Final = "translation"
TRANSLATION_OF: Final = "translation_of"


def originals(parsed: ParsedNote, types: TypeCatalogue) -> Iterator[Link]:
    """The link to the original of a translation; none for other notes, or when a field has it."""
    type_ = parsed.fields.get("type")
    if not isinstance(type_, str) or fold(type_.strip()) != TRANSLATION:
        return
    if TRANSLATION_OF not in types.relations or TRANSLATION_OF in parsed.field_links:
        return
    found = parsed.field_links.get(SOURCE_ID)
    if found is not None and len(found.links) == 1 and found.rest is None:
        yield found.links[0]
        return
    named = parsed.fields.get(SOURCE_ID)
    while isinstance(named, list) and len(named) == 1:  # [[name]] as YAML reads it
        named = named[0]
    if isinstance(named, str) and named.strip() and "://" not in named:
        yield Link(named.strip(), None, embed=False, start=0, end=0, line=1)
