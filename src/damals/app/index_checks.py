"""What is refused before it reaches an engine, embedded or on a server.

The embedded one stores a vector with a NaN and loses the point, panics on sparse vectors of unequal
lengths and poisons its log with them, and stores a date it cannot read. None of that may happen.
"""

import math
from collections.abc import Iterable
from typing import Final

from damals.app.index_model import ChunkPoint, IndexFilter, IndexQuery, SparseVector
from damals.app.index_schema import norm
from damals.domain.errors import InvalidInput
from damals.domain.instants import BEGINNING, FOREVER

MAX_BODY_CHARS: Final = 1_000_000
MAX_KEYWORD_CHARS: Final = 4_096
MAX_KEYWORDS: Final = 1_000
MAX_TOKENS: Final = 100_000
MAX_LIMIT: Final = 10_000
MAX_TOKEN_ID: Final = 2**32 - 1
MAX_WEIGHT: Final = 1e9
"""Far above any weight, far below where a product of two leaves float32."""

MIN_NORM: Final = 1e-6
MAX_NORM: Final = 1e6
"""Outside of these, float32 arithmetic turns a cosine into zero or NaN."""

SENSITIVITIES: Final = range(4)

_INSTANTS: Final = (
    "valid_from_earliest",
    "valid_from_latest",
    "valid_to_earliest",
    "valid_to_latest",
    "recorded_from",
    "recorded_to",
    "age_at",
    "archived_at",
)


_LISTS: Final = (
    *("types", "tags", "paths", "phrases", "either"),
    *("no_types", "no_tags", "no_paths", "no_phrases"),
)
"""Texts of a filter that are looked for one by one."""


def check_point(point: ChunkPoint, dimension: int) -> None:
    """Refuse a point that the engine would lose, distort or choke on.

    Raises:
        InvalidInput: ``index.vector``, ``index.sparse``, ``index.text``, ``index.instant`` or
            ``index.number``, naming the field.
    """
    for name in _INSTANTS:
        check_instant(name, getattr(point, name))
    check_text("body", point.body, MAX_BODY_CHARS)
    for name in ("workspace", "type", "lang", "visibility", "title"):
        check_text(name, getattr(point, name))
    for name in ("tags", "paths", "acl", "heading"):
        check_texts(name, getattr(point, name))
    check_sensitivity(point.sensitivity)
    check_sparse(point.lexical)
    if point.vector is not None:
        check_vector(point.vector, dimension)


def check_vector(vector: bytes, dimension: int) -> None:
    """Refuse a dense vector of another length, with a NaN, or with no direction."""
    if len(vector) != 4 * dimension:
        raise InvalidInput("index.vector", expected=4 * dimension, found=len(vector))
    if not MIN_NORM <= norm(vector) <= MAX_NORM:
        raise InvalidInput("index.vector_norm", norm=norm(vector))


def check_sparse(sparse: SparseVector) -> None:
    """Refuse a sparse vector that is not ascending unsigned ids with positive weights."""
    indices, values = sparse.indices, sparse.values
    if len(indices) != len(values):
        raise InvalidInput("index.sparse", reason=f"{len(indices)} != {len(values)}")
    if not indices:
        return
    if len(indices) > MAX_TOKENS:
        raise InvalidInput("index.sparse", reason=f"{len(indices)} > {MAX_TOKENS}")
    if indices[0] < 0 or indices[-1] > MAX_TOKEN_ID:
        raise InvalidInput("index.sparse", reason=f"{indices[0]}…{indices[-1]}")
    # No loop of our own: this is asked of every chunk, and a chunk has hundreds of tokens.
    if len(set(indices)) != len(indices) or sorted(indices) != list(indices):
        raise InvalidInput("index.sparse", reason="indices")
    # A sum is NaN or infinite when a part is; then the minimum and maximum tell nothing.
    if not math.isfinite(sum(values)) or min(values) <= 0.0 or max(values) > MAX_WEIGHT:
        raise InvalidInput("index.sparse", reason="values")


def check_text(name: str, text: str, max_chars: int = MAX_KEYWORD_CHARS) -> None:
    """Refuse a text that is too long or cannot be written as UTF-8 (a lone surrogate)."""
    if len(text) > max_chars:
        raise InvalidInput("index.text_long", field=name, length=len(text), limit=max_chars)
    try:
        text.encode()
    except UnicodeEncodeError as cause:
        raise InvalidInput("index.text", field=name) from cause


def check_texts(name: str, texts: Iterable[str]) -> None:
    """Refuse a list that is too long, or one with a text that :func:`check_text` refuses."""
    listed = tuple(texts)
    if len(listed) > MAX_KEYWORDS:
        raise InvalidInput("index.text_long", field=name, length=len(listed), limit=MAX_KEYWORDS)
    for text in listed:
        check_text(name, text)


def check_instant(name: str, instant: int) -> None:
    """Refuse an instant outside the years 1 to 9999."""
    if not BEGINNING <= instant <= FOREVER:
        raise InvalidInput("index.instant", field=name, value=instant)


def check_sensitivity(sensitivity: int) -> None:
    """Refuse a sensitivity outside 0 to 3."""
    if sensitivity not in SENSITIVITIES:
        raise InvalidInput("index.number", field="sensitivity", value=sensitivity)


def check_filter(where: IndexFilter) -> None:
    """Refuse a filter whose values the engine cannot compare with."""
    check_instant("as_of", where.as_of)
    check_instant("known_at", where.known_at)
    for name, bound in (("since", where.since), ("until", where.until)):
        if bound is not None:
            check_instant(name, bound)
    check_text("workspace", where.workspace)
    for name in _LISTS:
        check_texts(name, getattr(where, name))
    check_texts("path", () if where.path is None else (where.path,))
    check_texts("lang", () if where.lang is None else (where.lang,))
    check_texts("visibilities", where.access.visibilities or ())
    check_texts("principals", where.access.principals or ())


def check_query(query: IndexQuery, dimension: int) -> None:
    """Refuse a query with a bad filter, vector or limit."""
    check_filter(query.where)
    if not 1 <= query.limit <= MAX_LIMIT:
        raise InvalidInput("index.number", field="limit", value=query.limit)
    if query.vector is not None:
        check_vector(query.vector, dimension)
    if query.lexical is not None:
        check_sparse(query.lexical)
