"""What an index does not take, made so that it does.

What a fact may say is checked before it is stored, but a ledger keeps what older programs, other
homes and files of events have put into it. One point that an engine refuses must never keep all
that follows from being found: it is written with as much of it as fits.
"""

import math
from dataclasses import replace
from typing import Final

from damals.app.index_checks import (
    MAX_BODY_CHARS,
    MAX_KEYWORD_CHARS,
    MAX_KEYWORDS,
    MAX_TOKEN_ID,
    MAX_TOKENS,
    MAX_WEIGHT,
    SENSITIVITIES,
    check_vector,
)
from damals.app.index_model import ChunkPoint, SparseVector
from damals.app.ledger_model import Access
from damals.domain.errors import InvalidInput
from damals.domain.instants import BEGINNING, FOREVER

NOBODY: Final = ("",)
"""An acl that names no one: no principal is called that."""

_STRICTEST: Final = SENSITIVITIES[-1]
_INSTANTS: Final = (
    *("valid_from_earliest", "valid_from_latest", "valid_to_earliest", "valid_to_latest"),
    *("recorded_from", "recorded_to", "age_at", "archived_at"),
)


def fitted(point: ChunkPoint, dimension: int) -> ChunkPoint:
    """A point that every check of an index lets through, with as much as possible of another.

    Args:
        point: any point.
        dimension: length of the dense vectors.

    Returns:
        The same id and entry. Long lists and texts are cut behind what fits; of many tokens the
        weightiest stay; a vector without a direction goes. Who may see it only gets fewer.
    """
    bounds = {name: min(max(getattr(point, name), BEGINNING), FOREVER) for name in _INSTANTS}
    access = fitted_access(Access(point.visibility, point.sensitivity, point.acl))
    return replace(
        point,
        **bounds,
        workspace=_text(point.workspace),
        type=_text(point.type),
        lang=_text(point.lang),
        title=_text(point.title),
        body=_text(point.body, MAX_BODY_CHARS),
        tags=first_names(point.tags),
        paths=first_names(point.paths),
        heading=first_names(point.heading),
        visibility=access.visibility,
        sensitivity=access.sensitivity,
        acl=access.acl,
        lexical=fitted_words(point.lexical),
        vector=point.vector if usable(point.vector, dimension) else None,
    )


def fitted_access(access: Access) -> Access:
    """Access that fits, for nobody more than before."""
    names = tuple(name for name in access.acl if name == _text(name))[:MAX_KEYWORDS]
    level = access.sensitivity if access.sensitivity in SENSITIVITIES else _STRICTEST
    acl = names or (NOBODY if access.acl else ())
    return Access(_text(access.visibility), level, acl)


def first_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """The first names of a list, as many as an index takes, each so far as it takes it."""
    return tuple(map(_text, names[:MAX_KEYWORDS]))


def usable(vector: bytes | None, dimension: int) -> bool:
    """Whether there is a vector, of this length and with a direction."""
    if vector is None:
        return False
    try:
        check_vector(vector, dimension)
    except InvalidInput:
        return False
    return True


def _text(text: str, most: int = MAX_KEYWORD_CHARS) -> str:
    """The beginning of a text; half a character becomes a question mark."""
    return text[:most].encode(errors="replace").decode()


def fitted_words(sparse: SparseVector) -> SparseVector:
    """The weightiest tokens, as many as an index takes."""
    weights = {
        index: min(value, MAX_WEIGHT)
        for index, value in zip(sparse.indices, sparse.values, strict=False)
        if 0 <= index <= MAX_TOKEN_ID and math.isfinite(value) and value > 0.0
    }
    chosen = sorted(weights, key=lambda index: (-weights[index], index))[:MAX_TOKENS]
    kept = sorted(chosen)
    return SparseVector(tuple(kept), tuple(weights[index] for index in kept))
