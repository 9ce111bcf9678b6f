"""What a translation says of its original.

``source_id`` of a note of type ``translation`` names it: by its id, by the name that it gives
itself (``id`` of its frontmatter), or by a link. That states ``translation_of``.
"""

import re
from collections.abc import Iterator
from typing import Final

from damals.app.source_model import Link, ParsedNote
from damals.domain.names import fold
from damals.domain.types import TypeCatalogue

TRANSLATION: Final = "translation"
TRANSLATION_OF: Final = "translation_of"

_LINK: Final = re.compile(r"\[\[([^\[\]|#]+)(?:[|#][^\[\]]*)?\]\]")


def originals(parsed: ParsedNote, types: TypeCatalogue) -> Iterator[Link]:
    """The link to the original of a translation; none for other notes, or when a field has it."""
    type_ = parsed.fields.get("type")
    if not isinstance(type_, str) or fold(type_.strip()) != TRANSLATION:
        return
    if TRANSLATION_OF not in types.relations or TRANSLATION_OF in parsed.field_links:
        return
    named = parsed.fields.get("source_id")
    while isinstance(named, list) and len(named) == 1:  # [[name]] without quotes
        named = f"[[{named[0]}]]" if isinstance(named[0], str) else named[0]
    if not isinstance(named, str) or not named.strip() or "://" in named:
        return
    link = _LINK.fullmatch(named.strip())
    target = (link[1] if link else named).strip()
    yield Link(target, None, embed=False, start=0, end=0, line=1)
